/* SPDX-License-Identifier: MIT */
/* The whole loop with a model and an executor that play scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fencerun/memory.h"
#include "fencerun/scripted.h"
#include "tests/loop/conversation.h"
#include "tests/support/torture.h"

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
    begin(l, "[" BLOCK("one") "," BLOCK("two") "," BLOCK("three") "," BLOCK("four") "]", failing);
    l->post.when_used_up = when_used_up;
    ask_well(l, "?");
}

static void test_used_up_final_turn(void **state)
{
    (void)state;
    loop l;
    use_up(&l, FR_USED_UP_FINAL_TURN);
    expect_answer(&l, FR_ANSWER_BUDGET_EXHAUSTED, "```python\nfour\n```\n", 4);
    assert_int_equal(l.answer->runs, 2);
    end(&l);
}

static void test_used_up_passthrough(void **state)
{
    (void)state;
    loop l;
    use_up(&l, FR_USED_UP_PASSTHROUGH);
    expect_answer(&l, FR_ANSWER_BUDGET_EXHAUSTED, "```python\nthree\n```\n", 3);
    end(&l);
}

static void test_used_up_fail(void **state)
{
    (void)state;
    loop l;
    use_up(&l, FR_USED_UP_FAIL);
    expect_answer(&l, FR_ANSWER_FAILED, "```python\nthree\n```\n", 3);
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
        {"[{\"parts\":[{\"text\":\"hm\",\"thought\":true}]}]", FR_ANSWER_EMPTY, ""},
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

/* A session with results in it, and no executor any more. */
static void test_session_goes_on_without_executor(void **state)
{
    (void)state;
    for (int adk = 0; adk < 2; adk++) {
        loop l;
        begin(&l, "[" BLOCK("a") ",\"one\",{\"text\":\"two\",\"expect\":\"and now\"}]", "[{}]");
        l.post.compat = adk ? FR_COMPAT_ADK : 0;
        ask_well(&l, "?");
        l.options.executor = NULL;
        ask_well(&l, "and now?");
        expect_answer(&l, FR_ANSWER_OK, "two", 1);
        end(&l);
    }
}

static void test_session_applies_deltas(void **state)
{
    (void)state;
    fr_session *s = NULL;
    fr_event event = FR_EVENT_INIT;
    event.state_delta = "{\"_code_executor_error_counts\":{\"i\":2}}";
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
    assert_string_equal(
        json, "{\"status\":\"ok\",\"answer\":\"a\\nb\",\"invocation_id\":\"e-1\","
              "\"model_calls\":1,\"runs\":0,\"failures_in_a_row\":0,\"prompt_tokens\":null,"
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

static void test_data_files_are_refused(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_scripted_options script = FR_SCRIPTED_OPTIONS_INIT;
    fr_error err = FR_ERROR_INIT;
    fr_runner *r = NULL;
    loop l;
    begin(&l, "[]", "[]");
    fr_executor_close(l.ex);
    script.json = fri_cstr("{\"results\":[]}");
    o.config = &script;
    o.optimize_data_file = 1;
    assert_int_equal(fr_executor_open("scripted", &o, &l.ex, NULL), 0);
    l.options.executor = l.ex;
    assert_int_equal(fr_runner_new(&l.options, &r, &err), FR_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "optimize_data_file"));
    assert_null(r);
    end(&l);
}

/* Of its options only what is used later has to outlive the making of a runner. */
static void test_options_can_go(void **state)
{
    (void)state;
    loop l;
    fr_runner *r = NULL;
    fr_answer *a = NULL;
    begin(&l, "[\"Yes.\"]", "[]");
    char *agent = strdup("me"), *instruction = strdup("Be brief.");
    fr_postprocessor_options *post = malloc(sizeof(*post));
    *post = l.post;
    fr_runner_options *options = malloc(sizeof(*options));
    *options = l.options;
    options->agent = agent;
    options->instruction = instruction;
    options->postprocessor = post;
    assert_int_equal(fr_runner_new(options, &r, NULL), 0);
    free(agent);
    free(instruction);
    free(post);
    free(options);
    assert_int_equal(fr_runner_ask(r, l.session, fri_cstr("?"), NULL, NULL, &a, NULL), 0);
    assert_string_equal(fr_session_event(l.session, 1)->author, "me");
    fr_answer_free(a);
    fr_runner_free(r);
    end(&l);
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
        cmocka_unit_test(test_session_goes_on_without_executor),
        cmocka_unit_test(test_session_applies_deltas),
        cmocka_unit_test(test_answer_as_json),
        cmocka_unit_test(test_instruction),
        cmocka_unit_test(test_data_files_are_refused),
        cmocka_unit_test(test_options_can_go),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
