/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "fencerun/memory.h"
#include "fencerun/scripted.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

static int open_script(const fr_scripted_options *s, fr_executor **ex, fr_error *err)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = s;
    return fr_executor_open("scripted", &o, ex, err);
}

static fr_executor *scripted(const char *json)
{
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.json = fri_cstr(json);
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    if (open_script(&s, &ex, &err))
        fail_msg("%s", err.text);
    return ex;
}

static void expect_error(fr_executor *ex, const char *code, int rc, const char *text)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_cstr(code);
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), rc);
    assert_null(r);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" does not say %s", err.text, text);
}

/* The script in the header's comment. */
static void test_documented_script(void **state)
{
    (void)state;
    fr_executor *ex = scripted(
        "{\"results\": [{\"outcome\": \"failed\", \"exit_code\": 1, \"stdout\": \"\", \"stderr\": "
        "\"NameError\"}, {\"stdout\": \"42\\n\", \"expect\": \"print(6*7)\\n\"}, {\"error\": "
        "\"FR_EUNAVAILABLE\", \"message\": \"engine is down\"}]}");
    fr_code_result *r = execute(ex, "anything");
    assert_int_equal(r->outcome, FR_OUTCOME_FAILED);
    assert_int_equal(r->exit_code, 1);
    assert_string_equal(r->out.p, "");
    assert_string_equal(r->err.p, "NameError");
    assert_string_equal(r->receipt->executor, "scripted");
    assert_string_equal(r->receipt->language, "python");
    fr_code_result_free(r);
    expect_output(ex, "print(6*7)\n", "42\n");
    expect_error(ex, "", FR_EUNAVAILABLE, "engine is down");
    expect_error(ex, "", FR_ENOTFOUND, "no result for this run");
    expect_error(ex, "", FR_ENOTFOUND, "no result for this run");
    fr_executor_close(ex);
}

static void test_left_out_members(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\": [{}]}");
    fr_code_result *r = execute(ex, "");
    assert_int_equal(r->outcome, FR_OUTCOME_OK);
    assert_int_equal(r->exit_code, 0);
    assert_int_equal(r->out.n + r->err.n, 0);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void test_every_outcome(void **state)
{
    (void)state;
    for (int outcome = FR_OUTCOME_OK; outcome <= FR_OUTCOME_CPU_LIMIT; outcome++) {
        char json[200];
        snprintf(json, sizeof(json), "{\"results\":[{\"outcome\":\"%s\",\"message\":\"so\"}]}",
                 fr_outcome_text(outcome));
        fr_executor *ex = scripted(json);
        fr_code_result *r = execute(ex, "");
        assert_int_equal(r->outcome, outcome);
        int by_itself = outcome == FR_OUTCOME_OK || outcome == FR_OUTCOME_FAILED;
        assert_int_equal(r->exit_code, outcome == FR_OUTCOME_OK ? 0 : by_itself ? 1 : -1);
        assert_string_equal(r->reason, by_itself ? "" : "so");
        fr_code_result_free(r);
        fr_executor_close(ex);
    }
}

static void test_how_it_ended(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\":[{\"exit_code\":137},{\"signal\":11},"
                               "{\"outcome\":\"failed\",\"signal\":9},{\"exit_code\":null}]}");
    const struct {
        int outcome, exit_code, signal;
    } ends[] = {{FR_OUTCOME_FAILED, 137, 0},
                {FR_OUTCOME_FAILED, -1, 11},
                {FR_OUTCOME_FAILED, -1, 9},
                {FR_OUTCOME_OK, 0, 0}};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        fr_code_result *r = execute(ex, "");
        assert_int_equal(r->outcome, ends[i].outcome);
        assert_int_equal(r->exit_code, ends[i].exit_code);
        assert_int_equal(r->signal, ends[i].signal);
        fr_code_result_free(r);
    }
    fr_executor_close(ex);
}

/* A recording that says two things at once is a mistake of its author. */
static void test_ok_with_an_exit_code(void **state)
{
    (void)state;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    fr_executor *ex = NULL;
    s.json = fri_cstr("{\"results\":[{\"outcome\":\"ok\",\"exit_code\":3}]}");
    int rc = open_script(&s, &ex, NULL);
    fr_executor_close(ex);
    assert_int_equal(rc, FR_EFORMAT);
}

static void test_unexpected_code(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\":[{\"expect\":\"a\\u0000b\"},{\"expect\":\"\"}]}");
    expect_error(ex, "a", FR_EINVAL, "results[0]: the code is not the expected 'a'; it is 'a'");
    expect_output(ex, "", "");
    fr_executor_close(ex);
}

