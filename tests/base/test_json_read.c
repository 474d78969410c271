/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/mem.h"
#include "tests/support/torture.h"

static fri_json *parse_bytes(const char *text, size_t n)
{
    fri_json *doc = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fri_json_parse(text, n, FRI_JSON_REPAIR, &doc, &err))
        fail_msg("%.40s: %s", text, err.text);
    return doc;
}

static fri_json *parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static void expect_raw(const fri_json *doc, fri_json_ref v, const char *raw)
{
    fr_str s = fri_json_raw(doc, v);
    assert_int_equal(s.n, strlen(raw));
    assert_memory_equal(s.p, raw, s.n);
}

static void expect_unescaped(const fri_json *doc, fri_json_ref v, const char *want, size_t n)
{
    fr_error err = FR_ERROR_INIT;
    char *s = NULL;
    size_t length = 0;
    if (fri_json_string(doc, v, "it", &s, &length, &err))
        fail_msg("%s", err.text);
    assert_int_equal(length, n);
    assert_memory_equal(s, want, n + 1);
    fri_free(s);
}

/* ---- Roots ---- */

static void test_bare_scalars(void **state)
{
    (void)state;
    static const struct {
        const char *text, *raw;
        int type;
    } roots[] = {
        {"123", "123", FRI_JSON_NUMBER},         {" \t-0", "-0", FRI_JSON_NUMBER},
        {" -1.5e3 ", "-1.5e3", FRI_JSON_NUMBER}, {"\r\n0\t", "0", FRI_JSON_NUMBER},
        {"true", "true", FRI_JSON_BOOL},         {" false", "false", FRI_JSON_BOOL},
        {"null\n", "null", FRI_JSON_NULL},       {"\"s\"", "s", FRI_JSON_STRING},
        {" \"\" ", "", FRI_JSON_STRING},         {"{}", "{}", FRI_JSON_OBJECT},
        {" [ ] ", "[ ]", FRI_JSON_ARRAY},
    };
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        fri_json *doc = parse(roots[i].text);
        assert_int_equal(fri_json_type(doc, 0), roots[i].type);
        expect_raw(doc, 0, roots[i].raw);
        assert_int_equal(fri_json_size(doc, 0), 0);
        assert_int_equal(fri_json_first(doc, 0), FRI_JSON_NONE);
        assert_int_equal(fri_json_next(doc, 0), FRI_JSON_NONE);
        assert_int_equal(fri_json_value(doc, 0), FRI_JSON_NONE);
        fri_json_free(doc);
    }
}

static void test_malformed(void **state)
{
    (void)state;
    fri_json *doc = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fri_json_parse("{\"a\":::1}", 9, FRI_JSON_REPAIR, &doc, &err), FR_EFORMAT);
    assert_non_null(strstr(err.text, "line 1, column 6"));
    assert_null(doc);
    assert_int_equal(fri_json_parse("\"\\ud800\"", 8, FRI_JSON_REFUSE, &doc, &err), FR_EFORMAT);
    assert_null(doc);
    fri_json_free(NULL);
}

/* The text is only as long as we say: no NUL behind it, nothing read past it. */
static void test_text_without_an_end(void **state)
{
    (void)state;
    static const char *const texts[] = {"12", "true", "\"ab\"", "{\"a\":1}", "[1,2]"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t n = strlen(texts[i]);
        char *exact = malloc(n);
        memcpy(exact, texts[i], n);
        fri_json *doc = parse_bytes(exact, n);
        assert_int_not_equal(fri_json_type(doc, 0), FRI_JSON_ABSENT);
        fri_json_free(doc);
        free(exact);
    }
}

/* ---- Walking ---- */

