/* SPDX-License-Identifier: MIT */
/*
 * What the tests of ADK's own implementations demand (adk-python, adk-java, adk-js), in compat mode, each
 * under its number. Those about finding code are in tests/data/extract/adk.case; tests/adk_vectors.sh
 * prints a table of all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fencerun/memory.h"
#include "tests/executor/puppet.h"
#include "tests/loop/reply.h"

/* ---- U: helpers of code execution ---- */

static int expect_input(fr_call *call, void *user, fr_error *err)
{
    const fr_code_input *in = fr_call_input(call);
    (void)user;
    (void)err;
    assert_string_equal(in->code.p, "print(1)");
    assert_int_equal(in->file_count, 1);
    assert_string_equal(in->files[0].name, "f.txt");
    assert_string_equal(in->execution_id, "exec1");
    fr_result_exited(call, 0);
    return 0;
}

static void u02(void **state)
{
    (void)state;
    puppet p = {.execute = expect_input};
    fr_executor *ex = puppet_open("puppet", &p);
    const fr_file file = {"f.txt", {"x", 1}, "text/plain", NULL, 0};
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    in.code = fri_cstr("print(1)");
    in.files = &file;
    in.file_count = 1;
    in.execution_id = "exec1";
    assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), 0);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* The base64 that an input file's content has in the state. */
static void expect_encoded(const char *content, const char *encoded)
{
    fr_state *s = state_of("{}");
    const fr_file file = {"f", {content, strlen(content)}, NULL, NULL, 0};
    char *json = NULL, want[200];
    assert_int_equal(fr_state_add_input_file(s, &file, NULL), 0);
    assert_int_equal(fr_state_json(s, &json, NULL), 0);
    snprintf(want, sizeof(want), "\"content\":\"%s\"", encoded);
    assert_non_null(strstr(json, want));
    fr_free(json);
    fr_state_free(s);
}

static void u05(void **state)
{
    (void)state;
    expect_encoded("test data", "dGVzdCBkYXRh");
}

static void u07(void **state)
{
    (void)state;
    expect_encoded("", "");
}

static void u24(void **state)
{
    (void)state;
    static char text[100001];
    fr_extract_options o = FR_EXTRACT_OPTIONS_INIT;
    fr_extraction *x = NULL;
    o.compat = FR_COMPAT_ADK;
    memset(text, 'x', 100000);
    assert_int_equal(fr_extract_text(text, 100000, &o, &x, NULL), 0);
    assert_null(fr_extraction_block(x, 0));
    fr_extraction_free(x);
}

/* The result event's part for what an executor returns. */
static void expect_result(const char *result, const char *outcome, const char *output)
{
    char results[512];
    fr_postprocessor_options o = FR_POSTPROCESSOR_OPTIONS_INIT;
    fr_postprocessor *p = NULL;
    o.compat = FR_COMPAT_ADK;
    snprintf(results, sizeof(results), "[%s]", result);
    fr_executor *ex = scripted_results(results, 2);
    fr_state *s = state_of("{}");
    fr_content *reply = text_content("```python\nx\n```\n");
    assert_int_equal(fr_postprocessor_new(ex, &o, &p, NULL), 0);
    fr_turn *turn = postprocess(p, reply, "i", s);
    assert_int_equal(turn->event_count, 2);
    const fr_part *part = fr_content_part(turn->events[1]->content, 0);
    assert_int_equal(part->kind, FR_PART_CODE_EXECUTION_RESULT);
    assert_string_equal(part->label.p, outcome);
    assert_string_equal(part->data.p, output);
    fr_turn_free(turn);
    fr_postprocessor_free(p);
    fr_content_free(reply);
    fr_state_free(s);
    fr_executor_close(ex);
}

/* The same for a result with files, which "scripted" has none of. */
typedef struct output {
    const char *out;
    const char *files[2];
} output;

static int give_output(fr_call *call, void *user, fr_error *err)
{
    const output *o = user;
    int rc = fr_result_write(call, FR_STDOUT, o->out, strlen(o->out), err);
    for (size_t i = 0; rc == 0 && i < 2 && o->files[i]; i++) {
        const fr_file file = {o->files[i], {"x", 1}, "text/plain", NULL, 0};
        rc = fr_result_file(call, &file, err);
    }
    fr_result_exited(call, 0);
    return rc;
}

