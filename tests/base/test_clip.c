/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/capture.h"
#include "base/clip.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/support/torture.h"

#define GAP_LINE "[... 98000000 bytes left out ...]\n"

typedef struct row {
    const char *text; /* may hold GAP_LINE */
    size_t max_chars;
    size_t max_lines;
    const char *clipped;
    size_t characters;
} row;

static fri_gap find_gap(const char *text)
{
    const char *line = strstr(text, GAP_LINE);
    fri_gap gap = {0, 0, 0, 0};
    if (line)
        gap = (fri_gap){(size_t)(line - text), strlen(GAP_LINE), 98000000, 0};
    return gap;
}

static void expect(const row *r)
{
    fri_buf out;
    fri_gap gap = find_gap(r->text);
    const fri_clip_limits limits = {r->max_chars, r->max_lines};
    fri_buf_init(&out, 1 << 20);
    fri_buf_puts(&out, "before"); /* without an LF, which is none of the text's business */
    assert_int_equal(fri_clip(&out, fri_cstr(r->text), &limits, &gap), r->characters);
    assert_memory_equal(out.p, "before", 6);
    assert_string_equal(out.p + 6, r->clipped);
    if (r->characters > 0)
        assert_memory_equal(out.p + 6 + gap.at + strspn(out.p + 6 + gap.at, "\n"), "[...", 4);
    fri_buf_dispose(&out);
}

static void expect_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(&rows[i]);
}

#define EXPECT(rows) expect_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_characters(void **state)
{
    (void)state;
    static const row rows[] = {
        {"", 1, 1, "", 0},
        {"abcdef", 0, 0, "abcdef", 0},
        {"abcdef", 6, 0, "abcdef", 0},
        {"abcdefg", 6, 0, "abc\n[... 1 characters left out ...]\nefg", 1},
        {"abcdefg", 5, 0, "abc\n[... 2 characters left out ...]\nfg", 2},
        {"abcdefg", 1, 0, "a\n[... 6 characters left out ...]\n", 6},
        {"ab\nc4\n", 4, 0, "ab\n[... 2 characters left out ...]\n4\n", 2},
        {"abc\n4efgh", 4, 0, "ab\n[... 5 characters left out ...]\ngh", 5},
        {"abc\n4efghi", 7, 0, "abc\n[... 3 characters left out ...]\nghi", 3},
        {"界界界界界", 4, 0, "界界\n[... 1 characters left out ...]\n界界", 1},
        {"界aé\xf0\x9f\x99\x82z", 3, 0, "界a\n[... 2 characters left out ...]\nz", 2},
    };
    EXPECT(rows);
}

static void test_lines(void **state)
{
    (void)state;
    static const row rows[] = {
        {"a\nb\nc\n", 0, 3, "a\nb\nc\n", 0},
        {"a\nb\nc", 0, 3, "a\nb\nc", 0},
        {"a\nb\nc\n4", 0, 3, "a\nb\n[... 2 characters left out ...]\n4", 2},
        {"a\nbb\nc\n", 0, 1, "a\n[... 5 characters left out ...]\n", 5},
        {"\n\n\n\n", 0, 2, "\n[... 2 characters left out ...]\n\n", 2},
    };
    EXPECT(rows);
}

static void test_the_stricter_limit(void **state)
{
    (void)state;
    static const row rows[] = {
        /* Both go beyond; of the head the lines, of the tail the characters decide. */
        {"a\nb\nc\nlast line", 8, 2, "a\n[... 9 characters left out ...]\nline", 9},
        {"first line\nb\nc\n4\n", 8, 2, "firs\n[... 11 characters left out ...]\n4\n", 11},
        {"a\nb\nc\n4\n", 100, 2, "a\n[... 4 characters left out ...]\n4\n", 4},
        {"a\nb\nc\n4\n", 2, 100, "a\n[... 6 characters left out ...]\n\n", 6},
        {"one long line", 4, 1, "on\n[... 9 characters left out ...]\nne", 9},
    };
    EXPECT(rows);
}

static void test_gap(void **state)
{
    (void)state;
#define BOTH(n) "[... " #n " characters and 98000000 bytes left out ...]\n"
    static const row rows[] = {
        {"ab\n" GAP_LINE "cd", 5, 3, "ab\n" GAP_LINE "cd", 0},
        {"ab\n" GAP_LINE "cd\n", 0, 2, "ab\n" GAP_LINE "cd\n", 0},
        /* In the middle, in the head, in the tail. */
        {"abcd\n" GAP_LINE "efgh", 4, 0, "ab\n" BOTH(5) "gh", 5},
        {"a\n" GAP_LINE "bcdefgh", 6, 0, "a\n" GAP_LINE "b\n[... 3 characters left out ...]\nfgh",
         3},
        {"abcdefg\n" GAP_LINE "h", 4, 0, "ab\n[... 5 characters left out ...]\n\n" GAP_LINE "h", 5},
        /* Where a cut would stand right before or behind it, it goes with what is left out. */
        {"a\n" GAP_LINE "bcdef", 4, 0, "a\n" BOTH(3) "ef", 3},
        {"abcde\n" GAP_LINE "fg", 4, 0, "ab\n" BOTH(4) "fg", 4},
        {GAP_LINE "abcdef", 4, 0, GAP_LINE "ab\n[... 2 characters left out ...]\nef", 2},
        {"abcdef\n" GAP_LINE, 1, 0, "a\n" BOTH(6), 6},
        {"a\nb\n" GAP_LINE "c\n4\n", 0, 2, "a\n" BOTH(4) "4\n", 4},
        {"a\n" GAP_LINE "b\nc\n4\n", 0, 2, "a\n" BOTH(4) "4\n", 4},
        {"a\n" GAP_LINE "b\nc\n4\n", 0, 3, "a\n" GAP_LINE "b\n[... 2 characters left out ...]\n4\n",
         2},
    };
    EXPECT(rows);
}

