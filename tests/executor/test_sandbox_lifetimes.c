/* SPDX-License-Identifier: MIT */
/*
 * What lives and dies with what. This process adopts every orphan below it, so "no process is left" is
 * what the kernel says: there is no child to wait for. Kills come at random moments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "fencerun/sandbox.h"
#include "tests/support/background.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/procs.h"
#include "tests/support/torture.h"
#include "tests/support/user.h"

#define KILLS 30

/* ---- the keeper is killed ---- */

static void expect_clear_error(int rc, const fr_error *err)
{
    if (rc != FR_ESYSTEM || !strstr(err->text, "sandbox"))
        fail_msg("%s: %s", fr_error_name(rc), err->text);
}

/* A killed keeper cannot remove its groups, so the next one does, once all that was in them is dead. */
static void await_no_cgroups(pid_t keeper)
{
    for (int i = 0; i < 50; i++) {
        fr_executor *ex = open_executor("sandbox", NULL);
        expect_output(ex, "print(1)\n", "1\n");
        fr_executor_close(ex);
        if (procs_count_cgroups(keeper) == 0)
            return;
    }
    fail_msg("%d groups of a killed keeper are left", procs_take_cgroups(keeper));
}

static void test_keeper_killed_during_a_run(void **state)
{
    (void)state;
    for (int i = 0; i < KILLS; i++) {
        fr_executor *ex = open_executor("sandbox", NULL);
        background b;
        pid_t keeper = procs_keeper();
        background_start(&b, ex, background_clinging);
        if (i % 2)
            procs_await_program(keeper);
        else
            pause_randomly(60000);
        assert_int_equal(send_signal(keeper, SIGKILL), 0);
        background_join(&b);
        expect_clear_error(b.rc, &b.err);
        expect_output(ex, "print(1)\n", "1\n");
        fr_executor_close(ex);
        procs_reap_all(NULL, 0);
        await_no_cgroups(keeper);
    }
}

static void test_keeper_killed_while_idle(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    expect_output(ex, "print(1)\n", "1\n");
    pid_t keeper = procs_keeper();
    assert_int_equal(send_signal(keeper, SIGKILL), 0);
    expect_output(ex, "print(2)\n", "2\n");
    fr_executor_close(ex);
    procs_reap_all(NULL, 0);
    await_no_cgroups(keeper);
}

static fr_executor *open_without_waiting(void)
{
    fr_sandbox_options own = FR_SANDBOX_OPTIONS_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    own.no_wait = 1;
    o.config = &own;
    return open_executor("sandbox", &o);
}

static void test_open_without_waiting(void **state)
{
    (void)state;
    fr_executor_close(open_without_waiting());
    fr_executor *ex = open_without_waiting();
    expect_output(ex, "print(1)\n", "1\n");
    expect_output(ex, "print(2)\n", "2\n");
    fr_executor_close(ex);
    ex = open_without_waiting();
    assert_int_equal(fr_executor_probe(ex, NULL), 0);
    fr_executor_close(ex);
}

/* Stops the keeper as early as that can be. Returns whether a run could be cancelled while it stood still, as it
 * must where it was not ready yet. */
static int cancel_while_the_keeper_stands_still(void)
{
    fr_executor *ex = open_without_waiting();
    pid_t keeper = 0;
    for (int i = 0; i < 10000 && (keeper = procs_keeper()) == 0; i++)
        pause_randomly(1000);
    assert_int_equal(send_signal(keeper, SIGSTOP), 0);
    background b;
    background_start(&b, ex, "while True: pass\n");
    pause_randomly(50000);
    fr_cancel_raise(b.cancel);
    int ended = background_join_within(&b, 2000);
    assert_int_equal(send_signal(keeper, SIGCONT), 0);
    if (!ended)
        background_join(&b);
    assert_int_equal(b.rc, 0);
    assert_int_equal(b.outcome, FR_OUTCOME_CANCELLED);
    expect_output(ex, "print(1)\n", "1\n");
    fr_executor_close(ex);
    return ended;
}

