/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_DIGITS_H
#define FR_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Digits to numbers, strictly: no blanks, no signs but the one named, no overflow. */

static inline int fri_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Value of a hex digit, or -1. */
static inline int fri_hex_value(char c)
{
    if (fri_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The number that all n bytes spell in decimal. 0, or -1 when they spell none that fits. */
static inline int fri_decimal(const char *p, size_t n, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = (uint64_t)(p[i] - '0');
        if (!fri_is_digit(p[i]) || v > (UINT64_MAX - digit) / 10)
            return -1;
        v = v * 10 + digit;
    }
    if (n == 0)
        return -1;
    *out = v;
    return 0;
}

/* As fri_decimal(), with a minus sign allowed in front. */
static inline int fri_signed_decimal(const char *p, size_t n, int64_t *out)
{
    uint64_t v = 0;
    int negative = n > 0 && p[0] == '-';
    if (fri_decimal(p + negative, n - (size_t)negative, &v))
        return -1;
    if (v > (uint64_t)INT64_MAX + (uint64_t)negative)
        return -1;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return 0;
}

#endif
