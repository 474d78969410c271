/* SPDX-License-Identifier: MIT */
/* The whole loop with a model and an executor that play scripts. Cases that begin with F are those of
 * ADK's tests of its flow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fencerun/memory.h"
#include "fencerun/runner.h"
#include "tests/loop/reply.h"
#include "tests/support/torture.h"

#define BLOCK(code) "\"```python\\n" code "\\n```\\n\""

/* Events as they happened, one line each: author, role, kinds of parts. */
typedef struct loop {
    fr_model *model;
    fr_executor *ex;
    fr_postprocessor_options post;
    fr_runner_options options;
    fr_session *session;
    fr_answer *answer;
    fri_buf events;
    fri_buf streamed;
} loop;

static void note_event(void *user, const fr_event *event)
{
    static const char *const kinds[] = {"",     "text", "code",     "result",
                                        "data", "call", "response", "?"};
    loop *l = user;
    fri_buf_printf(&l->events, "%s %s:", event->author,
                   event->content ? fr_content_role(event->content) : "-");
    for (size_t i = 0; event->content && fr_content_part(event->content, i); i++)
        fri_buf_printf(&l->events, " %s", kinds[fr_content_part(event->content, i)->kind]);
    fri_buf_puts(&l->events, event->error_code ? " !" : "");
    fri_buf_puts(&l->events, "\n");
}

static void note_text(void *user, const char *p, size_t n)
{
    loop *l = user;
    fri_buf_append(&l->streamed, p, n);
}

static void open_model(loop *l, const char *replies)
{
    fr_scripted_model_options o = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    char *json = NULL;
    fr_error err = FR_ERROR_INIT;
    if (asprintf(&json, "{\"replies\":%s}", replies) < 0)
        abort();
    o.json = fri_cstr(json);
    if (fr_model_open(fr_model_scripted(), &o, &l->model, &err))
        fail_msg("%s: %s", json, err.text);
    free(json);
}

static void begin(loop *l, const char *replies, const char *results)
{
    *l = (loop){.post = FR_POSTPROCESSOR_OPTIONS_INIT, .options = FR_RUNNER_OPTIONS_INIT};
    fri_buf_init(&l->events, 100000);
    fri_buf_init(&l->streamed, 100000);
    open_model(l, replies);
    l->ex = results ? scripted_results(results, 2) : NULL;
    l->options.model = l->model;
    l->options.executor = l->ex;
    l->options.postprocessor = &l->post;
    l->options.on_event = note_event;
    l->options.on_text = note_text;
    l->options.user = l;
    assert_int_equal(fr_session_new("app", "user", "session", &l->session, NULL), 0);
}

static int ask(loop *l, const char *question, fr_error *err)
{
    fr_runner *r = NULL;
    int rc = fr_runner_new(&l->options, &r, err);
    fr_answer_free(l->answer);
    l->answer = NULL;
    if (rc == 0)
        rc = fr_runner_ask(r, l->session, fri_cstr(question), "e-1", NULL, &l->answer, err);
    fr_runner_free(r);
    return rc;
}

static void ask_well(loop *l, const char *question)
{
    fr_error err = FR_ERROR_INIT;
    if (ask(l, question, &err))
        fail_msg("%s", err.text);
}

static void end(loop *l)
{
    fr_answer_free(l->answer);
    fr_session_free(l->session);
    fr_model_close(l->model);
    fr_executor_close(l->ex);
    fri_buf_dispose(&l->events);
    fri_buf_dispose(&l->streamed);
}

static void expect_answer(const loop *l, int status, const char *text, int calls)
{
    if (l->answer->status != status)
        fail_msg("%s", fr_answer_status_text(l->answer->status));
    assert_string_equal(l->answer->text.p, text);
    assert_int_equal(l->answer->model_calls, calls);
}

