/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/support/torture.h"

/* What a test writes, and the bytes that must come out. */
typedef void (*write_fn)(fri_json_out *w);

static void expect_bytes(write_fn fn, const char *want)
{
    fri_buf buf;
    fri_json_out w;
    fr_error err = FR_ERROR_INIT;
    fri_buf_init(&buf, 100000);
    fri_json_out_init(&w, &buf);
    fn(&w);
    if (fri_json_out_finish(&w, "document", &err))
        fail_msg("%s", err.text);
    assert_string_equal(buf.p, want);
    assert_int_equal(buf.n, strlen(want));
    size_t tokens;
    if (fri_json_check(buf.p, buf.n, FRI_JSON_REFUSE, &tokens, &err))
        fail_msg("%s", err.text);
    fri_buf_dispose(&buf);
}

/* ---- Goldens ---- */

static void write_everything(fri_json_out *w)
{
    fri_json_begin_object(w);
    fri_json_key(w, "text");
    fri_json_put_cstring(w, "a/b");
    fri_json_key(w, "numbers");
    fri_json_begin_array(w);
    fri_json_put_int(w, 0);
    fri_json_put_int(w, INT64_MIN);
    fri_json_put_int(w, INT64_MAX);
    fri_json_put_uint(w, UINT64_MAX);
    fri_json_end_array(w);
    fri_json_key(w, "words");
    fri_json_begin_array(w);
    fri_json_put_bool(w, 1);
    fri_json_put_bool(w, 0);
    fri_json_put_bool(w, 42);
    fri_json_put_null(w);
    fri_json_end_array(w);
    fri_json_key(w, "empty");
    fri_json_begin_array(w);
    fri_json_begin_array(w);
    fri_json_end_array(w);
    fri_json_begin_object(w);
    fri_json_end_object(w);
    fri_json_put_cstring(w, "");
    fri_json_end_array(w);
    fri_json_key(w, "");
    fri_json_begin_object(w);
    fri_json_key(w, "k\"\n\xff");
    fri_json_put_null(w);
    fri_json_end_object(w);
    fri_json_end_object(w);
}

static void test_everything(void **state)
{
    (void)state;
    expect_bytes(write_everything,
                 "{\"text\":\"a/b\","
                 "\"numbers\":[0,-9223372036854775808,9223372036854775807,18446744073709551615],"
                 "\"words\":[true,false,true,null],"
                 "\"empty\":[[],{},\"\"],"
                 "\"\":{\"k\\\"\\n\xef\xbf\xbd\":null}}");
}

static void write_number(fri_json_out *w)
{
    fri_json_put_int(w, -1);
}

static void write_null(fri_json_out *w)
{
    fri_json_put_null(w);
}

static void write_empty_array(fri_json_out *w)
{
    fri_json_begin_array(w);
    fri_json_end_array(w);
}

static void write_to_the_last_level(fri_json_out *w)
{
    for (int i = 0; i < FRI_JSON_WRITE_DEPTH; i++)
        fri_json_begin_array(w);
    for (int i = 0; i < FRI_JSON_WRITE_DEPTH; i++)
        fri_json_end_array(w);
}

static void test_roots(void **state)
{
    (void)state;
    expect_bytes(write_number, "-1");
    expect_bytes(write_null, "null");
    expect_bytes(write_empty_array, "[]");
    char nested[2 * FRI_JSON_WRITE_DEPTH + 1] = "";
    memset(nested, '[', FRI_JSON_WRITE_DEPTH);
    memset(nested + FRI_JSON_WRITE_DEPTH, ']', FRI_JSON_WRITE_DEPTH);
    expect_bytes(write_to_the_last_level, nested);
}

/* The string is copied to its exact length, so that a sanitizer sees a byte too far. */
static void expect_written(const char *in, size_t n, const char *want)
{
    fri_buf buf;
    fri_json_out w;
    char *exact = malloc(n ? n : 1);
    memcpy(exact, in, n);
    fri_buf_init(&buf, 100000);
    fri_json_out_init(&w, &buf);
    fri_json_put_string(&w, fri_str(exact, n));
    assert_int_equal(fri_json_out_finish(&w, "string", NULL), 0);
    assert_string_equal(buf.p, want);
    fri_buf_dispose(&buf);
    free(exact);
}

