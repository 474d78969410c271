/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_UNITS_H
#define FENCERUN_UNITS_H

#include <stdint.h>

#include "fencerun/error.h"

FR_BEGIN_DECLS

/**
 * Strict readers for the numbers people write in options. The whole text must be the number: no
 * leading or trailing blanks, no sign where none is allowed, no overflow, no NaN.
 * Errors: FR_EINVAL with a text that names the bad value and the accepted forms.
 * Threads: any.
 */

/** A decimal integer in [min, max]. Since: 0.1. */
FR_API FR_CHECK int fr_parse_integer(const char *text, int64_t min, int64_t max, int64_t *out,
                                     fr_error *err);

/** Bytes: "4096", "64K", "512M", "2G", "1T", also with "iB" or "B" ("512MiB") and in lower case.
 * Powers of 1024, as Docker counts them. Zero and fractions are refused. Since: 0.1. */
FR_API FR_CHECK int fr_parse_size(const char *text, uint64_t *bytes, fr_error *err);

/** A duration: "30s", "1.5s", "200ms", "2m", "1h"; a bare number is seconds. Rounded to the nearest
 * millisecond; at least one, at most 24 hours. Since: 0.1. */
FR_API FR_CHECK int fr_parse_duration(const char *text, int64_t *milliseconds, fr_error *err);

FR_END_DECLS

#endif
