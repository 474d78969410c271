/* SPDX-License-Identifier: MIT */
/* What an executor says about a run and what comes out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/executor/puppet.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"

typedef int (*script)(fr_call *call, void *user, fr_error *err);

static fr_code_result *result_of(script fn, void *user)
{
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    if (puppet_execute(fn, user, &r, &err))
        fail_msg("%s", err.text);
    return r;
}

/* A script that must make the call fail. */
static void expect_failure(script fn, void *user, int code, const char *word)
{
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(puppet_execute(fn, user, &r, &err), code);
    assert_null(r);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not mention %s", err.text, word);
}

static int put(fr_call *call, int stream, const char *text)
{
    return fr_result_write(call, stream, text, strlen(text), NULL);
}

/* ---- streams ---- */

static int write_both(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    assert_int_equal(put(call, FR_STDOUT, "out 1\n"), 0);
    assert_int_equal(put(call, FR_STDERR, "err\n"), 0);
    assert_int_equal(put(call, FR_STDOUT, ""), 0);
    assert_int_equal(fr_result_write(call, FR_STDOUT, NULL, 0, NULL), 0);
    assert_int_equal(fr_result_write(call, FR_STDOUT, "out\0 2", 6, NULL), 0);
    fr_result_exited(call, 0);
    return 0;
}

static void test_streams_stay_apart(void **state)
{
    (void)state;
    fr_code_result *r = result_of(write_both, NULL);
    assert_int_equal(r->out.n, 12);
    assert_memory_equal(r->out.p, "out 1\nout\0 2", 13);
    assert_int_equal(r->err.n, 4);
    assert_string_equal(r->err.p, "err\n");
    assert_int_equal(r->receipt->stdout_written, 12);
    assert_int_equal(r->receipt->stdout_kept, 12);
    assert_int_equal(r->receipt->stdout_invalid, 0);
    assert_int_equal(r->receipt->stderr_written, 4);
    assert_int_equal(r->receipt->stderr_kept, 4);
    fr_code_result_free(r);
}

static int write_nothing(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    fr_result_exited(call, 0);
    return 0;
}

static void test_no_output_is_empty_and_not_null(void **state)
{
    (void)state;
    fr_code_result *r = result_of(write_nothing, NULL);
    assert_int_equal(r->out.n + r->err.n, 0);
    assert_string_equal(r->out.p, "");
    assert_string_equal(r->err.p, "");
    assert_string_equal(r->reason, "");
    assert_int_equal(r->file_count, 0);
    fr_code_result_free(r);
}

