/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "tests/executor/puppet.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"

/* ---- opening and closing ---- */

static void test_open_and_close(void **state)
{
    (void)state;
    puppet p = {.open_code = 0};
    fr_executor *ex = puppet_open("puppet", &p);
    assert_int_equal(p.opened, 1);
    assert_false(p.dirty_state);
    assert_string_equal(fr_executor_name(ex), "puppet");
    fr_executor_close(ex);
    assert_int_equal(p.closed, 1);
    fr_executor_close(NULL);
}

static void test_close_is_called_when_open_fails(void **state)
{
    (void)state;
    puppet p = {.open_code = FR_EUNAVAILABLE};
    puppet *config = &p;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &config;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_open("puppet", &o, &ex, &err), FR_EUNAVAILABLE);
    assert_string_equal(err.text, "told to fail");
    assert_null(ex);
    assert_int_equal(p.opened, 1);
    assert_int_equal(p.closed, 1);
}

static void test_two_are_apart(void **state)
{
    (void)state;
    puppet a = {.open_code = 0}, b = {.open_code = 0};
    fr_executor *first = puppet_open("puppet", &a), *second = puppet_open("puppet", &b);
    assert_ptr_not_equal(fr_executor_state(first), fr_executor_state(second));
    fr_executor_close(first);
    assert_int_equal(a.closed, 1);
    assert_int_equal(b.closed, 0);
    fr_executor_close(second);
}

/* ---- what is to be run ---- */

/* What a call's input looked like from inside. */
static fr_code_input seen;
static char seen_code[64], seen_language[32];

static int look(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    seen = *fr_call_input(call);
    memcpy(seen_code, seen.code.p, seen.code.n + 1);
    memcpy(seen_language, seen.language, strlen(seen.language) + 1);
    fr_result_exited(call, 0);
    return 0;
}

static int try_input(const char *name, const fr_code_input *in)
{
    puppet p = {.execute = look};
    fr_executor *ex = puppet_open(name, &p);
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_executor_execute(ex, in, &r, &err);
    assert_true((rc == 0) == (r != NULL));
    assert_int_equal(err.code, rc);
    fr_code_result_free(r);
    fr_executor_close(ex);
    return rc;
}

static void test_input_with_defaults(void **state)
{
    (void)state;
    const fr_code_input nothing = FR_CODE_INPUT_INIT;
    assert_int_equal(try_input("puppet", &nothing), 0);
    assert_int_equal(seen.code.n, 0);
    assert_string_equal(seen_code, "");
    assert_string_equal(seen_language, "python");
    assert_int_equal(seen.timeout_ms, 60000);
    assert_int_equal(try_input("puppet", NULL), 0);
    assert_string_equal(seen_language, "python");
}

static void test_input_as_given(void **state)
{
    (void)state;
    const fr_file file = {"data.csv", {"a,b\n", 4}, "text/csv", NULL, 0};
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_str("a\0b", 3);
    in.language = "python";
    in.timeout_ms = 1234;
    in.files = &file;
    in.file_count = 1;
    in.execution_id = "session-1";
    assert_int_equal(try_input("puppet", &in), 0);
    assert_int_equal(seen.code.n, 3);
    assert_memory_equal(seen_code, "a\0b", 4);
    assert_int_equal(seen.timeout_ms, 1234);
    assert_int_equal(seen.file_count, 1);
    assert_ptr_equal(seen.files, &file);
    assert_string_equal(seen.execution_id, "session-1");
}