/* On a busy machine the keeper may be ready before it can be stopped. */
static void test_cancel_before_the_keeper_is_ready(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < 20 && !seen; i++)
        seen = cancel_while_the_keeper_stands_still();
    assert_true(seen);
}

static void test_close_while_the_keeper_is_stopped(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    pid_t keeper = procs_keeper();
    assert_int_equal(send_signal(keeper, SIGSTOP), 0);
    int64_t began = fri_now_ns();
    fr_executor_close(ex);
    assert_true(fri_now_ns() - began < 100 * FRI_NS_PER_S);
    procs_reap_all(NULL, 0);
    procs_take_cgroups(keeper);
}

static void test_close_after_the_keeper_was_killed(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    pid_t keeper = procs_keeper();
    assert_int_equal(send_signal(keeper, SIGKILL), 0);
    fr_executor_close(ex);
    procs_reap_all(NULL, 0);
    procs_take_cgroups(keeper);
}

/* ---- a run's first process is killed ---- */

static void test_first_process_killed_during_a_run(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    pid_t keeper = procs_keeper();
    for (int i = 0; i < KILLS; i++) {
        background b;
        background_start(&b, ex, background_clinging);
        pid_t init = procs_await_program(keeper);
        pause_randomly(i % 3 ? 20000 : 100000);
        assert_int_equal(send_signal(init, SIGKILL), 0);
        background_join(&b);
        expect_clear_error(b.rc, &b.err);
        if (i % 10 == 0)
            expect_output(ex, "print(1)\n", "1\n");
        keeper = procs_keeper();
        if (!keeper) { /* it was given up with the run */
            expect_output(ex, "print(1)\n", "1\n");
            keeper = procs_keeper();
        }
    }
    fr_executor_close(ex);
    assert_int_equal(procs_reap_all(NULL, 0), 0);
    assert_int_equal(procs_take_cgroups(keeper), 0);
}

/* It cannot do its part of the ending then. */
static void test_first_process_stopped_during_a_run(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.timeout_ms = 2000;
    fr_executor *ex = open_executor("sandbox", &o);
    background b;
    background_start(&b, ex, background_clinging);
    assert_int_equal(kill(procs_await_program(procs_keeper()), SIGSTOP), 0);
    background_join(&b);
    assert_int_equal(b.rc, 0);
    assert_int_equal(b.outcome, FR_OUTCOME_TIMEOUT);
    expect_output(ex, "print(1)\n", "1\n");
    fr_executor_close(ex);
    assert_int_equal(procs_reap_all(NULL, 0), 0);
}

/* Nothing that the run sends to process 1 keeps the keeper's word from it: killed the hard way, it
 * would report no processor time. */
static void test_first_process_flooded_with_signals(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    in.timeout_ms = 1000;
    in.code = fri_cstr("import os, signal\n"
                       "for i in range(3):\n"
                       "    if os.fork() == 0: break\n"
                       "while True:\n"
                       "    for s in signal.valid_signals(): os.kill(1, s)\n");
    int64_t began = fri_now_ns();
    assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), 0);
    int64_t took = fri_now_ns() - began;
    assert_int_equal(r->outcome, FR_OUTCOME_TIMEOUT);
    assert_true(took < 20 * FRI_NS_PER_S);
    assert_true(r->receipt->cpu_user_ns + r->receipt->cpu_system_ns > 500 * FRI_NS_PER_MS);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* Whatever first process is there between runs, waiting for the next, whether it is seen to be dead
 * before it is given the job or only then: nothing has run, and the job goes to another. */
static void test_first_process_killed_between_runs(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    int killed = 0;
    for (int i = 0; i < KILLS; i++) {
        pid_t inits[8];
        pause_randomly(20000);
        size_t n = procs_children(procs_keeper(), inits, 8);
        for (size_t k = 0; k < n; k++)
            killed += send_signal(inits[k], SIGKILL) == 0;
        expect_output(ex, "print(1)\n", "1\n");
    }
    assert_true(killed > 0);
    fr_executor_close(ex);
    assert_int_equal(procs_reap_all(NULL, 0), 0);
}