static int write_to_wrong_streams(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    const int streams[] = {0, 3, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        assert_int_equal(fr_result_write(call, streams[i], "x", 1, err), FR_EINVAL);
    fr_result_exited(call, 0);
    return 0;
}

static void test_there_are_two_streams(void **state)
{
    (void)state;
    fr_code_result *r = result_of(write_to_wrong_streams, NULL);
    assert_int_equal(r->receipt->stdout_written + r->receipt->stderr_written, 0);
    fr_code_result_free(r);
}

static int write_split_characters(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    static const char text[] = "\xe6\x95\xb0\xf0\x9f\x98\x80 \xfe ok";
    for (size_t i = 0; i < strlen(text); i++)
        assert_int_equal(fr_result_write(call, FR_STDERR, text + i, 1, NULL), 0);
    fr_result_exited(call, 0);
    return 0;
}

static void test_any_split_and_bad_bytes(void **state)
{
    (void)state;
    fr_code_result *r = result_of(write_split_characters, NULL);
    assert_string_equal(r->err.p, "\xe6\x95\xb0\xf0\x9f\x98\x80 \xef\xbf\xbd ok");
    assert_int_equal(r->receipt->stderr_written, 12);
    assert_int_equal(r->receipt->stderr_kept, 12);
    assert_int_equal(r->receipt->stderr_invalid, 1);
    fr_code_result_free(r);
}

/* ---- limits on output ---- */

static int write_much(fr_call *call, void *user, fr_error *err)
{
    (void)err;
    int *over = user;
    for (int i = 0; i < 1000; i++) {
        char line[16];
        snprintf(line, sizeof(line), "%08d\n", i);
        int rc = put(call, FR_STDOUT, line);
        assert_in_range(rc, 0, 1);
        *over += rc;
    }
    assert_int_equal(put(call, FR_STDERR, "short"), 0);
    fr_result_exited(call, 0);
    return 0;
}

static fr_code_result *with_limits(uint64_t keep, uint64_t most, int *over)
{
    puppet p = {.execute = write_much, .user = over};
    puppet *config = &p;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &config;
    o.output_keep_bytes = keep;
    o.output_max_bytes = most;
    fr_executor *ex = open_executor("puppet", &o);
    fr_code_result *r = execute(ex, "");
    fr_executor_close(ex);
    return r;
}

static void test_head_and_tail_are_kept(void **state)
{
    (void)state;
    int over = 0;
    fr_code_result *r = with_limits(40, 0, &over);
    assert_string_equal(r->out.p, "00000000\n00000001\n00\n[... 8960 bytes left out ...]\n"
                                  "7\n00000998\n00000999\n");
    assert_int_equal(r->receipt->stdout_written, 9000);
    assert_int_equal(r->receipt->stdout_kept, 40);
    assert_string_equal(r->err.p, "short");
    assert_int_equal(over, 0);
    fr_code_result_free(r);
}

/* The executor is told, again and again; what it wrote is counted all the same. */
static void test_over_the_maximum_is_said(void **state)
{
    (void)state;
    int over = 0;
    fr_code_result *r = with_limits(1000, 4500, &over);
    assert_int_equal(over, 500);
    assert_int_equal(r->receipt->stdout_written, 9000);
    fr_code_result_free(r);
    over = 0;
    fr_code_result_free(with_limits(1000, 9000, &over));
    assert_int_equal(over, 0);
    fr_code_result_free(with_limits(1000, 8999, &over));
    assert_int_equal(over, 1);
}

/* ---- endings ---- */

typedef struct ending {
    int times;
    int exit_code;
    int signal;
    int outcome; /* of fr_result_stopped() */
} ending;

static int end_as_told(fr_call *call, void *user, fr_error *err)
{
    const ending *e = user;
    (void)err;
    for (int i = 0; i < e->times; i++) {
        if (e->outcome)
            fr_result_stopped(call, e->outcome, "because of %d", 7);
        else if (e->signal)
            fr_result_signaled(call, e->signal);
        else
            fr_result_exited(call, e->exit_code);
    }
    return 0;
}

static void expect_ending(ending e, int outcome, int exit_code, int signal, const char *reason)
{
    e.times = 1;
    fr_code_result *r = result_of(end_as_told, &e);
    assert_int_equal(r->outcome, outcome);
    assert_int_equal(r->exit_code, exit_code);
    assert_int_equal(r->signal, signal);
    assert_string_equal(r->reason, reason);
    fr_code_result_free(r);
}

static void test_endings(void **state)
{
    (void)state;
    expect_ending((ending){.exit_code = 0}, FR_OUTCOME_OK, 0, 0, "");
    expect_ending((ending){.exit_code = 1}, FR_OUTCOME_FAILED, 1, 0, "");
    expect_ending((ending){.exit_code = 137}, FR_OUTCOME_FAILED, 137, 0, "");
    expect_ending((ending){.signal = 9}, FR_OUTCOME_FAILED, -1, 9, "");
    for (int outcome = FR_OUTCOME_TIMEOUT; outcome <= FR_OUTCOME_CPU_LIMIT; outcome++)
        expect_ending((ending){.outcome = outcome}, outcome, -1, 0, "because of 7");
}

static void test_outcomes_have_names(void **state)
{
    (void)state;
    const char *const names[] = {"unknown",      "ok",     "failed",    "timeout",   "memory",
                                 "output_limit", "denied", "cancelled", "cpu_limit", "unknown"};
    for (int i = 0; i < 10; i++)
        assert_string_equal(fr_outcome_text(i), names[i]);
    assert_string_equal(fr_outcome_text(-1), "unknown");
}

static void test_classes_of_stderr_have_names(void **state)
{
    (void)state;
    const char *const names[] = {"unjudged", "empty", "progress", "warning",
                                 "other",    "error", "unknown"};
    for (int i = 0; i < 7; i++)
        assert_string_equal(fr_stderr_text(i), names[i]);
    assert_string_equal(fr_stderr_text(-1), "unknown");
}

static void test_exactly_one_ending(void **state)
{
    (void)state;
    ending none = {.times = 0}, two = {.times = 2};
    expect_failure(end_as_told, &none, FR_EINTERNAL, "0 times");
    expect_failure(end_as_told, &two, FR_EINTERNAL, "2 times");
    expect_failure(end_as_told, &two, FR_EINTERNAL, "puppet");
}

static void test_stopped_as_what_nobody_stops(void **state)
{
    (void)state;
    const int outcomes[] = {9, -1, INT32_MAX, 0x1000};
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        ending e = {.times = 1, .outcome = outcomes[i]};
        expect_failure(end_as_told, &e, FR_EINTERNAL, "outcome");
    }
}