static void test_question_to_answer(void **state)
{
    (void)state;
    loop l;
    begin(&l, "[" BLOCK("print(6 * 7)") ",{\"text\":\"It is 42.\",\"expect\":\"42\"}]",
          "[{\"stdout\":\"42\\n\",\"expect\":\"print(6 * 7)\\n\"}]");
    ask_well(&l, "What is 6 * 7?");
    expect_answer(&l, FR_ANSWER_OK, "It is 42.", 2);
    assert_string_equal(l.events.p, "user user: text\n"
                                    "agent model: code\n"
                                    "agent model: result\n"
                                    "agent model: text\n");
    assert_string_equal(l.streamed.p, "```python\nprint(6 * 7)\n```\nIt is 42.");
    assert_string_equal(l.answer->invocation_id, "e-1");
    assert_int_equal(l.answer->runs, 1);
    assert_int_equal(l.answer->prompt_tokens, -1);
    end(&l);
}

/* The first block fails, the model reads why and does better. */
static void test_tries_again(void **state)
{
    (void)state;
    loop l;
    begin(&l,
          "[" BLOCK("print(1 / 0)") ",{\"text\":\"```python\\nprint(1)\\n```\",\"expect\":"
                                    "\"ZeroDivisionError\"},\"1\"]",
          "[{\"exit_code\":1,\"stderr\":\"ZeroDivisionError: division by zero\\n\"},"
          "{\"stdout\":\"1\\n\"}]");
    ask_well(&l, "?");
    expect_answer(&l, FR_ANSWER_OK, "1", 3);
    assert_int_equal(l.answer->runs, 2);
    assert_int_equal(l.answer->failures, 0);
    end(&l);
}

static const char failing[] = "[{\"exit_code\":1},{\"exit_code\":1}]";

static void use_up(loop *l, int when_used_up)
{
    begin(l, "[" BLOCK("a") "," BLOCK("b") "," BLOCK("c") "," BLOCK("d") "]", failing);
    l->post.when_used_up = when_used_up;
    ask_well(l, "?");
}

static void test_used_up_final_turn(void **state)
{
    (void)state;
    loop l;
    use_up(&l, FR_USED_UP_FINAL_TURN);
    expect_answer(&l, FR_ANSWER_BUDGET_EXHAUSTED, "```python\nd\n```\n", 4);
    assert_int_equal(l.answer->runs, 2);
    end(&l);
}

static void test_used_up_passthrough(void **state)
{
    (void)state;
    loop l;
    use_up(&l, FR_USED_UP_PASSTHROUGH);
    expect_answer(&l, FR_ANSWER_BUDGET_EXHAUSTED, "```python\nc\n```\n", 3);
    end(&l);
}

static void test_used_up_fail(void **state)
{
    (void)state;
    loop l;
    use_up(&l, FR_USED_UP_FAIL);
    expect_answer(&l, FR_ANSWER_FAILED, "```python\nc\n```\n", 3);
    assert_non_null(strstr(l.events.p, "agent model: text !\n"));
    end(&l);
}

static void test_model_calls_are_bounded(void **state)
{
    (void)state;
    loop l;
    begin(&l, "[" BLOCK("a") "," BLOCK("b") "," BLOCK("c") "]", "[{},{},{}]");
    l.options.max_model_calls = 2;
    ask_well(&l, "?");
    expect_answer(&l, FR_ANSWER_MODEL_CALLS, "", 2);
    assert_int_equal(l.answer->runs, 2);
    end(&l);
}

static void test_endings(void **state)
{
    (void)state;
    static const struct {
        const char *reply;
        int status;
        const char *text;
    } cases[] = {
        {"[{\"text\":\"It is\",\"finish\":\"MAX_TOKENS\"}]", FR_ANSWER_TRUNCATED, "It is"},
        {"[{\"text\":\"\",\"finish\":\"SAFETY\"}]", FR_ANSWER_WITHHELD, ""},
        {"[\"\"]", FR_ANSWER_EMPTY, ""},
        {"[{\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"text\":\"Yes.\"}]}]", FR_ANSWER_OK,
         "Yes."},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        loop l;
        begin(&l, cases[i].reply, "[]");
        ask_well(&l, "?");
        expect_answer(&l, cases[i].status, cases[i].text, 1);
        end(&l);
    }
}