/* ---- cancelling ---- */

static void test_cancel_takes_less_than_a_second(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    for (int i = 0; i < 5; i++) {
        background b;
        background_start(&b, ex, background_clinging);
        procs_await_program(procs_keeper());
        int64_t began = fri_now_ns();
        fr_cancel_raise(b.cancel);
        background_join(&b);
        int64_t took = fri_now_ns() - began;
        assert_int_equal(b.rc, 0);
        assert_int_equal(b.outcome, FR_OUTCOME_CANCELLED);
        assert_true(took < FRI_NS_PER_S);
    }
    expect_output(ex, "print(1)\n", "1\n");
    fr_executor_close(ex);
}

/* ---- nothing is left by what goes well ---- */

static void test_open_and_close_without_a_run(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        fr_executor *ex = open_executor("sandbox", NULL);
        pid_t keeper = procs_keeper();
        assert_true(keeper > 0);
        fr_executor_close(ex);
        assert_int_equal(procs_reap_all(NULL, 0), 0);
        assert_int_equal(procs_take_cgroups(keeper), 0);
    }
}

static void test_cgroups_go_with_the_executor(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    pid_t keeper = procs_keeper();
    for (int i = 0; i < 10; i++)
        fr_code_result_free(execute(ex, "import os, signal\nfor i in range(20):\n"
                                        "    if os.fork() == 0: signal.pause()\n"));
    fr_executor_close(ex);
    assert_int_equal(procs_reap_all(NULL, 0), 0);
    assert_int_equal(procs_take_cgroups(keeper), 0);
}

static int count_descriptors(const char *directory)
{
    DIR *dir = opendir(directory);
    int n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void test_no_descriptor_goes_missing_in_100_runs(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    char keeper[64];
    expect_output(ex, "print(1)\n", "1\n");
    snprintf(keeper, sizeof(keeper), "/proc/%d/fd", (int)procs_keeper());
    int ours = count_descriptors("/proc/self/fd");
    int first = 0, later = 0;
    for (int i = 0; i < 100; i++) {
        fr_code_result_free(execute(ex, i % 4 ? "pass\n" : "raise SystemExit(1)\n"));
        /* It may be busy preparing; what counts is that it does not become more. */
        int now = count_descriptors(keeper);
        if (i < 10 && now > first)
            first = now;
        if (i >= 90 && now > later)
            later = now;
    }
    assert_int_equal(count_descriptors("/proc/self/fd"), ours);
    assert_true(later <= first + 5);
    fr_executor_close(ex);
}

/* ---- out of memory ---- */

static int whole_use(void *user, fr_error *err)
{
    (void)user;
    return use_executor("sandbox", NULL, "print(1)\n", err);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(whole_use, NULL) > 20);
}

int main(int argc, char **argv)
{
    procs_adopt_orphans();
    const struct CMUnitTest tests[] = {
        leaks_test(test_keeper_killed_during_a_run),
        leaks_test(test_keeper_killed_while_idle),
        leaks_test(test_open_without_waiting),
        leaks_test(test_cancel_before_the_keeper_is_ready),
        leaks_test(test_close_while_the_keeper_is_stopped),
        leaks_test(test_close_after_the_keeper_was_killed),
        leaks_test(test_first_process_killed_during_a_run),
        leaks_test(test_first_process_stopped_during_a_run),
        leaks_test(test_first_process_flooded_with_signals),
        leaks_test(test_first_process_killed_between_runs),
        leaks_test(test_cancel_takes_less_than_a_second),
        leaks_test(test_open_and_close_without_a_run),
        leaks_test(test_cgroups_go_with_the_executor),
        leaks_test(test_no_descriptor_goes_missing_in_100_runs),
        leaks_test(test_out_of_memory),
    };
    return user_run_tests(argc, argv, tests);
}
