/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "executor/file_name.h"
#include "executor/file_type.h"

static void test_below(void **state)
{
    (void)state;
    static const char *const below[] = {"a",     "a/b", "...", "..a", ".a",
                                        "a/..b", " ",   "-rf", "\xff"};
    static const char *const elsewhere[] = {"",    "/",    "/a",  "a/",     "a//b", ".",  "..",
                                            "./a", "../a", "a/.", "a/../b", "a/..", "//", "a/./b"};
    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
        if (!fri_file_name_is_below(below[i]))
            fail_msg("'%s' is below", below[i]);
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (fri_file_name_is_below(elsewhere[i]))
            fail_msg("'%s' is not below", elsewhere[i]);
}

static void expect_checked(const char *name, const char *text)
{
    fr_error err = FR_ERROR_INIT;
    int rc = fri_file_name_check(name, "x", &err);
    if (rc != (text ? FR_EINVAL : 0) || (text && !strstr(err.text, text)))
        fail_msg("'%s': %d %s", name, rc, err.text);
}

static void test_inputs(void **state)
{
    (void)state;
    char long_part[300], long_name[1100];
    memset(long_part, 'a', sizeof(long_part));
    for (size_t i = 0; i < sizeof(long_name); i++)
        long_name[i] = i % 2 ? '/' : 'a';
    long_name[1023] = '\0';
    long_name[1022] = 'a';
    expect_checked(long_name, NULL);
    long_name[1023] = 'a';
    long_name[1024] = '\0';
    expect_checked(long_name, "too long");
    long_part[256] = '\0';
    expect_checked(long_part, "too long");
    long_part[255] = '\0';
    expect_checked(long_part, NULL);
    expect_checked("data/\xe6\x95\xb0.csv", NULL);
    expect_checked("../a", "not below the working directory");
    expect_checked("a\nb", "control characters");
    expect_checked("a\x7f", "control characters");
    expect_checked("a\xff", "no UTF-8");
}

static void test_clashes(void **state)
{
    (void)state;
    assert_true(fri_file_names_clash("a", "a"));
    assert_true(fri_file_names_clash("a", "a/b"));
    assert_true(fri_file_names_clash("a/b/c", "a/b"));
    assert_false(fri_file_names_clash("a", "ab"));
    assert_false(fri_file_names_clash("a/b", "a/c"));
    assert_false(fri_file_names_clash("ab", "a/b"));
}

static void expect_escaped(const char *name, const char *text)
{
    fri_buf out;
    fri_buf_init(&out, 1000);
    fri_file_name_put(&out, name);
    assert_string_equal(out.p, text);
    fri_buf_dispose(&out);
}

static void test_escapes(void **state)
{
    (void)state;
    expect_escaped("a b/\xe6\x95\xb0", "a b/\xe6\x95\xb0");
    expect_escaped("\n\r\x1b\x7f", "\\x0a\\x0d\\x1b\\x7f");
    expect_escaped("\\x0a", "\\x5cx0a");
    expect_escaped("\xff\xe6\x95", "\\xff\\xe6\\x95");
    expect_escaped("\xed\xa0\x80z", "\\xed\\xa0\\x80z");
}

static void expect_type(const char *name, fr_str content, const char *type)
{
    const char *is = fri_file_type(name, content);
    if (strcmp(is, type) != 0)
        fail_msg("%s: %s, not %s", name, is, type);
}

#define BYTES(s) fri_str((s), sizeof(s) - 1)

static void test_types(void **state)
{
    (void)state;
    expect_type("a", BYTES("\x89PNG\r\n\x1a\n"), "image/png");
    expect_type("a.txt", BYTES("\xff\xd8\xff\xe0"), "image/jpeg");
    expect_type("a", BYTES("RIFF\0\0\0\0WEBP\0"), "image/webp");
    expect_type("a", BYTES("RIFF\0\0\0\0WAVE\0"), "audio/wav");
    expect_type("a", BYTES("%PDF-1.4\n"), "application/pdf");
    expect_type("a", BYTES("PK\x03\x04\x14\0"), "application/zip");
    expect_type("a.XLSX", BYTES("PK\x03\x04\x14\0"),
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    expect_type("a.xlsx", BYTES("no archive"), "text/plain");
    expect_type("a.csv", BYTES("x,y\n"), "text/csv");
    expect_type("a.CSV", BYTES(""), "text/csv");
    expect_type("csv", BYTES("x"), "text/plain");
    expect_type("a.csv", BYTES("x\0y"), "application/octet-stream");
    expect_type("a.csv", BYTES("x\xff"), "application/octet-stream");
    expect_type("a.png", BYTES("no picture"), "text/plain");
    expect_type("a.svg", BYTES("<svg/>"), "image/svg+xml");
    expect_type("names", BYTES("BMW"), "text/plain");
    expect_type("a", BYTES("\x89PN"), "application/octet-stream");
}

/* What is looked at may end within a character. */
static void test_long_text(void **state)
{
    (void)state;
    static char text[70000];
    for (size_t i = 0; i + 3 <= sizeof(text); i += 3)
        memcpy(text + i, "\xe7\x95\x8c", 3);
    expect_type("a", fri_str(text, 69999), "text/plain");
    expect_type("a", fri_str(text, 69998), "text/plain");
    expect_type("a", fri_str(text, 5), "application/octet-stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_below),   cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_clashes), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_types),   cmocka_unit_test(test_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
