/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/str.h"
#include "executor/guard/clean.h"
#include "tests/support/torture.h"

typedef struct row {
    const char *text;
    const char *left;
    uint64_t removed;
} row;

static void expect(fr_str text, fr_str left, uint64_t removed, const char *what)
{
    fri_buf out, again;
    fri_buf_init(&out, 1 << 20);
    fri_buf_init(&again, 1 << 20);
    uint64_t n = fri_clean(&out, text);
    if (!fri_str_equal(fri_buf_str(&out), left) || n != removed)
        fail_msg("%s: left \"%s\", %d removed", what, out.p, (int)n);
    assert_int_equal(fri_clean(&again, fri_buf_str(&out)), 0);
    assert_string_equal(again.p, out.p);
    fri_buf_dispose(&out);
    fri_buf_dispose(&again);
}

static void expect_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(fri_cstr(rows[i].text), fri_cstr(rows[i].left), rows[i].removed, rows[i].left);
}

#define EXPECT(rows) expect_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_plain_text_stays(void **state)
{
    (void)state;
    static const row rows[] = {
        {"", "", 0},
        {"a\tb\n\n c", "a\tb\n\n c", 0},
        {"\xe7\x95\x8c \xf0\x9f\x99\x82 \xc2\xa0", "\xe7\x95\x8c \xf0\x9f\x99\x82 \xc2\xa0", 0},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\xe2\x80\xa8\xe2\x80\xa9", 0},
        {"[31m ]0;x", "[31m ]0;x", 0},
    };
    EXPECT(rows);
}

static void test_control_sequences(void **state)
{
    (void)state;
    static const row rows[] = {
        {"\x1b[1;31mred\x1b[0m", "red", 2},
        {"a\x1b[Ab", "ab", 1},
        {"\x1b[?25l\x1b[>4;2m\x1b[ q\x1b[!p.", ".", 4},
        {"\x1b[38:2::1:2:3mx", "x", 1},
        {"\xc2\x9b"
         "1mb",
         "b", 1},
        {"\x1b[31", "", 1},
        {"\x1b[", "", 1},
        /* What cannot belong to a sequence is not lost with it. */
        {"\x1b[31\nx", "\nx", 1},
        {"\x1b[3\x1b[4mx", "x", 2},
        {"\x1b[\xe7\x95\x8c", "\xe7\x95\x8c", 1},
        {"\x1b[1 2mx", "2mx", 1},
        {"\xc2\x9b\xc2\x9b"
         "mx",
         "x", 2},
    };
    EXPECT(rows);
}

