/* SPDX-License-Identifier: MIT */
/* Answers as servers give them, whole and in chunks, without a server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/str.h"
#include "loop/model/openai_answer.h"
#include "loop/model/reply.h"
#include "tests/support/leaks.h"
#include "tests/support/talk.h"
#include "tests/support/torture.h"

#define KEY "sk-0123456789abcdef"

typedef struct reading {
    talk talk;
    fr_reply reply;
    fri_openai_answer answer;
    fr_model_response *response;
    fr_error err;
} reading;

static void begin(reading *r)
{
    *r = (reading){.err = FR_ERROR_INIT};
    talk_init(&r->talk, "hello");
    assert_int_equal(fri_reply_init(&r->reply, &r->talk.request, NULL), 0);
    fri_openai_answer_init(&r->answer, &r->reply, KEY);
}

static void end(reading *r)
{
    fr_model_response_free(r->response);
    fri_openai_answer_dispose(&r->answer);
    fri_reply_dispose(&r->reply);
    talk_dispose(&r->talk);
}

static int finish(reading *r, fr_error *err)
{
    int rc = fri_openai_answer_end(&r->answer, err);
    return rc ? rc : fri_reply_take(&r->reply, &r->response, err);
}

static int read_whole(reading *r, const char *json)
{
    begin(r);
    int rc = fri_openai_answer_whole(&r->answer, fri_cstr(json), &r->err);
    return rc ? rc : finish(r, &r->err);
}

/* Chunks are divided by line breaks. */
static int read_chunks(reading *r, const char *text)
{
    int rc = 0;
    begin(r);
    for (const char *at = text; rc == 0 && *at;) {
        size_t n = strcspn(at, "\n");
        rc = fri_openai_answer_chunk(&r->answer, fri_str(at, n), &r->err);
        at += n + (at[n] == '\n');
    }
    return rc ? rc : finish(r, &r->err);
}

static void expect_parts(const reading *r, const char *json, const char *parts)
{
    fri_buf is;
    fri_buf_init(&is, SIZE_MAX);
    talk_describe(r->response->content, &is);
    if (strcmp(is.p, parts) != 0)
        fail_msg("%s: %s", json, is.p);
    fri_buf_dispose(&is);
}

/* ---- Whole answers ---- */

#define MESSAGE(members) "{\"choices\":[{\"message\":{" members "},\"finish_reason\":\"stop\"}]}"

#define CALL(members) "{\"type\":\"function\"," members "}"

static const struct {
    const char *json, *parts;
} whole[] = {
    {MESSAGE("\"content\":\"Hi\\n\\u00fc\""), "Hi\n\xc3\xbc"},
    {MESSAGE("\"content\":\"\\ud83d\\ude00 \\ud83d\""), "\xf0\x9f\x98\x80 \xef\xbf\xbd"},
    {MESSAGE("\"content\":null"), ""},
    {MESSAGE("\"content\":\"\""), ""},
    {MESSAGE(""), ""},
    {MESSAGE("\"content\":[]"), ""},
    {MESSAGE("\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]"),
     "ab"},
    {MESSAGE("\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"odd\",\"x\": [1]}]"),
     "a|[7 odd]{\"type\":\"odd\",\"x\": [1]}"},
    {MESSAGE("\"reasoning_content\":\"hm\",\"content\":\"a\""), "(hm)|a"},
    {MESSAGE("\"content\":\"a\",\"reasoning\":\"hm\""), "(hm)|a"},
    {MESSAGE("\"reasoning\":\"hm\",\"reasoning_content\":\"hm\",\"content\":\"a\""), "(hm)|a"},
    {MESSAGE("\"reasoning\":\"hm\",\"reasoning_content\":\"\",\"content\":\"a\""), "(hm)|a"},
    {MESSAGE("\"reasoning\":null,\"reasoning_content\":null,\"content\":\"a\""), "a"},
    {MESSAGE("\"reasoning\":\"hm\",\"content\":\"\""), "(hm)"},
    {MESSAGE("\"refusal\":\"no\",\"content\":null"), "no"},
    {MESSAGE("\"refusal\":null,\"content\":\"yes\""), "yes"},
    {MESSAGE("\"tool_calls\":[" CALL("\"id\":\"c1\",\"function\":{\"name\":\"f\","
                                     "\"arguments\":\"{\\\"a\\\": 1.50}\"}") "]"),
     "[5 f]{\"id\":\"c1\",\"name\":\"f\",\"args\":{\"a\":1.50}}"},
    {MESSAGE("\"content\":\"a\",\"tool_calls\":[" CALL("\"function\":{\"name\":\"f\",\"arguments\":{\"a\":{}}}") "," CALL(
         "\"id\":\"\",\"function\":{\"name\":\"g\",\"arguments\":\"\"}") "," CALL("\"id\":null,\"function\":{\"name\":\"h\"}") "]"),
     "a|[5 f]{\"name\":\"f\",\"args\":{\"a\":{}}}|[5 g]{\"name\":\"g\",\"args\":{}}|"
     "[5 h]{\"name\":\"h\",\"args\":{}}"},
    {MESSAGE("\"tool_calls\":null,\"content\":\"a\""), "a"},
    {"{\"error\":null,\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"}},"
     "{\"index\":1,\"message\":{\"content\":\"b\"}}]}",
     "a"},
};

