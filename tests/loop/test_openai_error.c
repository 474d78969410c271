/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "loop/model/openai_error.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

#define KEY "sk-0123456789"

static fri_openai_reason reason_of(const char *body)
{
    fri_openai_reason reason;
    assert_int_equal(fri_openai_body_reason(fri_cstr(body), KEY, &reason, NULL), 0);
    return reason;
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *body, *text;
        int quota;
    } cases[] = {
        {"", "", 0},
        {"{}", "", 0},
        {"[]", "", 0},
        {"null", "", 0},
        {"{\"error\":{\"message\":\"a \\u00fc\"}}", "a \xc3\xbc", 0},
        {"{\"error\":\"b\",\"message\":\"c\"}", "b", 0},
        {"{\"error\":null,\"message\":\"c\"}", "c", 0},
        {"{\"message\":\"c\",\"detail\":\"d\"}", "c", 0},
        {"{\"detail\":\"d\"}", "d", 0},
        {"{\"detail\":[{\"msg\":\"e\"}]}", "[{\"msg\":\"e\"}]", 0},
        {"{\"error\":{\"code\":7}}", "{\"code\":7}", 0},
        {"{\"error\":{\"message\":7}}", "{\"message\":7}", 0},
        {"{\"error\":{\"message\":\"f\",\"code\":\"insufficient_quota\"}}", "f", 1},
        {"{\"error\":{\"message\":\"f\",\"type\":\"insufficient_quota\"}}", "f", 1},
        {"{\"message\":\"f\",\"code\":\"insufficient_quota\"}", "f", 0},
        {"<h1>g</h1>", "<h1>g</h1>", 0},
        {"{\"error\":", "{\"error\":", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fri_openai_reason reason = reason_of(cases[i].body);
        if (strcmp(reason.text, cases[i].text) != 0 || reason.out_of_quota != cases[i].quota)
            fail_msg("%s: %s %d", cases[i].body, reason.text, reason.out_of_quota);
    }
}

/* In a body of any kind, as long as the text it is in may be cut anywhere. */
static void test_the_key_is_blotted_out(void **state)
{
    (void)state;
    for (size_t n = 0; n < 220; n++) {
        char body[600], filling[220];
        memset(filling, 'x', n);
        filling[n] = '\0';
        snprintf(body, sizeof(body), "%s" KEY KEY ".", filling);
        fri_openai_reason reason = reason_of(body);
        assert_null(strstr(reason.text, "sk"));
        assert_int_equal(strlen(reason.text), n + 27 < 200 ? n + 27 : 200);
        snprintf(body, sizeof(body), "{\"error\":{\"message\":\"%ssk\\u002d0123456789\"}}",
                 filling);
        reason = reason_of(body);
        assert_null(strstr(reason.text, "sk"));
    }
}

static void test_cut_at_a_character(void **state)
{
    (void)state;
    char body[400];
    memset(body, 'x', 199);
    snprintf(body + 199, sizeof(body) - 199, "%s", "\xc3\xbc and more");
    fri_openai_reason reason = reason_of(body);
    assert_int_equal(strlen(reason.text), 199);
}

static int whole_use(void *user, fr_error *err)
{
    fri_openai_reason reason;
    return fri_openai_body_reason(fri_cstr(user), KEY, &reason, err);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    char json[] = "{\"error\":{\"message\":\"a\"}}", object[] = "{\"error\":{}}", text[] = "oops";
    assert_int_equal(torture(whole_use, json), 4);
    assert_int_equal(torture(whole_use, object), 4);
    assert_int_equal(torture(whole_use, text), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_shapes),
        leaks_test(test_the_key_is_blotted_out),
        leaks_test(test_cut_at_a_character),
        leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
