/* SPDX-License-Identifier: MIT */
/* Threads that write one audit log, and readers beside writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "tests/executor/audit_log.h"

#define THREADS 8
#define TURNS   50

static void *run_often(void *user)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_error failure = FR_ERROR_INIT;
    fr_fail(&failure, FR_EUNAVAILABLE, 0, "no");
    uintptr_t failed = 0;
    for (int i = 0; i < TURNS; i++) {
        fr_audit_mark mark;
        failed += fr_audit_started(user, &in, "x", &mark, NULL) != 0;
        failed += fr_audit_ended(user, &mark, NULL, &failure, NULL, NULL) != 0;
    }
    return (void *)failed;
}

static void test_many_threads_and_one_log(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    fr_audit *a = log_open();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_often, a), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    fr_audit_close(a);
    fr_audit_summary sum = log_expect_holds((uint64_t)2 * THREADS * TURNS);
    assert_int_equal(sum.runs_without_end, 0);
}

/* ---- Readers ---- */

static void test_a_reader_does_not_wait_for_readers(void **state)
{
    (void)state;
    log_append_one();
    int fd = open(log_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_SH), 0);
    log_expect_holds(1);
    close(fd);
}

typedef struct reader {
    fr_audit_summary sum;
    int rc;
    atomic_int is_done;
} reader;

static void *read_log(void *user)
{
    reader *r = user;
    r->rc = fr_audit_verify(log_path, NULL, &r->sum, NULL);
    atomic_store(&r->is_done, 1);
    return NULL;
}

/* Whether somebody waits for a lock on that file: "1: -> FLOCK ADVISORY READ 17 fe:00:123 0 EOF". */
static int has_waiter(ino_t inode)
{
    char line[256], mark[32];
    int found = 0;
    snprintf(mark, sizeof(mark), ":%ju ", (uintmax_t)inode);
    FILE *f = fopen("/proc/locks", "re");
    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        found += strstr(line, "-> FLOCK") && strstr(line, mark);
    fclose(f);
    return found;
}

static void await_waiter(ino_t inode, reader *r)
{
    time_t end = time(NULL) + 20;
    while (!has_waiter(inode)) {
        assert_int_equal(atomic_load(&r->is_done), 0);
        assert_true(time(NULL) < end);
    }
}

/* Half a record is nothing to complain about while its writer holds the lock. */
static void test_a_reader_waits_for_a_write(void **state)
{
    (void)state;
    reader r = {.rc = -1};
    pthread_t thread;
    struct stat st;
    log_append_one();
    log_append_one();
    fri_buf bytes = log_read();
    size_t n = bytes.n - 50;
    log_write(fri_str(bytes.p, n));

    int fd = open(log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_log, &r), 0);
    await_waiter(st.st_ino, &r);
    assert_int_equal(fri_write_all(fd, bytes.p + n, 50), 0);
    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.rc, 0);
    assert_string_equal(r.sum.broken, "");
    assert_int_equal(r.sum.records, 2);
    close(fd);
    fri_buf_dispose(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_test(test_many_threads_and_one_log),
        log_test(test_a_reader_does_not_wait_for_readers),
        log_test(test_a_reader_waits_for_a_write),
    };
    return cmocka_run_group_tests_name("audit_threads", tests, NULL, NULL);
}