static void test_input_the_class_cannot_take(void **state)
{
    (void)state;
    const fr_file file = {"data.csv", {"", 0}, NULL, NULL, 0},
                  nameless = {"", {"", 0}, NULL, NULL, 0},
                  null_name = {NULL, {"", 0}, NULL, NULL, 0};
    const fr_code_input good = FR_CODE_INPUT_INIT;
    fr_code_input in = good;
    in.files = &file;
    in.file_count = 1;
    assert_int_equal(try_input("plain-puppet", &in), FR_EUNSUPPORTED);
    in.files = &nameless;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in.files = &null_name;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    const fr_file up = {"../x", {"", 0}, NULL, NULL, 0}, both = {"x", {"x", 1}, NULL, "/x", 0};
    in.files = &up;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in.files = &both;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    const fr_file twice[] = {file, file},
                  inside[] = {{"d/a", {"", 0}, NULL, NULL, 0}, {"d", {"", 0}, NULL, NULL, 0}};
    in.file_count = 2;
    in.files = twice;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in.files = inside;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in.file_count = FRI_MAX_INPUT_FILES + 1; /* counted before any is looked at */
    assert_int_equal(try_input("puppet", &in), FR_ELIMIT);
    in = good;
    in.execution_id = "x";
    assert_int_equal(try_input("plain-puppet", &in), FR_EUNSUPPORTED);
    const char *const languages[] = {"", "Python", "py", "python ", "lua"};
    for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
        in = good;
        in.language = languages[i];
        assert_int_equal(try_input("puppet", &in), FR_EUNSUPPORTED);
    }
}

static void test_input_that_is_wrong(void **state)
{
    (void)state;
    const fr_code_input good = FR_CODE_INPUT_INIT;
    fr_code_input in = good;
    in.timeout_ms = -1;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in.timeout_ms = INT64_MIN;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in = good;
    in.code = fri_str("", FRI_MAX_CODE_BYTES + 1); /* refused before it is read */
    assert_int_equal(try_input("puppet", &in), FR_ELIMIT);
    in = good;
    in.struct_size = 0;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
}

/* The bound of the executor's own timeout; executors count on it when they turn it into nanoseconds. */
static void test_timeout_beyond_a_day(void **state)
{
    (void)state;
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.timeout_ms = INT64_C(24) * 3600 * 1000;
    assert_int_equal(try_input("puppet", &in), 0);
    in.timeout_ms++;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
    in.timeout_ms = INT64_MAX;
    assert_int_equal(try_input("puppet", &in), FR_EINVAL);
}

/* ---- cancelling ---- */

static int say_whether_cancelled(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    struct pollfd fd = {.fd = fr_call_cancel_fd(call), .events = POLLIN};
    fr_result_exited(call, (poll(&fd, 1, 0) > 0) + 2 * (fr_call_cancelled(call) != 0));
    return 0;
}

static int run_with(int (*fn)(fr_call *, void *, fr_error *), fr_cancel *cancel,
                    fr_code_result **out)
{
    puppet p = {.execute = fn};
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.cancel = cancel;
    fr_executor *ex = puppet_open("puppet", &p);
    int rc = fr_executor_execute(ex, &in, out, NULL);
    fr_executor_close(ex);
    return rc;
}

static void test_nobody_can_cancel(void **state)
{
    (void)state;
    fr_code_result *r = NULL;
    assert_int_equal(run_with(say_whether_cancelled, NULL, &r), 0);
    assert_int_equal(r->exit_code, 0);
    fr_code_result_free(r);
}

static int cancel_itself(fr_call *call, void *user, fr_error *err)
{
    fr_cancel_raise(fr_call_input(call)->cancel);
    return say_whether_cancelled(call, user, err);
}

static void test_an_executor_sees_the_cancel(void **state)
{
    (void)state;
    fr_code_result *r = NULL;
    fr_cancel *cancel = NULL;
    assert_int_equal(fr_cancel_new(&cancel, NULL), 0);
    assert_int_equal(run_with(say_whether_cancelled, cancel, &r), 0);
    assert_int_equal(r->exit_code, 0);
    fr_code_result_free(r);
    assert_int_equal(run_with(cancel_itself, cancel, &r), 0);
    assert_int_equal(r->exit_code, 3);
    fr_code_result_free(r);
    fr_cancel_free(cancel);
}

static int must_not_run(fr_call *call, void *user, fr_error *err)
{
    (void)call;
    (void)user;
    return fr_fail(err, FR_EINTERNAL, 0, "it ran");
}

static void test_cancelled_before_it_begins(void **state)
{
    (void)state;
    fr_code_result *r = NULL;
    fr_cancel *cancel = NULL;
    assert_int_equal(fr_cancel_new(&cancel, NULL), 0);
    fr_cancel_raise(cancel);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_with(must_not_run, cancel, &r), 0);
        assert_int_equal(r->outcome, FR_OUTCOME_CANCELLED);
        assert_int_equal(r->exit_code, -1);
        assert_non_null(strstr(r->reason, "before"));
        assert_int_equal(r->receipt->run_ns, 0);
        fr_code_result_free(r);
    }
    fr_cancel_free(cancel);
}