static void expect_files(const output *o, const char *want)
{
    puppet giver = {.execute = give_output, .user = (void *)(uintptr_t)o};
    fr_postprocessor_options options = FR_POSTPROCESSOR_OPTIONS_INIT;
    fr_postprocessor *p = NULL;
    options.compat = FR_COMPAT_ADK;
    fr_executor *ex = puppet_open("puppet", &giver);
    fr_state *s = state_of("{}");
    fr_content *reply = text_content("```python\nx\n```\n");
    assert_int_equal(fr_postprocessor_new(ex, &options, &p, NULL), 0);
    fr_turn *turn = postprocess(p, reply, "i", s);
    const fr_part *part = fr_content_part(turn->events[1]->content, 0);
    assert_string_equal(part->label.p, "OUTCOME_OK");
    assert_string_equal(part->data.p, want);
    fr_turn_free(turn);
    fr_postprocessor_free(p);
    fr_content_free(reply);
    fr_state_free(s);
    fr_executor_close(ex);
}

static void u28(void **state)
{
    (void)state;
    const output o = {"output", {"f.txt", NULL}};
    expect_files(&o, "Code execution result:\noutput\n\n\nSaved artifacts:\n`f.txt`");
}

static void u29(void **state)
{
    (void)state;
    expect_result("{\"stderr\":\"error occurred\"}", "OUTCOME_FAILED", "error occurred");
}

static void u30(void **state)
{
    (void)state;
    expect_result("{\"stdout\":\"42\"}", "OUTCOME_OK", "Code execution result:\n42\n");
}

static void u31(void **state)
{
    (void)state;
    const output o = {"", {"a.png", "b c.csv"}};
    expect_files(&o, "Saved artifacts:\n`a.png`,`b c.csv`");
}

static void u33(void **state)
{
    (void)state;
    expect_result("{\"stdout\":\"out\",\"stderr\":\"err\"}", "OUTCOME_FAILED", "err");
}

static void result_texts(void **state)
{
    (void)state;
    const output both = {"hi\n", {"a.png", NULL}};
    expect_result("{}", "OUTCOME_OK", "Code execution result:\n\n");
    expect_result("{\"stdout\":\"hi\\n\"}", "OUTCOME_OK", "Code execution result:\nhi\n\n");
    expect_result("{\"stderr\":\"\\n\"}", "OUTCOME_FAILED", "\n");
    expect_files(&both, "Code execution result:\nhi\n\n\n\nSaved artifacts:\n`a.png`");
}

/* As JSON, what a content becomes for the model. */
static void expect_converted(const char *parts, const fr_delimiters *code, const char *want)
{
    fr_content *in = parts_content(parts), *out = NULL;
    char *json = NULL;
    fr_executor_options a = FR_EXECUTOR_OPTIONS_INIT;
    a.code_block_delimiters = code;
    a.code_block_delimiter_count = code ? 1 : 0;
    a.execution_result_delimiters = (fr_delimiters){"```tool_output\n", "\n```"};
    assert_int_equal(fr_convert_code_execution_parts(in, &a, FR_COMPAT_ADK, &out, NULL), 0);
    assert_int_equal(fr_content_json(out, &json, NULL), 0);
    assert_string_equal(json, want);
    fr_free(json);
    fr_content_free(out);
    fr_content_free(in);
}

static const fr_delimiters tick = {"`", "`"}, tool_code = {"```tool_code\n", "\n```"};

static void u34(void **state)
{
    (void)state;
    expect_converted("[]", &tool_code, "{\"parts\":[],\"role\":\"model\"}");
}

static void u36(void **state)
{
    (void)state;
    expect_converted("[{\"text\":\"t\"},{\"executableCode\":{\"code\":\"print(1)\"}}]", &tick,
                     "{\"parts\":[{\"text\":\"t\"},{\"text\":\"`print(1)`\"}],\"role\":\"model\"}");
}

static void u40(void **state)
{
    (void)state;
    expect_converted("[{\"codeExecutionResult\":{\"output\":\"hello\"}}]", &tool_code,
                     "{\"parts\":[{\"text\":\"```tool_output\\nhello\\n```\"}],\"role\":\"user\"}");
}

