/* SPDX-License-Identifier: MIT */
/* What ADK's context does is in vectors/context.c; here is what goes beyond: JSON in and out, bounds,
 * deltas, malformed state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "fencerun/extract.h"
#include "fencerun/memory.h"
#include "loop/state.h"
#include "tests/support/torture.h"

static fr_state *parse(const char *json)
{
    fr_state *s = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_state_parse(json, strlen(json), &s, &err))
        fail_msg("%s: %s", json, err.text);
    return s;
}

static void expect_json(const fr_state *s, const char *want)
{
    char *json = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_state_json(s, &json, &err))
        fail_msg("%s", err.text);
    assert_string_equal(json, want);
    fr_free(json);
}

static const char everything[] =
    "{\"app:theme\":{\"dark\":[true,null]},\"n\":1.50,"
    "\"_code_execution_context\":{\"execution_session_id\":\"s1\",\"processed_input_files\":[\"a.csv\","
    "\"b.csv\"],\"sandbox_name\":\"x/y\"},"
    "\"_code_executor_input_files\":[{\"name\":\"a.csv\",\"content\":\"eCx5Cg==\",\"mime_type\":"
    "\"text/csv\"}],"
    "\"_code_executor_error_counts\":{\"i1\":2},"
    "\"_code_execution_results\":{\"i1\":[{\"code\":\"c\",\"result_stdout\":\"\",\"result_stderr\":\"e\","
    "\"timestamp\":5},{\"code\":\"d\",\"extra\":[1]}],\"i0\":[{}]},"
    "\"_fencerun_budget\":{\"i1\":{\"runs\":3,\"refused\":1}}}";

static void test_everything_comes_back(void **state)
{
    (void)state;
    fr_state *s = parse(everything);
    expect_json(s, everything);
    assert_string_equal(fr_state_execution_id(s), "s1");
    assert_string_equal(fr_state_processed_file(s, 1), "b.csv");
    assert_null(fr_state_processed_file(s, 2));
    assert_memory_equal(fr_state_input_file(s, 0)->content.p, "x,y\n", 5);
    assert_int_equal(fr_state_error_count(s, "i1"), 2);
    assert_int_equal(fri_state_find_tally(s, "i1")->runs, 3);
    assert_int_equal(fri_state_find_tally(s, "i1")->refused, 1);
    fr_state_free(s);
}

static void test_empty_and_null_keys(void **state)
{
    (void)state;
    const char nothing[] = "{\"_code_execution_context\":{},\"_code_executor_error_counts\":{},"
                           "\"_code_execution_results\":{},\"_fencerun_budget\":{}}";
    fr_state *s = parse("{}");
    expect_json(s, nothing);
    fr_state_free(s);
    s = parse("{\"_code_execution_context\":null,\"_code_executor_input_files\":null,"
              "\"_code_executor_error_counts\":null,\"_code_execution_results\":null,"
              "\"_fencerun_budget\":null}");
    expect_json(s, nothing);
    fr_state_free(s);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *json, *says;
    } cases[] = {
        {"", "JSON"},
        {"[]", "a state must be an object"},
        {"{\"_code_execution_context\":[]}", "_code_execution_context must be an object"},
        {"{\"_code_execution_context\":{\"execution_session_id\":5}}",
         "execution_session_id must be"},
        {"{\"_code_execution_context\":{\"processed_input_files\":{}}}", "must be an array"},
        {"{\"_code_execution_context\":{\"processed_input_files\":[1]}}", "processed_input_files"},
        {"{\"_code_executor_input_files\":{}}", "_code_executor_input_files must be an array"},
        {"{\"_code_executor_input_files\":[{\"content\":\"\"}]}", "name is missing"},
        {"{\"_code_executor_input_files\":[{\"name\":\"a\",\"content\":\"!\"}]}", "base64"},
        {"{\"_code_executor_error_counts\":[]}", "_code_executor_error_counts must be an object"},
        {"{\"_code_executor_error_counts\":{\"i\":-1}}", "an error count must be"},
        {"{\"_code_executor_error_counts\":{\"i\":1.5}}", "an error count must be"},
        {"{\"_code_execution_results\":{\"i\":{}}}", "results must be an array"},
        {"{\"_code_execution_results\":{\"i\":[7]}}", "a recorded result must be an object"},
        {"{\"_fencerun_budget\":{\"i\":{\"runs\":1}}}", "refused is missing"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fr_state *s = NULL;
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fr_state_parse(cases[i].json, strlen(cases[i].json), &s, &err),
                         FR_EFORMAT);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: \"%s\" does not say %s", cases[i].json, err.text, cases[i].says);
        assert_null(s);
    }
}

static void test_apply(void **state)
{
    (void)state;
    fr_state *s =
        parse("{\"keep\":1,\"drop\":2,\"change\":3,\"_code_executor_error_counts\":{\"i\":1}}");
    fr_error err = FR_ERROR_INIT;
    const char delta[] = "{\"drop\":null,\"change\":[4],\"_code_executor_error_counts\":{\"j\":2}}";
    assert_int_equal(fr_state_apply(s, delta, strlen(delta), &err), 0);
    expect_json(s, "{\"keep\":1,\"change\":[4],\"_code_execution_context\":{},"
                   "\"_code_executor_error_counts\":{\"j\":2},\"_code_execution_results\":{},"
                   "\"_fencerun_budget\":{}}");
    const char bad[] = "{\"keep\":5,\"_code_executor_error_counts\":0}";
    assert_int_equal(fr_state_apply(s, bad, strlen(bad), &err), FR_EFORMAT);
    assert_int_equal(fr_state_error_count(s, "j"), 2);
    fr_state_free(s);
}

static void add_result(fr_state *s, const char *invocation, fr_str code)
{
    fr_error err = FR_ERROR_INIT;
    if (fr_state_add_result(s, invocation, code, fri_cstr("o"), fri_cstr("e"), 7, &err))
        fail_msg("%s", err.text);
}

static void test_results_are_bounded_in_number(void **state)
{
    (void)state;
    fr_state *s = parse("{}");
    char code[32], invocation[32];
    for (int i = 0; i < FRI_MAX_STATE_RESULTS + 5; i++) {
        snprintf(code, sizeof(code), "code %d", i);
        snprintf(invocation, sizeof(invocation), "i%d", i / 6);
        add_result(s, invocation, fri_cstr(code));
    }
    assert_int_equal(s->record_count, FRI_MAX_STATE_RESULTS);
    assert_non_null(strstr(s->records[0].json, "\"code 5\""));
    assert_string_equal(s->records[0].invocation, "i0");
    assert_non_null(strstr(s->records[FRI_MAX_STATE_RESULTS - 1].json, "\"code 12\""));
    fr_state_free(s);
}

static void test_results_are_bounded_in_size(void **state)
{
    (void)state;
    static char code[100000];
    fr_state *s = parse("{}");
    memset(code, 'x', sizeof(code));
    add_result(s, "i", fri_str(code, sizeof(code)));
    assert_true(s->records[0].n < FRI_MAX_STATE_TEXT + 200);
    assert_non_null(strstr(s->records[0].json, "[... 98000 characters left out ...]"));
    fr_state_free(s);
}

static void test_invocations_are_bounded(void **state)
{
    (void)state;
    fr_state *s = parse("{}");
    char invocation[32];
    for (int i = 0; i < FRI_MAX_STATE_INVOCATIONS + 1; i++) {
        snprintf(invocation, sizeof(invocation), "i%d", i);
        assert_int_equal(fr_state_increment_error_count(s, invocation, NULL), 0);
    }
    assert_int_equal(s->tally_count, FRI_MAX_STATE_INVOCATIONS);
    assert_int_equal(fr_state_error_count(s, "i0"), 0);
    assert_int_equal(fr_state_error_count(s, "i1"), 1);
    fr_state_free(s);
}

static void test_repeat(void **state)
{
    (void)state;
    fr_state *s = parse("{}");
    assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("a"), NULL), 0);
    add_result(s, "i", fri_cstr("a"));
    add_result(s, "other", fri_cstr("b"));
    assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("a"), NULL), 1);
    assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("b"), NULL), 0);
    add_result(s, "i", fri_cstr("b"));
    assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("a"), NULL), 0);
    /* Of what is longer than what is recorded nobody can tell: the middle may be another. */
    static char code[100000];
    memset(code, 'x', sizeof(code));
    add_result(s, "i", fri_str(code, sizeof(code)));
    assert_int_equal(fri_state_is_repeat(s, "i", fri_str(code, sizeof(code)), NULL), 0);
    code[50000] = 'y';
    assert_int_equal(fri_state_is_repeat(s, "i", fri_str(code, sizeof(code)), NULL), 0);
    add_result(s, "i", fri_str(code, FRI_MAX_STATE_TEXT));
    assert_int_equal(fri_state_is_repeat(s, "i", fri_str(code, FRI_MAX_STATE_TEXT), NULL), 1);
    fr_state_free(s);
}