#define FFFD "\xef\xbf\xbd"

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t n;
        const char *want;
    } rows[] = {
#define ROW(in, want) {in, sizeof(in) - 1, "\"" want "\""}
        ROW("", ""),
        ROW("plain /'<>&", "plain /'<>&"),
        ROW("\"\\", "\\\"\\\\"),
        ROW("\b\f\n\r\t", "\\b\\f\\n\\r\\t"),
        ROW("\0\x01\x07\x0b\x0e\x1b\x1f", "\\u0000\\u0001\\u0007\\u000b\\u000e\\u001b\\u001f"),
        ROW("\x7f", "\\u007f"),
        ROW("a\"b\\c\nx", "a\\\"b\\\\c\\nx"),
        ROW("\xe1\x80\xa8\xe2\x81\xa8", "\xe1\x80\xa8\xe2\x81\xa8"),
        ROW("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa",
            "\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa"),
        ROW("\xc2\x80\xc3\xa9\xe6\x95\xb0\xf0\x9f\x98\x80",
            "\xc2\x80\xc3\xa9\xe6\x95\xb0\xf0\x9f\x98\x80"),
        ROW("\xff", FFFD),
        ROW("a\xf0\x9f\x98", "a" FFFD),
        ROW("\xf0\x9f\x98\"\x98", FFFD "\\\"" FFFD),
        ROW("\xf0\x9f\xe2\x80\xa8", FFFD "\\u2028"),
        ROW("\xe2\x80", FFFD),
        ROW("\xe2\x80\xe2\x80\xa9", FFFD "\\u2029"),
        ROW("\xed\xa0\x80", FFFD FFFD FFFD),
        ROW("\xc0\x80", FFFD FFFD),
#undef ROW
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        expect_written(rows[i].in, rows[i].n, rows[i].want);
}

/* Any bytes come back as themselves, repaired. */
static void test_round_trip_of_every_pair_of_bytes(void **state)
{
    (void)state;
    for (int pair = 0; pair < 65536; pair++) {
        char in[3] = {(char)(pair >> 8), (char)pair, 'x'};
        fri_buf buf, want;
        fri_json_out w;
        fri_json *doc;
        char *out;
        size_t n;
        fri_buf_init(&buf, 1000);
        fri_buf_init(&want, 1000);
        fri_utf8_repair(&want, in, sizeof(in));
        fri_json_out_init(&w, &buf);
        fri_json_put_string(&w, fri_str(in, sizeof(in)));
        assert_int_equal(fri_json_out_finish(&w, "string", NULL), 0);
        assert_int_equal(fri_json_parse(buf.p, buf.n, FRI_JSON_REFUSE, &doc, NULL), 0);
        assert_int_equal(fri_json_string(doc, 0, "string", &out, &n, NULL), 0);
        assert_int_equal(n, want.n);
        assert_memory_equal(out, want.p, n);
        fri_free(out);
        fri_json_free(doc);
        fri_buf_dispose(&buf);
        fri_buf_dispose(&want);
    }
}

static void test_behind_other_text(void **state)
{
    (void)state;
    fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, 1000);
    fri_buf_puts(&buf, "data: ");
    fri_json_out_init(&w, &buf);
    fri_json_put_bool(&w, 1);
    assert_int_equal(fri_json_out_finish(&w, "event", NULL), 0);
    assert_string_equal(buf.p, "data: true");
    fri_buf_dispose(&buf);
}

/* ---- Misuse ---- */

/* The calls of a document as letters: { } [ ] as they are, k a key, v a value. */
static void write_calls(fri_json_out *w, const char *calls)
{
    for (; *calls; calls++)
        switch (*calls) {
        case '{':
            fri_json_begin_object(w);
            break;
        case '}':
            fri_json_end_object(w);
            break;
        case '[':
            fri_json_begin_array(w);
            break;
        case ']':
            fri_json_end_array(w);
            break;
        case 'k':
            fri_json_key(w, "key");
            break;
        default:
            fri_json_put_int(w, 1);
        }
}

static int write_document(const char *calls, fri_buf *buf, fr_error *err)
{
    fri_json_out w;
    fri_buf_puts(buf, "before ");
    fri_json_out_init(&w, buf);
    write_calls(&w, calls);
    return fri_json_out_finish(&w, "the result", err);
}

