/* SPDX-License-Identifier: MIT */
/*
 * Four processes append to one log, and one after another is killed at some moment, over and over. In the
 * end the chain holds, and every record that somebody was told is written is in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "executor/guard/audit_frame.h"
#include "tests/executor/audit_log.h"
#include "tests/support/background.h"

#define WRITERS   4
#define KILLS     200
#define MAX_ACKED 20000
#define MAX_CODE  2000000 /* long enough for a kill to come in the middle of a write */

static char code[MAX_CODE];
static int told[2]; /* marks of what was written */
static fr_audit_mark acked[MAX_ACKED];
static size_t acked_count;

/* ---- A writer ---- */

static int tell(const fr_audit_mark *mark)
{
    return fri_write_all(told[1], mark,
                         sizeof(*mark)); /* at once, since it is less than PIPE_BUF */
}

static int write_run(fr_audit *a, unsigned *seed)
{
    fr_audit_mark mark;
    fr_error failure = FR_ERROR_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    unsigned choice = (unsigned)rand_r(seed);
    in.code = fri_str(code, choice % 4 ? choice % 2000 : choice % MAX_CODE);
    fr_fail(&failure, FR_EUNAVAILABLE, 0, "no");
    return fr_audit_started(a, &in, "x", &mark, NULL) || tell(&mark) ||
           fr_audit_ended(a, &mark, NULL, &failure, &mark, NULL) || tell(&mark);
}

static int write_for_ever(unsigned seed)
{
    fr_audit *a = NULL;
    if (fr_audit_open(log_path, FR_AUDIT_NO_SYNC, &a, NULL))
        return 1;
    while (write_run(a, &seed) == 0) {
    }
    return 1; /* nobody should get here alive */
}

static pid_t start_writer(unsigned seed)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(told[0]);
        _exit(write_for_ever(seed));
    }
    return pid;
}

static void kill_writer(pid_t pid)
{
    int status;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* ---- Who kills ---- */

/* Returns 0 at the end of the pipe. */
static int take_one(void)
{
    assert_true(acked_count < MAX_ACKED);
    char *at = (char *)&acked[acked_count];
    for (size_t n = 0; n < sizeof(*acked);) {
        ssize_t m = read(told[0], at + n, sizeof(*acked) - n);
        assert_true(m > 0 || (m == 0 && n == 0));
        if (m == 0)
            return 0;
        n += (size_t)m;
    }
    acked_count++;
    return 1;
}

/* Until the log grows, which is while somebody writes; not for ever, since they may all wait for us. */
static void await_write(void)
{
    struct stat before, now;
    assert_int_equal(stat(log_path, &before), 0);
    for (int i = 0; i < 20000; i++)
        if (stat(log_path, &now) || now.st_size != before.st_size)
            return;
}

static void write_and_kill(unsigned *seed)
{
    pid_t writers[WRITERS];
    for (size_t i = 0; i < WRITERS; i++)
        writers[i] = start_writer((unsigned)rand_r(seed));
    for (int kills = 0; kills < KILLS; kills++) {
        size_t victim = (size_t)rand_r(seed) % WRITERS;
        for (int wait = rand_r(seed) % 8; wait >= 0; wait--)
            assert_int_equal(take_one(), 1);
        if (kills % 2)
            await_write();
        else
            pause_randomly(1000);
        kill_writer(writers[victim]);
        writers[victim] = start_writer((unsigned)rand_r(seed));
    }
    for (size_t i = 0; i < WRITERS; i++)
        kill_writer(writers[i]);
    close(told[1]);
    while (take_one()) {
    }
}

/* ---- What must be there ---- */

static int by_sequence(const void *a, const void *b)
{
    const fr_audit_mark *x = a, *y = b;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static int tick_off(void *user, const fr_audit_record *r)
{
    size_t *found = user;
    fri_audit_frame frame;
    if (fri_audit_read_frame(r->json, &frame) || !r->event[0])
        return 0;
    if (*found < acked_count && acked[*found].sequence == frame.mark.sequence) {
        assert_string_equal(acked[*found].hash, frame.mark.hash);
        ++*found;
    }
    return 0;
}

static void test_killed_in_the_middle(void **state)
{
    (void)state;
    unsigned seed = (unsigned)getpid();
    memset(code, 'x', sizeof(code));
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    write_and_kill(&seed);
    close(told[0]);

    log_append_one();
    fr_audit_summary sum = log_verify(NULL);
    if (sum.broken_line)
        fail_msg("line %d: %s", (int)sum.broken_line, sum.broken);
    size_t found = 0;
    qsort(acked, acked_count, sizeof(*acked), by_sequence);
    assert_int_equal(fr_audit_each(log_path, tick_off, &found, NULL), 0);
    assert_int_equal(found, acked_count);
    print_message("%d kills, %zu records acknowledged, %zu there; writes cut off: %" PRIu64
                  ", records: %" PRIu64 ", runs without an end: %" PRIu64 "\n",
                  KILLS, acked_count, found, sum.torn, sum.records, sum.runs_without_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {log_test(test_killed_in_the_middle)};
    return cmocka_run_group_tests_name("audit_kill", tests, NULL, NULL);
}
