/* SPDX-License-Identifier: MIT */
/* What is found when a log was changed, and what only an anchor shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/str.h"
#include "executor/guard/audit_frame.h"
#include "fencerun/memory.h"
#include "tests/executor/audit_log.h"
#include "tests/support/torture.h"

#define LINES 4

typedef struct sample {
    fri_buf bytes;
    size_t ends[LINES];
} sample;

static sample make_sample(void)
{
    sample s;
    fr_audit *a = log_open();
    log_run(a, "print(1)\n", "1\n");
    log_run(a, "print(2)\n", "2\n");
    fr_audit_close(a);
    s.bytes = log_read();
    assert_int_equal(log_line_ends(fri_buf_str(&s.bytes), s.ends, LINES), LINES);
    return s;
}

static fr_str line_of(const sample *s, size_t i)
{
    size_t from = i ? s->ends[i - 1] : 0;
    return fri_str(s->bytes.p + from, s->ends[i] - from);
}

/* Lines by their numbers: "1243". */
static void write_lines(const sample *s, const char *order)
{
    fri_buf bytes;
    fri_buf_init(&bytes, 1 << 20);
    for (; *order; order++) {
        fr_str line = line_of(s, (size_t)(*order - '1'));
        fri_buf_append(&bytes, line.p, line.n);
    }
    log_write(fri_buf_str(&bytes));
    fri_buf_dispose(&bytes);
}

static void expect_broken(uint64_t line, const char *text)
{
    fr_audit_summary sum = log_verify(NULL);
    if (sum.broken_line != line || !strstr(sum.broken, text))
        fail_msg("line %d: '%s' instead of line %d: '%s'", (int)sum.broken_line, sum.broken,
                 (int)line, text);
}

/* ---- Changes ---- */

/* In place, since there are thousands of them. */
static void test_every_changed_byte_is_found(void **state)
{
    (void)state;
    sample s = make_sample();
    int fd = open(log_path, O_WRONLY | O_CLOEXEC);
    size_t line = 0;
    for (size_t i = 0; i < s.bytes.n; i++) {
        line += i >= s.ends[line];
        const char changes[] = {(char)(s.bytes.p[i] ^ 1), (char)(s.bytes.p[i] ^ 0x80), '\n', ' '};
        for (size_t c = 0; c < sizeof(changes); c++) {
            if (changes[c] == s.bytes.p[i])
                continue;
            assert_int_equal(pwrite(fd, &changes[c], 1, (off_t)i), 1);
            fr_audit_summary sum = log_verify(NULL);
            assert_int_equal(sum.broken_line, line + 1);
            assert_int_equal(sum.broken_offset, line ? s.ends[line - 1] : 0);
            assert_int_equal(sum.records, line);
            assert_true(sum.broken[0] && !strchr(sum.broken, '\n'));
        }
        assert_int_equal(pwrite(fd, &s.bytes.p[i], 1, (off_t)i), 1);
    }
    close(fd);
    log_expect_holds(LINES);
    fri_buf_dispose(&s.bytes);
}

static void test_every_byte_taken_out_or_put_in_is_found(void **state)
{
    (void)state;
    sample s = make_sample();
    fri_buf bytes;
    fri_buf_init(&bytes, 1 << 20);
    for (size_t i = 0; i < s.bytes.n; i++)
        for (size_t out = 0; out < 2; out++) {
            fri_buf_truncate(&bytes, 0);
            fri_buf_append(&bytes, s.bytes.p, i);
            if (!out)
                fri_buf_putc(&bytes, i % 2 ? '\n' : '0');
            fri_buf_append(&bytes, s.bytes.p + i + out, s.bytes.n - i - out);
            log_write(fri_buf_str(&bytes));
            assert_true(log_verify(NULL).broken_line > 0);
        }
    fri_buf_dispose(&bytes);
    fri_buf_dispose(&s.bytes);
}

