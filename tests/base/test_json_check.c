/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/limits.h"

#define BYTES(s) s, sizeof(s) - 1

/* The text is copied to its exact length, so that a sanitizer sees a byte too far. */
static int check(const char *text, size_t n, int surrogates, size_t *tokens, fr_error *err)
{
    char *exact = malloc(n ? n : 1);
    if (n)
        memcpy(exact, text, n);
    int rc = fri_json_check(exact, n, surrogates, tokens, err);
    free(exact);
    return rc;
}

static const struct {
    const char *text;
    size_t n;
    size_t tokens;
} accepted[] = {
    /* Any value may be the whole document. */
    {BYTES("123"), 1},
    {BYTES("\"a\""), 1},
    {BYTES("\"\""), 1},
    {BYTES("true"), 1},
    {BYTES("false"), 1},
    {BYTES("null"), 1},
    {BYTES("{}"), 1},
    {BYTES("[]"), 1},
    {BYTES(" \t\r\n7 \t\r\n"), 1},
    {BYTES(" { } "), 1},
    {BYTES("\n[\n]\n"), 1},

    {BYTES("0"), 1},
    {BYTES("-0"), 1},
    {BYTES("-1"), 1},
    {BYTES("10"), 1},
    {BYTES("1234567890123456789012345678901234567890"), 1},
    {BYTES("0.0"), 1},
    {BYTES("-0.5"), 1},
    {BYTES("1.5e3"), 1},
    {BYTES("1E+3"), 1},
    {BYTES("1e-3"), 1},
    {BYTES("0e0"), 1},
    {BYTES("1e00"), 1},
    {BYTES("1e999999"), 1},

    {BYTES("[1]"), 2},
    {BYTES("[1,2]"), 3},
    {BYTES("[ 1 , 2 ]"), 3},
    {BYTES("[[],[[]],{}]"), 5},
    {BYTES("[null,true,false,\"\",0,{},[]]"), 8},
    {BYTES("{\"a\":1}"), 3},
    {BYTES("{ \"a\" : 1 , \"b\" : [ ] }"), 5},
    {BYTES("{\"a\":{\"a\":{\"a\":{}}}}"), 7},
    {BYTES("{\"a\":1,\"a\":2}"), 5},
    {BYTES("{\"\":\"\"}"), 3},

    {BYTES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), 1},
    {BYTES("\"\\u0000\""), 1},
    {BYTES("\"\\u00e9\\u00E9\\uABCD\\uabcd\""), 1},
    {BYTES("\"\\ud83d\\ude00\""), 1},
    {BYTES("\"\\uD83D\\uDE00\\uDBFF\\uDFFF\\ud800\\udc00\""), 1},
    {BYTES("\"\\\\ud800\""), 1},
    {BYTES("\"\x7f\""), 1},
    {BYTES("\" a b \""), 1},
    {BYTES("\"'{}[]:,/\""), 1},
    {BYTES("\"\xc3\xa9\xe6\x95\xb0\xf0\x9f\x98\x80\""), 1},
    {BYTES("\"\xe2\x80\xa8\xe2\x80\xa9\""), 1},
    {BYTES("\"\xef\xbb\xbf\""), 1},
    {BYTES("\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\""), 1},
    {BYTES("{\"\xe6\x95\xb0\":\"\\u6570\"}"), 3},
};

static void test_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++)
        for (int surrogates = FRI_JSON_REPAIR; surrogates <= FRI_JSON_REFUSE; surrogates++) {
            size_t tokens = 0;
            fr_error err = FR_ERROR_INIT;
            if (check(accepted[i].text, accepted[i].n, surrogates, &tokens, &err))
                fail_msg("%s: %s", accepted[i].text, err.text);
            if (tokens != accepted[i].tokens)
                fail_msg("%s: %zu tokens", accepted[i].text, tokens);
        }
}

