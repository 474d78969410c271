/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

static int64_t ms_since(int64_t began)
{
    return (fri_now_ns() - began) / FRI_NS_PER_MS;
}

static void test_write_all(void **state)
{
    (void)state;
    int ends[2];
    char back[8] = "";
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fri_write_all(ends[1], "written", 7), 0);
    assert_int_equal(read(ends[0], back, sizeof(back)), 7);
    assert_string_equal(back, "written");
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(fri_write_all(ends[1], "x", 1), -1);
}

static void test_wait_readable(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    int64_t began = fri_now_ns();
    assert_int_equal(fri_wait_readable(ends[0], 30), 0);
    assert_in_range(ms_since(began), 30, 20000);
    began = fri_now_ns();
    assert_int_equal(fri_wait_readable(-1, 30), 0);
    assert_in_range(ms_since(began), 30, 20000);
    assert_int_equal(fri_wait_readable(ends[0], 0), 0);
    assert_int_equal(fri_write_all(ends[1], "x", 1), 0);
    began = fri_now_ns();
    assert_int_equal(fri_wait_readable(ends[0], 60000), 1);
    assert_int_equal(fri_wait_readable(ends[0], 0), 1);
    assert_in_range(ms_since(began), 0, 10000);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_all),
        cmocka_unit_test(test_wait_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
