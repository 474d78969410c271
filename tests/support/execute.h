/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_EXECUTE_H
#define TESTS_SUPPORT_EXECUTE_H

#include "fencerun/executor.h"

/* Short forms for tests that run code. Each fails the test where the call fails. */

fr_executor *open_executor(const char *name, const fr_executor_options *options);

/* Runs code in the executor's first language. Free with fr_code_result_free(). */
fr_code_result *execute(fr_executor *ex, const char *code);

/* Runs code that must end well; returns its stdout, to be freed with free(). */
char *output_of(fr_executor *ex, const char *code);

/* Runs code that must end well with exactly this on stdout. */
void expect_output(fr_executor *ex, const char *code, const char *out);

/* One whole use of an executor, for torture(): opens it, runs code, puts the result in JSON, frees all.
 * Returns 0 or the code of the call that failed. */
int use_executor(const char *name, const fr_executor_options *options, const char *code,
                 fr_error *err);

/* The same for an executor in a wrapper. */
int use_wrapped(const char *wrapper, const char *name, const fr_executor_options *options,
                const char *code, fr_error *err);

/* The limit of that name on a receipt; NULL when there is none. */
const fr_limit *find_limit(const fr_code_result *r, const char *name);

#endif