static void test_whole_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        reading r;
        if (read_whole(&r, whole[i].json))
            fail_msg("%s: %s", whole[i].json, r.err.text);
        expect_parts(&r, whole[i].json, whole[i].parts);
        assert_true(fri_openai_answer_is_complete(&r.answer));
        end(&r);
    }
}

static void test_malformed_answers(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"", "malformed"},
        {"[]", "malformed: it is no JSON object"},
        {"{\"choices\":[", "malformed"},
        {MESSAGE("\"content\":\"\xff\""), "malformed"},
        {"{}", "no message"},
        {"{\"choices\":null}", "no message"},
        {"{\"choices\":[]}", "no message"},
        {"{\"choices\":{}}", "malformed: its choices are no array"},
        {"{\"choices\":[{}]}", "no message"},
        {"{\"choices\":[1]}", "no message"},
        {"{\"choices\":[{\"message\":null}]}", "no message"},
        {"{\"choices\":[{\"message\":\"a\"}]}", "malformed: its message is no object"},
        {"{\"choices\":[{\"index\":1,\"message\":{}}]}", "no message"},
        {"{\"choices\":[{\"index\":\"0\",\"message\":{}}]}", "malformed: index must be a number"},
        {MESSAGE("\"content\":7"), "malformed: content must be a string"},
        {MESSAGE("\"content\":{}"), "malformed: content must be a string"},
        {MESSAGE("\"content\":[\"a\"]"), "malformed: the type of a part is missing"},
        {MESSAGE("\"content\":[{\"type\":\"text\"}]"), "malformed: content is missing"},
        {MESSAGE("\"refusal\":7"), "malformed: content must be a string"},
        {MESSAGE("\"tool_calls\":[{}]"), "without saying which"},
        {MESSAGE("\"tool_calls\":[1]"), "without saying which"},
        {MESSAGE("\"tool_calls\":[{\"function\":{\"name\":\"\"}}]"), "without saying which"},
        {MESSAGE("\"tool_calls\":[{\"function\":{\"name\":1}}]"), "name must be a string"},
        {MESSAGE("\"tool_calls\":[{\"id\":1}]"), "id must be a string"},
        {MESSAGE("\"tool_calls\":[{\"index\":-1}]"), "index must be a whole number"},
        {MESSAGE("\"tool_calls\":[{\"index\":128}]"), "index must be a whole number"},
        {MESSAGE("\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":7}}]"),
         "arguments must be a string"},
        {MESSAGE("\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]"),
         "'f' with arguments that are no JSON object"},
        {MESSAGE("\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"[]\"}}]"),
         "'f' with arguments that are no JSON object"},
        {"{\"error\":{\"message\":\"busy\"}}", "an error instead of an answer: busy"},
        {"{\"error\":\"busy " KEY "\"}", "instead of an answer: busy *******************"},
        {"{\"error\":{\"code\":7}}", "instead of an answer: {\"code\":7}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reading r;
        int rc = read_whole(&r, cases[i].json);
        if (rc != FR_EMODEL || r.err.code != rc || !strstr(r.err.text, cases[i].text))
            fail_msg("%s: %s %s", cases[i].json, fr_error_name(rc), r.err.text);
        end(&r);
    }
}

static void test_finish_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *reason;
        int finish;
    } cases[] = {
        {"\"stop\"", FR_FINISH_STOP},
        {"\"length\"", FR_FINISH_MAX_TOKENS},
        {"\"content_filter\"", FR_FINISH_SAFETY},
        {"\"tool_calls\"", FR_FINISH_STOP},
        {"\"function_call\"", FR_FINISH_STOP},
        {"\"eos\"", FR_FINISH_OTHER},
        {"null", FR_FINISH_OTHER},
        {"7", FR_FINISH_OTHER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char json[200];
        reading r;
        snprintf(json, sizeof(json), "{\"choices\":[{\"message\":{},\"finish_reason\":%s}]}",
                 cases[i].reason);
        assert_int_equal(read_whole(&r, json), 0);
        if (r.response->finish != cases[i].finish)
            fail_msg("%s: %s", cases[i].reason, fr_finish_text(r.response->finish));
        end(&r);
    }
}