static void test_lines_in_any_other_order_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *order;
        uint64_t line;
        const char *text;
    } orders[] = {
        {"234", 1, "the log begins with record 2"},
        {"134", 2, "record 3 does not follow record 1"},
        {"124", 3, "record 4 does not follow record 2"},
        {"2134", 1, "the log begins with record 2"},
        {"1324", 2, "record 3 does not follow record 1"},
        {"1243", 3, "record 4 does not follow record 2"},
        {"11234", 2, "record 1 does not follow record 1"},
        {"12234", 3, "record 2 does not follow record 2"},
        {"12344", 5, "record 4 does not follow record 4"},
        {"12341", 5, "record 1 does not follow record 4"},
        {"1234234", 5, "record 2 does not follow record 4"},
    };
    sample s = make_sample();
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        write_lines(&s, orders[i].order);
        expect_broken(orders[i].line, orders[i].text);
    }
    fri_buf_dispose(&s.bytes);
}

/* Of another log, where it has the right number. */
static void test_a_foreign_record_is_found(void **state)
{
    (void)state;
    sample ours = make_sample();
    assert_int_equal(unlink(log_path), 0);
    sample theirs = make_sample();
    for (size_t i = 1; i < LINES; i++) {
        fri_buf bytes;
        fri_buf_init(&bytes, 1 << 20);
        for (size_t j = 0; j < LINES; j++) {
            fr_str line = line_of(i == j ? &theirs : &ours, j);
            fri_buf_append(&bytes, line.p, line.n);
        }
        log_write(fri_buf_str(&bytes));
        expect_broken(i + 1, "its prev is not the hash of that");
        fri_buf_dispose(&bytes);
    }
    fri_buf_dispose(&ours.bytes);
    fri_buf_dispose(&theirs.bytes);
}

static void test_what_is_no_record(void **state)
{
    (void)state;
    sample s = make_sample();
    static const char *const lines[] = {"\n", "x\n", "{}\n", "{\"seq\":3}\n"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        for (size_t at = 0; at <= LINES; at++) {
            fri_buf bytes;
            fri_buf_init(&bytes, 1 << 20);
            fri_buf_append(&bytes, s.bytes.p, at ? s.ends[at - 1] : 0);
            fri_buf_puts(&bytes, lines[i]);
            fri_buf_puts(&bytes, s.bytes.p + (at ? s.ends[at - 1] : 0));
            log_write(fri_buf_str(&bytes));
            expect_broken(at + 1, "is no record");
            fri_buf_dispose(&bytes);
        }
    fri_buf_dispose(&s.bytes);
}

/* ---- Cut off ---- */

static void anchor_of(const fr_audit_mark *mark, char anchor[96])
{
    snprintf(anchor, 96, "%" PRIu64 ":%s", mark->sequence, mark->hash);
}

static void test_cut_off_at_every_byte(void **state)
{
    (void)state;
    char anchor[96], text[128];
    sample s = make_sample();
    fr_audit_summary whole = log_expect_holds(LINES);
    anchor_of(&whole.head, anchor);
    assert_int_equal(log_verify(anchor).broken_line, 0);
    size_t lines = LINES;
    for (size_t n = s.bytes.n; n-- > 0;) {
        assert_int_equal(truncate(log_path, (off_t)n), 0);
        lines -= n < (lines ? s.ends[lines - 1] : 0);
        size_t rest = n - (lines ? s.ends[lines - 1] : 0);
        snprintf(text, sizeof(text), "the last %zu bytes are no whole record", rest);
        fr_audit_summary sum = log_verify(NULL);
        assert_int_equal(sum.broken_line, rest ? lines + 1 : 0);
        assert_int_equal(sum.records, lines);
        assert_true(rest == 0 || strstr(sum.broken, text));
        /* At the end of a line nothing but the anchor tells. */
        if (rest)
            continue;
        sum = log_verify(anchor);
        assert_int_equal(sum.broken_line, lines + 1);
        assert_int_equal(sum.broken_offset, n);
        assert_non_null(strstr(sum.broken, "does not have record 4 with hash"));
        assert_non_null(strstr(sum.broken, whole.head.hash));
    }
    fri_buf_dispose(&s.bytes);
}

static void test_an_anchor_of_a_log_that_was_written_anew(void **state)
{
    (void)state;
    char anchor[96];
    sample s = make_sample();
    fr_audit_mark head = log_expect_holds(LINES).head;
    anchor_of(&head, anchor);
    fri_buf_dispose(&s.bytes);
    assert_int_equal(unlink(log_path), 0);
    s = make_sample();
    fr_audit_summary sum = log_verify(anchor);
    assert_int_equal(sum.broken_line, 4);
    assert_int_equal(sum.records, 3);
    assert_non_null(strstr(sum.broken, "it was cut off or rewritten"));
    fri_buf_dispose(&s.bytes);
}

static void test_an_anchor_that_is_not_the_last(void **state)
{
    (void)state;
    char anchor[96];
    sample s = make_sample();
    fr_audit_mark mark = log_append_one();
    anchor_of(&mark, anchor);
    log_append_one();
    assert_int_equal(log_verify(anchor).broken_line, 0);
    fri_buf_dispose(&s.bytes);
}

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_anchors_that_are_none(void **state)
{
    (void)state;
    static const char *const anchors[] = {
        "",        "1",       ":",          "1:",
        ":" HEX,   "0:" HEX,  "1:" HEX "a", "x:" HEX,
        "-1:" HEX, "1 :" HEX, "1:A" HEX,    "1:" HEX "\n",
        "1: " HEX, "1" HEX,   "1:" HEX ":", "1234567890123456789:" HEX};
    log_append_one();
    for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++) {
        fr_audit_summary sum;
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fr_audit_verify(log_path, anchors[i], &sum, &err), FR_EINVAL);
        assert_non_null(strstr(err.text, "SEQUENCE:HASH"));
    }
}