/* Counts that could be no higher stay there, and can be read again. */
static void test_counts_stay_in_bounds(void **state)
{
    (void)state;
    static const char most[] =
        "{\"_code_execution_context\":{},\"_code_executor_error_counts\":{\"i\":2147483647},"
        "\"_code_execution_results\":{},\"_fencerun_budget\":{}}";
    fr_state *s = parse(most);
    assert_int_equal(fr_state_increment_error_count(s, "i", NULL), 0);
    expect_json(s, most);
    fr_state_free(s);
}

static void test_delta(void **state)
{
    (void)state;
    fr_state *s = parse(everything);
    char *json = NULL;
    assert_int_equal(fr_state_delta(s, FR_COMPAT_ADK, &json, NULL), 0);
    assert_string_equal(
        json, "{\"_code_execution_context\":{\"execution_session_id\":\"s1\","
              "\"processed_input_files\":[\"a.csv\",\"b.csv\"],\"sandbox_name\":\"x/y\"}}");
    fr_free(json);
    assert_int_equal(fr_state_delta(s, 0, &json, NULL), 0);
    fr_state *t = parse("{}");
    assert_int_equal(fr_state_apply(t, json, strlen(json), NULL), 0);
    assert_int_equal(fr_state_error_count(t, "i1"), 2);
    assert_int_equal(fri_state_find_tally(t, "i1")->runs, 3);
    assert_int_equal(t->record_count, 3);
    assert_null(fr_state_input_file(t, 0));
    fr_free(json);
    fr_state_free(t);
    fr_state_free(s);
}