/* The line that a capture writes, which is what a gap is. */
static void test_gap_of_a_capture(void **state)
{
    (void)state;
    fri_capture c;
    fri_buf text, out;
    fri_captured kept;
    fri_buf_init(&text, 1000);
    fri_buf_init(&out, 1000);
    fri_capture_init(&c, 20);
    for (int i = 0; i < 100; i++)
        assert_int_equal(fri_capture_feed(&c, "0123456789", 10, NULL), 0);
    fri_capture_text(&c, &text, &kept);
    const char *line = strstr(text.p, "[... 980 bytes left out ...]\n");
    assert_non_null(line);
    fri_gap gap = {(size_t)(line - text.p), strlen(line) - 10, 980, 0};
    fri_clip(&out, fri_buf_str(&text), &(fri_clip_limits){10, 0}, &gap);
    assert_string_equal(out.p, "01234\n[... 11 characters and 980 bytes left out ...]\n56789");
    fri_capture_dispose(&c);
    fri_buf_dispose(&text);
    fri_buf_dispose(&out);
}

/* Clipped again it tells of all that has gone. */
static void test_twice(void **state)
{
    (void)state;
    fri_buf once, twice;
    fri_gap gap = {0, 0, 0, 0};
    fri_buf_init(&once, 1000);
    fri_buf_init(&twice, 1000);
    assert_int_equal(fri_clip(&once, fri_cstr("0123456789abcdef"), &(fri_clip_limits){8, 0}, &gap),
                     8);
    assert_string_equal(once.p, "0123\n[... 8 characters left out ...]\ncdef");
    assert_int_equal(gap.at, 4);
    assert_int_equal(gap.n, once.n - 8);
    assert_int_equal(fri_clip(&twice, fri_buf_str(&once), &(fri_clip_limits){8, 0}, &gap), 0);
    assert_string_equal(twice.p, once.p);
    fri_buf_truncate(&twice, 0);
    gap.bytes = 70;
    assert_int_equal(fri_clip(&twice, fri_buf_str(&once), &(fri_clip_limits){4, 0}, &gap), 4);
    assert_string_equal(twice.p, "01\n[... 12 characters and 70 bytes left out ...]\nef");
    assert_int_equal(gap.characters, 12);
    assert_int_equal(gap.at, 2);
    assert_int_equal(gap.n, twice.n - 4);
    fri_buf_dispose(&once);
    fri_buf_dispose(&twice);
}

/* Every limit around the length of a text of wide characters. */
static void test_every_limit(void **state)
{
    (void)state;
    enum { N = 40 };
    fri_buf text;
    fri_buf_init(&text, 1000);
    for (int i = 0; i < N; i++)
        fri_buf_puts(&text, "界");
    for (size_t max = 1; max <= N + 2; max++) {
        char marker[64] = "";
        size_t left = max < N ? N - max : 0;
        if (left > 0)
            snprintf(marker, sizeof(marker), "\n[... %zu characters left out ...]\n", left);
        fri_buf out;
        fri_buf_init(&out, 1000);
        fri_gap gap = {0, 0, 0, 0};
        assert_int_equal(fri_clip(&out, fri_buf_str(&text), &(fri_clip_limits){max, 0}, &gap),
                         left);
        assert_int_equal(out.n, 3 * (N - left) + strlen(marker));
        assert_int_equal(fri_utf8_valid_prefix(out.p, out.n), out.n);
        assert_memory_equal(out.p + (left ? 3 * (max - max / 2) : 3 * N), marker, strlen(marker));
        fri_buf_dispose(&out);
    }
    fri_buf_dispose(&text);
}

static int use(void *unused, fr_error *err)
{
    fri_buf out;
    (void)unused;
    fri_buf_init(&out, 1000);
    fri_clip(&out, fri_cstr("abcdef"), &(fri_clip_limits){4, 0}, &(fri_gap){0, 0, 0, 0});
    int rc = fri_buf_check(&out, "clipped text", err);
    fri_buf_dispose(&out);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(use, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),         cmocka_unit_test(test_lines),
        cmocka_unit_test(test_the_stricter_limit), cmocka_unit_test(test_gap),
        cmocka_unit_test(test_gap_of_a_capture),   cmocka_unit_test(test_twice),
        cmocka_unit_test(test_every_limit),        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