static const struct {
    const char *text;
    size_t n;
    const char *error;
} refused[] = {
    /* What jsmn takes for JSON. */
    {BYTES("{\"a\":::::1}"), "column 6: expected a value, found ':'"},
    {BYTES("{\"a\"}"), "column 5: expected ':', found '}'"},
    {BYTES("{\"a\":1,}"), "column 8: expected a key in double quotes, found '}'"},
    {BYTES("{\"a\" \"b\"}"), "column 6: expected ':', found '\"'"},
    {BYTES("{}{}"), "column 3: expected the end of the text, found '{'"},
    {BYTES("[ thanx ]"), "column 3: expected a value or ']', found 't'"},
    {BYTES("[tru]"), "column 2: expected a value or ']', found 't'"},
    {BYTES("[1 2]"), "column 4: expected ',' or ']', found '2'"},
    {BYTES("{\"a\":01}"), "column 7: expected ',' or '}', found '1'"},
    {BYTES("[1.e]"), "column 4: expected a digit, found 'e'"},
    {BYTES("[-]"), "column 3: expected a digit, found ']'"},
    {BYTES("\"\t\""), "column 2: expected control characters to be escaped, found byte 0x09"},
    {BYTES("\"\xff\""), "column 2: expected UTF-8, found byte 0xff"},
    {BYTES(""), "line 1, column 1: expected a value, found the end of the text"},
    {BYTES("{\"a\":1}}"), "column 8: expected the end of the text, found '}'"},

    {BYTES(" \n "), "line 2, column 2: expected a value, found the end of the text"},
    {BYTES("\xef\xbb\xbf{}"), "column 1: expected a value, found a byte order mark"},
    {BYTES("{}\xef\xbb\xbf"), "column 3: expected the end of the text, found a byte order mark"},
    {BYTES("\0"), "column 1: expected a value, found byte 0x00"},
    {BYTES("1\0"), "column 2: expected the end of the text, found byte 0x00"},
    {BYTES("{}\0"), "expected the end of the text, found byte 0x00"},
    {BYTES("\f1"), "expected a value, found byte 0x0c"},
    {BYTES("1\v"), "expected the end of the text, found byte 0x0b"},
    {BYTES("\xc2\xa0"
           "1"),
     "expected a value, found byte 0xc2"},
    {BYTES("\xe2\x80\xa8"
           "1"),
     "expected a value, found byte 0xe2"},

    {BYTES("["), "column 2: expected a value or ']', found the end of the text"},
    {BYTES("[1"), "column 3: expected ',' or ']', found the end of the text"},
    {BYTES("[1,"), "column 4: expected a value, found the end of the text"},
    {BYTES("[1,]"), "column 4: expected a value, found ']'"},
    {BYTES("[,1]"), "column 2: expected a value or ']', found ','"},
    {BYTES("[1,,2]"), "column 4: expected a value, found ','"},
    {BYTES("[1;2]"), "column 3: expected ',' or ']', found ';'"},
    {BYTES("[1}"), "column 3: expected ',' or ']', found '}'"},
    {BYTES("[\"a\":1]"), "column 5: expected ',' or ']', found ':'"},
    {BYTES("]"), "column 1: expected a value, found ']'"},
    {BYTES("}"), "column 1: expected a value, found '}'"},
    {BYTES("{"), "column 2: expected a key in double quotes or '}', found the end of the text"},
    {BYTES("{\"a\""), "column 5: expected ':', found the end of the text"},
    {BYTES("{\"a\":"), "column 6: expected a value, found the end of the text"},
    {BYTES("{\"a\":1"), "column 7: expected ',' or '}', found the end of the text"},
    {BYTES("{\"a\":1,"), "column 8: expected a key in double quotes, found the end of the text"},
    {BYTES("{\"a\":1]"), "column 7: expected ',' or '}', found ']'"},
    {BYTES("{\"a\":}"), "column 6: expected a value, found '}'"},
    {BYTES("{,}"), "column 2: expected a key in double quotes or '}', found ','"},
    {BYTES("{a:1}"), "column 2: expected a key in double quotes or '}', found 'a'"},
    {BYTES("{'a':1}"), "column 2: expected a key in double quotes or '}', found '''"},
    {BYTES("{1:1}"), "column 2: expected a key in double quotes or '}', found '1'"},
    {BYTES("{null:1}"), "column 2: expected a key in double quotes or '}', found 'n'"},
    {BYTES("{[]:1}"), "column 2: expected a key in double quotes or '}', found '['"},
    {BYTES("{\"a\",1}"), "column 5: expected ':', found ','"},
    {BYTES("{\"a\":1 \"b\":2}"), "column 8: expected ',' or '}', found '\"'"},
    {BYTES("{\"a\":1,,}"), "column 8: expected a key in double quotes, found ','"},
    {BYTES("[{]}"), "column 3: expected a key in double quotes or '}', found ']'"},

    {BYTES("1 2"), "column 3: expected the end of the text, found '2'"},
    {BYTES("1,2"), "column 2: expected the end of the text, found ','"},
    {BYTES("[] []"), "column 4: expected the end of the text, found '['"},
    {BYTES("{}x"), "column 3: expected the end of the text, found 'x'"},
    {BYTES("null,"), "column 5: expected the end of the text, found ','"},
    {BYTES("// no\n1"), "column 1: expected a value, found '/'"},
    {BYTES("1 /* no */"), "column 3: expected the end of the text, found '/'"},
    {BYTES("[1 # no\n]"), "column 4: expected ',' or ']', found '#'"},

    {BYTES("tru"), "column 1: expected a value, found 't'"},
    {BYTES("True"), "column 1: expected a value, found 'T'"},
    {BYTES("nul"), "column 1: expected a value, found 'n'"},
    {BYTES("nulll"), "column 5: expected the end of the text, found 'l'"},
    {BYTES("fals3"), "column 1: expected a value, found 'f'"},
    {BYTES("undefined"), "column 1: expected a value, found 'u'"},
    {BYTES("NaN"), "column 1: expected a value, found 'N'"},
    {BYTES("Infinity"), "column 1: expected a value, found 'I'"},
    {BYTES("-Infinity"), "column 2: expected a digit, found 'I'"},
    {BYTES("a"), "column 1: expected a value, found 'a'"},
    {BYTES("\x7f"), "column 1: expected a value, found byte 0x7f"},

    {BYTES("00"), "column 2: expected the end of the text, found '0'"},
    {BYTES("-01"), "column 3: expected the end of the text, found '1'"},
    {BYTES("+1"), "column 1: expected a value, found '+'"},
    {BYTES("-"), "column 2: expected a digit, found the end of the text"},
    {BYTES("--1"), "column 2: expected a digit, found '-'"},
    {BYTES(".5"), "column 1: expected a value, found '.'"},
    {BYTES("1."), "column 3: expected a digit, found the end of the text"},
    {BYTES("-.5"), "column 2: expected a digit, found '.'"},
    {BYTES("1.2.3"), "column 4: expected the end of the text, found '.'"},
    {BYTES("1e"), "column 3: expected a digit, found the end of the text"},
    {BYTES("1e+"), "column 4: expected a digit, found the end of the text"},
    {BYTES("1e+-1"), "column 4: expected a digit, found '-'"},
    {BYTES("1e1.5"), "column 4: expected the end of the text, found '.'"},
    {BYTES("0x10"), "column 2: expected the end of the text, found 'x'"},
    {BYTES("1_000"), "column 2: expected the end of the text, found '_'"},
    {BYTES("1 000"), "column 3: expected the end of the text, found '0'"},
    {BYTES("12a"), "column 3: expected the end of the text, found 'a'"},

    {BYTES("\""), "column 2: expected a closing quote, found the end of the text"},
    {BYTES("\"abc"), "column 5: expected a closing quote, found the end of the text"},
    {BYTES("'a'"), "column 1: expected a value, found '''"},
    {BYTES("\"a\"b\""), "column 4: expected the end of the text, found 'b'"},
    {BYTES("\"a\nb\""), "column 3: expected control characters to be escaped, found byte 0x0a"},
    {BYTES("\"a\0b\""), "column 3: expected control characters to be escaped, found byte 0x00"},
    {BYTES("\"\x1f\""), "column 2: expected control characters to be escaped, found byte 0x1f"},
    {BYTES("{\"a\tb\":1}"), "column 4: expected control characters to be escaped"},
    {BYTES("\"\\"), "behind a backslash, found the end of the text"},
    {BYTES("\"\\\""), "column 4: expected a closing quote, found the end of the text"},
    {BYTES("\"\\x41\""), "column 3: expected one of \" \\ / b f n r t u behind a backslash, found "
                         "'x'"},
    {BYTES("\"\\'\""), "behind a backslash, found '''"},
    {BYTES("\"\\0\""), "behind a backslash, found '0'"},
    {BYTES("\"\\\0\""), "behind a backslash, found byte 0x00"},
    {BYTES("\"\\U0041\""), "behind a backslash, found 'U'"},
    {BYTES("\"\\\n\""), "behind a backslash, found byte 0x0a"},
    {BYTES("\"\\\xc3\xa9\""), "behind a backslash, found byte 0xc3"},
    {BYTES("\"\\u\""), "column 4: expected four hex digits behind \\u, found '\"'"},
    {BYTES("\"\\u12\""), "column 6: expected four hex digits behind \\u, found '\"'"},
    {BYTES("\"\\u123g\""), "column 7: expected four hex digits behind \\u, found 'g'"},
    {BYTES("\"\\u 123\""), "column 4: expected four hex digits behind \\u, found byte 0x20"},
    {BYTES("\"\\u+123\""), "column 4: expected four hex digits behind \\u, found '+'"},
    {BYTES("\"\\u123"), "column 7: expected four hex digits behind \\u, found the end"},
    {BYTES("\"\\ud83d\\u12\""), "column 12: expected four hex digits behind \\u, found '\"'"},
    {BYTES("\"\\ud83d\\u"), "column 10: expected four hex digits behind \\u, found the end"},
    {BYTES("\"\\u0041\\"), "column 9: expected one of \" \\ / b f n r t u behind a backslash"},

    {BYTES("\"a\x80\""), "column 3: expected UTF-8, found byte 0x80"},
    {BYTES("\"\xc0\xaf\""), "column 2: expected UTF-8, found byte 0xc0"},
    {BYTES("\"\xe0\x80\x80\""), "column 2: expected UTF-8, found byte 0xe0"},
    {BYTES("\"\xed\xa0\x80\""), "column 2: expected UTF-8, found byte 0xed"},
    {BYTES("\"\xf4\x90\x80\x80\""), "column 2: expected UTF-8, found byte 0xf4"},
    {BYTES("\"\xf0\x9f\x98\""), "column 2: expected UTF-8, found byte 0xf0"},
    {BYTES("\"\xc3"), "column 2: expected UTF-8, found byte 0xc3"},
    {BYTES("{\"\xff\":1}"), "column 3: expected UTF-8, found byte 0xff"},
    {BYTES("\xff"), "column 1: expected a value, found byte 0xff"},

    /* Where it is: lines end with a newline, a column is a character. */
    {BYTES("{\n  \"a\": 1,\n  \"b\" 2\n}"), "at line 3, column 7: expected ':', found '2'"},
    {BYTES("[\r\n1,\r\nx]"), "at line 3, column 1: expected a value, found 'x'"},
    {BYTES("[\"\xe6\x95\xb0\xf0\x9f\x98\x80\", x]"), "at line 1, column 8: expected a value"},
};

