/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_UTF8_H
#define FR_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * UTF-8 by the Unicode Standard (table 3-7): no overlong forms, no surrogates, nothing above
 * U+10FFFF. Repair replaces each maximal ill-formed subpart by one U+FFFD, as the WHATWG decoder does.
 */

/* How many bytes at the start are well-formed UTF-8. */
size_t fri_utf8_valid_prefix(const char *text, size_t n);

/* Of n > 0 bytes: the length of the character they start with, or of the ill-formed part that repair
 * would replace there. */
size_t fri_utf8_first(const char *p, size_t n);

/* Appends the text with ill-formed parts replaced; returns how many there were. */
uint64_t fri_utf8_repair(fri_buf *out, const char *p, size_t n);

/* The largest m <= n at which the text may be cut without cutting a character in two. Bytes that are
 * no UTF-8 may be cut anywhere. */
size_t fri_utf8_clip(const char *text, size_t n);

/* The smallest m at which a text cut off on the left begins with a whole character: skips the rest
 * of one character, at most three bytes. */
size_t fri_utf8_skip_tail(const char *text, size_t n);

/* Encodes a scalar value; returns the number of bytes, 1 to 4. Surrogates are the caller's fault. */
size_t fri_utf8_encode(uint32_t c, char out[4]);

#endif