static void u41(void **state)
{
    (void)state;
    expect_converted("[{\"text\":\"hello\"}]", &tool_code,
                     "{\"parts\":[{\"text\":\"hello\"}],\"role\":\"model\"}");
}

static void convert_rules(void **state)
{
    (void)state;
    /* The first pair whatever the model wrote, nothing around it when there is none; a result among others
     * and code in the middle stay as they are. */
    expect_converted("[{\"executableCode\":{\"code\":\"x\",\"language\":\"PYTHON\"}}]", &tool_code,
                     "{\"parts\":[{\"text\":\"```tool_code\\nx\\n```\"}],\"role\":\"model\"}");
    expect_converted("[{\"executableCode\":{\"code\":\"x\"}}]", NULL,
                     "{\"parts\":[{\"text\":\"x\"}],\"role\":\"model\"}");
    expect_converted(
        "[{\"executableCode\":{\"code\":\"x\"}},{\"codeExecutionResult\":{\"output\":\"y\"}}]",
        &tool_code,
        "{\"parts\":[{\"executableCode\":{\"code\":\"x\"}},"
        "{\"codeExecutionResult\":{\"output\":\"y\"}}],\"role\":\"model\"}");
}

/* ---- C: the context in the session's state ---- */

static void expect_delta(const fr_state *s, const char *want)
{
    char *json = NULL;
    assert_int_equal(fr_state_delta(s, FR_COMPAT_ADK, &json, NULL), 0);
    assert_string_equal(json, want);
    fr_free(json);
}

static void expect_in_state(const fr_state *s, const char *piece)
{
    char *json = NULL;
    assert_int_equal(fr_state_json(s, &json, NULL), 0);
    if (!strstr(json, piece))
        fail_msg("%s is not in %s", piece, json);
    fr_free(json);
}

#define CONTEXT \
    "{\"_code_execution_context\":{\"execution_session_id\":\"s\",\"processed_input_files\":[\"a\"]}"

static void c01(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    expect_in_state(s, "\"_code_execution_context\":{}");
    fr_state_free(s);
}

static void c02(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    expect_delta(s, "{\"_code_execution_context\":{}}");
    fr_state_free(s);
}

static void c03(void **state)
{
    (void)state;
    fr_state *s = state_of(CONTEXT ",\"_code_executor_error_counts\":{\"i\":1},\"x\":1}");
    expect_delta(s, CONTEXT "}");
    fr_state_free(s);
}

static void c04(void **state)
{
    (void)state;
    fr_state *s = state_of(CONTEXT "}");
    assert_string_equal(fr_state_execution_id(s), "s");
    fr_state_free(s);
}

static void c05(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    assert_null(fr_state_execution_id(s));
    fr_state_free(s);
}

static void c06(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    assert_int_equal(fr_state_set_execution_id(s, "new", NULL), 0);
    expect_delta(s, "{\"_code_execution_context\":{\"execution_session_id\":\"new\"}}");
    fr_state_free(s);
}

static void c07(void **state)
{
    (void)state;
    fr_state *s = state_of(CONTEXT "}");
    assert_string_equal(fr_state_processed_file(s, 0), "a");
    assert_null(fr_state_processed_file(s, 1));
    fr_state_free(s);
}

static void c08(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    assert_null(fr_state_processed_file(s, 0));
    fr_state_free(s);
}

static void c09(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    assert_int_equal(fr_state_add_processed_file(s, "a", NULL), 0);
    assert_int_equal(fr_state_add_processed_file(s, "b", NULL), 0);
    expect_delta(s, "{\"_code_execution_context\":{\"processed_input_files\":[\"a\",\"b\"]}}");
    fr_state_free(s);
}

static void c11(void **state)
{
    (void)state;
    fr_state *s = state_of("{\"_code_executor_input_files\":[{\"name\":\"input1.txt\","
                           "\"content\":\"YQ==\",\"mime_type\":\"text/plain\"}]}");
    const fr_file *f = fr_state_input_file(s, 0);
    assert_string_equal(f->name, "input1.txt");
    assert_string_equal(f->content.p, "a");
    assert_string_equal(f->mime_type, "text/plain");
    assert_null(fr_state_input_file(s, 1));
    fr_state_free(s);
}