static void expect_refused(const char *text, size_t n, int surrogates, int code,
                           const char *text_of)
{
    size_t tokens = 77;
    fr_error err = FR_ERROR_INIT;
    int rc = check(text, n, surrogates, &tokens, &err);
    if (rc != code || err.code != code || tokens != 77)
        fail_msg("%.40s: %s with %zu tokens", text, fr_error_name(rc), tokens);
    if (!strstr(err.text, text_of))
        fail_msg("%.40s: %s", text, err.text);
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        for (int surrogates = FRI_JSON_REPAIR; surrogates <= FRI_JSON_REFUSE; surrogates++)
            expect_refused(refused[i].text, refused[i].n, surrogates, FR_EFORMAT, refused[i].error);
}

/* No beginning of an accepted document is one itself, unless it is a number or there are blanks. */
static void test_no_prefix_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        const char *text = accepted[i].text;
        size_t tokens, n = accepted[i].n;
        if (!strchr("{[\"tfn", text[0]))
            continue;
        for (size_t cut = 0; cut < n; cut++)
            if (check(text, cut, FRI_JSON_REPAIR, &tokens, NULL) != FR_EFORMAT &&
                strspn(text + cut, " \t\r\n") != n - cut)
                fail_msg("%.*s", (int)cut, text);
    }
}

