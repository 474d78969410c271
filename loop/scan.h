/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_SCAN_H
#define FR_LOOP_SCAN_H

#include "base/pattern.h"

/*
 * Finds the next place where a block may begin: three backticks, three tildes, or one of some literal
 * strings. The compiled pattern is immutable and, when it is for fences alone, shared by the whole
 * process; the matcher belongs to one scan.
 */
typedef struct fri_scan {
    pcre2_code *code;
    int shared;
    fri_matcher matcher;
} fri_scan;

#define FRI_SCAN_INIT             \
    {                             \
        NULL, 0, FRI_MATCHER_INIT \
    }

/* Errors: FR_ENOMEM, FR_EINTERNAL; the scan is then still to be disposed of. */
FR_CHECK int fri_scan_init(fri_scan *s, int fences, const char *const *literals, size_t count,
                           fr_error *err);
void fri_scan_dispose(fri_scan *s);

/* 1: the first candidate in [from, end) is at *at. 0: there is none. Negative: an error. */
FR_CHECK int fri_scan_next(const fri_scan *s, const char *text, size_t from, size_t end, size_t *at,
                           fr_error *err);

#endif