static int use_state(void *user, fr_error *err)
{
    fr_state *s = NULL;
    char *json = NULL;
    (void)user;
    int rc = fr_state_parse(everything, strlen(everything), &s, err);
    if (rc == 0)
        rc = fr_state_add_result(s, "i1", fri_cstr("c"), fri_cstr("o"), fri_cstr("e"), 1, err);
    if (rc == 0)
        rc = fr_state_increment_error_count(s, "i2", err);
    if (rc == 0)
        rc = fr_state_apply(s, "{\"z\":1}", 7, err);
    if (rc == 0)
        rc = fr_state_json(s, &json, err);
    fr_free(json);
    fr_state_free(s);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(use_state, NULL) > 50);
}

/* A state that is written and read after each turn drops the same as one that stays in memory. */
static void test_order_comes_back(void **state)
{
    (void)state;
    static const char *const turns[] = {"a", "b", "a", "c", "b", "a", "d", "b", "c", "a", "e", "b"};
    fr_state *kept = parse("{}"), *stored = parse("{}");
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        char code[10], *json = NULL;
        snprintf(code, sizeof(code), "%zu", i);
        fr_state *both[] = {kept, stored};
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(fr_state_add_result(both[k], turns[i], fri_cstr(code), fri_cstr(""),
                                                 fri_cstr(""), 1000 + (int64_t)i, NULL),
                             0);
            fri_tally *tally = fri_state_tally(both[k], turns[i], NULL);
            tally->runs++;
            tally->errors = i % 2;
        }
        assert_int_equal(fr_state_json(stored, &json, NULL), 0);
        fr_state_free(stored);
        stored = parse(json);
        expect_json(kept, json);
        fr_free(json);
    }
    for (size_t i = 0; i < kept->record_count; i++)
        assert_string_equal(kept->records[i].json, stored->records[i].json);
    for (size_t i = 0; i < kept->tally_count; i++)
        assert_string_equal(kept->tallies[i].invocation, stored->tallies[i].invocation);
    fr_state_free(kept);
    fr_state_free(stored);
}