static void test_members(void **state)
{
    (void)state;
    fri_json *doc = parse("{\"n\":null, \"t\":true,\"f\":false,\"i\":-7,\"s\":\"x\","
                          "\"a\":[1,[2,3],{}],\"o\":{\"i\":8}}");
    assert_int_equal(fri_json_size(doc, 0), 7);
    assert_int_equal(fri_json_type(doc, fri_json_get(doc, 0, "n")), FRI_JSON_NULL);
    assert_int_equal(fri_json_type(doc, fri_json_get(doc, 0, "t")), FRI_JSON_BOOL);
    assert_int_equal(fri_json_type(doc, fri_json_get(doc, 0, "f")), FRI_JSON_BOOL);
    assert_int_equal(fri_json_type(doc, fri_json_get(doc, 0, "s")), FRI_JSON_STRING);
    expect_raw(doc, fri_json_get(doc, 0, "i"), "-7");
    expect_raw(doc, fri_json_get(doc, 0, "a"), "[1,[2,3],{}]");
    fri_json_ref o = fri_json_get(doc, 0, "o");
    expect_raw(doc, fri_json_get(doc, o, "i"), "8");
    assert_int_equal(fri_json_size(doc, o), 1);
    assert_int_equal(fri_json_get(doc, 0, "x"), FRI_JSON_NONE);
    assert_int_equal(fri_json_get(doc, 0, ""), FRI_JSON_NONE);
    assert_int_equal(fri_json_get(doc, 0, "nn"), FRI_JSON_NONE);
    assert_int_equal(fri_json_get(doc, fri_json_get(doc, 0, "a"), "i"), FRI_JSON_NONE);
    fri_json_free(doc);

    doc = parse("[\"i\",1]");
    assert_int_equal(fri_json_get(doc, 0, "i"), FRI_JSON_NONE);
    fri_json_free(doc);
}

static void test_iteration(void **state)
{
    (void)state;
    fri_json *doc = parse("{\"a\":[1,[2,[3]],\"x\",{\"y\":0}],\"b\":{},\"c\":3}");
    static const char *const keys[] = {"a", "b", "c"};
    static const char *const values[] = {"[1,[2,[3]],\"x\",{\"y\":0}]", "{}", "3"};
    static const char *const elements[] = {"1", "[2,[3]]", "x", "{\"y\":0}"};
    assert_int_equal(fri_json_next(doc, 0), FRI_JSON_NONE);
    fri_json_ref k = fri_json_first(doc, 0);
    for (size_t i = 0; i < 3; i++, k = fri_json_next(doc, k)) {
        expect_raw(doc, k, keys[i]);
        expect_raw(doc, fri_json_value(doc, k), values[i]);
        assert_int_equal(fri_json_next(doc, fri_json_value(doc, k)), FRI_JSON_NONE);
    }
    assert_int_equal(k, FRI_JSON_NONE);

    fri_json_ref a = fri_json_get(doc, 0, "a");
    fri_json_ref v = fri_json_first(doc, a);
    for (size_t i = 0; i < 4; i++, v = fri_json_next(doc, v))
        expect_raw(doc, v, elements[i]);
    assert_int_equal(v, FRI_JSON_NONE);
    fri_json_free(doc);
}

static void test_absent_is_harmless(void **state)
{
    (void)state;
    fri_json *doc = parse("[1]");
    assert_int_equal(fri_json_type(doc, FRI_JSON_NONE), FRI_JSON_ABSENT);
    assert_int_equal(fri_json_get(doc, FRI_JSON_NONE, "a"), FRI_JSON_NONE);
    assert_int_equal(fri_json_size(doc, FRI_JSON_NONE), 0);
    assert_int_equal(fri_json_first(doc, FRI_JSON_NONE), FRI_JSON_NONE);
    assert_int_equal(fri_json_next(doc, FRI_JSON_NONE), FRI_JSON_NONE);
    assert_int_equal(fri_json_value(doc, FRI_JSON_NONE), FRI_JSON_NONE);
    expect_raw(doc, FRI_JSON_NONE, "");
    fri_json_free(doc);
}

static void test_last_duplicate_wins(void **state)
{
    (void)state;
    fri_json *doc = parse("{\"a\":1,\"b\":2,\"\\u0061\":3,\"b\":{\"a\":9}}");
    assert_int_equal(fri_json_size(doc, 0), 4);
    expect_raw(doc, fri_json_get(doc, 0, "a"), "3");
    expect_raw(doc, fri_json_get(doc, 0, "b"), "{\"a\":9}");
    fri_json_free(doc);
}