static void test_misuse(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",     "{",     "[",     "}",    "]",     "k",     "kv",   "{v}", "{k}", "{kv",
        "{kk",  "{kkv}", "{kvv}", "{k[}", "{kv]",  "[k]",   "[kv]", "[}",  "[v}", "{]",
        "vv",   "v}",    "v]",    "vk",   "{}{}",  "[][]",  "{}v",  "[]]", "{}}", "{}k",
        "{k{}", "[[]",   "{[]}",  "{{}}", "[{v}]", "{kv}}", "[v]]"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        fri_buf buf;
        fr_error err = FR_ERROR_INIT;
        fri_buf_init(&buf, 1000);
        if (write_document(wrong[i], &buf, &err) != FR_EINTERNAL)
            fail_msg("\"%s\" was written as %s", wrong[i], buf.p);
        assert_string_equal(err.text, "the result was not written as one JSON value");
        assert_string_equal(buf.p, "before ");
        fri_buf_dispose(&buf);
    }
}

/* Every sequence of up to seven calls: what is not refused is JSON, and nothing good is refused, for
 * the grammar has 1, 2, 1, 4, 8, 19 and 52 documents of one to seven calls. */
static void test_every_sequence(void **state)
{
    (void)state;
    static const char letters[] = "{}[]kv";
    size_t count = 0;
    for (size_t length = 1, total = 6; length <= 7; length++, total *= 6)
        for (size_t number = 0; number < total; number++) {
            char calls[8] = "";
            size_t rest = number, tokens;
            for (size_t i = 0; i < length; i++, rest /= 6)
                calls[i] = letters[rest % 6];
            fri_buf buf;
            fri_buf_init(&buf, 1000);
            if (write_document(calls, &buf, NULL) == 0) {
                count++;
                if (fri_json_check(buf.p + 7, buf.n - 7, FRI_JSON_REFUSE, &tokens, NULL))
                    fail_msg("\"%s\" was written as %s", calls, buf.p);
            }
            fri_buf_dispose(&buf);
        }
    assert_int_equal(count, 1 + 2 + 1 + 4 + 8 + 19 + 52);
}

static void test_too_deep(void **state)
{
    (void)state;
    fri_buf buf;
    fri_json_out w;
    fr_error err = FR_ERROR_INIT;
    fri_buf_init(&buf, 1000);
    fri_json_out_init(&w, &buf);
    for (int i = 0; i <= FRI_JSON_WRITE_DEPTH; i++)
        fri_json_begin_array(&w);
    for (int i = 0; i <= FRI_JSON_WRITE_DEPTH; i++)
        fri_json_end_array(&w);
    assert_int_equal(fri_json_out_finish(&w, "the result", &err), FR_ELIMIT);
    assert_string_equal(err.text, "the result is nested deeper than 64");
    assert_string_equal(buf.p, "");
    fri_buf_dispose(&buf);
}

static void test_full_buffer(void **state)
{
    (void)state;
    fri_buf buf;
    fr_error err = FR_ERROR_INIT;
    fri_buf_init(&buf, 15);
    assert_int_equal(write_document("{k[vvvvv]}", &buf, &err), FR_ELIMIT);
    assert_string_equal(err.text, "the result is longer than 15 bytes");
    assert_string_equal(buf.p, "before ");
    fri_buf_dispose(&buf);
}

static int write_for_torture(void *user, fr_error *err)
{
    fri_buf buf;
    (void)user;
    fri_buf_init(&buf, 100000);
    fri_json_out w;
    fri_json_out_init(&w, &buf);
    fri_json_begin_array(&w);
    for (int i = 0; i < 20; i++)
        write_everything(&w);
    fri_json_end_array(&w);
    int rc = fri_json_out_finish(&w, "document", err);
    fri_buf_dispose(&buf);
    return rc;
}

static void test_torture(void **state)
{
    (void)state;
    assert_in_range(torture(write_for_torture, NULL), 5, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_round_trip_of_every_pair_of_bytes),
        cmocka_unit_test(test_behind_other_text),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_every_sequence),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_full_buffer),
        cmocka_unit_test(test_torture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
