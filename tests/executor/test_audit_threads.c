/* SPDX-License-Identifier: MIT */
/* Threads that write one audit log, and readers beside writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
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

/* Half a record is nothing to complain about while its writer holds the lock. */
static void test_a_reader_waits_for_a_write(void **state)
{
    (void)state;
    reader r = {.rc = -1};
    pthread_t thread;
    log_append_one();
    log_append_one();
    fri_buf bytes = log_read();
    size_t n = bytes.n - 50;
    log_write(fri_str(bytes.p, n));

    int fd = open(log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_log, &r), 0);
    usleep(100000);
    assert_int_equal(atomic_load(&r.is_done), 0);
    assert_int_equal(fri_write_all(fd, bytes.p + n, 50), 0);
    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.rc, 0);
    assert_string_equal(r.sum.broken, "");
    assert_int_equal(r.sum.records, 2);
    close(fd);
    fri_buf_dispose(&bytes);
}

/* ---- A lock that is not given back ---- */

static void *raise_soon(void *cancel)
{
    usleep(50000);
    fr_cancel_raise(cancel);
    return NULL;
}

static void *start_one(void *audit)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_audit_started(audit, &in, "x", NULL, &err);
    return rc == FR_ESYSTEM && strstr(err.text, "locked for 10 s") ? NULL : audit;
}

/* Whether for another process, or for a thread that waits for one. */
static void test_waiting_can_be_cancelled(void **state)
{
    (void)state;
    pthread_t thread, first;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_error err = FR_ERROR_INIT;
    fr_audit_mark mark;
    fr_audit *a = log_open();
    int fd = open(log_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(fr_cancel_new(&in.cancel, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, raise_soon, in.cancel), 0);
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, &err), FR_ECANCELLED);
    assert_non_null(strstr(err.text, "was locked"));
    assert_int_equal(pthread_join(thread, NULL), 0);
    int64_t began = fri_now_ns();
    assert_int_equal(pthread_create(&first, NULL, start_one, a), 0);
    usleep(50000);
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, &err), FR_ECANCELLED);
    assert_true(fri_now_ns() - began < 5 * FRI_NS_PER_S);
    close(fd);
    void *got;
    assert_int_equal(pthread_join(first, &got), 0);
    assert_ptr_equal(got, a);
    fr_cancel_free(in.cancel);
    fr_audit_close(a);
    log_expect_holds(1);
}

/* Threads that wait for each other are at the end of it together. */
static void test_waiting_has_an_end(void **state)
{
    (void)state;
    pthread_t threads[4];
    fr_audit *a = log_open();
    int fd = open(log_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_SH), 0);
    int64_t began = fri_now_ns();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, start_one, a), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_true(fri_now_ns() - began < 30 * FRI_NS_PER_S);
    close(fd);
    assert_ptr_equal(start_one(a), a);
    fr_audit_close(a);
    log_expect_holds(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_test(test_many_threads_and_one_log),
        log_test(test_a_reader_does_not_wait_for_readers),
        log_test(test_a_reader_waits_for_a_write),
        log_test(test_waiting_can_be_cancelled),
        log_test(test_waiting_has_an_end),
    };
    return cmocka_run_group_tests_name("audit_threads", tests, NULL, NULL);
}