static void test_keys_compare_unescaped(void **state)
{
    (void)state;
    fri_json *doc = parse("{\"\\u0061b\":1,\"\\n\\\"\":2,\"\\ud83d\\ude00\":3,\"\xc3\xa9\":4,"
                          "\"nul\\u0000x\":5,\"a\\\\b\":6,\"\\ud800\":7,\"\":8}");
    expect_raw(doc, fri_json_get(doc, 0, "ab"), "1");
    expect_raw(doc, fri_json_get(doc, 0, "\n\""), "2");
    expect_raw(doc, fri_json_get(doc, 0, "\xf0\x9f\x98\x80"), "3");
    expect_raw(doc, fri_json_get(doc, 0, "\xc3\xa9"), "4");
    expect_raw(doc, fri_json_get(doc, 0, "a\\b"), "6");
    expect_raw(doc, fri_json_get(doc, 0, "\xef\xbf\xbd"), "7");
    expect_raw(doc, fri_json_get(doc, 0, ""), "8");
    assert_int_equal(fri_json_get(doc, 0, "nul"), FRI_JSON_NONE);
    assert_int_equal(fri_json_get(doc, 0, "a"), FRI_JSON_NONE);
    assert_int_equal(fri_json_get(doc, 0, "abc"), FRI_JSON_NONE);
    assert_int_equal(fri_json_get(doc, 0, "\\u0061b"), FRI_JSON_NONE);
    fri_json_free(doc);
}

/* ---- Strings ---- */

#define FFFD "\xef\xbf\xbd"

static void test_unescaping(void **state)
{
    (void)state;
    static const struct {
        const char *json, *want;
        size_t n;
    } strings[] = {
#define ROW(json, want) {json, want, sizeof(want) - 1}
        ROW("\"\"", ""),
        ROW("\"plain\"", "plain"),
        ROW("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"),
        ROW("\"a\\nb\\\\\"", "a\nb\\"),
        ROW("\"\\u0000\"", "\0"),
        ROW("\"a\\u0000b\"", "a\0b"),
        ROW("\"\\u007f\\u0080\\u07FF\\u0800\\uffff\"",
            "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"),
        ROW("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"),
        ROW("\"\\uD800\\uDC00\\uDBFF\\uDFFF\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
        ROW("\"\xf0\x9f\x98\x80 \xc3\xa9\"", "\xf0\x9f\x98\x80 \xc3\xa9"),
        /* Lone surrogates, one U+FFFD each. */
        ROW("\"\\ud83d\"", FFFD),
        ROW("\"\\ude00x\"", FFFD "x"),
        ROW("\"\\ud83d\\u0041\"", FFFD "A"),
        ROW("\"\\ud83d\\n\"", FFFD "\n"),
        ROW("\"\\ud83d\\\\ude00\"", FFFD "\\ude00"),
        ROW("\"\\ud83d\\ud83d\\ude00\"", FFFD "\xf0\x9f\x98\x80"),
        ROW("\"\\ude00\\ud83d\"", FFFD FFFD),
        ROW("\"\\ude00\\ude00\"", FFFD FFFD),
        ROW("\"\\udbff\\udfff\\udfff\\ud800\"", "\xf4\x8f\xbf\xbf" FFFD FFFD),
        ROW("\"\\ud83dxude00\"", FFFD "xude00"),
        ROW("\"\\ud83d\\nde00\"", FFFD "\nde00"),
        ROW("\"\\ud83d\\ude00\\ude00\"", "\xf0\x9f\x98\x80" FFFD),
#undef ROW
    };
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        fri_json *doc = parse(strings[i].json);
        expect_unescaped(doc, 0, strings[i].want, strings[i].n);
        fri_json_free(doc);
    }
}

static void test_length_is_optional(void **state)
{
    (void)state;
    fri_json *doc = parse("\"x\"");
    char *s;
    assert_int_equal(fri_json_string(doc, 0, "it", &s, NULL, NULL), 0);
    assert_string_equal(s, "x");
    fri_free(s);
    fri_json_free(doc);
}

/* ---- Values ---- */

static void expect_error(int rc, const fr_error *err, const char *text)
{
    assert_int_equal(rc, FR_EFORMAT);
    assert_string_equal(err->text, text);
}