static void test_usage(void **state)
{
    (void)state;
    static const struct {
        const char *usage;
        int prompt, output;
    } cases[] = {
        {"{\"prompt_tokens\":5,\"completion_tokens\":7}", 5, 7},
        {"{\"prompt_tokens\":0}", 0, -1},
        {"{\"prompt_tokens\":\"5\",\"completion_tokens\":-7}", -1, -1},
        {"{\"prompt_tokens\":null,\"completion_tokens\":7}", -1, 7},
        {"null", -1, -1},
        {"[5,7]", -1, -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char json[200];
        reading r;
        snprintf(json, sizeof(json), "{\"choices\":[{\"message\":{}}],\"usage\":%s}",
                 cases[i].usage);
        assert_int_equal(read_whole(&r, json), 0);
        assert_int_equal(r.response->prompt_tokens, cases[i].prompt);
        assert_int_equal(r.response->output_tokens, cases[i].output);
        end(&r);
    }
}

/* ---- Chunks ---- */

#define DELTA(members) "{\"choices\":[{\"delta\":{" members "}}]}\n"
#define END            "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n"
#define PIECE(members) DELTA("\"tool_calls\":[{" members "}]")

static const struct {
    const char *chunks, *parts;
} streams[] = {
    {DELTA("\"role\":\"assistant\",\"content\":\"\"") DELTA("\"content\":\"a\"")
         DELTA("\"content\":\"b\"") END,
     "ab"},
    {DELTA("\"content\":null,\"reasoning_content\":\"h\"") DELTA("\"reasoning_content\":\"m\"")
         DELTA("\"content\":\"a\"") END,
     "(hm)|a"},
    {DELTA("\"reasoning\":\"h\"") DELTA("\"content\":\"a\"") DELTA("\"reasoning\":\"m\"")
         DELTA("\"content\":\"b\"") END,
     "(h)|a|(m)|b"},
    {DELTA("\"reasoning\":\"only thought\"") END, "(only thought)"},
    {DELTA("\"refusal\":\"n\"") DELTA("\"refusal\":\"o\"") END, "no"},
    {"{\"choices\":[],\"prompt_filter_results\":[]}\n" DELTA("\"content\":\"a\"") END "[DONE]\n",
     "a"},
    {"\n" DELTA("\"content\":\"a\"") "\n" END, "a"},
    {DELTA("\"content\":\"a\"") "{\"choices\":[{\"finish_reason\":\"stop\"}]}\n", "a"},
    {DELTA("\"content\":\"a\"") "{\"choices\":[{\"delta\":null}]}\n[DONE]\n", "a"},
    {DELTA("\"content\":\"a\"") "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n" END,
     "a"},
    {DELTA("\"content\":\"\\ud83d\"") DELTA("\"content\":\"\\ude00\"") END,
     "\xef\xbf\xbd\xef\xbf\xbd"},
    {PIECE("\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}")
         PIECE("\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"\"}")
             PIECE("\"index\":0,\"function\":{\"arguments\":\"{}\"}")
                 PIECE("\"index\":1,\"id\":\"\",\"function\":{\"name\":null,"
                       "\"arguments\":\"b\\\":2}\"}") END,
     "[5 f]{\"id\":\"c1\",\"name\":\"f\",\"args\":{}}|"
     "[5 g]{\"id\":\"c2\",\"name\":\"g\",\"args\":{\"b\":2}}"},
    {PIECE("\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}")
         PIECE("\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"}\"}") END,
     "[5 f]{\"id\":\"c1\",\"name\":\"f\",\"args\":{}}"},
    {DELTA("\"content\":[{\"type\":\"text\",\"text\":\"a\"}]") DELTA("\"content\":\"b\"") END,
     "ab"},
};

static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        reading r;
        if (read_chunks(&r, streams[i].chunks))
            fail_msg("%s: %s", streams[i].chunks, r.err.text);
        expect_parts(&r, streams[i].chunks, streams[i].parts);
        assert_true(fri_openai_answer_is_complete(&r.answer));
        end(&r);
    }
}

static void test_bad_chunks(void **state)
{
    (void)state;
    static const char *const chunks[] = {
        "[]",
        "{",
        "[done]",
        "{\"choices\":{}}",
        "{\"choices\":[{\"delta\":[]}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"\xc3\"}}]}",
        "{\"error\":{\"message\":\"fell over\"}}",
        "{\"choices\":[],\"error\":\"fell over\"}",
    };
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        char text[200];
        reading r;
        snprintf(text, sizeof(text), DELTA("\"content\":\"a\"") "%s\n", chunks[i]);
        if (read_chunks(&r, text) != FR_EMODEL || !r.err.text[0])
            fail_msg("%s: %s", chunks[i], r.err.text);
        assert_string_equal(r.talk.heard.p, "a");
        end(&r);
    }
}

