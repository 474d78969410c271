/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_STR_H
#define FENCERUN_STR_H

#include <stddef.h>

/**
 * A range of bytes that somebody else owns. `p` is never NULL in a range the library returns and is
 * followed by a NUL byte there that `n` does not count; the bytes themselves may hold NULs.
 */
typedef struct fr_str {
    const char *p;
    size_t n;
} fr_str;

#endif
