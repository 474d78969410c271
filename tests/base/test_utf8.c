/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/utf8.h"

/* How many bytes the character that starts at p has, straight from the numbers of the standard's table
 * 3-7; 0 when it is ill-formed. Written another way than the code under test. */
static size_t by_the_table(const unsigned char *p, size_t n)
{
    static const unsigned char rows[][8] = {
        {0xc2, 0xdf, 0x80, 0xbf},
        {0xe0, 0xe0, 0xa0, 0xbf, 0x80, 0xbf},
        {0xe1, 0xec, 0x80, 0xbf, 0x80, 0xbf},
        {0xed, 0xed, 0x80, 0x9f, 0x80, 0xbf},
        {0xee, 0xef, 0x80, 0xbf, 0x80, 0xbf},
        {0xf0, 0xf0, 0x90, 0xbf, 0x80, 0xbf, 0x80, 0xbf},
        {0xf1, 0xf3, 0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf},
        {0xf4, 0xf4, 0x80, 0x8f, 0x80, 0xbf, 0x80, 0xbf},
    };
    if (p[0] < 0x80)
        return 1;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        size_t length = 0;
        while (length < 4 && rows[r][2 * length + 1] != 0)
            length++;
        size_t fits = 0;
        while (fits < length && fits < n && p[fits] >= rows[r][2 * fits] &&
               p[fits] <= rows[r][2 * fits + 1])
            fits++;
        if (fits == length)
            return length;
    }
    return 0;
}

static void expect_by_the_table(const unsigned char *p, size_t n)
{
    size_t length = by_the_table(p, n);
    size_t valid = fri_utf8_valid_prefix((const char *)p, n);
    if (length == 0 ? valid != 0 : valid < length)
        fail_msg("%02x %02x %02x %02x: %zu bytes valid, not %zu", p[0], p[1], p[2], p[3], valid,
                 length);
}

static void test_table_3_7(void **state)
{
    (void)state;
    static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0,
                                          0xbf, 0xc0, 0xc2, 0xe1, 0xf0, 0xff};
    size_t count = sizeof(edges);
    for (unsigned lead = 0; lead < 256; lead++)
        for (unsigned second = 0; second < 256; second++)
            for (size_t k = 0; k < count * count; k++) {
                unsigned char p[4] = {(unsigned char)lead, (unsigned char)second, edges[k / count],
                                      edges[k % count]};
                expect_by_the_table(p, 4);
            }
}

static void test_every_scalar_value(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        char p[4];
        size_t n = fri_utf8_encode(c, p);
        assert_int_equal(n, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        if (by_the_table((const unsigned char *)p, n) != n || fri_utf8_valid_prefix(p, n) != n)
            fail_msg("U+%04X is not taken", c);
        for (size_t cut = 1; cut < n; cut++)
            if (fri_utf8_valid_prefix(p, cut) != 0 || fri_utf8_clip(p, cut) != 0)
                fail_msg("U+%04X cut to %zu bytes is taken", c, cut);
    }
}

static void test_encode(void **state)
{
    (void)state;
    char p[4];
    assert_int_equal(fri_utf8_encode(0, p), 1);
    assert_memory_equal(p, "\0", 1);
    assert_int_equal(fri_utf8_encode(0xe9, p), 2);
    assert_memory_equal(p, "\xc3\xa9", 2);
    assert_int_equal(fri_utf8_encode(0xfffd, p), 3);
    assert_memory_equal(p, "\xef\xbf\xbd", 3);
    assert_int_equal(fri_utf8_encode(0x1f600, p), 4);
    assert_memory_equal(p, "\xf0\x9f\x98\x80", 4);
    assert_int_equal(fri_utf8_encode(0x10ffff, p), 4);
    assert_memory_equal(p, "\xf4\x8f\xbf\xbf", 4);
}

/* The fast path looks at eight bytes at once: a bad byte at every place around it. */
static void test_bad_byte_anywhere(void **state)
{
    (void)state;
    char text[40];
    for (size_t n = 1; n < sizeof(text); n++)
        for (size_t at = 0; at < n; at++) {
            memset(text, 'a', n);
            text[at] = '\xff';
            assert_int_equal(fri_utf8_valid_prefix(text, n), at);
            assert_int_equal(fri_utf8_valid_prefix(text, at), at);
        }
}

#define FFFD "\xef\xbf\xbd"

