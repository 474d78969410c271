/* SPDX-License-Identifier: MIT */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find_symbols(const fri_dynlib *library, void *handle, fr_error *err)
{
    for (size_t i = 0; i < library->count; i++) {
        void *address = dlsym(handle, library->symbols[i].name);
        if (!address)
            return fr_fail(err, FR_EUNAVAILABLE, 0, "%s: %s lacks %s; a newer %s is needed",
                           library->purpose, library->file, library->symbols[i].name,
                           library->package);
        /* POSIX lets the bytes of a void * be a function's address; ISO C has no cast for it. */
        memcpy((void *)library->symbols[i].slot, &address, sizeof(address));
    }
    return 0;
}

static int load(const fri_dynlib *library, fr_error *err)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fr_fail(err, FR_EUNAVAILABLE, 0, "%s: %s cannot be loaded (%s): install %s",
                       library->purpose, library->file, dlerror(), library->package);
    int rc = find_symbols(library, handle, err);
    if (rc)
        dlclose(handle);
    return rc;
}

int fri_dynlib_load(fri_dynlib *library, fr_error *err)
{
    if (__atomic_load_n(&library->loaded, __ATOMIC_ACQUIRE))
        return 0;
    pthread_mutex_lock(&lock);
    int rc = library->loaded ? 0 : load(library, err);
    if (rc == 0)
        __atomic_store_n(&library->loaded, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return rc;
}
