/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_STR_H
#define FR_BASE_STR_H

#include <string.h>

#include "fencerun/str.h"

/* Small helpers on ranges. */

static inline fr_str fri_str(const char *p, size_t n)
{
    fr_str s = {p, n};
    return s;
}

static inline fr_str fri_cstr(const char *s)
{
    return fri_str(s, strlen(s));
}

static inline int fri_str_equal(fr_str a, fr_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

#endif