/* The first four are the standard's tables 3-8 to 3-11. */
static const struct {
    const char *in, *out;
    uint64_t bad;
} repairs[] = {
    {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8},
    {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8},
    {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B", 7},
    {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "A", 4},
    {"", "", 0},
    {"plain", "plain", 0},
    {"ok\xfe\n", "ok" FFFD "\n", 1},
    {"\x80", FFFD, 1},
    {"a\xf0\x9f\x98", "a" FFFD, 1},
    {"\xf0\x9f\x98\x80\xf0\x9f", "\xf0\x9f\x98\x80" FFFD, 1},
    {"caf\xc3\xa9 \xe6\x95\xb0", "caf\xc3\xa9 \xe6\x95\xb0", 0},
    {"\xef\xbb\xbfx", "\xef\xbb\xbfx", 0},
};
static const size_t repair_count = sizeof(repairs) / sizeof(repairs[0]);

static void test_repair(void **state)
{
    (void)state;
    for (size_t i = 0; i < repair_count; i++) {
        fri_buf out;
        fri_buf_init(&out, 1000);
        assert_int_equal(fri_utf8_repair(&out, repairs[i].in, strlen(repairs[i].in)),
                         repairs[i].bad);
        assert_string_equal(out.p, repairs[i].out);
        fri_buf_dispose(&out);
    }
}

/* A text that is clipped anywhere and repaired in two parts is what it is in one. */
static void test_clip_at_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < repair_count; i++) {
        const char *in = repairs[i].in;
        size_t n = strlen(in);
        for (size_t at = 0; at <= n; at++) {
            size_t cut = fri_utf8_clip(in, at);
            fri_buf out;
            fri_buf_init(&out, 1000);
            assert_in_range(at - cut, 0, 3);
            uint64_t bad = fri_utf8_repair(&out, in, cut);
            bad += fri_utf8_repair(&out, in + cut, n - cut);
            assert_string_equal(out.p, repairs[i].out);
            assert_int_equal(bad, repairs[i].bad);
            fri_buf_dispose(&out);
        }
    }
}

static void expect_clip(const char *text, size_t want)
{
    assert_int_equal(fri_utf8_clip(text, strlen(text)), want);
}

static void test_clip(void **state)
{
    (void)state;
    expect_clip("", 0);
    expect_clip("abc", 3);
    expect_clip("a\xc3\xa9", 3);
    expect_clip("a\xc3", 1);
    expect_clip("a\xe6\x95", 1);
    expect_clip("a\xf0\x9f\x98", 1);
    expect_clip("a\xf0\x9f\x98\x80", 5);
    /* Bytes that can never become a character are no reason to cut. */
    expect_clip("a\xff", 2);
    expect_clip("a\x80\x80\x80", 4);
    expect_clip("a\xc0\x80", 3);
    expect_clip("a\xe0\x80", 3);
    expect_clip("a\xed\xa0", 3);
    expect_clip("a\xf4\x90", 3);
    expect_clip("a\xc3\xa9\x80", 4);
    expect_clip("a\xf5\x80\x80", 4);
}

static void test_skip_tail(void **state)
{
    (void)state;
    static const char text[] = "a\xc3\xa9\xe6\x95\xb0\xf0\x9f\x98\x80z";
    static const size_t next[] = {0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10, 11};
    for (size_t at = 0; at < sizeof(text); at++)
        assert_int_equal(at + fri_utf8_skip_tail(text + at, sizeof(text) - 1 - at), next[at]);
    assert_int_equal(fri_utf8_skip_tail("\x80\x80\x80\x80\x80", 5), 3);
    assert_int_equal(fri_utf8_skip_tail("\xff\x80", 2), 0);
}

static void test_first(void **state)
{
    (void)state;
    assert_int_equal(fri_utf8_first("ab", 2), 1);
    assert_int_equal(fri_utf8_first("\xf0\x9f\x98\x80z", 5), 4);
    assert_int_equal(fri_utf8_first("\xf0\x9f\x98z", 4), 3);
    assert_int_equal(fri_utf8_first("\xe0\x80", 2), 1);
    assert_int_equal(fri_utf8_first("\x80\x80", 2), 1);
    assert_int_equal(fri_utf8_first("\xe6\x95", 2), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_3_7), cmocka_unit_test(test_every_scalar_value),
        cmocka_unit_test(test_encode),    cmocka_unit_test(test_bad_byte_anywhere),
        cmocka_unit_test(test_repair),    cmocka_unit_test(test_clip_at_every_byte),
        cmocka_unit_test(test_clip),      cmocka_unit_test(test_skip_tail),
        cmocka_unit_test(test_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
