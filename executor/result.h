/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_RESULT_H
#define FR_EXECUTOR_RESULT_H

#include "base/buf.h"
#include "fencerun/code.h"

/* A result with the memory behind its pointers. `pub` comes first: the two share an address. */
typedef struct fri_result {
    fr_code_result pub;
    fr_receipt receipt;
    fri_buf out;
    fri_buf err;
    char reason[256];
    char *interpreter;
    char *interpreter_version;
    char *executor;
    char *language;
    fr_limit *limits;
    fr_file *files;
    size_t files_bytes;
    fr_skipped_file *skipped;
} fri_result;

FR_CHECK fri_result *fri_result_new(fr_error *err);
void fri_result_free(fri_result *r);

FR_CHECK int fri_result_add_limit(fri_result *r, const fr_limit *limit, fr_error *err);
/* Names are those of the files; what is added is theirs with escapes. */
FR_CHECK int fri_result_add_file(fri_result *r, const fr_file *file, fr_error *err);
FR_CHECK int fri_result_add_skipped(fri_result *r, const char *name, const char *reason,
                                    fr_error *err);

/* Puts files in the order of their names, and marks those of a run that was stopped. */
void fri_result_settle_files(fri_result *r);

/* Replaces *slot by a copy of s. */
FR_CHECK int fri_result_set_string(char **slot, const char *s, fr_error *err);

#endif
