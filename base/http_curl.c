/* SPDX-License-Identifier: MIT */
#include "base/http_curl.h"

#include <pthread.h>

#include "base/dynlib.h"

static fri_curl functions;

#define SYMBOL(name) FRI_DYNLIB_SYMBOL("curl_" #name, functions.name)

static const fri_dynlib_symbol symbols[] = {
    SYMBOL(global_init),   SYMBOL(easy_init),        SYMBOL(easy_setopt),
    SYMBOL(easy_getinfo),  SYMBOL(easy_cleanup),     SYMBOL(easy_strerror),
    SYMBOL(multi_init),    SYMBOL(multi_add_handle), SYMBOL(multi_remove_handle),
    SYMBOL(multi_perform), SYMBOL(multi_poll),       SYMBOL(multi_info_read),
    SYMBOL(multi_cleanup), SYMBOL(slist_append),     SYMBOL(slist_free_all),
    SYMBOL(getdate),
};

static fri_dynlib library = {
    "libcurl.so.4", "HTTP", "libcurl4", symbols, sizeof(symbols) / sizeof(symbols[0]), 0};

static CURLcode initialised;

static void initialise(void)
{
    initialised = functions.global_init(CURL_GLOBAL_DEFAULT);
}

int fri_curl_load(const fri_curl **out, fr_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int rc = fri_dynlib_load(&library, err);
    if (rc)
        return rc;
    pthread_once(&once, initialise);
    if (initialised != CURLE_OK)
        return fr_fail(err, FR_EUNAVAILABLE, 0, "HTTP: libcurl does not start: %s",
                       functions.easy_strerror(initialised));
    *out = &functions;
    return 0;
}
