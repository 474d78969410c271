/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include "fencerun/cancel.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

static fr_cancel *new_cancel(void)
{
    fr_cancel *cancel = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_cancel_new(&cancel, &err))
        fail_msg("%s", err.text);
    return cancel;
}

static int is_readable(const fr_cancel *cancel)
{
    struct pollfd fd = {.fd = fr_cancel_fd(cancel), .events = POLLIN};
    return poll(&fd, 1, 0);
}

static void expect(const fr_cancel *cancel, int raised)
{
    assert_int_equal(fr_cancel_raised(cancel), raised);
    assert_int_equal(is_readable(cancel), raised);
}

static void test_stays_raised(void **state)
{
    (void)state;
    fr_cancel *cancel = new_cancel();
    expect(cancel, 0);
    for (int i = 0; i < 3; i++) {
        fr_cancel_raise(cancel);
        expect(cancel, 1);
    }
    fr_cancel_free(cancel);
}

static void test_null(void **state)
{
    (void)state;
    assert_int_equal(fr_cancel_raised(NULL), 0);
    assert_int_equal(fr_cancel_fd(NULL), -1);
    assert_int_equal(is_readable(NULL), 0);
    fr_cancel_free(NULL);
}

static void test_two_are_apart(void **state)
{
    (void)state;
    fr_cancel *a = new_cancel(), *b = new_cancel();
    fr_cancel_raise(a);
    expect(a, 1);
    expect(b, 0);
    fr_cancel_free(a);
    fr_cancel_free(b);
}

static fr_cancel *of_the_handler;

static void on_signal(int sig)
{
    (void)sig;
    fr_cancel_raise(of_the_handler);
}

static void test_from_a_signal_handler(void **state)
{
    (void)state;
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    of_the_handler = new_cancel();
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    errno = ENOTTY;
    raise(SIGUSR1);
    assert_int_equal(errno, ENOTTY);
    expect(of_the_handler, 1);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    fr_cancel_free(of_the_handler);
}

static void *raise_often(void *cancel)
{
    for (int i = 0; i < 1000; i++)
        fr_cancel_raise(cancel);
    return NULL;
}

static void test_from_many_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    fr_cancel *cancel = new_cancel();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, raise_often, cancel), 0);
    struct pollfd fd = {.fd = fr_cancel_fd(cancel), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 10000), 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    expect(cancel, 1);
    fr_cancel_free(cancel);
}

static int make_one(void *user, fr_error *err)
{
    (void)user;
    fr_cancel *cancel = NULL;
    int rc = fr_cancel_new(&cancel, err);
    fr_cancel_free(cancel);
    return rc;
}

static void test_without_memory(void **state)
{
    (void)state;
    torture(make_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_stays_raised),      leaks_test(test_null),
        leaks_test(test_two_are_apart),     leaks_test(test_from_a_signal_handler),
        leaks_test(test_from_many_threads), leaks_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