static void test_failures_of_calls(void **state)
{
    (void)state;
    static const struct {
        const char *replies, *results;
        int rc;
        const char *says, *events;
    } cases[] = {
        {"[{\"error\":\"FR_EUNAVAILABLE\",\"message\":\"nobody there\"}]", "[]", FR_EMODEL,
         "nobody there", "user user: text\n"},
        {"[]", "[]", FR_EMODEL, "no reply", "user user: text\n"},
        {"[" BLOCK("a") "]", "[{\"error\":\"FR_EUNAVAILABLE\",\"message\":\"engine is down\"}]",
         FR_EUNAVAILABLE, "engine is down", "user user: text\nagent model: code\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        loop l;
        fr_error err = FR_ERROR_INIT;
        begin(&l, cases[i].replies, cases[i].results);
        assert_int_equal(ask(&l, "?", &err), cases[i].rc);
        if (!strstr(err.text, cases[i].says))
            fail_msg("\"%s\" does not say %s", err.text, cases[i].says);
        assert_null(l.answer);
        assert_string_equal(l.events.p, cases[i].events);
        end(&l);
    }
}

/* A second question sees the first, and its budget is its own. */
static void test_session_goes_on(void **state)
{
    (void)state;
    loop l;
    begin(&l, "[" BLOCK("a") ",\"first\",{\"text\":\"second\",\"expect\":\"and now\"}]",
          "[{\"exit_code\":1}]");
    ask_well(&l, "?");
    assert_int_equal(l.answer->failures, 1);
    ask_well(&l, "and now?");
    expect_answer(&l, FR_ANSWER_OK, "second", 1);
    const fr_event *last = fr_session_event(l.session, 5);
    assert_string_equal(fr_content_part(last->content, 0)->data.p, "second");
    assert_null(fr_session_event(l.session, 6));
    end(&l);
}

static void test_session_applies_deltas(void **state)
{
    (void)state;
    fr_session *s = NULL;
    fr_event event = {.state_delta = "{\"_code_executor_error_counts\":{\"i\":2}}"};
    assert_int_equal(fr_session_new(NULL, NULL, NULL, &s, NULL), 0);
    assert_int_equal(strlen(fr_session_id(s)), 36);
    assert_int_equal(fr_session_append(s, &event, NULL), 0);
    assert_int_equal(fr_state_error_count(fr_session_state(s), "i"), 2);
    event.state_delta = "[]";
    assert_int_equal(fr_session_append(s, &event, NULL), FR_EFORMAT);
    event.state_delta = "{\"x\":1}";
    event.partial = 1;
    assert_int_equal(fr_session_append(s, &event, NULL), 0);
    assert_non_null(fr_session_event(s, 0));
    assert_null(fr_session_event(s, 1));
    fr_session_free(s);
}

static void test_answer_as_json(void **state)
{
    (void)state;
    loop l;
    char *json = NULL;
    begin(&l, "[\"a\\nb\"]", "[]");
    ask_well(&l, "?");
    assert_int_equal(fr_answer_json(l.answer, &json, NULL), 0);
    assert_string_equal(json, "{\"status\":\"ok\",\"answer\":\"a\\nb\",\"invocation_id\":\"e-1\","
                              "\"model_calls\":1,\"runs\":0,\"failures\":0,\"prompt_tokens\":null,"
                              "\"output_tokens\":null}");
    fr_free(json);
    end(&l);
}

/* What the model is asked with: an instruction that fits the executor, one's own in front of it. */
typedef struct asked {
    char instruction[4000];
    size_t contents;
} asked;

static int note_request(fr_model *self, const fr_model_request *request, fr_reply *reply,
                        fr_error *err)
{
    asked *a = *(asked **)fr_model_state(self);
    snprintf(a->instruction, sizeof(a->instruction), "%s",
             request->instruction ? request->instruction : "none");
    a->contents = request->content_count;
    return fr_reply_text(reply, 0, "yes", 3, err);
}

static int take_asked(fr_model *self, const void *config, fr_error *err)
{
    (void)err;
    memcpy(fr_model_state(self), &config, sizeof(config));
    return 0;
}

static void test_instruction(void **state)
{
    (void)state;
    static const fr_model_class cls = {.struct_size = sizeof(cls),
                                       .abi = FR_MODEL_ABI,
                                       .name = "asked",
                                       .state_size = sizeof(void *),
                                       .open = take_asked,
                                       .generate = note_request};
    asked a;
    loop l;
    begin(&l, "[]", "[]");
    fr_model_close(l.model);
    assert_int_equal(fr_model_open(&cls, &a, &l.model, NULL), 0);
    l.options.model = l.model;
    ask_well(&l, "?");
    assert_non_null(strstr(a.instruction, "```python\nprint(6 * 7)\n```\n"));
    assert_non_null(strstr(a.instruction, "After 2 failures in a row"));
    assert_null(strstr(a.instruction, "MiB of memory")); /* this executor cannot bound it */
    assert_int_equal(a.contents, 1);
    l.options.instruction = "You are terse.";
    ask_well(&l, "?");
    assert_int_equal(strncmp(a.instruction, "You are terse.\n\nYou can have", 28), 0);
    assert_int_equal(a.contents, 3);
    l.options.no_instruction = 1;
    ask_well(&l, "?");
    assert_string_equal(a.instruction, "You are terse.");
    l.options.instruction = NULL;
    ask_well(&l, "?");
    assert_string_equal(a.instruction, "none");
    end(&l);
}

static int use_runner(void *user, fr_error *err)
{
    fr_runner *r = NULL;
    fr_session *s = NULL;
    fr_answer *a = NULL;
    fr_model *model = NULL;
    fr_runner_options o = *(const fr_runner_options *)user;
    fr_scripted_model_options script = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    script.json = fri_cstr("{\"replies\":[\"no code\"]}");
    int rc = fr_model_open(fr_model_scripted(), &script, &model, err);
    o.model = model;
    if (rc == 0)
        rc = fr_runner_new(&o, &r, err);
    if (rc == 0)
        rc = fr_session_new("a", NULL, NULL, &s, err);
    if (rc == 0)
        rc = fr_runner_ask(r, s, fri_cstr("?"), NULL, NULL, &a, err);
    fr_answer_free(a);
    fr_session_free(s);
    fr_runner_free(r);
    fr_model_close(model);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    loop l;
    begin(&l, "[]", "[]");
    l.options.on_event = NULL;
    l.options.on_text = NULL;
    assert_true(torture(use_runner, &l.options) > 30);
    end(&l);
}

static void test_bad_options(void **state)
{
    (void)state;
    fr_runner *r = NULL;
    fr_runner_options o = FR_RUNNER_OPTIONS_INIT;
    assert_int_equal(fr_runner_new(&o, &r, NULL), FR_EINVAL);
    loop l;
    begin(&l, "[]", "[]");
    l.options.max_model_calls = -1;
    assert_int_equal(fr_runner_new(&l.options, &r, NULL), FR_EINVAL);
    l.options.max_model_calls = 1;
    l.post.compat = 4;
    assert_int_equal(fr_runner_new(&l.options, &r, NULL), FR_EINVAL);
    assert_null(r);
    end(&l);
}

/* ---- F: ADK's flow ---- */

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
        cmocka_unit_test(test_question_to_answer),
        cmocka_unit_test(test_tries_again),
        cmocka_unit_test(test_used_up_final_turn),
        cmocka_unit_test(test_used_up_passthrough),
        cmocka_unit_test(test_used_up_fail),
        cmocka_unit_test(test_model_calls_are_bounded),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_failures_of_calls),
        cmocka_unit_test(test_session_goes_on),
        cmocka_unit_test(test_session_applies_deltas),
        cmocka_unit_test(test_answer_as_json),
        cmocka_unit_test(test_instruction),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_out_of_memory),
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
