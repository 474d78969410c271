/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fencerun/extract.h"
#include "fencerun/memory.h"
#include "loop/event.h"
#include "tests/support/torture.h"

/* As ADK's API server writes one, but for the order of members. */
static const char whole[] =
    "{\"content\":{\"parts\":[{\"text\":\"Let me see.\"},{\"thought\":true,\"text\":\"hm\"},"
    "{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"print(1)\\n\"}},"
    "{\"codeExecutionResult\":{\"outcome\":\"OUTCOME_OK\",\"output\":\"1\"}},"
    "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"+/8=\"}},"
    "{\"functionCall\":{\"id\":\"c1\",\"name\":\"look\",\"args\":{\"x\":[1,2]}}},"
    "{\"functionResponse\":{\"name\":\"look\",\"response\":{}}},"
    "{\"fileData\":{\"fileUri\":\"gs://b/o\"}}],\"role\":\"model\"},"
    "\"partial\":true,\"errorCode\":\"E\",\"errorMessage\":\"what\",\"customMetadata\":{\"a\":1},"
    "\"invocationId\":\"e-1\",\"author\":\"agent\","
    "\"actions\":{\"skipSummarization\":true,\"stateDelta\":{\"k\":null},\"artifactDelta\":{\"a.png\":0}},"
    "\"longRunningToolIds\":[\"c1\"],\"branch\":\"root.agent\",\"id\":\"id-1\","
    "\"timestamp\":1764567890.123456}";

static fr_event *parse(const char *json)
{
    fr_event *e = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_event_parse(json, strlen(json), &e, &err))
        fail_msg("%s: %s", json, err.text);
    return e;
}

static void expect_json(const fr_event *e, const char *want)
{
    char *json = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_event_json(e, &json, &err))
        fail_msg("%s", err.text);
    assert_string_equal(json, want);
    fr_free(json);
}

static void test_everything_comes_back(void **state)
{
    (void)state;
    fr_event *e = parse(whole);
    assert_string_equal(e->branch, "root.agent");
    assert_int_equal(e->timestamp_us, 1764567890123456);
    assert_string_equal(fr_content_role(e->content), "model");
    assert_int_equal(fr_content_count(e->content), 8);
    const fr_part *image = fr_content_part(e->content, 4);
    assert_memory_equal(image->data.p, "\xfb\xff", 3);
    assert_string_equal(image->label.p, "image/png");
    assert_string_equal(fr_content_part(e->content, 5)->label.p, "look");
    expect_json(e, whole);
    fr_event_free(e);
}

static void test_snake_case(void **state)
{
    (void)state;
    fr_event *e = parse(
        "{\n \"content\": {\"parts\": [{\"executable_code\": {\"code\": \"x\"}}, "
        "{\"inline_data\": {\"mime_type\": \"a/b\", \"data\": \"-_8=\"}}, {\"text\": null, "
        "\"code_execution_result\": {\"outcome\": \"OUTCOME_FAILED\"}}]},\n \"invocation_id\": \"e\", "
        "\"actions\": {\"state_delta\": {\n\"a\" : 1}}, \"id\": \"i\", \"timestamp\": 12, "
        "\"usage_metadata\": {\"dropped\": 1}, \"partial\": null}");
    expect_json(
        e, "{\"content\":{\"parts\":[{\"executableCode\":{\"code\":\"x\"}},"
           "{\"inlineData\":{\"mimeType\":\"a/b\",\"data\":\"+/8=\"}},"
           "{\"codeExecutionResult\":{\"outcome\":\"OUTCOME_FAILED\",\"output\":\"\"}}]},"
           "\"invocationId\":\"e\",\"actions\":{\"stateDelta\":{\"a\":1},\"artifactDelta\":{}},"
           "\"id\":\"i\",\"timestamp\":12.000000}");
    fr_event_free(e);
}

