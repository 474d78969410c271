/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "fencerun/error.h"

static void test_every_code_has_name_and_text(void **state)
{
    (void)state;
    static const int codes[] = {
#define ROW(name, value, text) FR_##name,
        FR_ERROR_MAP(ROW)
#undef ROW
    };
    size_t count = sizeof(codes) / sizeof(codes[0]);
    for (size_t i = 0; i < count; i++) {
        assert_true(codes[i] < 0);
        assert_int_equal(strncmp(fr_error_name(codes[i]), "FR_E", 4), 0);
        assert_string_not_equal(fr_error_name(codes[i]), "FR_E?");
        assert_string_not_equal(fr_error_text(codes[i]), "unknown error");
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(codes[i], codes[k]);
            assert_string_not_equal(fr_error_name(codes[i]), fr_error_name(codes[k]));
            assert_string_not_equal(fr_error_text(codes[i]), fr_error_text(codes[k]));
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(fr_error_name(0), "FR_OK");
    assert_string_equal(fr_error_text(0), "ok");
    assert_string_equal(fr_error_name(FR_EINVAL), "FR_EINVAL");
    assert_string_equal(fr_error_text(FR_EINVAL), "invalid argument");
    assert_string_equal(fr_error_name(1), "FR_E?");
    assert_string_equal(fr_error_text(-1000), "unknown error");
}

static void test_fills_and_returns(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_fail(&err, FR_EINVAL, 0, "%s is %d", "x", 3), FR_EINVAL);
    assert_int_equal(err.code, FR_EINVAL);
    assert_int_equal(err.sys_errno, 0);
    assert_string_equal(err.text, "x is 3");
    assert_int_equal(fr_fail(NULL, FR_ENOMEM, EIO, "%s", "nobody listens"), FR_ENOMEM);
}

static void test_errno_becomes_text(void **state)
{
    (void)state;
    fr_error err;
    assert_int_equal(fr_fail(&err, FR_ESYSTEM, ENOENT, "open \"%s\"", "/x"), FR_ESYSTEM);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_string_equal(err.text, "open \"/x\": No such file or directory");
}

static void expect_line(const char *in, const char *out)
{
    fr_error err;
    assert_int_equal(fr_fail(&err, FR_EFORMAT, 0, "{%s}", in), FR_EFORMAT);
    assert_string_equal(err.text, out);
}

static void test_is_one_line_of_utf8(void **state)
{
    (void)state;
    expect_line("a\nb\r\tc\x1b[31m\x7f", "{a b  c [31m }");
    expect_line("\xc2\x9b"
                "31m",
                "{  31m}"); /* C1 control sequence introducer */
    expect_line("\xc2\x80|\xc2\x9f|\xc2\xa0", "{  |  |\xc2\xa0}");
    expect_line("\xe2\x82\xac \xe2\x80\xa7 \xe2\x80\xaa \xe1\x80\xa8",
                "{\xe2\x82\xac \xe2\x80\xa7 \xe2\x80\xaa \xe1\x80\xa8}");
    expect_line("a\xe2\x80\xa8"
                "b\xe2\x80\xa9"
                "c",
                "{a   b   c}");
    expect_line("caf\xc3\xa9 \xe6\x95\xb0 \xf0\x9f\x98\x80",
                "{caf\xc3\xa9 \xe6\x95\xb0 \xf0\x9f\x98\x80}");
    expect_line("a\xff"
                "b\xe6\x95",
                "{a?b??}");
    expect_line("\xc2", "{?}");
    expect_line("\xe2\x80", "{??}");
}

/* Characters of one to four bytes, moved over the end of the text one byte at a time. */
static void test_cut_at_a_character(void **state)
{
    (void)state;
    static const char *const characters[] = {"a", "\xc3\xa9", "\xe6\x95\xb0", "\xf0\x9f\x98\x80"};
    for (size_t c = 0; c < 4; c++) {
        size_t length = strlen(characters[c]);
        for (size_t pad = 0; pad < 2 * FR_ERROR_TEXT_SIZE; pad++) {
            fr_error err;
            int n = (int)pad;
            fr_fail(&err, FR_EINVAL, 0, "%*s%s", n, "", characters[c]);
            size_t room = sizeof(err.text) - 1;
            size_t want = pad + length <= room ? pad + length : pad < room ? pad : room;
            assert_int_equal(strlen(err.text), want);
            assert_int_equal(fri_utf8_valid_prefix(err.text, want), want);
            assert_null(strchr(err.text, '?'));
        }
    }
}

static void test_errno_of_a_long_text(void **state)
{
    (void)state;
    for (int pad = FR_ERROR_TEXT_SIZE - 40; pad < FR_ERROR_TEXT_SIZE + 10; pad++) {
        fr_error err;
        fr_fail(&err, FR_ESYSTEM, ENOENT, "%*s", pad, "x");
        size_t whole = (size_t)pad + strlen(": No such file or directory");
        size_t room = sizeof(err.text) - 1;
        assert_int_equal(strlen(err.text), whole < room ? whole : room);
    }
}

/* A wide character that the C locale lacks is the quickest text that printf refuses. */
static void test_unformattable_text(void **state)
{
    (void)state;
    fr_error err;
    assert_int_equal(fr_fail(&err, FR_EINVAL, 0, "abc %ls", L"\x100"), FR_EINVAL);
    assert_int_equal(err.code, FR_EINVAL);
    assert_string_equal(err.text, "");
}

static void test_text_may_be_an_argument(void **state)
{
    (void)state;
    fr_error err;
    fr_fail(&err, FR_ESYSTEM, 0, "inner");
    fr_fail(&err, FR_EINVAL, 0, "outer: %s, %s", err.text, err.text);
    assert_string_equal(err.text, "outer: inner, inner");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_has_name_and_text),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_fills_and_returns),
        cmocka_unit_test(test_errno_becomes_text),
        cmocka_unit_test(test_is_one_line_of_utf8),
        cmocka_unit_test(test_cut_at_a_character),
        cmocka_unit_test(test_errno_of_a_long_text),
        cmocka_unit_test(test_unformattable_text),
        cmocka_unit_test(test_text_may_be_an_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