static int end_oddly(fr_call *call, void *user, fr_error *err)
{
    (void)err;
    switch (*(int *)user) {
    case 0:
        fr_result_exited(call, -1);
        break;
    case 1:
        fr_result_signaled(call, 0);
        break;
    case 2:
        fr_result_signaled(call, 65);
        break;
    case 3:
        fr_result_exited(call, 0);
        fr_result_judge(call, FR_STDERR_ERROR + 1);
        break;
    default:
        fr_result_judge(call, -1);
        fr_result_exited(call, 0);
        break;
    }
    return 0;
}

static void test_what_cannot_be(void **state)
{
    (void)state;
    const char *const texts[] = {"puppet gave the code a negative exit code", "by a signal",
                                 "by a signal", "judged stderr", "judged stderr"};
    for (int i = 0; i < 5; i++)
        expect_failure(end_oddly, &i, FR_EINTERNAL, texts[i]);
}

/* OK and FAILED are the code's own doing; an executor that says it stopped a run as "ok" is wrong. */
static void test_stopped_as_ok_or_failed(void **state)
{
    (void)state;
    for (int outcome = FR_OUTCOME_OK; outcome <= FR_OUTCOME_FAILED; outcome++) {
        ending e = {.times = 1, .outcome = outcome};
        expect_failure(end_as_told, &e, FR_EINTERNAL, "outcome");
    }
}

static int fail_after_ending(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    assert_int_equal(put(call, FR_STDOUT, "text"), 0);
    fr_result_exited(call, 0);
    return fr_fail(err, FR_EPROTOCOL, 0, "the engine lied");
}

static void test_a_failed_call_drops_what_was_described(void **state)
{
    (void)state;
    expect_failure(fail_after_ending, NULL, FR_EPROTOCOL, "the engine lied");
}

static int stop_at_length(fr_call *call, void *user, fr_error *err)
{
    const int *n = user;
    char text[1024];
    (void)err;
    for (int i = 0; i + 3 <= *n; i += 3)
        memcpy(text + i, "\xe6\x95\xb0", 3);
    memset(text + *n / 3 * 3, 'x', (size_t)(*n % 3));
    fr_result_stopped(call, FR_OUTCOME_DENIED, "%.*s", *n, text);
    return 0;
}

static void test_a_long_reason_is_cut_at_a_character(void **state)
{
    (void)state;
    for (int n = 240; n < 290; n++) {
        fr_code_result *r = result_of(stop_at_length, &n);
        size_t length = strlen(r->reason);
        assert_int_equal(fri_utf8_valid_prefix(r->reason, length), length);
        assert_true(length >= 240 && length <= (size_t)n);
        if (n < 250)
            assert_int_equal(length, n);
        fr_code_result_free(r);
    }
}

static int stop_in_two_lines(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    fr_result_stopped(call, FR_OUTCOME_DENIED, "line 1\nline 2\x1b[31m\ttab");
    return 0;
}