static void test_what_is_left_open(void **state)
{
    (void)state;
    fr_event fields = FR_EVENT_INIT, *a = NULL, *b = NULL;
    fields.author = "user";
    assert_int_equal(fr_event_new(&fields, &a, NULL), 0);
    assert_int_equal(fr_event_new(&fields, &b, NULL), 0);
    assert_int_equal(strlen(a->id), 36);
    assert_int_equal(a->id[14], '4');
    assert_true(strchr("89ab", a->id[19]) != NULL);
    assert_string_not_equal(a->id, b->id);
    assert_string_equal(a->state_delta, "{}");
    assert_string_equal(a->artifact_delta, "{}");
    assert_true(a->timestamp_us > INT64_C(1700000000000000));
    assert_null(a->content);
    fr_event_free(a);
    fr_event_free(b);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *json, *says;
    } cases[] = {
        {"[]", "event: must be an object"},
        {"{\"id\":5}", "id must be a string"},
        {"{\"content\":[]}", "content: must be an object"},
        {"{\"content\":{\"parts\":{}}}", "array \"parts\""},
        {"{\"content\":{\"parts\":[1]}}", "a part must be an object"},
        {"{\"content\":{\"parts\":[{\"text\":\"a\",\"thought\":1}]}}", "thought must be a boolean"},
        {"{\"content\":{\"role\":\"Model!\"}}", "'Model!' is no role"},
        {"{\"content\":{\"parts\":[{\"executableCode\":\"x\"}]}}", "must be an object"},
        {"{\"content\":{\"parts\":[{\"executableCode\":{\"code\":[]}}]}}", "must be a string"},
        {"{\"content\":{\"parts\":[{\"inlineData\":{\"data\":\"%\"}}]}}", "base64"},
        {"{\"content\":{\"parts\":[{\"functionCall\":\"f\"}]}}", "must be an object"},
        {"{\"actions\":{\"stateDelta\":[]}}", "stateDelta must be an object"},
        {"{\"longRunningToolIds\":{}}", "longRunningToolIds must be an array"},
        {"{\"partial\":1}", "partial must be a boolean"},
        {"{\"timestamp\":\"now\"}", "timestamp must be seconds"},
        {"{\"timestamp\":-1}", "timestamp must be seconds"},
        {"{\"timestamp\":1e99}", "timestamp must be seconds"},
        {"{\"timestamp\":99999999999999}", "timestamp must be seconds"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fr_event *e = NULL;
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fr_event_parse(cases[i].json, strlen(cases[i].json), &e, &err),
                         FR_EFORMAT);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: \"%s\" does not say %s", cases[i].json, err.text, cases[i].says);
        assert_null(e);
    }
}

