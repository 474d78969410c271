/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/utf8.h"
#include "fencerun/units.h"

/* Whether an error's text repeats the value as it is. */
static int is_quoted_whole(const char *text)
{
    for (size_t i = 0; text[i]; i++)
        if (i >= 40 || text[i] < 0x20 || text[i] > 0x7e)
            return 0;
    return 1;
}

static void expect_refused(int rc, const fr_error *err, const char *bad, const char *form)
{
    if (rc != FR_EINVAL || err->code != FR_EINVAL)
        fail_msg("\"%s\" gives %s", bad, fr_error_name(rc));
    if ((is_quoted_whole(bad) && !strstr(err->text, bad)) || !strstr(err->text, form))
        fail_msg("\"%s\" gives the text %s", bad, err->text);
}

/* No reader of numbers takes any of these. */
static const char *const never[] = {
    "",    " ",   " 5",   "5 ",   "\t5",  "5\n",  "+5",   "--5",  "-",        "NaN",
    "nan", "inf", "1e12", "1e3",  "true", "0x10", "1_0",  "1,5",  ".",        ".5",
    "5.",  "1.",  "5 s",  "five", "1.s",  "1..5", "-0.5", "\xff", "5\xff\xff"};
static const size_t never_count = sizeof(never) / sizeof(never[0]);

static const char too_long[] =
    "99999999999999999999999999999999999999999999999999999999999999999999";

/* ---- Integers ---- */

static void expect_integer(const char *text, int64_t min, int64_t max, int64_t want)
{
    int64_t v = ~want;
    fr_error err = FR_ERROR_INIT;
    if (fr_parse_integer(text, min, max, &v, &err) || v != want)
        fail_msg("\"%s\" is %lld: %s", text, (long long)v, err.text);
}

static void refuse_integer(const char *text, int64_t min, int64_t max)
{
    int64_t v = 77;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_parse_integer(text, min, max, &v, &err);
    expect_refused(rc, &err, text, "whole number");
    assert_int_equal(v, 77);
}