static void c14(void **state)
{
    (void)state;
    fr_state *s = state_of("{\"_code_executor_input_files\":[{\"name\":\"a\",\"content\":\"\"}]}");
    const fr_file file = {"b", {"b", 1}, "text/csv", NULL, 0};
    assert_int_equal(fr_state_add_input_file(s, &file, NULL), 0);
    assert_string_equal(fr_state_input_file(s, 1)->name, "b");
    expect_in_state(s, "{\"name\":\"b\",\"content\":\"Yg==\",\"mime_type\":\"text/csv\"}]");
    fr_state_clear_input_files(s);
    assert_null(fr_state_input_file(s, 0));
    fr_state_free(s);
}

static void c17(void **state)
{
    (void)state;
    fr_state *s = state_of("{\"_code_executor_error_counts\":{\"i\":2}}");
    assert_int_equal(fr_state_error_count(s, "i"), 2);
    assert_int_equal(fr_state_error_count(s, "unknown"), 0);
    fr_state_free(s);
}

static void c20(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    assert_int_equal(fr_state_increment_error_count(s, "i", NULL), 0);
    expect_in_state(s, "\"_code_executor_error_counts\":{\"i\":1}");
    fr_state_free(s);
}

static void c21(void **state)
{
    (void)state;
    fr_state *s = state_of("{\"_code_executor_error_counts\":{\"i\":2}}");
    assert_int_equal(fr_state_increment_error_count(s, "i", NULL), 0);
    assert_int_equal(fr_state_error_count(s, "i"), 3);
    fr_state_free(s);
}

static void c22(void **state)
{
    (void)state;
    fr_state *s = state_of("{\"_code_executor_error_counts\":{\"i\":2,\"j\":1}}");
    fr_state_reset_error_count(s, "i");
    expect_in_state(s, "\"_code_executor_error_counts\":{\"j\":1}");
    fr_state_free(s);
}

static void c26(void **state)
{
    (void)state;
    fr_state *s = state_of("{}");
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            fr_state_add_result(s, "i", fri_cstr("c"), fri_cstr("o"), fri_cstr("e"), 5 + i, NULL),
            0);
    expect_in_state(
        s, "\"_code_execution_results\":{\"i\":[{\"code\":\"c\",\"result_stdout\":\"o\","
           "\"result_stderr\":\"e\",\"timestamp\":5},{\"code\":\"c\",\"result_stdout\":\"o\","
           "\"result_stderr\":\"e\",\"timestamp\":6}]}");
    fr_state_free(s);
}

#define VECTOR(id, fn, what)              \
    {                                     \
        id " " what, fn, NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        VECTOR("U02", u02, "an input's fields reach the executor"),
        VECTOR("U05", u05, "content is encoded"),
        VECTOR("U07", u07, "empty content is encoded"),
        VECTOR("U24", u24, "100,000 characters without an opener"),
        VECTOR("U28", u28, "output and a file"),
        VECTOR("U29", u29, "stderr is a failure"),
        VECTOR("U30", u30, "stdout is a success"),
        VECTOR("U31", u31, "files and no stdout"),
        VECTOR("U33", u33, "stdout beside stderr is dropped"),
        VECTOR("1.5", result_texts, "exact texts of results"),
        VECTOR("U34", u34, "nothing to convert"),
        VECTOR("U36", u36, "code between the first delimiters"),
        VECTOR("U40", u40, "a result becomes the user's"),
        VECTOR("U41", u41, "text stays"),
        VECTOR("1.2", convert_rules, "what else conversion leaves and takes"),
        VECTOR("C01", c01, "empty state has an empty context"),
        VECTOR("C02", c02, "delta of an empty state"),
        VECTOR("C03", c03, "delta is the context alone"),
        VECTOR("C04", c04, "execution id"),
        VECTOR("C05", c05, "no execution id"),
        VECTOR("C06", c06, "execution id is stored"),
        VECTOR("C07", c07, "processed files"),
        VECTOR("C08", c08, "no processed files"),
        VECTOR("C09", c09, "processed files are added"),
        VECTOR("C11", c11, "input files"),
        VECTOR("C14", c14, "input files are added and cleared"),
        VECTOR("C17", c17, "error count"),
        VECTOR("C20", c20, "first error"),
        VECTOR("C21", c21, "one more error"),
        VECTOR("C22", c22, "reset removes the invocation"),
        VECTOR("C26", c26, "results are appended"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
