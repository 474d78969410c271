/* SPDX-License-Identifier: MIT */
/* Turns at the edges: delimiters of one's own, runs whose result is lost, rules and texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "fencerun/cancel.h"
#include "fencerun/scripted.h"
#include "loop/state.h"
#include "tests/executor/puppet.h"
#include "tests/loop/reply.h"
#include "tests/support/torture.h"

static const char block[] = "```python\nprint(1)\n```\n";

static fr_postprocessor *around(fr_executor *ex, const fr_postprocessor_options *o)
{
    fr_postprocessor *p = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_postprocessor_new(ex, o, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

/* ---- delimiters ---- */

static fr_executor *with_delimiters(const fr_delimiters *pairs, size_t n)
{
    fr_scripted_options script = FR_SCRIPTED_OPTIONS_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    script.json = fri_cstr("{\"results\":[{},{},{},{},{},{},{},{}]}");
    o.config = &script;
    o.code_block_delimiters = pairs;
    o.code_block_delimiter_count = n;
    assert_int_equal(fr_executor_open("scripted", &o, &ex, NULL), 0);
    return ex;
}

/* The code that a reply has run; "" when nothing is. */
static void expect_run(const fr_postprocessor *p, const char *text, const char *code)
{
    fr_content *reply = text_content(text);
    fr_state *s = state_of("{}");
    fr_turn *turn = postprocess((fr_postprocessor *)(uintptr_t)p, reply, "i", s);
    const fr_block *b = turn->extraction ? fr_extraction_block(turn->extraction, 0) : NULL;
    assert_string_equal(b ? b->code.p : "", code);
    assert_int_equal(turn->status, b ? FR_TURN_RAN : FR_TURN_ANSWER);
    if (b)
        assert_string_equal(b->language.p, "python");
    fr_turn_free(turn);
    fr_state_free(s);
    fr_content_free(reply);
}