static void test_every_error(void **state)
{
    (void)state;
#define ROW(name, value, text) "FR_" #name,
    static const char *const names[] = {FR_ERROR_MAP(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char json[200];
        snprintf(json, sizeof(json), "{\"results\":[{\"error\":\"%s\"}]}", names[i]);
        fr_executor *ex = scripted(json);
        fr_error err = FR_ERROR_INIT;
        fr_code_result *r = NULL;
        const fr_code_input in = FR_CODE_INPUT_INIT;
        int rc = fr_executor_execute(ex, &in, &r, &err);
        assert_string_equal(fr_error_name(rc), names[i]);
        assert_int_equal(err.code, rc);
        fr_executor_close(ex);
    }
}

static void test_bad_scripts(void **state)
{
    (void)state;
    const char *const scripts[] = {
        "",
        "{",
        "[]",
        "{}",
        "null",
        "{\"results\":{}}",
        "{\"results\":[1]}",
        "{\"results\":[{},[]]}",
        "{\"results\":[{\"outcome\":\"fine\"}]}",
        "{\"results\":[{\"outcome\":7}]}",
        "{\"results\":[{\"exit_code\":\"1\"}]}",
        "{\"results\":[{\"exit_code\":256}]}",
        "{\"results\":[{\"exit_code\":-1}]}",
        "{\"results\":[{\"exit_code\":1.5}]}",
        "{\"results\":[{\"signal\":65}]}",
        "{\"results\":[{\"delay_ms\":-1}]}",
        "{\"results\":[{\"delay_ms\":86400001}]}",
        "{\"results\":[{\"stdout\":null}]}",
        "{\"results\":[{\"stderr\":[]}]}",
        "{\"results\":[{\"expect\":1}]}",
        "{\"results\":[{\"message\":{}}]}",
        "{\"results\":[{}]} x",
    };
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
        s.json = fri_cstr(scripts[i]);
        fr_executor *ex = NULL;
        fr_error err = FR_ERROR_INIT;
        int rc = open_script(&s, &ex, &err);
        fr_executor_close(ex);
        if (rc != FR_EFORMAT)
            fail_msg("%s: %s %s", scripts[i], fr_error_name(rc), err.text);
    }
}

/* The same as with every other word: refused when the script is read, not at its run. */
static void test_script_with_an_unknown_error(void **state)
{
    (void)state;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.json = fri_cstr("{\"results\":[{},{\"error\":\"FR_EWHATEVER\"}]}");
    fr_executor *ex = NULL;
    int rc = open_script(&s, &ex, NULL);
    fr_executor_close(ex);
    assert_int_equal(rc, FR_EFORMAT);
}

static void test_one_source(void **state)
{
    (void)state;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(open_script(&s, &ex, &err), FR_EINVAL);
    s.json = fri_cstr("{\"results\":[]}");
    s.path = "/dev/null";
    assert_int_equal(open_script(&s, &ex, &err), FR_EINVAL);
    assert_int_equal(open_script(NULL, &ex, &err), FR_EINVAL);
    s.json.p = NULL;
    assert_int_equal(open_script(&s, &ex, &err), FR_EFORMAT); /* an empty file */
    s.path = "/no/such/script.json";
    assert_int_equal(open_script(&s, &ex, &err), FR_ENOTFOUND);
    assert_non_null(strstr(err.text, "/no/such/script.json"));
    s.path = "/usr";
    assert_int_equal(open_script(&s, &ex, &err), FR_ESYSTEM);
    assert_null(ex);
}

static void test_script_from_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/fencerun-script-XXXXXX";
    static const char json[] = "{\"results\":[{\"stdout\":\"from a file\"}]}";
    int fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, json, sizeof(json) - 1), sizeof(json) - 1);
    close(fd);
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.path = path;
    fr_executor *ex = NULL;
    assert_int_equal(open_script(&s, &ex, NULL), 0);
    unlink(path);
    memset(path, 'x', sizeof(path) - 1);
    expect_output(ex, "", "from a file");
    fr_executor_close(ex);
}

static void test_limits_are_refused(void **state)
{
    (void)state;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.json = fri_cstr("{\"results\":[]}");
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &s;
    o.memory_bytes = 64 * FRI_MIB;
    fr_executor *ex = NULL;
    assert_int_equal(fr_executor_open("scripted", &o, &ex, NULL), FR_EUNSUPPORTED);
}

static void test_output_maximum_holds(void **state)
{
    (void)state;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.json = fri_cstr("{\"results\":[{\"stderr\":\"12345\"},{\"stdout\":\"1234\"}]}");
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &s;
    o.output_max_bytes = 4;
    fr_executor *ex = open_executor("scripted", &o);
    fr_code_result *r = execute(ex, "");
    int outcome = r->outcome;
    fr_code_result_free(r);
    expect_output(ex, "", "1234");
    fr_executor_close(ex);
    assert_int_equal(outcome, FR_OUTCOME_OUTPUT_LIMIT);
}

