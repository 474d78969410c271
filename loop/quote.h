/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_QUOTE_H
#define FR_LOOP_QUOTE_H

#include "base/buf.h"
#include "fencerun/executor.h"

/*
 * Putting text between delimiters so that nothing in it can end it or begin something else. A fence is
 * made longer than any run of backticks in the text (CommonMark 4.5). Within other delimiters a backslash,
 * or another byte where a delimiter holds one,
 * goes into each of the executor's delimiters that the text holds, behind its first character.
 */

/* Whether a delimiter is an opening fence of backticks. */
int fri_is_fence(const char *open);

/* Appends a fenced block with that info string; the fences stand on lines of their own. */
void fri_put_fenced(fri_buf *out, fr_str info, fr_str text);

/* Appends the text between `pair`, which is one of the delimiters in `attributes`. */
void fri_put_quoted(fri_buf *out, const fr_delimiters *pair, const fr_executor_options *attributes,
                    fr_str text);

#endif
