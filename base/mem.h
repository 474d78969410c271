/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_MEM_H
#define FR_BASE_MEM_H

#include <stddef.h>

#include "fencerun/error.h"

/* All memory of the library comes from here, so that tests can make the Nth allocation fail. */

/* Zeroed memory, or NULL with FR_ENOMEM in err. Free with fri_free(). */
FR_CHECK void *fri_calloc(size_t count, size_t size, fr_error *err);

/* realloc of `count * size` bytes; on failure NULL, FR_ENOMEM in err, and `p` is still good. */
FR_CHECK void *fri_realloc(void *p, size_t count, size_t size, fr_error *err);

/* A NUL-terminated copy of n bytes. */
FR_CHECK char *fri_memdup(const void *p, size_t n, fr_error *err);
FR_CHECK char *fri_strdup(const char *s, fr_error *err);

void fri_free(void *p);

/* For tests: the allocation numbered `n` from now (1 is the next) fails; 0 ends that. Returns how
 * many allocations there were since the last call. Process-wide, for one-threaded tests. */
size_t fri_fail_allocation(size_t n);

/* For tests: how many allocations have not been freed. */
size_t fri_live_allocations(void);

#endif
