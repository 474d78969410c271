/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/sse.h"
#include "base/str.h"
#include "tests/support/torture.h"

/* Events as one text: "type|data;" */
static int write_down(void *user, fr_str type, fr_str data, fr_error *err)
{
    fri_buf *events = user;
    fri_buf_append(events, type.p, type.n);
    fri_buf_putc(events, '|');
    fri_buf_append(events, data.p, data.n);
    fri_buf_putc(events, ';');
    return fri_buf_check(events, "events", err);
}

typedef struct reading {
    fri_sse sse;
    fri_buf events;
} reading;

static void begin(reading *r, size_t limit)
{
    fri_buf_init(&r->events, 1 << 20);
    fri_sse_init(&r->sse, limit, write_down, &r->events);
}

static void end(reading *r)
{
    fri_sse_dispose(&r->sse);
    fri_buf_dispose(&r->events);
}

static const struct {
    const char *stream;
    const char *events;
    int inside; /* the end cuts something off */
} cases[] = {
    {"", "", 0},
    {"data: a\n\n", "message|a;", 0},
    {"data:a\n\ndata:  b\n\n", "message|a;message| b;", 0},
    {"data: a\ndata: b\n\n", "message|a\nb;", 0},
    {"data: a\r\ndata: b\r\n\r\n", "message|a\nb;", 0},
    {"data: a\rdata: b\r\r", "message|a\nb;", 0},
    {"data: a\r\rdata: b\n\r\ndata: c\r\n\n", "message|a;message|b;message|c;", 0},
    {"data\n\n", "message|;", 0},
    {"data\ndata\n\n", "message|\n;", 0},
    {"data:\n\n", "message|;", 0},
    {"event: x\ndata: a\n\ndata: b\n\n", "x|a;message|b;", 0},
    {"event: x\nevent: y\ndata: a\n\n", "y|a;", 0},
    {"event: x\nevent\ndata: a\n\n", "message|a;", 0},
    {"event: x\n\ndata: a\n\n", "message|a;", 0},
    {": a comment\n\n:\n\ndata: a\n\n", "message|a;", 0},
    {"id: 7\nretry: 100\nno: such\ndata: a\n\n", "message|a;", 0},
    {"data: a: b:c\n\n", "message|a: b:c;", 0},
    {"DATA: a\n data: b\ndata : c\n\n", "", 0},
    {"\xef\xbb\xbf"
     "data: a\n\n",
     "message|a;", 0},
    {"data: a\n\n\xef\xbb\xbf"
     "data: b\n\n",
     "message|a;", 0},
    {"\xef\xbb\xbf\n\n\ndata: a\n\n", "message|a;", 0},
    {"data: {\"a\":\"\xe6\x95\xb0\"}\n\ndata: [DONE]\n\n",
     "message|{\"a\":\"\xe6\x95\xb0\"};message|[DONE];", 0},
    {"data: \xff\xfe\n\n", "message|\xff\xfe;", 0},
    {"data: whole\n\ndata: half", "message|whole;", 1},
    {"data: whole\n\ndata: half\n", "message|whole;", 1},
    {"event: half\n", "", 1},
    {"data: a\n\n\n\n\r\r\n", "message|a;", 0},
};

static void expect(const reading *r, size_t i)
{
    if (strcmp(r->events.p, cases[i].events) != 0 || fri_sse_is_inside(&r->sse) != cases[i].inside)
        fail_msg("case %zu: %s", i, r->events.p);
}

static void feed(reading *r, const char *p, size_t n)
{
    assert_int_equal(fri_sse_feed(&r->sse, p, n, NULL), 0);
}

/* Whole, split in two and three at every place, and byte by byte. */
static void test_any_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = cases[i].stream;
        size_t n = strlen(text);
        for (size_t a = 0; a <= n; a++)
            for (size_t b = a; b <= n; b++) {
                reading r;
                begin(&r, 1000);
                feed(&r, text, a);
                feed(&r, text + a, b - a);
                feed(&r, text + b, n - b);
                expect(&r, i);
                end(&r);
            }
        reading r;
        begin(&r, 1000);
        for (size_t k = 0; k < n; k++)
            feed(&r, text + k, 1);
        expect(&r, i);
        end(&r);
    }
}

static void test_nul_bytes(void **state)
{
    (void)state;
    reading r;
    begin(&r, 100);
    feed(&r, "data: a\0b\n\n", 11);
    assert_int_equal(r.events.n, strlen("message|") + 3 + 1);
    assert_memory_equal(r.events.p, "message|a\0b;", 12);
    end(&r);
}

static void expect_limit(const char *stream, size_t limit, int code)
{
    reading r;
    fr_error err = FR_ERROR_INIT;
    begin(&r, limit);
    assert_int_equal(fri_sse_feed(&r.sse, stream, strlen(stream), &err), code);
    assert_true(code == 0 || err.text[0]);
    end(&r);
}

static void test_limits(void **state)
{
    (void)state;
    expect_limit("data: abcd\n\n", 10, 0);
    expect_limit("data: abcd\n\n", 9, FR_ELIMIT);
    expect_limit("data: abc\ndata: abc\ndata: abc\n\n", 12, 0);
    expect_limit("data: abc\ndata: abc\ndata: abcd\n\n", 12, FR_ELIMIT);
    expect_limit(": a comment that has no end", 20, FR_ELIMIT);
}

static int refuse(void *user, fr_str type, fr_str data, fr_error *err)
{
    int *left = user;
    (void)type;
    (void)data;
    return (*left)-- > 0 ? 0 : fr_fail(err, FR_EFORMAT, 0, "no more");
}

static void test_handler_ends_it(void **state)
{
    (void)state;
    int left = 1;
    fri_sse s;
    fr_error err = FR_ERROR_INIT;
    static const char stream[] = "data: a\n\ndata: b\n\ndata: c\n\n";
    fri_sse_init(&s, 100, refuse, &left);
    assert_int_equal(fri_sse_feed(&s, stream, sizeof(stream) - 1, &err), FR_EFORMAT);
    assert_string_equal(err.text, "no more");
    assert_int_equal(left, -1);
    fri_sse_dispose(&s);
}

static int whole_use(void *user, fr_error *err)
{
    (void)user;
    reading r;
    static const char stream[] = "event: long enough to need room of its own, and then some more\n"
                                 "data: likewise, since small things may need no memory at all\n\n";
    begin(&r, 1000);
    int rc = fri_sse_feed(&r.sse, stream, sizeof(stream) - 1, err);
    end(&r);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(whole_use, NULL) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_split),     cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_handler_ends_it),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
