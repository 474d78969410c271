/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_ASCII_H
#define FR_BASE_ASCII_H

#include "base/digits.h"

/* As <ctype.h> in the C locale, whatever locale the host program has chosen. */

static inline int fri_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int fri_is_alnum(char c)
{
    return fri_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#endif
