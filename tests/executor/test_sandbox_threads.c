/* SPDX-License-Identifier: MIT */
/* One executor, many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

enum { THREADS = 16, RUNS = 5 };

typedef struct worker {
    fr_executor *ex;
    fr_cancel *cancel;
    int number;
    int good;       /* runs that came out as they should */
    char what[512]; /* the first that did not */
    pthread_t thread;
} worker;

static void note(worker *w, const char *text)
{
    if (!w->what[0])
        snprintf(w->what, sizeof(w->what), "%.500s", text);
}

/* A program whose end, output and language tell whose it is. */
static void run_one(worker *w, int run)
{
    char code[128], out[64];
    int exit_code = (w->number * RUNS + run) % 200;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    int sh = run % 2;
    snprintf(code, sizeof(code), sh ? "echo %d %d; exit %d\n" : "print(%d, %d)\nexit(%d)\n",
             w->number, run, exit_code);
    snprintf(out, sizeof(out), "%d %d\n", w->number, run);
    in.code = fri_cstr(code);
    in.language = sh ? "sh" : "python";
    if (fr_executor_execute(w->ex, &in, &r, &err))
        note(w, err.text);
    else if (r->exit_code == exit_code && strcmp(r->out.p, out) == 0 && r->err.n == 0)
        w->good++;
    else
        note(w, r->out.p);
    fr_code_result_free(r);
}

static void *work(void *arg)
{
    for (int run = 0; run < RUNS; run++)
        run_one(arg, run);
    return NULL;
}

static void test_sixteen_threads_with_five_runs_each(void **state)
{
    (void)state;
    static worker workers[THREADS];
    fr_executor *ex = open_executor("sandbox", NULL);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.ex = ex, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    fr_executor_close(ex);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].good != RUNS)
            fail_msg("thread %d: %d of %d, %s", i, workers[i].good, RUNS, workers[i].what);
}

static void *run_for_ever(void *arg)
{
    worker *w = arg;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    in.code = fri_cstr("while True: pass\n");
    in.cancel = w->cancel;
    if (fr_executor_execute(w->ex, &in, &r, NULL) == 0)
        w->good = r->outcome == FR_OUTCOME_CANCELLED;
    fr_code_result_free(r);
    return NULL;
}

/* Some have begun by then, some have not. */
static void test_cancel_reaches_all(void **state)
{
    (void)state;
    worker workers[4];
    fr_cancel *cancel = NULL;
    fr_executor *ex = open_executor("sandbox", NULL);
    assert_int_equal(fr_cancel_new(&cancel, NULL), 0);
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){.ex = ex, .cancel = cancel};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_for_ever, &workers[i]), 0);
    }
    fr_cancel_raise(cancel);
    for (int i = 0; i < 4; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].good, 1);
    }
    fr_cancel_free(cancel);
    expect_output(ex, "print(1)\n", "1\n");
    fr_executor_close(ex);
}

/* Executors of their own in threads of their own. */
static void *open_run_close(void *arg)
{
    worker *w = arg;
    if (fr_executor_open("sandbox", NULL, &w->ex, NULL))
        return NULL;
    run_one(w, 1);
    fr_executor_close(w->ex);
    return NULL;
}

static void test_executors_in_threads_of_their_own(void **state)
{
    (void)state;
    static worker workers[8];
    for (int i = 0; i < 8; i++) {
        workers[i] = (worker){.number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, open_run_close, &workers[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].good, 1);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_sixteen_threads_with_five_runs_each),
        leaks_test(test_cancel_reaches_all),
        leaks_test(test_executors_in_threads_of_their_own),
    };
    return user_run_tests(argc, argv, tests);
}