/* What is handed in as JSON is checked before it goes out as JSON. */
static void test_foreign_json(void **state)
{
    (void)state;
    static const size_t size = sizeof(fr_event);
    const fr_event bad[] = {{.struct_size = size, .state_delta = "{\"a\":}"},
                            {.struct_size = size, .state_delta = "[]"},
                            {.struct_size = size, .custom_metadata = "{}{}"},
                            {.struct_size = size, .long_running_tool_ids = "{}"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *json = NULL;
        assert_int_equal(fr_event_json(&bad[i], &json, NULL), FR_EFORMAT);
        assert_null(json);
    }
    fr_content *c = NULL;
    char *json = NULL;
    assert_int_equal(fr_content_new(&c, NULL), 0);
    assert_int_equal(fr_content_add(c, FR_PART_FUNCTION_CALL, 0, "{", 1, "f", NULL), 0);
    assert_int_equal(fr_content_json(c, &json, NULL), FR_EFORMAT);
    fr_content_free(c);
}

/* Lines that a program prints cannot become lines of an event log. */
static void test_one_line(void **state)
{
    (void)state;
    fr_content *c = NULL;
    char *json = NULL;
    const char text[] = "a\n{\"id\":\"forged\"}\r\xe2\x80\xa8\x1b[2J";
    assert_int_equal(fr_content_new(&c, NULL), 0);
    assert_int_equal(fr_content_add(c, FR_PART_TEXT, 0, text, strlen(text), NULL, NULL), 0);
    fr_event e = FR_EVENT_INIT;
    e.content = c;
    e.state_delta = "{\n\"a\"\r:\n1}";
    e.timestamp_us = 1;
    assert_int_equal(fr_event_json(&e, &json, NULL), 0);
    assert_null(strpbrk(json, "\n\r\x1b"));
    assert_null(strstr(json, "\xe2\x80\xa8"));
    fr_free(json);
    fr_content_free(c);
}

/* What holds for any part is read of any part. */
static void test_thoughts_of_every_kind(void **state)
{
    (void)state;
    static const char json[] = "{\"parts\":[{\"thought\":true,\"text\":\"a\"},"
                               "{\"thought\":true,\"executableCode\":{\"code\":\"bad()\"}},"
                               "{\"thought\":true,\"codeExecutionResult\":{\"output\":\"1\"}},"
                               "{\"thought\":true,\"inlineData\":{\"data\":\"+/8=\"}},"
                               "{\"thought\":true,\"functionCall\":{\"name\":\"f\"}},"
                               "{\"thought\":true,\"functionResponse\":{\"name\":\"f\"}},"
                               "{\"thought\":true,\"fileData\":{\"fileUri\":\"gs://b/o\"}}]}";
    fr_content *c = NULL;
    char *out = NULL;
    fr_extraction *x = NULL;
    assert_int_equal(fr_content_parse(json, strlen(json), &c, NULL), 0);
    assert_int_equal(fr_content_count(c), 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(fr_content_part(c, i)->flags, FR_PART_THOUGHT);
    assert_int_equal(fr_content_json(c, &out, NULL), 0);
    assert_string_equal(out, json);
    assert_int_equal(fr_extract(c, NULL, &x, NULL), 0);
    assert_null(fr_extraction_block(x, 0));
    fr_extraction_free(x);
    fr_free(out);
    fr_content_free(c);
}

/* pydantic writes what is not there as null, unless it is told not to. */
static void test_null_members(void **state)
{
    (void)state;
    fr_event *e = parse("{\"content\":{\"parts\":[{\"text\":null,\"executableCode\":null,"
                        "\"inlineData\":null,\"functionCall\":{\"name\":\"f\"}}]}}");
    assert_int_equal(fr_content_part(e->content, 0)->kind, FR_PART_FUNCTION_CALL);
    fr_event_free(e);
}

static void test_final(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int final;
    } cases[] = {
        {"{}", 1},
        {"{\"partial\":true}", 0},
        {"{\"partial\":true,\"actions\":{\"skipSummarization\":true}}", 1},
        {"{\"partial\":true,\"longRunningToolIds\":[\"a\"]}", 1},
        {"{\"partial\":true,\"longRunningToolIds\":[]}", 0},
        {"{\"partial\":true,\"longRunningToolIds\":[ ]}", 0},
        {"{\"partial\":true,\"longRunningToolIds\":null}", 0},
        {"{\"content\":{\"parts\":[{\"functionCall\":{}},{\"text\":\"\"}]}}", 0},
        {"{\"content\":{\"parts\":[{\"codeExecutionResult\":{}},{\"text\":\"\"}]}}", 1},
        {"{\"content\":{\"parts\":[{\"text\":\"\"},{\"codeExecutionResult\":{}}]}}", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fr_event *e = parse(cases[i].json);
        if (fr_event_is_final(e) != cases[i].final)
            fail_msg("%s is %sfinal", cases[i].json, cases[i].final ? "not " : "");
        fr_event_free(e);
    }
}

static void test_bad_fields(void **state)
{
    (void)state;
    static const int64_t times[] = {-1, INT64_MIN, INT64_C(253402300800000000)};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        fr_event fields = FR_EVENT_INIT, *e = NULL;
        char *json = NULL;
        fr_error err = FR_ERROR_INIT;
        fields.timestamp_us = times[i];
        assert_int_equal(fr_event_new(&fields, &e, &err), FR_EINVAL);
        assert_non_null(strstr(err.text, "timestamp_us"));
        assert_int_equal(fr_event_json(&fields, &json, NULL), FR_EINVAL);
        assert_null(json);
        assert_null(e);
    }
    const fr_event unset = {.author = "user"};
    fr_event *e = NULL;
    assert_int_equal(fr_event_new(&unset, &e, NULL), FR_EINVAL);
}

/* What is written can be read again: a member's own nesting adds to that of the event. */
static void test_nesting(void **state)
{
    (void)state;
    for (size_t depth = 60; depth <= 64; depth++) {
        char text[140] = "", *json = NULL;
        fr_event fields = FR_EVENT_INIT, *e = NULL;
        text[0] = '{';
        memcpy(text + 1, "\"k\":", 4);
        memset(text + 5, '[', depth - 1);
        memset(text + 4 + depth, ']', depth - 1);
        text[3 + 2 * depth] = '}';
        fields.state_delta = text;
        int rc = fr_event_json(&fields, &json, NULL);
        assert_int_equal(rc, depth <= 62 ? 0 : FR_ELIMIT);
        if (rc == 0)
            assert_int_equal(fr_event_parse(json, strlen(json), &e, NULL), 0);
        fr_free(json);
        fr_event_free(e);
    }
}

static int use_event(void *user, fr_error *err)
{
    fr_event *e = NULL;
    char *json = NULL;
    (void)user;
    int rc = fr_event_parse(whole, strlen(whole), &e, err);
    if (rc == 0)
        rc = fr_event_json(e, &json, err);
    fr_free(json);
    fr_event_free(e);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(use_event, NULL) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_comes_back),
        cmocka_unit_test(test_snake_case),
        cmocka_unit_test(test_what_is_left_open),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_foreign_json),
        cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_thoughts_of_every_kind),
        cmocka_unit_test(test_null_members),
        cmocka_unit_test(test_final),
        cmocka_unit_test(test_bad_fields),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
