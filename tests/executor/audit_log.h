/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EXECUTOR_AUDIT_LOG_H
#define TESTS_EXECUTOR_AUDIT_LOG_H

#include "base/buf.h"
#include "fencerun/audit.h"

/* Audit logs for tests, in a directory of their own. What fails in here fails the test. */

/* Setup and teardown of a test, with a check for leaks; log_path is that of a file which is not there. */
int log_setup(void **state);
int log_teardown(void **state);
extern char log_directory[64];
extern char log_path[96];

#define log_test(f) cmocka_unit_test_setup_teardown(f, log_setup, log_teardown)

/* The bytes of the log; dispose the buffer. */
fri_buf log_read(void);
void log_write(fr_str bytes);

/* Opened without syncing. */
fr_audit *log_open(void);

/* A result with that on stdout; free with fr_code_result_free(). The numbers in it are always the same. */
fr_code_result *log_result(const char *out);

/* Appends a whole run. */
void log_run(fr_audit *a, const char *code, const char *out);

/* Opens it, appends the start of a run, closes it. Returns the record's mark. */
fr_audit_mark log_append_one(void);

/* Verifies it, with an anchor or NULL. */
fr_audit_summary log_verify(const char *anchor);

/* The chain holds, with so many records. */
fr_audit_summary log_expect_holds(uint64_t records);

/* The offset behind each line feed, at most `max`; returns how many there are. */
size_t log_line_ends(fr_str bytes, size_t *ends, size_t max);

/* Runs fn in a child of its own; not 0 fails the test. Nothing in it may assert. */
void log_in_child(int (*fn)(void));

#endif
