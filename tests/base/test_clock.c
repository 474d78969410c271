/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "base/clock.h"

static void test_runs_forward(void **state)
{
    (void)state;
    int64_t a = fri_now_ns(), b = fri_now_ns();
    assert_true(a > 0);
    assert_true(b >= a);
}

static void test_poll_timeout(void **state)
{
    (void)state;
    int64_t now = fri_now_ns();
    assert_int_equal(fri_poll_timeout(-1), -1);
    assert_int_equal(fri_poll_timeout(INT64_MIN), -1);
    assert_int_equal(fri_poll_timeout(0), 0);
    assert_int_equal(fri_poll_timeout(now), 0);
    assert_int_equal(fri_poll_timeout(INT64_MAX), INT_MAX);
    /* An hour from now, seen less than ten minutes later. */
    assert_in_range(fri_poll_timeout(now + 3600 * FRI_NS_PER_S), 3000 * 1000, 3600 * 1000);
}

/* A deadline less than a millisecond away must not become a poll that returns at once. */
static void test_rounds_up(void **state)
{
    (void)state;
    int ms = 0;
    for (int i = 0; i < 100 && ms == 0; i++)
        ms = fri_poll_timeout(fri_now_ns() + FRI_NS_PER_MS / 2);
    assert_int_equal(ms, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_forward),
        cmocka_unit_test(test_poll_timeout),
        cmocka_unit_test(test_rounds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