static void test_complete_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *chunks;
        int complete;
    } cases[] = {
        {"", 0},
        {"[DONE]\n", 0},
        {"{\"choices\":[]}\n[DONE]\n", 0},
        {DELTA(""), 0},
        {DELTA("\"content\":\"a\""), 0},
        {DELTA("\"content\":\"a\"") "[DONE]\n", 1},
        {DELTA("\"content\":\"a\"") END, 1},
        {END, 1},
        {DELTA("\"content\":\"a\"") "{\"choices\":[{\"finish_reason\":\"new\"}]}\n", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reading r;
        assert_int_equal(read_chunks(&r, cases[i].chunks), 0);
        if (fri_openai_answer_is_complete(&r.answer) != cases[i].complete)
            fail_msg("%s", cases[i].chunks);
        end(&r);
    }
}

/* Nothing is added while the model only thinks, so that all of it can be asked for again. */
static void test_thoughts_are_held_back(void **state)
{
    (void)state;
    reading r;
    static const char thought[] = "{\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}";
    static const char call[] =
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]}}]}";
    begin(&r);
    assert_int_equal(fri_openai_answer_chunk(&r.answer, fri_cstr(thought), NULL), 0);
    assert_int_equal(fri_openai_answer_chunk(&r.answer, fri_cstr(call), NULL), 0);
    assert_false(fr_reply_begun(&r.reply));
    assert_int_equal(finish(&r, NULL), 0);
    assert_true(fr_reply_begun(&r.reply));
    expect_parts(&r, thought, "(hm)|[5 f]{\"name\":\"f\",\"args\":{}}");
    assert_int_equal(r.talk.pieces, 0);
    end(&r);
}

static void test_limits(void **state)
{
    (void)state;
    reading r;
    fri_buf json;
    fri_buf_init(&json, 1 << 20);
    fri_buf_puts(&json, "{\"choices\":[{\"message\":{\"tool_calls\":[");
    for (int i = 0; i <= 128; i++)
        fri_buf_printf(&json, "%s{\"function\":{\"name\":\"f\"}}", i ? "," : "");
    fri_buf_puts(&json, "]}}]}");
    assert_int_equal(read_whole(&r, json.p), FR_ELIMIT);
    assert_non_null(strstr(r.err.text, "128"));
    end(&r);
    fri_buf_truncate(&json, 0);
    for (int i = 0; i <= FRI_MAX_JSON_DEPTH; i++)
        fri_buf_putc(&json, '[');
    assert_int_equal(read_whole(&r, json.p), FR_ELIMIT);
    assert_true(r.err.text[0]);
    end(&r);
    fri_buf_dispose(&json);
}

/* Everything an answer can have in it; the request is made outside, where all memory is there. */
static int whole_use(void *user, fr_error *err)
{
    static const char json[] = MESSAGE(
        "\"reasoning\":\"a thought that is long enough to need room of its own, and more\","
        "\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"odd\"}],\"refusal\":\"b\","
        "\"tool_calls\":[" CALL("\"id\":\"c\",\"function\":{\"name\":\"f\","
                                "\"arguments\":\"{\\\"a\\\":1}\"}") "]");
    fr_reply reply;
    fri_openai_answer answer;
    fr_model_response *response = NULL;
    int rc = fri_reply_init(&reply, user, err);
    fri_openai_answer_init(&answer, &reply, "");
    if (rc == 0)
        rc = fri_openai_answer_whole(&answer, fri_cstr(json), err);
    if (rc == 0)
        rc = fri_openai_answer_end(&answer, err);
    if (rc == 0)
        rc = fri_reply_take(&reply, &response, err);
    fr_model_response_free(response);
    fri_openai_answer_dispose(&answer);
    fri_reply_dispose(&reply);
    return rc;
}

static int error_use(void *user, fr_error *err)
{
    static const char json[] = "{\"error\":{\"message\":\"busy\"}}";
    fr_reply reply;
    fri_openai_answer answer;
    int rc = fri_reply_init(&reply, user, err);
    fri_openai_answer_init(&answer, &reply, "");
    if (rc == 0)
        rc = fri_openai_answer_whole(&answer, fri_cstr(json), err);
    fri_openai_answer_dispose(&answer);
    fri_reply_dispose(&reply);
    return rc == FR_EMODEL ? 0 : rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, "hello");
    t.request.on_text = NULL;
    assert_true(torture(whole_use, &t.request) >= 20);
    assert_true(torture(error_use, &t.request) >= 5);
    talk_dispose(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_whole_answers),   leaks_test(test_malformed_answers),
        leaks_test(test_finish_reasons),  leaks_test(test_usage),
        leaks_test(test_streams),         leaks_test(test_bad_chunks),
        leaks_test(test_complete_or_not), leaks_test(test_thoughts_are_held_back),
        leaks_test(test_limits),          leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