/* "One line that says why": it is shown to people and put into a log. */
static void test_a_reason_is_one_line(void **state)
{
    (void)state;
    fr_code_result *r = result_of(stop_in_two_lines, NULL);
    for (const char *p = r->reason; *p; p++)
        assert_true((unsigned char)*p >= ' ');
    fr_code_result_free(r);
}

/* ---- the receipt ---- */

static int fill_receipt(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    fr_receipt *receipt = fr_result_receipt(call);
    assert_int_equal(receipt->start_ns, -1);
    assert_int_equal(receipt->oom_events, -1);
    receipt->cpu_user_ns = 123;
    receipt->run_ns = 456;
    char path[] = "/a/python", version[] = "3.1", limit[] = "memory_bytes", by[] = "cgroup2";
    assert_int_equal(fr_result_interpreter(call, "/old", NULL, err), 0);
    assert_int_equal(fr_result_interpreter(call, path, version, err), 0);
    assert_int_equal(fr_result_limit(call, limit, UINT64_MAX, by, 0, err), 0);
    assert_int_equal(fr_result_limit(call, "wall_ms", 5, "clock", 1, err), 0);
    memset(path, 'x', strlen(path));
    memset(version, 'x', strlen(version));
    memset(limit, 'x', strlen(limit));
    memset(by, 'x', strlen(by));
    fr_result_exited(call, 0);
    return 0;
}

static void test_receipt(void **state)
{
    (void)state;
    fr_code_result *r = result_of(fill_receipt, NULL);
    const fr_receipt *receipt = r->receipt;
    assert_string_equal(receipt->executor, "puppet");
    assert_string_equal(receipt->language, "python");
    assert_string_equal(receipt->interpreter, "/a/python");
    assert_string_equal(receipt->interpreter_version, "3.1");
    assert_int_equal(receipt->queue_ns, 0);
    assert_true(receipt->start_ns >= 0);
    assert_int_equal(receipt->run_ns, 456);
    assert_int_equal(receipt->collect_ns, 0);
    assert_int_equal(receipt->cpu_user_ns, 123);
    assert_int_equal(receipt->cpu_system_ns, -1);
    assert_int_equal(receipt->peak_memory_bytes, -1);
    assert_int_equal(receipt->peak_processes, -1);
    assert_int_equal(receipt->limit_count, 2);
    assert_string_equal(receipt->limits[0].name, "memory_bytes");
    assert_true(receipt->limits[0].value == UINT64_MAX);
    assert_string_equal(receipt->limits[0].mechanism, "cgroup2");
    assert_false(receipt->limits[0].degraded);
    assert_string_equal(receipt->limits[1].name, "wall_ms");
    assert_true(receipt->limits[1].degraded);
    fr_code_result_free(r);
    r = result_of(write_nothing, NULL);
    assert_string_equal(r->receipt->interpreter, "");
    assert_string_equal(r->receipt->interpreter_version, "");
    assert_true(r->receipt->run_ns >= 0);
    assert_int_equal(r->receipt->start_ns, 0);
    fr_code_result_free(r);
}

/* ---- files ---- */

static int give_files(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    char name[] = "a.bin", content[] = "\x89PNG\0\n";
    const fr_file png = {name, {content, 6}, "image/png", NULL, 0},
                  plain = {"b", {"", 0}, NULL, NULL, 0}, nameless = {"", {"x", 1}, NULL, NULL, 0},
                  null_name = {NULL, {"x", 1}, NULL, NULL, 0},
                  huge = {"h", {"x", (16 << 20) + 1}, NULL, NULL, 0},
                  absolute = {"/etc/passwd", {"x", 1}, NULL, NULL, 0},
                  up = {"a/../../b", {"x", 1}, NULL, NULL, 0},
                  odd = {"0\n", {"x", 1}, NULL, NULL, 0};
    assert_int_equal(fr_result_file(call, &png, err), 0);
    assert_int_equal(fr_result_file(call, &plain, err), 0);
    assert_int_equal(fr_result_file(call, &nameless, NULL), FR_EINVAL);
    assert_int_equal(fr_result_file(call, &null_name, NULL), FR_EINVAL);
    assert_int_equal(fr_result_file(call, &huge, NULL), 0);
    assert_int_equal(fr_result_file(call, &absolute, NULL), 0);
    assert_int_equal(fr_result_file(call, &up, NULL), 0);
    assert_int_equal(fr_result_file(call, &odd, NULL), 0);
    assert_int_equal(fr_result_skipped(call, "l\n", "a symbolic link", NULL), 0);
    assert_int_equal(fr_result_skipped(call, "", "a symbolic link", NULL), FR_EINVAL);
    memset(name, 'x', strlen(name));
    memset(content, 'x', sizeof(content));
    fr_result_exited(call, 0);
    return 0;
}

