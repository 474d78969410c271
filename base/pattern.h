/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_PATTERN_H
#define FR_BASE_PATTERN_H

#include <stddef.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "fencerun/error.h"
#include "fencerun/str.h"

/*
 * PCRE2 for patterns that we write ourselves: over bytes, with memory from base/mem.h, and bounded, so
 * that a text made to provoke backtracking gets an error and not our time. `purpose`, static storage,
 * says in errors what the pattern is for.
 */

/* Compiles; the code is immutable, so any thread may match with it. Free with pcre2_code_free(). `jit`: to
 * machine code, for short patterns only: of long ones PCRE2 (10.42) makes it in several pieces of memory,
 * and crashes when it does not get one of them.
 * Errors: FR_ENOMEM, FR_EINTERNAL (no pattern at all). */
FR_CHECK int fri_pattern_compile(fr_str pattern, int jit, const char *purpose, pcre2_code **out,
                                 fr_error *err);

/* What matching needs besides the code, for one thread at a time. */
typedef struct fri_matcher {
    const char *purpose;
    pcre2_match_context *context;
    pcre2_match_data *data;
} fri_matcher;

#define FRI_MATCHER_INIT \
    {                    \
        NULL, NULL, NULL \
    }

/* Errors: FR_ENOMEM; the matcher is then still to be disposed of. */
FR_CHECK int fri_matcher_init(fri_matcher *m, const char *purpose, fr_error *err);
void fri_matcher_dispose(fri_matcher *m);

/* 1: the first match that starts at `from` or behind it starts at *at. 0: there is none.
 * Errors: FR_ELIMIT (it took too much), FR_ENOMEM, FR_EINTERNAL. */
FR_CHECK int fri_matcher_find(const fri_matcher *m, const pcre2_code *code, fr_str text,
                              size_t from, size_t *at, fr_error *err);

#endif