/* A run recorded while the clock was set back is still the last. */
static void test_clock_set_back(void **state)
{
    (void)state;
    fr_state *s = parse("{}");
    const fr_str none = fri_cstr("");
    assert_int_equal(fr_state_add_result(s, "i", fri_cstr("a"), none, none, 2000, NULL), 0);
    assert_int_equal(fr_state_add_result(s, "i", fri_cstr("b"), none, none, 1000, NULL), 0);
    assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("a"), NULL), 0);
    assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("b"), NULL), 1);
    fr_state_free(s);
}

/* What another program has recorded need not look like ours. */
static void test_foreign_records(void **state)
{
    (void)state;
    static const char *const records[] = {
        "{\"code\":5}", "{\"code\":null}",         "{\"code\":[\"x\"]}",
        "{}",           "{\"timestamp\":\"now\"}", "{\"timestamp\":1.5}"};
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
        char json[100];
        snprintf(json, sizeof(json), "{\"_code_execution_results\":{\"i\":[%s]}}", records[i]);
        fr_state *s = parse(json);
        assert_int_equal(fri_state_is_repeat(s, "i", fri_cstr("x"), NULL), 0);
        fr_state_free(s);
    }
}

/* What is taken can be written, and what is written can be read. */
static void test_input_files_are_bounded(void **state)
{
    (void)state;
    fr_state *s = parse("{}"), *again = NULL;
    char *json = NULL, *content = calloc(1, FRI_MAX_STATE_FILE_BYTES);
    fr_error err = FR_ERROR_INIT;
    const fr_file most = {"a", fri_str(content, FRI_MAX_STATE_FILE_BYTES), NULL, NULL, 0};
    const fr_file more = {"b", fri_str("x", 1), NULL, NULL, 0};
    assert_non_null(content);
    assert_int_equal(fr_state_add_input_file(s, &most, NULL), 0);
    assert_int_equal(fr_state_add_input_file(s, &more, &err), FR_ELIMIT);
    assert_non_null(strstr(err.text, "33554432 bytes"));
    assert_int_equal(fr_state_json(s, &json, NULL), 0);
    assert_int_equal(fr_state_parse(json, strlen(json), &again, NULL), 0);
    assert_int_equal(fr_state_input_file(again, 0)->content.n, FRI_MAX_STATE_FILE_BYTES);
    fr_state_free(again);
    fr_state_free(s);
    fr_free(json);
    free(content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_comes_back),
        cmocka_unit_test(test_empty_and_null_keys),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_results_are_bounded_in_number),
        cmocka_unit_test(test_results_are_bounded_in_size),
        cmocka_unit_test(test_invocations_are_bounded),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_delta),
        cmocka_unit_test(test_counts_stay_in_bounds),
        cmocka_unit_test(test_order_comes_back),
        cmocka_unit_test(test_clock_set_back),
        cmocka_unit_test(test_foreign_records),
        cmocka_unit_test(test_input_files_are_bounded),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
