/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/capture.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tests/support/torture.h"

/* Characters of every length, newlines, and bytes that are no UTF-8 in every way. */
static const char mixed[] = "ab\nc\xc3\xa9\xe6\x95\xb0\xf0\x9f\x98\x80z\n\xff\x80\x80\x80\x80"
                            "\xf0\x9f\xe6\x95q\xc3\xa9\xed\xa0\x80\xf0\x9f\x98\x80\xf0\x9f\x98";
#define MIXED (sizeof(mixed) - 1)

/* What the text must be, from the whole stream at once. */
static void expected_text(fri_buf *out, fri_captured *info, const char *p, size_t n, size_t keep)
{
    if (n <= keep) {
        info->gap = UINT64_MAX;
        info->kept = n;
        info->invalid = fri_utf8_repair(out, p, n);
        return;
    }
    size_t head = fri_utf8_clip(p, keep - keep / 2);
    size_t tail = n - keep / 2;
    tail += fri_utf8_skip_tail(p + tail, n - tail);
    info->kept = head + n - tail;
    info->invalid = fri_utf8_repair(out, p, head);
    info->gap = out->n;
    if (out->n > 0 && out->p[out->n - 1] != '\n')
        fri_buf_putc(out, '\n');
    fri_buf_printf(out, "[... %zu bytes left out ...]\n", tail - head);
    info->invalid += fri_utf8_repair(out, p + tail, n - tail);
}

static void expect_text(const fri_capture *c, const char *p, size_t n, size_t keep)
{
    fri_buf text, want;
    fri_captured info, want_info;
    fri_buf_init(&text, 100000);
    fri_buf_init(&want, 100000);
    fri_capture_text(c, &text, &info);
    expected_text(&want, &want_info, p, n, keep);
    assert_int_equal(c->written, n);
    if (strcmp(text.p, want.p) != 0)
        fail_msg("keep %zu of %zu: \"%s\" instead of \"%s\"", keep, n, text.p, want.p);
    assert_int_equal(text.n, want.n);
    assert_int_equal(info.kept, want_info.kept);
    assert_int_equal(info.invalid, want_info.invalid);
    assert_int_equal(info.gap, want_info.gap);
    assert_int_equal(fri_utf8_valid_prefix(text.p, text.n), text.n);

    uint64_t left_out = 0;
    const char *line = strstr(text.p, "[... ");
    if (line)
        assert_int_equal(sscanf(line, "[... %" SCNu64 " bytes", &left_out), 1);
    assert_int_equal(info.kept + left_out, n);
    fri_buf_dispose(&text);
    fri_buf_dispose(&want);
}

static void feed(fri_capture *c, const char *p, size_t n)
{
    assert_int_equal(fri_capture_feed(c, p, n, NULL), 0);
}

static void test_every_keep_and_length_byte_by_byte(void **state)
{
    (void)state;
    for (size_t keep = 0; keep <= MIXED + 2; keep++) {
        fri_capture c;
        fri_capture_init(&c, keep);
        for (size_t n = 0; n <= MIXED; n++) {
            expect_text(&c, mixed, n, keep);
            if (n < MIXED)
                feed(&c, mixed + n, 1);
        }
        fri_capture_dispose(&c);
    }
}

static void test_every_split_in_three(void **state)
{
    (void)state;
    for (size_t keep = 0; keep <= MIXED + 2; keep++)
        for (size_t a = 0; a <= MIXED; a++)
            for (size_t b = a; b <= MIXED; b++) {
                fri_capture c;
                fri_capture_init(&c, keep);
                feed(&c, mixed, a);
                feed(&c, mixed + a, b - a);
                feed(&c, mixed + b, MIXED - b);
                expect_text(&c, mixed, MIXED, keep);
                fri_capture_dispose(&c);
            }
}

/* Longer than the ring's first size, so that it grows in several steps and then turns round. */
static void test_growing_ring(void **state)
{
    (void)state;
    static char stream[40000];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof(stream); i++) {
        random = random * 1103515245 + 12345;
        stream[i] = (char)('a' + (random >> 16) % 26);
    }
    for (size_t keep = 1000; keep < 50000; keep += 3333) {
        fri_capture c;
        size_t fed = 0;
        fri_capture_init(&c, keep);
        while (fed < sizeof(stream)) {
            random = random * 1103515245 + 12345;
            size_t n = 1 + (random >> 16) % 3000;
            n = n < sizeof(stream) - fed ? n : sizeof(stream) - fed;
            feed(&c, stream + fed, n);
            fed += n;
            expect_text(&c, stream, fed, keep);
        }
        fri_capture_dispose(&c);
    }
}

static void expect_result(size_t keep, const char *before, const char *in, const char *want)
{
    fri_capture c;
    fri_buf out;
    fri_captured info;
    fri_capture_init(&c, keep);
    fri_buf_init(&out, 1000);
    feed(&c, in, strlen(in));
    fri_buf_puts(&out, before);
    fri_capture_text(&c, &out, &info);
    assert_string_equal(out.p, want);
    fri_buf_dispose(&out);
    fri_capture_dispose(&c);
}

