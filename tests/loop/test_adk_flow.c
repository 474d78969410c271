/* SPDX-License-Identifier: MIT */
/* What the tests of ADK's flow demand, each under its number; see test_adk_vectors.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/loop/conversation.h"
#include "tests/loop/reply.h"

static void begin_adk(loop *l, const char *replies, const char *results)
{
    begin(l, replies, results);
    l->post.compat = FR_COMPAT_ADK;
}

static void f02(void **state)
{
    (void)state;
    loop l;
    begin_adk(&l, "[" BLOCK("print(1)") ",\"Done.\"]", "[{\"stdout\":\"1\\n\"}]");
    ask_well(&l, "?");
    expect_answer(&l, FR_ANSWER_OK, "Done.", 2);
    assert_string_equal(l.events.p, "user user: text\nagent model: code\nagent model: result\n"
                                    "agent model: text\n");
    end(&l);
}

static void f05(void **state)
{
    (void)state;
    loop l;
    begin_adk(
        &l,
        "[{\"parts\":[{\"text\":\"Here is some code:\"},{\"text\":\"```python\\nx\\n```\"}]},\"ok\"]",
        "[{\"expect\":\"x\"}]");
    ask_well(&l, "?");
    assert_int_equal(l.answer->runs, 1);
    end(&l);
}

static void f07(void **state)
{
    (void)state;
    loop l;
    begin_adk(&l, "[" BLOCK("x") "]", NULL);
    ask_well(&l, "?");
    expect_answer(&l, FR_ANSWER_OK, "```python\nx\n```\n", 1);
    assert_string_equal(l.events.p, "user user: text\nagent model: text\n");
    end(&l);
}

/* A reply that the post-processor leaves alone. */
static void expect_no_events(fr_executor *ex, const fr_content *reply, int partial)
{
    fr_postprocessor_options o = FR_POSTPROCESSOR_OPTIONS_INIT;
    fr_postprocessor *p = NULL;
    fr_turn_input in = FR_TURN_INPUT_INIT;
    fr_turn *turn = NULL;
    fr_state *s = state_of("{}");
    o.compat = FR_COMPAT_ADK;
    in.reply = reply;
    in.partial = partial;
    assert_int_equal(fr_postprocessor_new(ex, &o, &p, NULL), 0);
    assert_int_equal(fr_postprocess(p, &in, s, &turn, NULL), 0);
    assert_int_equal(turn->event_count, 0);
    assert_int_equal(turn->call_again, 0);
    fr_turn_free(turn);
    fr_postprocessor_free(p);
    fr_state_free(s);
}

static void f09(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[]", 2);
    fr_content *reply = text_content("```python\nx\n```\n");
    expect_no_events(ex, reply, 1);
    fr_content_free(reply);
    fr_executor_close(ex);
}

static void f11(void **state)
{
    (void)state;
    fr_content *reply = text_content("```python\nx\n```\n");
    expect_no_events(NULL, reply, 0);
    fr_content_free(reply);
}

static void f12(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[]", 2);
    fr_content *reply = parts_content("[]");
    expect_no_events(ex, reply, 0);
    fr_content_free(reply);
    fr_executor_close(ex);
}

static void f13(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[]", 2);
    fr_content *reply = text_content("plain text");
    expect_no_events(ex, reply, 0);
    fr_content_free(reply);
    fr_executor_close(ex);
}

static void f14(void **state)
{
    (void)state;
    loop l;
    begin_adk(&l, "[\"\"]", "[]");
    ask_well(&l, "?");
    assert_string_equal(l.events.p, "user user: text\n");
    assert_int_equal(l.answer->status, FR_ANSWER_EMPTY);
    end(&l);
}

static int is_final(const char *json)
{
    fr_event *e = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_event_parse(json, strlen(json), &e, &err))
        fail_msg("%s", err.text);
    int final = fr_event_is_final(e);
    fr_event_free(e);
    return final;
}

static void f15(void **state)
{
    (void)state;
#define CALL "\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\"}}]}"
    assert_true(is_final("{\"content\":{\"parts\":[{\"text\":\"x\"}]}}"));
    assert_false(is_final("{" CALL "}"));
    assert_true(is_final("{" CALL ",\"longRunningToolIds\":[\"1\"]}"));
    assert_true(is_final("{" CALL ",\"actions\":{\"skipSummarization\":true}}"));
    assert_false(
        is_final("{\"content\":{\"parts\":[{\"codeExecutionResult\":{\"output\":\"\"}}]}}"));
    assert_false(is_final("{\"content\":{\"parts\":[{\"text\":\"x\"}]},\"partial\":true}"));
}

static void f16(void **state)
{
    (void)state;
    loop l;
    begin_adk(&l,
              "[{\"text\":\"```python\\nprint(6 * 7)\\n```\",\"finish\":\"STOP\"},"
              "{\"text\":\"The answer is 42.\",\"finish\":\"STOP\"}]",
              "[{\"stdout\":\"42\\n\",\"expect\":\"print(6 * 7)\"}]");
    ask_well(&l, "?");
    expect_answer(&l, FR_ANSWER_OK, "The answer is 42.", 2);
    assert_int_equal(l.answer->runs, 1);
    assert_null(strchr(l.events.p, '!'));
    end(&l);
}

#define VECTOR(id, fn, what)              \
    {                                     \
        id " " what, fn, NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        VECTOR("F02", f02, "block, then answer: two requests, three events"),
        VECTOR("F05", f05, "text, then a block: the executor is called once"),
        VECTOR("F07", f07, "no executor, no execution events"),
        VECTOR("F09", f09, "a partial response is left alone"),
        VECTOR("F11", f11, "no executor: the response is left alone"),
        VECTOR("F12", f12, "no content"),
        VECTOR("F13", f13, "plain text"),
        VECTOR("F14", f14, "a response without content makes no event"),
        VECTOR("F15", f15, "which events are final"),
        VECTOR("F16", f16, "no 'no content' error behind a block"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