static void test_integer(void **state)
{
    (void)state;
    expect_integer("0", 0, 10, 0);
    expect_integer("10", 0, 10, 10);
    expect_integer("007", 0, 10, 7);
    expect_integer("-3", -3, 3, -3);
    expect_integer("-0", -3, 3, 0);
    expect_integer("9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX);
    expect_integer("-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN);
    expect_integer("0000000000000000000000000000001", 0, 1, 1);

    refuse_integer("11", 0, 10);
    refuse_integer("0", 1, 10);
    refuse_integer("-1", 0, 10);
    refuse_integer("-0", 0, 10);
    refuse_integer("-4", -3, 3);
    refuse_integer("9223372036854775808", INT64_MIN, INT64_MAX);
    refuse_integer("-9223372036854775809", INT64_MIN, INT64_MAX);
    refuse_integer("18446744073709551615", INT64_MIN, INT64_MAX);
    refuse_integer("18446744073709551616", INT64_MIN, INT64_MAX);
    refuse_integer("18446744073709551626", INT64_MIN, INT64_MAX);
    refuse_integer("1.0", 0, 10);
    refuse_integer("5s", 0, 10);
    refuse_integer(too_long, INT64_MIN, INT64_MAX);
    for (size_t i = 0; i < never_count; i++) {
        refuse_integer(never[i], 0, 100);
        refuse_integer(never[i], INT64_MIN, INT64_MAX);
    }
}

/* ---- Sizes ---- */

static void expect_size(const char *text, uint64_t want)
{
    uint64_t v = ~want;
    fr_error err = FR_ERROR_INIT;
    if (fr_parse_size(text, &v, &err) || v != want)
        fail_msg("\"%s\" is %llu: %s", text, (unsigned long long)v, err.text);
}

static void refuse_size(const char *text)
{
    uint64_t v = 77;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_parse_size(text, &v, &err);
    expect_refused(rc, &err, text, "512M");
    assert_int_equal(v, 77);
}

static void test_size(void **state)
{
    (void)state;
    expect_size("1", 1);
    expect_size("4096", 4096);
    expect_size("4096B", 4096);
    expect_size("64K", 64 << 10);
    expect_size("64KB", 64 << 10);
    expect_size("64KiB", 64 << 10);
    expect_size("512M", 512 << 20);
    expect_size("512MiB", 512 << 20);
    expect_size("512mb", 512 << 20);
    expect_size("512m", 512 << 20);
    expect_size("2G", UINT64_C(2) << 30);
    expect_size("1T", UINT64_C(1) << 40);
    expect_size("16777215TiB", UINT64_C(16777215) << 40);
    expect_size("18446744073709551615", UINT64_MAX);

    static const char *const bad[] = {"0",
                                      "0K",
                                      "000",
                                      "-1",
                                      "-1M",
                                      "1.5G",
                                      "K",
                                      "iB",
                                      "B",
                                      "4096iB",
                                      "1Ki",
                                      "1KK",
                                      "1MBB",
                                      "1Q",
                                      "1 M",
                                      "M1",
                                      "1k ",
                                      "1+",
                                      "1-",
                                      "1\xcb",
                                      "18446744073709551616",
                                      "18014398509481984K",
                                      "16777216T"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuse_size(bad[i]);
    refuse_size(too_long);
    for (size_t i = 0; i < never_count; i++)
        refuse_size(never[i]);
}

/* ---- Durations ---- */

static void expect_duration(const char *text, int64_t want)
{
    int64_t v = ~want;
    fr_error err = FR_ERROR_INIT;
    if (fr_parse_duration(text, &v, &err) || v != want)
        fail_msg("\"%s\" is %lld: %s", text, (long long)v, err.text);
}

static void refuse_duration(const char *text)
{
    int64_t v = 77;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_parse_duration(text, &v, &err);
    expect_refused(rc, &err, text, "1.5s");
    assert_int_equal(v, 77);
}

static void test_duration(void **state)
{
    (void)state;
    expect_duration("30s", 30000);
    expect_duration("30", 30000);
    expect_duration("1.5s", 1500);
    expect_duration("0.25", 250);
    expect_duration("200ms", 200);
    expect_duration("2m", 120000);
    expect_duration("1h", 3600000);
    expect_duration("1.5h", 5400000);
    expect_duration("0.1m", 6000);
    expect_duration("1ms", 1);
    expect_duration("0.001", 1);
    expect_duration("24h", 86400000);
    expect_duration("24.0h", 86400000);
    expect_duration("1440m", 86400000);
    expect_duration("86400", 86400000);
    expect_duration("86400000ms", 86400000);
    expect_duration("05s", 5000);
    /* To the nearest millisecond. */
    expect_duration("0.29999999999999998", 300);
    expect_duration("1.0004", 1000);
    expect_duration("1.0005", 1001);
    expect_duration("0.999999999999999999999999999999h", 3600000);

    static const char *const bad[] = {"0",
                                      "0s",
                                      "0ms",
                                      "0.0",
                                      "0.0004",
                                      "-1",
                                      "-1s",
                                      "s",
                                      "1S",
                                      "1d",
                                      "1min",
                                      "1sec",
                                      "1ms2",
                                      "1s1s",
                                      "1m30s",
                                      "24.1h",
                                      "24h1",
                                      "86400.001",
                                      "86401",
                                      "1441m",
                                      "25h",
                                      "1e3s",
                                      "86400001ms",
                                      "18446744073709552s",
                                      "9223372036854775807",
                                      "18446744073709551616",
                                      "1.5.5s"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuse_duration(bad[i]);
    refuse_duration(too_long);
    for (size_t i = 0; i < never_count; i++)
        refuse_duration(never[i]);
}

/* ---- Texts ---- */

static void test_texts(void **state)
{
    (void)state;
    fr_error err;
    int64_t v;
    uint64_t u;
    assert_int_equal(fr_parse_integer("x", -1, 5, &v, &err), FR_EINVAL);
    assert_string_equal(err.text, "\"x\" is not a whole number from -1 to 5");
    assert_int_equal(fr_parse_size("1Q", &u, &err), FR_EINVAL);
    assert_string_equal(err.text, "\"1Q\" is not a size: use a whole number of bytes above 0, or "
                                  "one with K, M, G or T as in 512M");
    assert_int_equal(fr_parse_duration("soon", &v, &err), FR_EINVAL);
    assert_string_equal(err.text, "\"soon\" is not a duration: use 30s, 1.5s, 200ms, 2m or 1h, "
                                  "from 1ms to 24h");
    assert_int_equal(fr_parse_integer("", 0, 1, &v, NULL), FR_EINVAL);
}

/* A long value is cut at a character, and a byte that is no UTF-8 hides nothing behind it. */
static void test_long_and_strange_values(void **state)
{
    (void)state;
    fr_error err;
    int64_t v;
    char text[64] = "";
    for (size_t pad = 20; pad < 42; pad++) {
        memset(text, 'x', pad);
        memcpy(text + pad, "\xf0\x9f\x98\x80zzzzzzzz", 13);
        assert_int_equal(fr_parse_duration(text, &v, &err), FR_EINVAL);
        size_t n = strlen(err.text);
        assert_int_equal(fri_utf8_valid_prefix(err.text, n), n);
        assert_null(strchr(err.text, '?'));
        assert_int_equal(strstr(err.text, "...") != NULL, strlen(text) > 40);
        assert_non_null(strstr(err.text, "to 24h"));
    }
    assert_int_equal(fr_parse_duration("\xff\n5", &v, &err), FR_EINVAL);
    assert_non_null(strstr(err.text, "\"? 5\" is not a duration"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_long_and_strange_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