static void test_wrong_types(void **state)
{
    (void)state;
    fri_json *doc = parse("{\"s\":\"x\",\"i\":1,\"b\":true,\"n\":null,\"a\":[],\"o\":{}}");
    fr_error err;
    char *s;
    int64_t i;
    int b;
    expect_error(fri_json_string(doc, fri_json_get(doc, 0, "i"), "\"code\"", &s, NULL, &err), &err,
                 "\"code\" must be a string, not a number");
    expect_error(fri_json_string(doc, fri_json_get(doc, 0, "z"), "\"code\"", &s, NULL, &err), &err,
                 "\"code\" is missing");
    expect_error(fri_json_string(doc, fri_json_get(doc, 0, "n"), "it", &s, NULL, &err), &err,
                 "it must be a string, not null");
    expect_error(fri_json_integer(doc, fri_json_get(doc, 0, "s"), "it", 0, 9, &i, &err), &err,
                 "it must be a number, not a string");
    expect_error(fri_json_integer(doc, fri_json_get(doc, 0, "b"), "it", 0, 9, &i, &err), &err,
                 "it must be a number, not a boolean");
    expect_error(fri_json_integer(doc, FRI_JSON_NONE, "it", 0, 9, &i, &err), &err, "it is missing");
    expect_error(fri_json_bool(doc, fri_json_get(doc, 0, "a"), "it", &b, &err), &err,
                 "it must be a boolean, not an array");
    expect_error(fri_json_bool(doc, fri_json_get(doc, 0, "o"), "it", &b, &err), &err,
                 "it must be a boolean, not an object");
    fri_json_free(doc);
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t min, max, want; /* want < min: refused */
    } rows[] = {
        {"0", 0, 10, 0},
        {"-0", 0, 10, 0},
        {"10", 0, 10, 10},
        {"-5", -5, 5, -5},
        {"9223372036854775807", 0, INT64_MAX, INT64_MAX},
        {"-9223372036854775807", -INT64_MAX, 0, -INT64_MAX},
        {"11", 0, 10, -1},
        {"-1", 0, 10, -1},
        {"1.0", 0, 10, -1},
        {"1e0", 0, 10, -1},
        {"9223372036854775808", 0, INT64_MAX, -1},
        {"18446744073709551617", 0, INT64_MAX, -1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fri_json *doc = parse(rows[i].text);
        int64_t v = 77;
        fr_error err = FR_ERROR_INIT;
        int rc = fri_json_integer(doc, 0, "it", rows[i].min, rows[i].max, &v, &err);
        int refused = rows[i].want < rows[i].min;
        assert_int_equal(rc, refused ? FR_EFORMAT : 0);
        assert_int_equal(v, refused ? 77 : rows[i].want);
        fri_json_free(doc);
    }
    int64_t v;
    fr_error err;
    fri_json *doc = parse("1.5");
    expect_error(fri_json_integer(doc, 0, "\"exit_code\"", 0, 255, &v, &err), &err,
                 "\"exit_code\" must be a whole number from 0 to 255, not 1.5");
    fri_json_free(doc);
}

static void test_smallest_integer(void **state)
{
    (void)state;
    int64_t v = 0;
    fri_json *doc = parse("[-9223372036854775808,-9223372036854775809]");
    fri_json_ref first = fri_json_first(doc, 0), second = fri_json_next(doc, first);
    assert_int_equal(fri_json_integer(doc, first, "it", INT64_MIN, 0, &v, NULL), 0);
    assert_true(v == INT64_MIN);
    assert_int_equal(fri_json_integer(doc, second, "it", INT64_MIN, 0, &v, NULL), FR_EFORMAT);
    fri_json_free(doc);
}

static void test_booleans(void **state)
{
    (void)state;
    int v = 77;
    fri_json *doc = parse("[true,false]");
    fri_json_ref first = fri_json_first(doc, 0);
    assert_int_equal(fri_json_bool(doc, first, "it", &v, NULL), 0);
    assert_int_equal(v, 1);
    assert_int_equal(fri_json_bool(doc, fri_json_next(doc, first), "it", &v, NULL), 0);
    assert_int_equal(v, 0);
    fri_json_free(doc);
}

/* ---- Size ---- */

static void test_depth(void **state)
{
    (void)state;
    char text[2 * FRI_MAX_JSON_DEPTH + 3];
    memset(text, '[', FRI_MAX_JSON_DEPTH);
    memset(text + FRI_MAX_JSON_DEPTH, ']', FRI_MAX_JSON_DEPTH);
    fri_json *doc = parse_bytes(text, 2 * FRI_MAX_JSON_DEPTH);
    fri_json_ref v = 0;
    for (int i = 1; i < FRI_MAX_JSON_DEPTH; i++)
        v = fri_json_first(doc, v);
    expect_raw(doc, v, "[]");
    fri_json_free(doc);

    memset(text, '[', FRI_MAX_JSON_DEPTH + 1);
    memset(text + FRI_MAX_JSON_DEPTH + 1, ']', FRI_MAX_JSON_DEPTH + 1);
    doc = NULL;
    assert_int_equal(
        fri_json_parse(text, 2 * (FRI_MAX_JSON_DEPTH + 1), FRI_JSON_REPAIR, &doc, NULL), FR_ELIMIT);
    assert_null(doc);
}

/* Quadratic indexing or iteration takes a minute here, linear a tenth of a second, or some seconds
 * under valgrind. Processor time, so that a busy machine does not count. */
