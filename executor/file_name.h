/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_FILE_NAME_H
#define FR_EXECUTOR_FILE_NAME_H

#include "base/buf.h"
#include "fencerun/error.h"

/* Names of files below a run's working directory. */

/* Whether it leads to something below: relative, no part empty, "." or "..". */
int fri_file_name_is_below(const char *name);

/* Whether a file of that name can be put in: below, UTF-8 without control characters, parts of 255 bytes and
 * 1,023 in all. Errors: FR_EINVAL. `executor` is for the text. */
FR_CHECK int fri_file_name_check(const char *name, const char *executor, fr_error *err);

/* Whether two of them cannot both be there: they are the same, or one is a directory of the other. */
int fri_file_names_clash(const char *a, const char *b);

/* Appends a name that a program has chosen, with \x escapes for control characters, backslashes and bytes that
 * are no UTF-8. Two names never become one. */
void fri_file_name_put(fri_buf *out, const char *name);

#endif