static void test_lone_surrogates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *where;
    } lone[] = {
        {"\"\\ud83d\"", "column 2"},
        {"\"\\ude00\"", "column 2"},
        {"\"a\\ud83db\"", "column 3"},
        {"\"\\ud83d\\n\"", "column 2"},
        {"\"\\ud83d\\u0041\"", "column 2"},
        {"\"\\ud83d\\ud83d\\ude00\"", "column 2"},
        {"\"\\ud83d\\ude00\\ude00\"", "column 14"},
        {"\"\\ude00\\ud83d\"", "column 2"},
        {"\"\\udBFF\"", "column 2"},
        {"\"\\uDc00\"", "column 2"},
        {"\"\\uDFFF\"", "column 2"},
        {"{\"\\ud83d\":1}", "column 3"},
    };
    for (size_t i = 0; i < sizeof(lone) / sizeof(lone[0]); i++) {
        size_t tokens, n = strlen(lone[i].text);
        assert_int_equal(check(lone[i].text, n, FRI_JSON_REPAIR, &tokens, NULL), 0);
        expect_refused(lone[i].text, n, FRI_JSON_REFUSE, FR_EFORMAT,
                       "expected a pair of surrogates, not one alone, found '\\'");
        expect_refused(lone[i].text, n, FRI_JSON_REFUSE, FR_EFORMAT, lone[i].where);
    }
}