enum { THREADS = 8 };

/* Threads meet here in the middle of their runs. */
typedef struct meeting {
    pthread_barrier_t all;
    puppet p;
    fr_executor *ex;
    fr_cancel *cancel;
} meeting;

static int wait_for_cancel(fr_call *call, void *user, fr_error *err)
{
    meeting *m = user;
    (void)err;
    pthread_barrier_wait(&m->all);
    struct pollfd fd = {.fd = fr_call_cancel_fd(call), .events = POLLIN};
    poll(&fd, 1, 30000);
    if (fr_call_cancelled(call))
        fr_result_stopped(call, FR_OUTCOME_CANCELLED, "as asked");
    else
        fr_result_exited(call, 1);
    return 0;
}

/* Returns the outcome; asserting is for the main thread. */
static void *execute_once(void *arg)
{
    const meeting *m = arg;
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.cancel = m->cancel;
    fr_code_result *r = NULL;
    if (fr_executor_execute(m->ex, &in, &r, NULL))
        return NULL;
    uintptr_t outcome = (uintptr_t)r->outcome;
    fr_code_result_free(r);
    return (void *)outcome;
}

static void start(meeting *m, int (*fn)(fr_call *, void *, fr_error *), pthread_t *threads, int n)
{
    m->p = (puppet){.execute = fn, .user = m};
    pthread_barrier_init(&m->all, NULL, (unsigned)n + 1);
    m->ex = puppet_open("puppet", &m->p);
    assert_int_equal(fr_cancel_new(&m->cancel, NULL), 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, execute_once, m), 0);
    pthread_barrier_wait(&m->all);
}

static void finish(meeting *m, const pthread_t *threads, int n, int outcome)
{
    for (int i = 0; i < n; i++) {
        void *got;
        pthread_join(threads[i], &got);
        assert_int_equal((uintptr_t)got, outcome);
    }
    fr_executor_close(m->ex);
    fr_cancel_free(m->cancel);
    pthread_barrier_destroy(&m->all);
}

static void test_cancel_from_another_thread(void **state)
{
    (void)state;
    meeting m;
    pthread_t thread;
    start(&m, wait_for_cancel, &thread, 1);
    fr_cancel_raise(m.cancel);
    finish(&m, &thread, 1, FR_OUTCOME_CANCELLED);
}

static void test_one_cancel_for_many_runs(void **state)
{
    (void)state;
    meeting m;
    pthread_t threads[THREADS];
    start(&m, wait_for_cancel, threads, THREADS);
    fr_cancel_raise(m.cancel);
    finish(&m, threads, THREADS, FR_OUTCOME_CANCELLED);
}

static int wait_for_all(fr_call *call, void *user, fr_error *err)
{
    meeting *m = user;
    (void)err;
    pthread_barrier_wait(&m->all);
    fr_result_exited(call, 0);
    return 0;
}

/* All must be inside at once, or nobody gets past the barrier. */
static void test_eight_threads_at_once(void **state)
{
    (void)state;
    meeting m;
    pthread_t threads[THREADS];
    start(&m, wait_for_all, threads, THREADS);
    finish(&m, threads, THREADS, FR_OUTCOME_OK);
}

int main(void)
{
    puppet_register();
    const struct CMUnitTest tests[] = {
        leaks_test(test_open_and_close),
        leaks_test(test_close_is_called_when_open_fails),
        leaks_test(test_two_are_apart),
        leaks_test(test_input_with_defaults),
        leaks_test(test_input_as_given),
        leaks_test(test_input_the_class_cannot_take),
        leaks_test(test_input_that_is_wrong),
        leaks_test(test_timeout_beyond_a_day),
        leaks_test(test_nobody_can_cancel),
        leaks_test(test_an_executor_sees_the_cancel),
        leaks_test(test_cancelled_before_it_begins),
        leaks_test(test_cancel_from_another_thread),
        leaks_test(test_one_cancel_for_many_runs),
        leaks_test(test_eight_threads_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
