/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/str.h"
#include "base/timestamp.h"

static const struct {
    int64_t us;
    const char *text;
} points[] = {
    {0, "1970-01-01T00:00:00.000000Z"},
    {1, "1970-01-01T00:00:00.000001Z"},
    {-1, "1969-12-31T23:59:59.999999Z"},
    {-1000000, "1969-12-31T23:59:59.000000Z"},
    {INT64_C(951782400123456), "2000-02-29T00:00:00.123456Z"},
    {INT64_C(1796101200123456), "2026-12-01T05:00:00.123456Z"},
    {INT64_C(-62167219200000000), "0000-01-01T00:00:00.000000Z"},
    {INT64_C(253402300799999999), "9999-12-31T23:59:59.999999Z"},
};

static void test_both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        char text[FRI_TIMESTAMP_LENGTH + 1];
        int64_t us;
        fri_timestamp_text(points[i].us, text);
        assert_string_equal(text, points[i].text);
        assert_int_equal(fri_timestamp_read(fri_cstr(text), &us), 0);
        assert_int_equal(us, points[i].us);
    }
}

static void test_what_has_no_such_form(void **state)
{
    (void)state;
    char text[FRI_TIMESTAMP_LENGTH + 1];
    fri_timestamp_text(INT64_MIN, text);
    assert_string_equal(text, "0000-01-01T00:00:00.000000Z");
    fri_timestamp_text(INT64_MAX, text);
    assert_string_equal(text, "9999-12-31T23:59:59.999999Z");
}

static void test_what_is_no_timestamp(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "2026-12-01T05:00:00Z",
        "2026-12-01T05:00:00.123456+",
        "2026-12-01T05:00:00.123456Z ",
        "2026-12-01t05:00:00.123456Z",
        "2026-12-01 05:00:00.123456Z",
        "2026-12-01T05:00:00,123456Z",
        "2026-02-29T05:00:00.123456Z",
        "2026-13-01T05:00:00.123456Z",
        "2026-00-01T05:00:00.123456Z",
        "2026-12-00T05:00:00.123456Z",
        "2026-12-01T24:00:00.123456Z",
        "2026-12-01T05:60:00.123456Z",
        "2026-12-01T05:00:60.123456Z",
        "2026-12-01T05:00:00.12345 Z",
        "-026-12-01T05:00:00.123456Z",
        "2026-12-01T05:00:00.-00001Z",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t us = 7;
        assert_int_equal(fri_timestamp_read(fri_cstr(texts[i]), &us), -1);
        assert_int_equal(us, 7);
    }
}

static void test_now(void **state)
{
    (void)state;
    int64_t us = fri_wall_us(), other = (int64_t)time(NULL) * 1000000;
    assert_in_range(other - us + 60000000, 0, 120000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_what_has_no_such_form),
        cmocka_unit_test(test_what_is_no_timestamp),
        cmocka_unit_test(test_now),
    };
    return cmocka_run_group_tests_name("timestamp", tests, NULL, NULL);
}