static void test_probe_uses_nothing_up(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\":[{\"stdout\":\"1\"}]}");
    assert_int_equal(fr_executor_probe(ex, NULL), 0);
    expect_output(ex, "", "1");
    fr_executor_close(ex);
}

static void test_delay(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\":[{\"delay_ms\":50,\"stdout\":\"late\"}]}");
    int64_t began = fri_now_ns();
    fr_code_result *r = execute(ex, "");
    assert_true(fri_now_ns() - began >= 50 * FRI_NS_PER_MS);
    assert_true(r->receipt->run_ns >= 50 * FRI_NS_PER_MS);
    assert_string_equal(r->out.p, "late");
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void test_delay_longer_than_the_timeout(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\":[{\"delay_ms\":60000,\"stdout\":\"before\"}]}");
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.timeout_ms = 30;
    fr_code_result *r = NULL;
    assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), 0);
    assert_int_equal(r->outcome, FR_OUTCOME_TIMEOUT);
    assert_int_equal(r->exit_code, -1);
    assert_string_equal(r->out.p, "before");
    assert_non_null(strstr(r->reason, "30 ms"));
    assert_int_equal(r->receipt->run_ns, 30 * FRI_NS_PER_MS);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void *raise_cancel(void *cancel)
{
    poll(NULL, 0, 50);
    fr_cancel_raise(cancel);
    return NULL;
}

static void test_cancel_during_a_delay(void **state)
{
    (void)state;
    fr_executor *ex = scripted("{\"results\":[{\"delay_ms\":30000}]}");
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    pthread_t thread;
    assert_int_equal(fr_cancel_new(&in.cancel, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, raise_cancel, in.cancel), 0);
    assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), 0);
    assert_int_equal(r->outcome, FR_OUTCOME_CANCELLED);
    assert_in_range(r->receipt->run_ns, 1, 29999 * FRI_NS_PER_MS);
    pthread_join(thread, NULL);
    fr_code_result_free(r);
    fr_cancel_free(in.cancel);
    fr_executor_close(ex);
}

/* Results go to runs one by one, whoever comes. */
static void *take_ten(void *ex)
{
    uintptr_t sum = 0;
    for (int i = 0; i < 10; i++) {
        const fr_code_input in = FR_CODE_INPUT_INIT;
        fr_code_result *r = NULL;
        if (fr_executor_execute(ex, &in, &r, NULL))
            return NULL;
        sum += (uintptr_t)r->exit_code;
        fr_code_result_free(r);
    }
    return (void *)sum;
}

static void test_many_threads_share_a_script(void **state)
{
    (void)state;
    char json[4096] = "{\"results\":[{\"exit_code\":0}";
    for (int i = 1; i < 80; i++) {
        size_t n = strlen(json);
        snprintf(json + n, sizeof(json) - n, ",{\"exit_code\":%d}%s", i, i == 79 ? "]}" : "");
    }
    fr_executor *ex = scripted(json);
    pthread_t threads[8];
    uintptr_t sum = 0;
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_ten, ex), 0);
    for (int i = 0; i < 8; i++) {
        void *part;
        pthread_join(threads[i], &part);
        sum += (uintptr_t)part;
    }
    assert_int_equal(sum, 79 * 80 / 2);
    expect_error(ex, "", FR_ENOTFOUND, "no result");
    fr_executor_close(ex);
}

/* Open, a failure with everything in it, its JSON. */
static int whole_use(void *user, fr_error *err)
{
    (void)user;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.json = fri_cstr("{\"results\":[{\"outcome\":\"denied\",\"stdout\":\"o\",\"stderr\":\"e\","
                      "\"expect\":\"c\",\"message\":\"m\"}]}");
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &s;
    return use_executor("scripted", &o, "c", err);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(whole_use, NULL) > 20);
}

int main(void)
{
    /* The library's classes come in with the first look at them, and stay. */
    fr_executor_class_at(0);
    const struct CMUnitTest tests[] = {
        leaks_test(test_documented_script),
        leaks_test(test_left_out_members),
        leaks_test(test_every_outcome),
        leaks_test(test_how_it_ended),
        leaks_test(test_ok_with_an_exit_code),
        leaks_test(test_unexpected_code),
        leaks_test(test_every_error),
        leaks_test(test_bad_scripts),
        leaks_test(test_script_with_an_unknown_error),
        leaks_test(test_one_source),
        leaks_test(test_script_from_a_file),
        leaks_test(test_limits_are_refused),
        leaks_test(test_output_maximum_holds),
        leaks_test(test_probe_uses_nothing_up),
        leaks_test(test_delay),
        leaks_test(test_delay_longer_than_the_timeout),
        leaks_test(test_cancel_during_a_delay),
        leaks_test(test_many_threads_share_a_script),
        leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
