/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_CLEANUP_H
#define FR_BASE_CLEANUP_H

#include <unistd.h>

#include "base/mem.h"

/* FRI_AUTO(fri_freep) char *p = NULL;   frees p when it goes out of scope. */
#define FRI_AUTO(fn) __attribute__((cleanup(fn)))

/* Gives ownership away: the value of *p, which becomes `empty`. */
#define fri_steal(p)                                         \
    ({                                                       \
        __typeof__(p) fri_steal_p = (p);                     \
        __typeof__(*fri_steal_p) fri_steal_v = *fri_steal_p; \
        *fri_steal_p = NULL;                                 \
        fri_steal_v;                                         \
    })

static inline void fri_freep(void *p)
{
    fri_free(*(void **)p);
}

static inline void fri_closep(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline int fri_steal_fd(int *fd)
{
    int v = *fd;
    *fd = -1;
    return v;
}

#endif