static void test_control_strings(void **state)
{
    (void)state;
    static const row rows[] = {
        {"\x1b]0;title\atext", "text", 1},
        {"\x1b]0;title\x1b\\text", "text", 1},
        {"\xc2\x9d"
         "0;title\xc2\x9ctext",
         "text", 1},
        {"\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\", "link", 2},
        /* The last byte of U+00DC is that of ST. */
        {"\x1b]0;\xc3\x9c"
         "b\atext",
         "text", 1},
        {"\x1bPq#0\x1b\\d", "d", 1},
        {"\x1bXsos\x1b\\d", "d", 1},
        {"\x1b^pm\x1b\\d", "d", 1},
        {"\x1b_apc\x1b\\d", "d", 1},
        {"\xc2\x90"
         "a\xc2\x9c"
         "\xc2\x98"
         "b\xc2\x9c"
         "\xc2\x9e"
         "c\xc2\x9c"
         "\xc2\x9f"
         "d\xc2\x9c"
         "e",
         "e", 4},
        {"\x1b]0;a\x18"
         "b\x1b]0;a\x1a"
         "b",
         "bb", 2},
        /* One that never ends. */
        {"\x1b]0;title\nnext", "\nnext", 1},
        {"\x1b]0;title\r\nnext", "\nnext", 1},
        {"\x1b]0;title\rnext", "next", 1},
        {"\x1b]0;title", "", 1},
        {"\x1b]0;title\x1b", "", 2},
        {"\x1b]0;title\x1b[31mred", "red", 2},
        {"\x1b]0;title\xc2\x9b"
         "31mred",
         "red", 2},
        {"\x1bPtmux;\x1b\x1b]52;c;aa\a\x1b\\x", "x", 4},
    };
    EXPECT(rows);
}

static void test_escape_sequences(void **state)
{
    (void)state;
    static const row rows[] = {
        {"\x1b"
         "7a\x1b"
         "8\x1b"
         "cb\x1bMc\x1b=d",
         "abcd", 5},
        {"\x1b(Ba\x1b#8\x1b%Gb", "ab", 3},
        {"a\x1b", "a", 1},
        {"a\x1b(", "a", 1},
        {"\x1b\n\x1b\x1b\xe7\x95\x8c", "\n\xe7\x95\x8c", 3},
    };
    EXPECT(rows);
}

static void test_controls(void **state)
{
    (void)state;
    static const row rows[] = {
        {"a\a\v\f\x01\x7f"
         "b\x0e\x0f",
         "ab", 7},
        {"a\xc2\x80"
         "b\xc2\x85"
         "c\xc2\x9c"
         "d\xc2\x84"
         "e",
         "abcde", 4},
    };
    EXPECT(rows);
    expect(fri_str("a\0b", 3), fri_cstr("ab"), 1, "NUL");
    /* Half of a C1 control, which is no UTF-8, is not looked beyond. */
    expect(fri_str("a\xc2\x9b", 2), fri_cstr("a\xc2"), 0, "C2");
}

static void test_carriage_returns(void **state)
{
    (void)state;
    static const row rows[] = {
        {"a\r\nb\r\r\nc\n", "a\nb\nc\n", 0},
        {" 10%\r 50%\r100%\ndone", "100%\ndone", 2},
        {"\r 10%\r 50%", " 50%", 1},
        {"one\ntwo\rthree", "one\nthree", 1},
        {"long text\rs\n", "s\n", 1},
        {"100%\r", "100%", 0},
        {"100%\r\r\x1b[K\r\n", "100%\n", 1},
        {"a\r\tb", "\tb", 1},
        {"a\rb\x1b[mc\x1b[md", "bcd", 3},
        {"100%\r    \rnext", "next", 2},
        {"\r\n\r\n", "\n\n", 0},
    };
    EXPECT(rows);
}

static void test_backspaces(void **state)
{
    (void)state;
    static const row rows[] = {
        {"ab\bc", "ac", 1},
        {"N\bNA\bAME\b\b", "NA", 4},
        {"_\bx_\by", "xy", 2},
        {"|\b/\b-\b\\", "\\", 3},
        {"\xe7\x95\x8c\xf0\x9f\x99\x82\b\bx", "x", 2},
        {"a\n\b\bb", "a\nb", 2},
        {"abc\r\b\bx", "x", 3},
        {"abc\r\b", "abc", 1},
    };
    EXPECT(rows);
}

/* What is in the buffer before belongs to somebody else, also when the text steps back or redraws. */
static void test_appends(void **state)
{
    (void)state;
    fri_buf out;
    fri_buf_init(&out, 100);
    fri_buf_puts(&out, "kept");
    assert_int_equal(fri_clean(&out, fri_cstr("\b\ba\rb")), 3);
    assert_string_equal(out.p, "keptb");
    fri_buf_dispose(&out);
}

static double seconds_for(const char *unit, size_t n)
{
    struct timespec a, b;
    fri_buf text, out;
    fri_buf_init(&text, 64 << 20);
    fri_buf_init(&out, 64 << 20);
    for (size_t i = 0; i < n; i++)
        fri_buf_puts(&text, unit);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    fri_clean(&out, fri_buf_str(&text));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    assert_int_equal(fri_buf_check(&out, "out", NULL), 0);
    fri_buf_dispose(&text);
    fri_buf_dispose(&out);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* Eight times the input may take no more than 24 times as long, and a moment. */
static void test_linear_time(void **state)
{
    (void)state;
    static const char *const units[] = {"\x1b]", "\x1b[1",   "\x1b ",    "a\b",        "ab\r",
                                        "\r",    "\xc2\x90", "\x1b]x\n", "plain text "};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        double small = seconds_for(units[i], 50000), large = seconds_for(units[i], 400000);
        if (large > 24 * small + 0.1)
            fail_msg("unit %zu: %.3f s, and %.3f s for eight times as much", i, small, large);
    }
}

static int use(void *unused, fr_error *err)
{
    fri_buf out;
    (void)unused;
    fri_buf_init(&out, 1000);
    fri_clean(&out, fri_cstr("a\nb\rc\b\x1b[0md\n"));
    int rc = fri_buf_check(&out, "cleaned text", err);
    fri_buf_dispose(&out);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_int_equal(torture(use, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_text_stays), cmocka_unit_test(test_control_sequences),
        cmocka_unit_test(test_control_strings),  cmocka_unit_test(test_escape_sequences),
        cmocka_unit_test(test_controls),         cmocka_unit_test(test_carriage_returns),
        cmocka_unit_test(test_backspaces),       cmocka_unit_test(test_appends),
        cmocka_unit_test(test_linear_time),      cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