/* ---- Logs somebody made up, with hashes that are right ---- */

typedef struct forgery {
    fri_buf bytes;
    uint64_t next;
    char prev[65];
} forgery;

static forgery begin_forgery(void)
{
    forgery f = {.next = 1};
    fri_buf_init(&f.bytes, (size_t)1 << 30);
    memcpy(f.prev, fri_audit_no_hash, sizeof(f.prev));
    return f;
}

/* A record with these members between seq and prev. */
static void forge(forgery *f, const char *members)
{
    size_t from = f->bytes.n;
    fri_buf_printf(&f->bytes, "{\"seq\":%" PRIu64 ",%s,\"prev\":\"%s\"", f->next++, members,
                   f->prev);
    assert_int_equal(fri_audit_hash(fri_str(f->bytes.p + from, f->bytes.n - from), f->prev, NULL),
                     0);
    fri_buf_printf(&f->bytes, ",\"hash\":\"%s\"}\n", f->prev);
}

static void end_forgery(forgery *f)
{
    assert_int_equal(fri_buf_check(&f->bytes, "forgery", NULL), 0);
    log_write(fri_buf_str(&f->bytes));
    fri_buf_dispose(&f->bytes);
}

#define AT(time) "\"time\":\"2026-12-01T05:0" time "Z\","
#define STARTED(time) \
    AT(time)          \
    "\"event\":\"started\",\"executor\":\"x\",\"language\":null,\"invocation\":{},\"code\":\"\",\"timeout_ms\":null"
#define FAILED(n, time) \
    AT(time) "\"event\":\"failed\",\"run\":" n ",\"error\":\"E\",\"message\":\"\""
#define TORN_START    \
    AT("0:00.000000") \
    "\"event\":\"started\",\"torn\":{\"bytes\":%d,\"sha256\":\"%s\"},\"executor\":\"x\",\"invocation\":{},\"code\":\"\",\"timeout_ms\":null"
#define NOON "0:00.000000"