/* A fence among the delimiters is found by the rules for fences: longer, in a list, with CRLF. */
static void test_fences_of_ones_own(void **state)
{
    (void)state;
    const fr_delimiters pairs[] = {{"```calc\n", "\n```"},
                                   {"```python\n", "\n```"},
                                   {"[py]", "[/py]"},
                                   {"````sum ", "\n````"}};
    fr_executor *ex = with_delimiters(pairs, 4);
    fr_postprocessor *p = around(ex, NULL);
    expect_run(p, "```calc\n1 + 1\n```\n", "1 + 1\n");
    expect_run(p, "- so:\n\n  ````CALC\r\n  ```\r\n  ````\r\n", "```\n");
    expect_run(p, "```sum\n2\n```\n", "2\n");
    expect_run(p, "```py\n3\n```\n", "3\n");
    expect_run(p, "[py]4[/py]", "4");
    expect_run(p, "```calculus\n5\n```\n", "");
    expect_run(p, "```\n6\n```\n", "");
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

static void test_fence_without_a_word(void **state)
{
    (void)state;
    const fr_delimiters pair = {"```\n", "\n```"};
    fr_executor *ex = with_delimiters(&pair, 1);
    fr_postprocessor *p = around(ex, NULL);
    expect_run(p, "```\n1\n```\n", "1\n");
    expect_run(p, "```text\n1\n```\n", "");
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

static int make_and_free(void *user, fr_error *err)
{
    fr_postprocessor *p = NULL;
    int rc = fr_postprocessor_new(user, NULL, &p, err);
    fr_postprocessor_free(p);
    return rc;
}

static void test_words_out_of_memory(void **state)
{
    (void)state;
    const fr_delimiters pairs[] = {{"```calc\n", "\n```"}, {"```sum\n", "\n```"}};
    fr_executor *ex = with_delimiters(pairs, 2);
    assert_true(torture(make_and_free, ex) >= 6);
    fr_executor_close(ex);
}

/* ---- what is counted ---- */

static int print_much(fr_call *call, void *user, fr_error *err)
{
    int rc = 0;
    char *piece = calloc(1, FRI_MIB);
    assert_non_null(piece);
    memset(piece, 'x', FRI_MIB);
    for (size_t i = 0; rc == 0 && i < *(const size_t *)user; i++)
        rc = fr_result_write(call, FR_STDOUT, piece, FRI_MIB, err);
    free(piece);
    fr_result_exited(call, 0);
    return rc;
}

/* Code that ran is counted, though nobody can be told what it printed. */
static void test_result_too_long_for_an_event(void **state)
{
    (void)state;
    size_t mib = FRI_MAX_REPLY_BYTES / FRI_MIB + 1;
    puppet pup = {.execute = print_much, .user = &mib}, *config = &pup;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_turn_input in = FR_TURN_INPUT_INIT;
    fr_turn *turn = NULL;
    fr_error err = FR_ERROR_INIT;
    fr_state *s = state_of("{}");
    puppet_register();
    o.config = &config;
    o.output_keep_bytes = FRI_MAX_OUTPUT_KEEP_BYTES;
    assert_int_equal(fr_executor_open("puppet", &o, &ex, NULL), 0);
    fr_postprocessor *p = around(ex, NULL);
    in.text = fri_cstr(block);
    assert_int_equal(fr_postprocess(p, &in, s, &turn, &err), FR_ELIMIT);
    assert_null(turn);
    assert_int_equal(fri_state_find_tally(s, "")->runs, 1);
    fr_state_free(s);
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

/* Nothing is counted of a run that was cancelled, and no other invocation is forgotten for it. */
static void test_cancelled_run_is_not_counted(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[{\"delay_ms\":60000}]", 2);
    fr_postprocessor *p = around(ex, NULL);
    fr_turn_input in = FR_TURN_INPUT_INIT;
    fr_turn *turn = NULL;
    fr_state *s = state_of("{}");
    assert_int_equal(fr_cancel_new(&in.cancel, NULL), 0);
    fr_cancel_raise(in.cancel);
    in.text = fri_cstr(block);
    assert_int_equal(fr_postprocess(p, &in, s, &turn, NULL), 0);
    assert_int_equal(turn->status, FR_TURN_CANCELLED);
    assert_int_equal(s->tally_count, 0);
    fr_turn_free(turn);
    fr_cancel_free(in.cancel);
    fr_state_free(s);
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

/* A count that could be no higher stays there, where nothing bounds the runs. */
static void test_runs_without_end(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[{}]", 2);
    fr_postprocessor_options o = FR_POSTPROCESSOR_OPTIONS_INIT;
    o.max_runs = FR_NO_MAXIMUM;
    fr_postprocessor *p = around(ex, &o);
    fr_state *s = state_of("{\"_fencerun_budget\":{\"i\":{\"runs\":2147483647,\"refused\":0}}}");
    fr_content *reply = text_content(block);
    fr_turn *turn = postprocess(p, reply, "i", s);
    assert_int_equal(turn->status, FR_TURN_RAN);
    assert_int_equal(turn->runs, INT32_MAX);
    fr_turn_free(turn);
    fr_content_free(reply);
    fr_state_free(s);
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

/* Where an invocation stands is told of every reply, also one that is left alone. */
static void test_standing_of_every_turn(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[]", 2);
    fr_postprocessor *p = around(ex, NULL);
    fr_state *s = state_of("{\"_code_executor_error_counts\":{\"i\":1},"
                           "\"_fencerun_budget\":{\"i\":{\"runs\":3,\"refused\":0}}}");
    fr_invocation whose = FR_INVOCATION_INIT;
    fr_turn_input in = FR_TURN_INPUT_INIT;
    whose.id = "i";
    in.invocation = &whose;
    in.text = fri_cstr("An answer.");
    for (in.partial = 0; in.partial < 2; in.partial++) {
        fr_turn *turn = NULL;
        assert_int_equal(fr_postprocess(p, &in, s, &turn, NULL), 0);
        assert_int_equal(turn->status, FR_TURN_ANSWER);
        assert_int_equal(turn->failures, 1);
        assert_int_equal(turn->attempts_left, 1);
        assert_int_equal(turn->runs, 3);
        assert_int_equal(turn->runs_left, 17);
        fr_turn_free(turn);
    }
    fr_state_free(s);
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

/* ---- what is told ---- */

/* What the model is told of stderr is what the budget's rule makes of it. */
static void test_rule_and_text_agree(void **state)
{
    (void)state;
    static const char warning[] =
        "[{\"stdout\":\"1\",\"stderr\":\"x.py:1: DeprecationWarning: old\\n\"}]";
    static const struct {
        int rule;
        const char *says, *says_not;
        int failures;
    } cases[] = {
        {FR_BUDGET_CLASSIFIED, "stderr (no failure):", "Tries left", 0},
        {FR_BUDGET_ADK, "stderr (counts as a failure):", "(no failure)", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fr_postprocessor_options o = FR_POSTPROCESSOR_OPTIONS_INIT;
        o.budget_rule = cases[i].rule;
        fr_executor *inner = scripted_results(warning, 2), *ex = NULL;
        assert_int_equal(fr_executor_wrap("guard", NULL, inner, &ex, NULL), 0);
        fr_postprocessor *p = around(ex, &o);
        fr_state *s = state_of("{}");
        fr_content *reply = text_content(block);
        fr_turn *turn = postprocess(p, reply, "i", s);
        assert_int_equal(turn->failures, cases[i].failures);
        if (!strstr(turn->messages[1].text.p, cases[i].says) ||
            strstr(turn->messages[1].text.p, cases[i].says_not))
            fail_msg("%s", turn->messages[1].text.p);
        fr_turn_free(turn);
        fr_content_free(reply);
        fr_state_free(s);
        fr_postprocessor_free(p);
        fr_executor_close(ex);
    }
}

/* That a run was stopped is told also when nobody says why. */
static void test_stopped_without_a_reason(void **state)
{
    (void)state;
    fr_executor *ex = scripted_results("[{\"outcome\":\"timeout\",\"message\":\"\"}]", 2);
    fr_postprocessor *p = around(ex, NULL);
    fr_state *s = state_of("{}");
    fr_content *reply = text_content(block);
    fr_turn *turn = postprocess(p, reply, "i", s);
    if (!strstr(turn->messages[1].text.p, "Stopped after 0.00 s (timeout).\n"))
        fail_msg("%s", turn->messages[1].text.p);
    fr_turn_free(turn);
    fr_content_free(reply);
    fr_state_free(s);
    fr_postprocessor_free(p);
    fr_executor_close(ex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fences_of_ones_own),
        cmocka_unit_test(test_fence_without_a_word),
        cmocka_unit_test(test_words_out_of_memory),
        cmocka_unit_test(test_result_too_long_for_an_event),
        cmocka_unit_test(test_cancelled_run_is_not_counted),
        cmocka_unit_test(test_runs_without_end),
        cmocka_unit_test(test_standing_of_every_turn),
        cmocka_unit_test(test_rule_and_text_agree),
        cmocka_unit_test(test_stopped_without_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