static void test_files(void **state)
{
    (void)state;
    fr_code_result *r = result_of(give_files, NULL);
    assert_int_equal(r->file_count, 3);
    assert_string_equal(r->files[0].name, "0\\x0a");
    assert_string_equal(r->files[1].name, "a.bin");
    assert_string_equal(r->files[1].mime_type, "image/png");
    assert_int_equal(r->files[1].content.n, 6);
    assert_memory_equal(r->files[1].content.p, "\x89PNG\0\n", 7);
    assert_string_equal(r->files[2].name, "b");
    assert_int_equal(r->files[2].content.n, 0);
    assert_string_equal(r->files[2].mime_type, "text/plain");
    static const char *const skipped[][2] = {{"/etc/passwd", "a name that leads elsewhere"},
                                             {"a/../../b", "a name that leads elsewhere"},
                                             {"h", "too large"},
                                             {"l\\x0a", "a symbolic link"}};
    assert_int_equal(r->skipped_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(r->skipped[i].name, skipped[i][0]);
        assert_string_equal(r->skipped[i].reason, skipped[i][1]);
    }
    fr_code_result_free(r);
}

static int give_too_many_files(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    const fr_file f = {"f", {"x", 1}, NULL, NULL, 0};
    for (int i = 0; i < 100 + FRI_MAX_SKIPPED_FILES + 1; i++)
        assert_int_equal(fr_result_file(call, &f, err), 0);
    fr_result_stopped(call, FR_OUTCOME_TIMEOUT, "late");
    return 0;
}

static void test_too_many_files(void **state)
{
    (void)state;
    fr_code_result *r = result_of(give_too_many_files, NULL);
    assert_int_equal(r->file_count, 100);
    assert_int_equal(r->files[99].flags, FR_FILE_PARTIAL);
    assert_int_equal(r->skipped_count, FRI_MAX_SKIPPED_FILES);
    assert_string_equal(r->skipped[0].reason, "more files than come out");
    fr_code_result_free(r);
}

static int give_a_file(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    const fr_file f = {"f", {"x", 1}, NULL, NULL, 0};
    return fr_result_file(call, &f, err);
}

static void test_files_of_an_executor_without_files(void **state)
{
    (void)state;
    puppet p = {.execute = give_a_file};
    fr_executor *ex = puppet_open("plain-puppet", &p);
    const fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), FR_EUNSUPPORTED);
    assert_null(r);
    fr_executor_close(ex);
}

int main(void)
{
    puppet_register();
    const struct CMUnitTest tests[] = {
        leaks_test(test_streams_stay_apart),
        leaks_test(test_no_output_is_empty_and_not_null),
        leaks_test(test_there_are_two_streams),
        leaks_test(test_any_split_and_bad_bytes),
        leaks_test(test_head_and_tail_are_kept),
        leaks_test(test_over_the_maximum_is_said),
        leaks_test(test_endings),
        leaks_test(test_outcomes_have_names),
        leaks_test(test_classes_of_stderr_have_names),
        leaks_test(test_exactly_one_ending),
        leaks_test(test_stopped_as_what_nobody_stops),
        cmocka_unit_test(test_what_cannot_be),
        leaks_test(test_stopped_as_ok_or_failed),
        leaks_test(test_a_failed_call_drops_what_was_described),
        leaks_test(test_a_long_reason_is_cut_at_a_character),
        leaks_test(test_a_reason_is_one_line),
        leaks_test(test_receipt),
        leaks_test(test_files),
        leaks_test(test_too_many_files),
        leaks_test(test_files_of_an_executor_without_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