/* `depth` containers, `open` and `close` around the innermost value. */
static int check_nested(const char *open, const char *close, size_t depth, fr_error *err)
{
    static char text[4096];
    size_t n = 0, tokens;
    for (size_t i = 0; i < depth; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", open);
    text[n++] = '1';
    for (size_t i = 0; i < depth; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", close);
    return check(text, n, FRI_JSON_REPAIR, &tokens, err);
}

static void test_depth(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(check_nested("[", "]", FRI_MAX_JSON_DEPTH, &err), 0);
    assert_int_equal(check_nested("{\"a\":", "}", FRI_MAX_JSON_DEPTH, &err), 0);
    assert_int_equal(check_nested("[", "]", FRI_MAX_JSON_DEPTH + 1, &err), FR_ELIMIT);
    assert_string_equal(err.text, "JSON nested deeper than 64 at line 1, column 65");
    assert_int_equal(check_nested("{\"a\":", "}", FRI_MAX_JSON_DEPTH + 1, &err), FR_ELIMIT);
}

/* A document of a million opening brackets ends at the first too many. */
static void test_depth_of_a_hostile_document(void **state)
{
    (void)state;
    size_t n = 1000000, tokens;
    char *text = malloc(n);
    memset(text, '[', n);
    assert_int_equal(fri_json_check(text, n, FRI_JSON_REPAIR, &tokens, NULL), FR_ELIMIT);
    free(text);
}

static void test_size_and_token_limits(void **state)
{
    (void)state;
    size_t n = FRI_MAX_JSON_BYTES + 1, tokens = 0;
    char *text = malloc(n);
    fr_error err = FR_ERROR_INIT;
    memset(text, ' ', n);
    text[0] = '1';
    assert_int_equal(fri_json_check(text, n - 1, FRI_JSON_REPAIR, &tokens, &err), 0);
    assert_int_equal(fri_json_check(text, n, FRI_JSON_REPAIR, &tokens, &err), FR_ELIMIT);
    assert_string_equal(err.text, "JSON of 67108865 bytes is longer than 67108864");

    /* [1,1,…]: the array and n/2 - 1 numbers, then one more of them. */
    n = 2 * (size_t)FRI_MAX_JSON_TOKENS - 1;
    for (size_t i = 0; i < n + 2; i++)
        text[i] = i % 2 ? '1' : ',';
    text[0] = '[';
    text[n - 1] = ']';
    assert_int_equal(fri_json_check(text, n, FRI_JSON_REPAIR, &tokens, &err), 0);
    assert_int_equal(tokens, FRI_MAX_JSON_TOKENS);
    text[n - 1] = ',';
    text[n + 1] = ']';
    assert_int_equal(fri_json_check(text, n + 2, FRI_JSON_REPAIR, &tokens, &err), FR_ELIMIT);
    assert_string_equal(err.text, "JSON of more than 4000000 keys and values");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_prefix_is_accepted),
        cmocka_unit_test(test_lone_surrogates),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_of_a_hostile_document),
        cmocka_unit_test(test_size_and_token_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
