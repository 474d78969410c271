/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/proc.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

static char *const no_env[] = {NULL};

static int open_program(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* Starts a program with stdin from /dev/null and stdout and stderr on the pipe whose read end is
 * returned. */
static int start_reading(const char *path, char *const *argv, char *const *envp, fri_proc *out)
{
    int ends[2];
    FRI_AUTO(fri_closep) int program = open_program(path);
    FRI_AUTO(fri_closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const fri_proc_fd fds[] = {{null, 0}, {ends[1], 1}, {ends[1], 2}};
    const fri_proc_spec spec = {program, argv, envp, fds, 3};
    fr_error err = FR_ERROR_INIT;
    if (fri_proc_start(&spec, out, &err))
        fail_msg("%s", err.text);
    close(ends[1]);
    return ends[0];
}

/* Runs a program to its end; returns its wait status and what it printed. */
static int run_program(const char *path, char *const *argv, char *const *envp, char *out, size_t n)
{
    fri_proc p;
    FRI_AUTO(fri_closep) int fd = start_reading(path, argv, envp, &p);
    size_t have = 0;
    for (ssize_t m; (m = read(fd, out + have, n - 1 - have)) > 0;)
        have += (size_t)m;
    out[have] = '\0';
    return fri_proc_wait(&p);
}

static int run_sh(const char *script, char *out, size_t n)
{
    char name[] = "sh", option[] = "-c", text[1024];
    assert_true(snprintf(text, sizeof(text), "%s", script) < (int)sizeof(text));
    char *const argv[] = {name, option, text, NULL};
    return run_program("/bin/sh", argv, no_env, out, n);
}

static void test_status(void **state)
{
    (void)state;
    char out[256];
    int status = run_sh("exit 0", out, sizeof(out));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    status = run_sh("echo out; echo err >&2; exit 3", out, sizeof(out));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_string_equal(out, "out\nerr\n");
    status = run_sh("kill -SEGV $$", out, sizeof(out));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void test_environment_is_what_was_given(void **state)
{
    (void)state;
    char out[256], name[] = "env", a[] = "A=1", b[] = "B=two words", last[] = "LAST=";
    char *const argv[] = {name, NULL};
    char *const env[] = {a, b, last, NULL};
    assert_int_equal(run_program("/usr/bin/env", argv, env, out, sizeof(out)), 0);
    assert_string_equal(out, "A=1\nB=two words\nLAST=\n");
    assert_int_equal(run_program("/usr/bin/env", argv, no_env, out, sizeof(out)), 0);
    assert_string_equal(out, "");
}

/* Descriptors below 1100 that the shell itself has. */
static const char list_descriptors[] =
    "i=0; while [ $i -lt 1100 ]; do [ -e /proc/self/fd/$i ] && echo $i; i=$((i+1)); done";

static void test_no_other_descriptor_is_open(void **state)
{
    (void)state;
    char out[256];
    const int inherited[] = {3, 4, 5, 9, 50, 255, 1000};
    const size_t count = sizeof(inherited) / sizeof(inherited[0]);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int there[sizeof(inherited) / sizeof(inherited[0])];
    for (size_t i = 0; i < count; i++) {
        there[i] = fcntl(null, F_DUPFD, inherited[i]);
        assert_true(there[i] >= 0);
    }
    run_sh(list_descriptors, out, sizeof(out));
    assert_string_equal(out, "0\n1\n2\n");
    for (size_t i = 0; i < count; i++)
        close(there[i]);
    close(null);
}

static void test_session_and_directory(void **state)
{
    (void)state;
    char out[256];
    assert_int_equal(run_sh("read -r pid comm state ppid group session rest < /proc/self/stat\n"
                            "[ $session = $$ ] && [ $group = $$ ] && pwd -P",
                            out, sizeof(out)),
                     0);
    assert_string_equal(out, "/\n");
}

static volatile sig_atomic_t handled;

static void handler(int sig)
{
    handled = sig;
}

static void test_signals_are_reset_in_the_child_alone(void **state)
{
    (void)state;
    char out[4096], name[] = "cat", file[] = "/proc/self/status";
    char *const argv[] = {name, file, NULL};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, handle = {.sa_handler = handler}, now;
    const int ignored[] = {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ, SIGRTMAX};
    const size_t count = sizeof(ignored) / sizeof(ignored[0]);
    struct sigaction before[sizeof(ignored) / sizeof(ignored[0])], usr1;
    sigset_t blocked, mask, after;
    for (size_t i = 0; i < count; i++)
        sigaction(ignored[i], &ignore, &before[i]);
    sigaction(SIGUSR1, &handle, &usr1);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &blocked, &mask);

    assert_int_equal(run_program("/bin/cat", argv, no_env, out, sizeof(out)), 0);
    assert_non_null(strstr(out, "SigBlk:\t0000000000000000\n"));
    assert_non_null(strstr(out, "SigIgn:\t0000000000000000\n"));

    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_true(sigismember(&after, SIGUSR2) && sigismember(&after, SIGRTMIN));
    assert_false(sigismember(&after, SIGTERM));
    for (size_t i = 0; i < count; i++) {
        sigaction(ignored[i], &before[i], &now);
        assert_ptr_equal(now.sa_handler, SIG_IGN);
    }
    raise(SIGUSR1);
    assert_int_equal(handled, SIGUSR1);
    sigaction(SIGUSR1, &usr1, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void test_the_host_hears_of_its_end(void **state)
{
    (void)state;
    char out[16];
    sigset_t chld, mask;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &chld, &mask);
    run_sh(":", out, sizeof(out));
    const struct timespec at_most = {10, 0};
    assert_int_equal(sigtimedwait(&chld, NULL, &at_most), SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* What has the magic of no program, and what may not be executed. */
static void test_what_cannot_be_executed(void **state)
{
    (void)state;
    char name[] = "the-program";
    char *const argv[] = {name, NULL};
    FRI_AUTO(fri_closep) int text = memfd_create("text", MFD_CLOEXEC);
    FRI_AUTO(fri_closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(write(text, "hello\n", 6), 6);
    const struct {
        int fd;
        int sys_errno;
    } programs[] = {{text, ENOEXEC}, {null, EACCES}};
    for (size_t i = 0; i < 2; i++) {
        const fri_proc_spec spec = {programs[i].fd, argv, no_env, NULL, 0};
        fri_proc p = {77, 77};
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fri_proc_start(&spec, &p, &err), FR_ESYSTEM);
        assert_int_equal(err.sys_errno, programs[i].sys_errno);
        assert_non_null(strstr(err.text, "the-program"));
        assert_int_equal(p.pid, 77);
        assert_int_equal(p.pidfd, 77);
    }
}

static void test_descriptors_that_are_not_open(void **state)
{
    (void)state;
    char name[] = "sh";
    char *const argv[] = {name, NULL};
    FRI_AUTO(fri_closep) int program = open_program("/bin/sh");
    const fri_proc_fd closed = {900, 0};
    const fri_proc_spec no_program = {-1, argv, no_env, NULL, 0};
    const fri_proc_spec no_stdin = {program, argv, no_env, &closed, 1};
    fri_proc p;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fri_proc_start(&no_program, &p, &err), FR_ESYSTEM);
    assert_int_equal(err.sys_errno, EBADF);
    err = (fr_error)FR_ERROR_INIT;
    assert_int_equal(fri_proc_start(&no_stdin, &p, &err), FR_ESYSTEM);
    assert_int_equal(err.sys_errno, EBADF);
    assert_non_null(strstr(err.text, "900"));
}

/* Three memory files with one letter each, at chosen numbers. */
static void letter_at(int fd, char letter)
{
    int mem = memfd_create("letter", MFD_CLOEXEC);
    assert_int_equal(write(mem, &letter, 1), 1);
    assert_int_equal(dup3(mem, fd, O_CLOEXEC), fd);
    close(mem);
}

/* A child that prints the letters at 100, 101 and 102, read from their start. */
static void expect_letters(const fri_proc_fd *fds, size_t n, int program, const char *letters)
{
    char name[] = "sh", option[] = "-c", out[16] = "", script[256] = "";
    int ends[2];
    fri_proc_fd all[8];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    memcpy(all, fds, n * sizeof(fds[0]));
    all[n] = (fri_proc_fd){ends[1], 1};
    snprintf(script, sizeof(script),
             "for i in 100 101 102; do [ -e /proc/self/fd/$i ] && cat < /proc/self/fd/$i; done");
    char path[] = "PATH=/usr/bin:/bin";
    char *const argv[] = {name, option, script, NULL}, *const env[] = {path, NULL};
    const fri_proc_spec spec = {program, argv, env, all, n + 1};
    fri_proc p;
    fr_error err = FR_ERROR_INIT;
    if (fri_proc_start(&spec, &p, &err))
        fail_msg("%s", err.text);
    close(ends[1]);
    for (size_t have = 0; have < sizeof(out) - 1;) {
        ssize_t m = read(ends[0], out + have, sizeof(out) - 1 - have);
        if (m <= 0)
            break;
        have += (size_t)m;
    }
    close(ends[0]);
    fri_proc_wait(&p);
    assert_string_equal(out, letters);
}

static void test_descriptors_that_clash(void **state)
{
    (void)state;
    letter_at(100, 'a');
    letter_at(101, 'b');
    letter_at(102, 'c');
    int sh = open_program("/bin/sh");
    assert_int_equal(dup3(sh, 103, O_CLOEXEC), 103);
    close(sh);
    const fri_proc_fd same[] = {{100, 100}, {101, 101}, {102, 102}};
    expect_letters(same, 3, 103, "abc");
    const fri_proc_fd swapped[] = {{101, 100}, {100, 101}};
    expect_letters(swapped, 2, 103, "ba");
    const fri_proc_fd rotated[] = {{101, 100}, {102, 101}, {100, 102}};
    expect_letters(rotated, 3, 103, "bca");
    const fri_proc_fd twice[] = {{100, 101}, {100, 102}, {102, 100}};
    expect_letters(twice, 3, 103, "caa");
    assert_int_equal(dup3(103, 101, O_CLOEXEC), 101);
    const fri_proc_fd over_the_program[] = {{100, 101}};
    expect_letters(over_the_program, 1, 101, "a");
    for (int fd = 100; fd <= 103; fd++)
        close(fd);
}

static void test_kill(void **state)
{
    (void)state;
    char name[] = "sleep", seconds[] = "1000";
    char *const argv[] = {name, seconds, NULL};
    fri_proc p;
    close(start_reading("/bin/sleep", argv, no_env, &p));
    fri_proc_kill(&p);
    int status = fri_proc_wait(&p);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(p.pid, -1);
    assert_int_equal(p.pidfd, -1);
    fri_proc_kill(&p);
    assert_int_equal(fri_proc_wait(&p), -1);
}

/* The host program reaps every child it finds. */
static void test_wait_after_the_host_reaped_it(void **state)
{
    (void)state;
    char name[] = "sh", option[] = "-c", script[] = "exit 5";
    char *const argv[] = {name, option, script, NULL};
    fri_proc p;
    int status;
    close(start_reading("/bin/sh", argv, no_env, &p));
    pid_t pid = p.pid;
    assert_int_equal(waitpid(-1, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 5);
    assert_int_equal(fri_proc_wait(&p), -1);
}

/* With SIGCHLD ignored the kernel reaps; the wait must still be one. */
static void test_wait_while_nobody_waits(void **state)
{
    (void)state;
    char name[] = "sh", option[] = "-c", script[] = "read -r line; echo done";
    char *const argv[] = {name, option, script, NULL};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGCHLD, &ignore, &before);
    fri_proc p;
    char out[16] = "";
    int fd = start_reading("/bin/sh", argv, no_env, &p);
    assert_int_equal(fri_proc_wait(&p), -1);
    /* It has ended, so all it wrote is in the pipe. */
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(fd, out, sizeof(out)), 5);
    assert_string_equal(out, "done\n");
    close(fd);
    sigaction(SIGCHLD, &before, NULL);
}

static void test_program_in_memory(void **state)
{
    (void)state;
    char name[] = "true", bytes[65536];
    char *const argv[] = {name, NULL};
    int source = open_program("/bin/true"),
        mem = memfd_create("p", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (ssize_t n; (n = read(source, bytes, sizeof(bytes))) > 0;)
        assert_int_equal(write(mem, bytes, (size_t)n), n);
    assert_int_equal(fcntl(mem, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW), 0);
    const fri_proc_spec spec = {mem, argv, no_env, NULL, 0};
    fri_proc p;
    assert_int_equal(fri_proc_start(&spec, &p, NULL), 0);
    assert_int_equal(fri_proc_wait(&p), 0);
    close(source);
    close(mem);
}

static int stop_allocating;

static void *allocate(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    while (!__atomic_load_n(&stop_allocating, __ATOMIC_ACQUIRE)) {
        void *p = malloc((size_t)rand_r(&seed) % 100000 + 1);
        assert_non_null(p);
        free(p);
    }
    return NULL;
}

static void test_while_other_threads_allocate(void **state)
{
    (void)state;
    pthread_t threads[8];
    stop_allocating = 0;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate, (void *)(i + 1)), 0);
    for (int i = 0; i < 100; i++) {
        char out[16], expected[16], script[32];
        snprintf(script, sizeof(script), "echo %d; exit %d", i, i);
        snprintf(expected, sizeof(expected), "%d\n", i);
        int status = run_sh(script, out, sizeof(out));
        assert_int_equal(WEXITSTATUS(status), i);
        assert_string_equal(out, expected);
    }
    __atomic_store_n(&stop_allocating, 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

static int start_and_wait(void *user, fr_error *err)
{
    const fri_proc_spec *spec = user;
    fri_proc p;
    int rc = fri_proc_start(spec, &p, err);
    if (rc == 0)
        fri_proc_wait(&p);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    char name[] = "true";
    char *const argv[] = {name, NULL};
    FRI_AUTO(fri_closep) int program = open_program("/bin/true");
    const fri_proc_fd fds[] = {{program, 5}};
    fri_proc_spec spec = {program, argv, no_env, fds, 1};
    assert_true(torture(start_and_wait, &spec) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_status),
        leaks_test(test_environment_is_what_was_given),
        leaks_test(test_no_other_descriptor_is_open),
        leaks_test(test_session_and_directory),
        leaks_test(test_signals_are_reset_in_the_child_alone),
        leaks_test(test_the_host_hears_of_its_end),
        leaks_test(test_what_cannot_be_executed),
        leaks_test(test_descriptors_that_are_not_open),
        leaks_test(test_descriptors_that_clash),
        leaks_test(test_kill),
        leaks_test(test_wait_after_the_host_reaped_it),
        leaks_test(test_wait_while_nobody_waits),
        leaks_test(test_program_in_memory),
        leaks_test(test_while_other_threads_allocate),
        leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