static void test_the_line_stands_alone(void **state)
{
    (void)state;
    expect_result(10, "", "0123456789", "0123456789");
    expect_result(10, "", "0123456789a", "01234\n[... 1 bytes left out ...]\n6789a");
    expect_result(10, "", "0123\n456789a", "0123\n[... 2 bytes left out ...]\n6789a");
    expect_result(0, "", "012", "[... 3 bytes left out ...]\n");
    expect_result(0, "so far", "012", "so far\n[... 3 bytes left out ...]\n");
    expect_result(0, "so far", "", "so far");
    expect_result(1, "", "012", "0\n[... 2 bytes left out ...]\n");
}

static void test_cuts_at_characters(void **state)
{
    (void)state;
    /* Two and a half characters fit on either side. */
    expect_result(10, "", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
                  "\xc3\xa9\xc3\xa9\n[... 4 bytes left out ...]\n\xc3\xa9\xc3\xa9");
    /* Bytes that are no UTF-8 are kept to the last. */
    expect_result(4, "",
                  "a\xff\xff\xff\xff\xff"
                  "a",
                  "a\xef\xbf\xbd\n[... 3 bytes left out ...]\n\xef\xbf\xbd"
                  "a");
    /* A character over the seam of head and tail is whole when nothing is left out. */
    expect_result(6, "", "ab\xf0\x9f\x98\x80", "ab\xf0\x9f\x98\x80");
}

static void test_invalid_is_counted(void **state)
{
    (void)state;
    fri_capture c;
    fri_buf out;
    fri_captured info;
    fri_capture_init(&c, 100);
    fri_buf_init(&out, 1000);
    feed(&c, "ok\xfe\n\xf0\x9f", 6);
    fri_capture_text(&c, &out, &info);
    assert_string_equal(out.p, "ok\xef\xbf\xbd\n\xef\xbf\xbd");
    assert_int_equal(info.invalid, 2);
    assert_int_equal(info.kept, 6);
    fri_buf_dispose(&out);
    fri_capture_dispose(&c);
}

static void test_small_output_is_cheap(void **state)
{
    (void)state;
    fri_capture c;
    fri_capture_init(&c, 256 * 1024 * 1024);
    feed(&c, "hello\n", 6);
    assert_null(c.ring);
    assert_in_range(c.head.cap, 7, 1000);
    fri_capture_dispose(&c);

    fri_capture_init(&c, 20000);
    for (int i = 0; i < 12000; i++)
        feed(&c, "x", 1);
    assert_in_range(c.ring_cap, 2000, 4096);
    fri_capture_dispose(&c);
}

static void test_memory_is_bounded(void **state)
{
    (void)state;
    static const char block[65536];
    fri_capture c;
    fri_capture_init(&c, 10000);
    for (int i = 0; i < 1000; i++)
        feed(&c, block, sizeof(block));
    assert_int_equal(c.written, 65536000);
    assert_int_equal(c.ring_cap, 5000);
    assert_in_range(c.head.cap, 5001, 7501);
    fri_capture_dispose(&c);
}

static void test_failed_feed_changes_nothing(void **state)
{
    (void)state;
    fri_capture c;
    fr_error err = FR_ERROR_INIT;
    fri_capture_init(&c, 10000);
    for (int i = 0; i < 5500; i++)
        feed(&c, "x", 1);
    char block[3000];
    memset(block, 'y', sizeof(block));
    fri_fail_allocation(1);
    assert_int_equal(fri_capture_feed(&c, block, sizeof(block), &err), FR_ENOMEM);
    fri_fail_allocation(0);
    assert_int_equal(err.code, FR_ENOMEM);
    assert_int_equal(c.written, 5500);
    fri_buf out;
    fri_captured info;
    fri_buf_init(&out, 10000);
    fri_capture_text(&c, &out, &info);
    assert_int_equal(info.kept, 5500);
    assert_int_equal(strspn(out.p, "x"), 5500);
    fri_buf_dispose(&out);
    fri_capture_dispose(&c);
}

static int capture_much(void *user, fr_error *err)
{
    fri_capture c;
    fri_buf out;
    fri_captured info;
    int rc = 0;
    (void)user;
    fri_capture_init(&c, 20000);
    fri_buf_init(&out, 100000);
    for (int i = 0; i < 1000 && !rc; i++)
        rc = fri_capture_feed(&c, mixed, MIXED, err);
    if (!rc) {
        fri_capture_text(&c, &out, &info);
        rc = fri_buf_check(&out, "output", err);
    }
    fri_buf_dispose(&out);
    fri_capture_dispose(&c);
    return rc;
}

static void test_torture(void **state)
{
    (void)state;
    assert_in_range(torture(capture_much, NULL), 10, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_keep_and_length_byte_by_byte),
        cmocka_unit_test(test_every_split_in_three),
        cmocka_unit_test(test_growing_ring),
        cmocka_unit_test(test_the_line_stands_alone),
        cmocka_unit_test(test_cuts_at_characters),
        cmocka_unit_test(test_invalid_is_counted),
        cmocka_unit_test(test_small_output_is_cheap),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_failed_feed_changes_nothing),
        cmocka_unit_test(test_torture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