static void test_records_that_say_nonsense(void **state)
{
    (void)state;
    static const struct {
        const char *members, *text;
    } cases[] = {
        {"\"event\":\"started\"", "time is missing"},
        {AT("0:00.00000") "\"event\":\"started\"", "its time is none"},
        {"\"time\":\"2026-02-30T05:00:00.000000Z\",\"event\":\"started\"", "its time is none"},
        {AT(NOON) "\"event\":\"begun\"", "there is no event 'begun'"},
        {AT(NOON) "\"event\":1", "event must be"},
        {AT(NOON) "\"event\":\"started\"", "executor is missing"},
        {AT(NOON) "\"event\":\"started\",\"executor\":\"x\",\"invocation\":[]",
         "invocation is no object"},
        {STARTED(NOON) ",", "JSON"},
        {STARTED(NOON) ",\"x\":\"\xff\"", "UTF-8"},
        {STARTED(NOON) ",\"x\":\"\\ud800\"", "surrogate"},
        {STARTED(NOON) ",\"seq\":2", "twice"},
        {STARTED(NOON) ",\"code_base64\":\"YQ=\"", "base64"},
        {FAILED("1", NOON), "ends run 1, which did not begin"},
        {FAILED("0", NOON), "run must be"},
        {AT(NOON) "\"event\":\"started\",\"torn\":{\"bytes\":3,\"sha256\":\"\"},\"executor\":\"x\","
                  "\"invocation\":{},\"code\":\"\",\"timeout_ms\":1",
         "tells of a torn write of 3 bytes, which is not there"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        forgery f = begin_forgery();
        forge(&f, cases[i].members);
        end_forgery(&f);
        expect_broken(1, cases[i].text);
    }
}

static void test_ends_without_a_start(void **state)
{
    (void)state;
    static const struct {
        const char *second, *third;
        uint64_t line;
    } cases[] = {
        {FAILED("1", NOON), FAILED("1", NOON), 3},
        {FAILED("2", NOON), STARTED(NOON), 2},
        {STARTED(NOON), FAILED("3", NOON), 3},
        {STARTED(NOON), FAILED("2", NOON), 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        forgery f = begin_forgery();
        forge(&f, STARTED(NOON));
        forge(&f, cases[i].second);
        forge(&f, cases[i].third);
        end_forgery(&f);
        assert_int_equal(log_verify(NULL).broken_line, cases[i].line);
    }
}

/* Also while later ones go on. */
static void test_an_end_twice(void **state)
{
    (void)state;
    forgery f = begin_forgery();
    for (int i = 0; i < 4; i++)
        forge(&f, STARTED(NOON));
    forge(&f, FAILED("2", NOON));
    forge(&f, FAILED("2", NOON));
    end_forgery(&f);
    expect_broken(6, "ends run 2, which did not begin or has ended already");
}

/* ---- Torn pieces ---- */

static void test_every_changed_byte_of_a_torn_piece_is_found(void **state)
{
    (void)state;
    static const char piece[] = "{\"seq\":1,\"time\":\"2026";
    log_write(fri_str(piece, sizeof(piece) - 1));
    log_append_one();
    assert_int_equal(log_expect_holds(1).torn, 1);
    int fd = open(log_path, O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof(piece) - 1; i++) {
        const char changed = (char)(piece[i] ^ 1);
        assert_int_equal(pwrite(fd, &changed, 1, (off_t)i), 1);
        expect_broken(1, "line 1 is no record");
        assert_int_equal(pwrite(fd, &piece[i], 1, (off_t)i), 1);
    }
    close(fd);
    log_expect_holds(1);
}

static void test_a_torn_piece_of_another_length(void **state)
{
    (void)state;
    char hash[65], members[512];
    assert_int_equal(fri_audit_hash(fri_cstr("x"), hash, NULL), 0);
    for (int n = 0; n < 3; n++) {
        forgery f = begin_forgery();
        fri_buf_puts(&f.bytes, "x\n");
        snprintf(members, sizeof(members), TORN_START, n, hash);
        forge(&f, members);
        end_forgery(&f);
        assert_int_equal(log_verify(NULL).broken_line, n != 1);
    }
}

/* Garbage that fills all the room there is for it is a break like any other. */
static void test_a_torn_piece_as_long_as_can_be(void **state)
{
    (void)state;
    for (size_t less = 0; less < 3; less++) {
        size_t n = FRI_MAX_AUDIT_RECORD - less;
        fri_buf text;
        fri_buf_init(&text, n + 10);
        char *room = fri_buf_reserve(&text, n);
        assert_non_null(room);
        memset(room, 'x', n);
        fri_buf_grow(&text, n);
        fri_buf_puts(&text, "\ny\n");
        log_write(fri_buf_str(&text));
        fri_buf_dispose(&text);
        fr_audit_summary sum = log_verify(NULL);
        assert_int_equal(sum.broken_line, 1);
        assert_int_equal(sum.records, 0);
    }
}

static void test_a_clock_that_was_set_back_is_told(void **state)
{
    (void)state;
    forgery f = begin_forgery();
    forge(&f, STARTED("1:00.000001"));
    forge(&f, STARTED("1:00.000001"));
    forge(&f, STARTED("1:00.000000"));
    forge(&f, STARTED("0:59.000000"));
    end_forgery(&f);
    fr_audit_summary sum = log_expect_holds(4);
    assert_int_equal(sum.clock_back, 3);
    assert_int_equal(sum.last_us - sum.first_us, -1000001);
}

static void test_many_runs_without_an_end(void **state)
{
    (void)state;
    char end[128];
    forgery f = begin_forgery();
    for (int i = 0; i < 3000; i++)
        forge(&f, STARTED(NOON));
    for (int i = 1; i <= 2990; i++) {
        snprintf(end, sizeof(end), FAILED("%d", NOON), i);
        forge(&f, end);
    }
    end_forgery(&f);
    fr_audit_summary sum = log_expect_holds(5990);
    assert_int_equal(sum.runs_without_end, 10);
    assert_int_equal(sum.first_without_end, 2991);
}

/* ---- Beside the chain ---- */

static void test_an_empty_log_holds(void **state)
{
    (void)state;
    log_write(fri_cstr(""));
    fr_audit_summary sum = log_expect_holds(0);
    assert_string_equal(sum.head.hash, fri_audit_no_hash);
    char *json = NULL;
    assert_int_equal(fr_audit_summary_json(&sum, &json, NULL), 0);
    assert_non_null(strstr(json, "{\"holds\":true,\"records\":0,\"runs\":0,\"runs_without_end\":0,"
                                 "\"first_without_end\":null,\"torn\":0,\"clock_back\":null,"
                                 "\"first\":null,\"last\":null,\"head\":{\"sequence\":0,"));
    fr_free(json);
}

static int verify_all(void *user, fr_error *err)
{
    fr_audit_summary sum;
    char *json = NULL;
    int rc = fr_audit_verify(log_path, user, &sum, err);
    if (rc == 0)
        rc = fr_audit_summary_json(&sum, &json, err);
    fr_free(json);
    return rc;
}

static int look(void *user, const fr_audit_record *r)
{
    int *lines = user;
    assert_int_equal(r->line, ++*lines);
    return 0;
}

static int read_all(void *user, fr_error *err)
{
    int lines = 0;
    (void)user;
    return fr_audit_each(log_path, look, &lines, err);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sample s = make_sample();
    fri_buf_append(&s.bytes, "{\"se", 4);
    log_write(fri_buf_str(&s.bytes));
    log_append_one();
    fri_buf_dispose(&s.bytes);
    assert_true(torture(verify_all, NULL) > 10);
    assert_true(torture(read_all, NULL) > 10);
    assert_int_equal(log_expect_holds(5).torn, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_test(test_every_changed_byte_is_found),
        log_test(test_every_byte_taken_out_or_put_in_is_found),
        log_test(test_lines_in_any_other_order_are_found),
        log_test(test_a_foreign_record_is_found),
        log_test(test_what_is_no_record),
        log_test(test_cut_off_at_every_byte),
        log_test(test_an_anchor_of_a_log_that_was_written_anew),
        log_test(test_an_anchor_that_is_not_the_last),
        log_test(test_anchors_that_are_none),
        log_test(test_records_that_say_nonsense),
        log_test(test_ends_without_a_start),
        log_test(test_an_end_twice),
        log_test(test_every_changed_byte_of_a_torn_piece_is_found),
        log_test(test_a_torn_piece_of_another_length),
        log_test(test_a_torn_piece_as_long_as_can_be),
        log_test(test_a_clock_that_was_set_back_is_told),
        log_test(test_many_runs_without_an_end),
        log_test(test_an_empty_log_holds),
        log_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("audit_verify", tests, NULL, NULL);
}
