/* SPDX-License-Identifier: MIT */
/*
 * What becomes of runs when their host program dies or forks. This process adopts every orphan below it,
 * so "no process is left" is what the kernel says: there is no child to wait for. Kills come at random
 * moments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/background.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/procs.h"
#include "tests/support/user.h"

#define KILLS 30

/* ---- the host program is killed ---- */

/* Runs until killed: what it runs clings to life or, every other time, comes and goes. */
static void host(int ready, const char *code)
{
    fr_executor *ex = NULL;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    if (fr_executor_open("sandbox", NULL, &ex, NULL))
        _exit(3);
    if (write(ready, "", 1) != 1 && errno != EPIPE)
        _exit(3);
    for (;;) {
        fr_code_input in = FR_CODE_INPUT_INIT;
        fr_code_result *r = NULL;
        in.code = fri_cstr(code);
        if (fr_executor_execute(ex, &in, &r, NULL))
            _exit(4);
        fr_code_result_free(r);
    }
}

/* At any moment after its executor is open, or, with `early`, from its very start. */
static void kill_one_host(const char *code, int early)
{
    int ready[2];
    char byte;
    pid_t gone[64];
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0)
        host(ready[1], code);
    close(ready[1]);
    if (!early)
        assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    pause_randomly(early ? 30000 : 150000);
    assert_int_equal(kill(pid, SIGKILL), 0);
    size_t n = procs_reap_all(gone, 64);
    assert_in_range(n, early ? 1 : 2, 64); /* the host, its keeper, and who else became an orphan */
    for (size_t i = 0; i < n; i++)
        if (procs_take_cgroups(gone[i]))
            fail_msg("a cgroup of process %d is left", (int)gone[i]);
}

static void test_host_killed(void **state)
{
    (void)state;
    for (int i = 0; i < KILLS; i++)
        kill_one_host(i % 2 ? background_clinging : "print(1)\n", 0);
}

static void test_host_killed_while_it_opens(void **state)
{
    (void)state;
    for (int i = 0; i < KILLS; i++)
        kill_one_host("print(1)\n", 1);
}

/* A child that a host has forked holds copies of its descriptors for as long as it lives. */
static pid_t fork_sleeper(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        sleep(60);
        _exit(0);
    }
    return pid;
}

/* A host with a run and a child; tells the child's number. */
static void host_with_child(int tell)
{
    fr_executor *ex = NULL;
    background b;
    if (fr_executor_open("sandbox", NULL, &ex, NULL))
        _exit(3);
    background_start(&b, ex, background_clinging);
    pid_t child = fork_sleeper();
    procs_await_program(procs_keeper());
    if (write(tell, &child, sizeof(child)) != sizeof(child))
        _exit(3);
    pause();
    _exit(0);
}

static void test_host_killed_whose_child_lives_on(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        int tell[2];
        pid_t child = 0;
        assert_int_equal(pipe2(tell, O_CLOEXEC), 0);
        pid_t pid = fork();
        if (pid == 0)
            host_with_child(tell[1]);
        close(tell[1]);
        assert_int_equal(read(tell[0], &child, sizeof(child)), sizeof(child));
        close(tell[0]);
        assert_int_equal(send_signal(pid, SIGKILL), 0);
        /* All but that child go; it is ours now, and so, for a moment, are others on their way. */
        int64_t deadline = fri_now_ns() + 5 * FRI_NS_PER_S;
        pid_t left[64];
        for (int alone = 0; alone < 20 && fri_now_ns() < deadline; pause_randomly(10000)) {
            while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
                ;
            alone = procs_children(getpid(), left, 64) == 1 ? alone + 1 : 0;
        }
        assert_int_equal(procs_children(getpid(), left, 64), 1);
        assert_int_equal(left[0], child);
        assert_int_equal(send_signal(child, SIGKILL), 0);
        procs_reap_all(NULL, 0);
    }
}

static void test_close_while_a_child_holds_the_descriptors(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    expect_output(ex, "print(1)\n", "1\n");
    pid_t keeper = procs_keeper();
    pid_t child = fork_sleeper();
    int64_t began = fri_now_ns();
    fr_executor_close(ex);
    assert_true(fri_now_ns() - began < 5 * FRI_NS_PER_S);
    assert_int_equal(procs_count_cgroups(keeper), 0);
    assert_int_equal(send_signal(child, SIGKILL), 0);
    procs_reap_all(NULL, 0);
}

/* ---- the host forks ---- */

static void *run_twenty(void *arg)
{
    intptr_t good = 0;
    for (int i = 0; i < 20; i++) {
        fr_code_input in = FR_CODE_INPUT_INIT;
        fr_code_result *r = NULL;
        in.code = fri_cstr("print(1)\n");
        if (fr_executor_execute(arg, &in, &r, NULL) == 0)
            good += strcmp(r->out.p, "1\n") == 0;
        fr_code_result_free(r);
    }
    return (void *)good;
}

/* Children that do not exec hold copies of every descriptor, the runs' own ends among them. */
static void test_host_forks_during_runs(void **state)
{
    (void)state;
    enum { MOST = 300 };
    pid_t children[MOST];
    size_t n = 0;
    void *good;
    pthread_t thread;
    fr_executor *ex = open_executor("sandbox", NULL);
    assert_int_equal(pthread_create(&thread, NULL, run_twenty, ex), 0);
    while (pthread_tryjoin_np(thread, &good) != 0) {
        if (n == MOST) {
            pthread_join(thread, &good);
            break;
        }
        children[n] = fork();
        if (children[n] == 0) {
            pause();
            _exit(0);
        }
        n++;
        pause_randomly(5000);
    }
    for (size_t i = 0; i < n; i++)
        kill(children[i], SIGKILL);
    assert_int_equal((intptr_t)good, 20);
    fr_executor_close(ex);
    assert_int_equal(procs_reap_all(NULL, 0), n);
}

int main(int argc, char **argv)
{
    procs_adopt_orphans();
    const struct CMUnitTest tests[] = {
        leaks_test(test_host_killed),
        leaks_test(test_host_killed_while_it_opens),
        leaks_test(test_host_killed_whose_child_lives_on),
        leaks_test(test_close_while_a_child_holds_the_descriptors),
        leaks_test(test_host_forks_during_runs),
    };
    return user_run_tests(argc, argv, tests);
}