#define MANY     200000
#define MOST_CPU (10 * FRI_NS_PER_S)

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * FRI_NS_PER_S + t.tv_nsec;
}

static void expect_linear(const char *open, const char *element, const char *close)
{
    fri_buf text;
    fri_buf_init(&text, 100 * MANY);
    fri_buf_puts(&text, open);
    for (int i = 0; i < MANY; i++)
        fri_buf_printf(&text, "%s%s", i ? "," : "", element);
    fri_buf_puts(&text, close);

    int64_t start = cpu_ns();
    fri_json *doc = parse_bytes(text.p, text.n);
    assert_int_equal(fri_json_size(doc, 0), MANY);
    int count = 0;
    for (fri_json_ref v = fri_json_first(doc, 0); v != FRI_JSON_NONE; v = fri_json_next(doc, v))
        count++;
    assert_int_equal(count, MANY);
    assert_int_equal(fri_json_get(doc, 0, "no such key"), FRI_JSON_NONE);
    assert_true(cpu_ns() - start < MOST_CPU);
    fri_json_free(doc);
    fri_buf_dispose(&text);
}

static void test_linear_time(void **state)
{
    (void)state;
    expect_linear("[", "[1]", "]");
    expect_linear("{", "\"k\\u0065y\":1", "}");
    expect_linear("[", "{\"a\":{\"b\":[{}]}}", "]");
    expect_linear("{", "\"k\":[[[[[[]]]]]]", "}");
}

static void test_many_keys(void **state)
{
    (void)state;
    fri_buf text;
    fri_buf_init(&text, 100 * MANY);
    for (int i = 0; i < MANY; i++)
        fri_buf_printf(&text, "%c\"key%d\":%d", i ? ',' : '{', i, i);
    fri_buf_putc(&text, '}');
    int64_t v = 0, start = cpu_ns();
    fri_json *doc = parse_bytes(text.p, text.n);
    assert_int_equal(
        fri_json_integer(doc, fri_json_get(doc, 0, "key199999"), "it", 0, MANY, &v, NULL), 0);
    assert_int_equal(v, MANY - 1);
    assert_true(cpu_ns() - start < MOST_CPU);
    fri_json_free(doc);
    fri_buf_dispose(&text);
}

static void test_optional_members(void **state)
{
    (void)state;
    static const char text[] = "{\"s\":\"text\",\"n\":7,\"null\":null}";
    fri_json *doc = parse_bytes(text, sizeof(text) - 1);
    char *s = NULL;
    int64_t n = 1;
    assert_int_equal(fri_json_optional_string(doc, 0, "none", &s, NULL, NULL), 0);
    assert_null(s);
    assert_int_equal(fri_json_optional_string(doc, 0, "null", &s, NULL, NULL), FR_EFORMAT);
    assert_int_equal(fri_json_optional_string(doc, 0, "s", &s, NULL, NULL), 0);
    assert_string_equal(s, "text");
    fri_free(s);
    assert_int_equal(fri_json_optional_integer(doc, 0, "none", 0, 9, &n, NULL), 0);
    assert_int_equal(fri_json_optional_integer(doc, 0, "null", 0, 9, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(fri_json_optional_integer(doc, 0, "n", 0, 6, &n, NULL), FR_EFORMAT);
    assert_int_equal(fri_json_optional_integer(doc, 0, "n", 0, 7, &n, NULL), 0);
    assert_int_equal(n, 7);
    fri_json_free(doc);
}

static int read_all(void *user, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    FRI_AUTO(fri_freep) char *s = NULL;
    const char *text = user;
    int rc = fri_json_parse(text, strlen(text), FRI_JSON_REPAIR, &doc, err);
    return rc ? rc : fri_json_string(doc, fri_json_get(doc, 0, "a"), "a", &s, NULL, err);
}

static void test_torture(void **state)
{
    (void)state;
    char text[] = "{\"a\":\"\\u0041\",\"b\":[1,2,3]}";
    assert_int_equal(torture(read_all, text), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare_scalars),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_text_without_an_end),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_iteration),
        cmocka_unit_test(test_absent_is_harmless),
        cmocka_unit_test(test_last_duplicate_wins),
        cmocka_unit_test(test_keys_compare_unescaped),
        cmocka_unit_test(test_unescaping),
        cmocka_unit_test(test_length_is_optional),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_smallest_integer),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_linear_time),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_optional_members),
        cmocka_unit_test(test_torture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
