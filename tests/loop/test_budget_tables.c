/* SPDX-License-Identifier: MIT */
/*
 * Tables of tests/data/loop: what a sequence of replies and results makes of the error budget, and what
 * the model is told. A case has
 *
 *     --- options: words of read_option()
 *     --- results: what the executor does, run by run (see `results`)
 *     --- replies: what the model says, turn by turn: code, same (the code before again), text
 *     --- expect: a line for each turn, and with the option "told" what the model is told
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/str.h"
#include "fencerun/guard.h"
#include "tests/loop/reply.h"
#include "tests/support/cases.h"

static const struct {
    const char *word, *json;
} results[] = {
    {"ok", "{\"stdout\":\"42\\n\"}"},
    {"silent", "{}"},
    {"fail", "{\"exit_code\":1,\"stdout\":\"before\\n\",\"stderr\":\"ValueError: no\\n\"}"},
    {"exit3", "{\"exit_code\":3}"},
    {"signal", "{\"signal\":11}"},
    {"warn",
     "{\"stdout\":\"42\\n\",\"stderr\":\"/code/main.py:1: DeprecationWarning: old\\n  x()\\n\"}"},
    {"bar", "{\"stdout\":\"42\\n\",\"stderr\":\"100%|####| 10/10 [00:01<00:00,  9.9it/s]\\n\"}"},
    {"hidden",
     "{\"stdout\":\"42\\n\",\"stderr\":\"Traceback (most recent call last):\\n  File ...\\n"
     "ValueError: no\\n\"}"},
    {"timeout",
     "{\"outcome\":\"timeout\",\"delay_ms\":20,\"message\":\"it ran longer than 20 ms\"}"},
    {"memory", "{\"outcome\":\"memory\",\"message\":\"more than 64 MiB of memory\"}"},
    {"cancelled", "{\"outcome\":\"cancelled\"}"},
    {"down", "{\"error\":\"FR_EUNAVAILABLE\",\"message\":\"engine is down\"}"},
};

typedef struct table {
    fr_postprocessor_options options;
    int attempts;
    int guard;
    int told;
    fr_executor *ex;
    fr_postprocessor *p;
    fr_state *state;
    fri_buf out;
} table;

static const char *result_json(const char *word)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
        if (strcmp(results[i].word, word) == 0)
            return results[i].json;
    fail_msg("there is no result '%s'", word);
    return NULL;
}

static void read_option(table *t, const char *word)
{
    if (strcmp(word, "adk") == 0)
        t->options.compat = FR_COMPAT_ADK;
    else if (strcmp(word, "adk_rule") == 0)
        t->options.budget_rule = FR_BUDGET_ADK;
    else if (strcmp(word, "passthrough") == 0)
        t->options.when_used_up = FR_USED_UP_PASSTHROUGH;
    else if (strcmp(word, "fail") == 0)
        t->options.when_used_up = FR_USED_UP_FAIL;
    else if (strcmp(word, "guard") == 0)
        t->guard = 1;
    else if (strcmp(word, "told") == 0)
        t->told = 1;
    else if (sscanf(word, "max_runs=%d", &t->options.max_runs) != 1 &&
             sscanf(word, "attempts=%d", &t->attempts) != 1)
        fail_msg("there is no option '%s'", word);
}

/* Calls fn for each word of a section. */
static void each_word(const test_case *c, const char *key, void (*fn)(table *t, const char *word),
                      table *t)
{
    char *text = strdup(case_text(c, key, "")), *rest = NULL;
    for (char *w = strtok_r(text, " \n", &rest); w; w = strtok_r(NULL, " \n", &rest))
        fn(t, w);
    free(text);
}

static void add_result(table *t, const char *word)
{
    fri_buf_puts(&t->out, t->out.n > 1 ? "," : "");
    fri_buf_puts(&t->out, result_json(word));
}

static void open_all(const test_case *c, table *t)
{
    fr_error err = FR_ERROR_INIT;
    fri_buf_puts(&t->out, "[");
    each_word(c, "results", add_result, t);
    fri_buf_puts(&t->out, "]");
    t->ex = scripted_results(t->out.p, t->attempts);
    fri_buf_truncate(&t->out, 0);
    if (t->guard && fr_executor_wrap("guard", NULL, t->ex, &t->ex, &err))
        fail_msg("%s", err.text);
    if (fr_postprocessor_new(t->ex, &t->options, &t->p, &err))
        fail_msg("%s", err.text);
    t->state = state_of("{}");
}

static void put_told(table *t, fr_str text)
{
    int at_start = 1;
    for (size_t i = 0; i < text.n; i++) {
        fri_buf_puts(&t->out, at_start ? "    " : "");
        fri_buf_putc(&t->out, text.p[i]);
        at_start = text.p[i] == '\n';
    }
    fri_buf_puts(&t->out, text.n > 0 && !at_start ? "\n" : "");
}

static void put_turn(table *t, const fr_turn *turn)
{
    fri_buf_printf(&t->out, "%s, %s: failures %d, left %d, runs %d",
                   fr_turn_status_text(turn->status), turn->call_again ? "again" : "done",
                   turn->failures, turn->attempts_left, turn->runs);
    if (turn->runs_left >= 0 && t->options.max_runs > 0)
        fri_buf_printf(&t->out, ", left %d", turn->runs_left);
    fri_buf_putc(&t->out, '\n');
    if (t->told && turn->message_count == 2)
        put_told(t, turn->messages[1].text);
    if (turn->event_count == 1)
        fri_buf_printf(&t->out, "    %s: %s\n", turn->events[0]->error_code,
                       turn->events[0]->error_message);
}

static void take_reply(table *t, const char *word)
{
    static int number; /* of the code, so that no two are the same */
    char text[64];
    fr_turn_input in = FR_TURN_INPUT_INIT;
    fr_invocation whose = FR_INVOCATION_INIT;
    fr_turn *turn = NULL;
    fr_error err = FR_ERROR_INIT;
    number += strcmp(word, "code") == 0;
    snprintf(text, sizeof(text), "```python\nprint(%d)\n```\n", number);
    fr_content *reply = text_content(strcmp(word, "text") == 0 ? "It is 42." : text);
    in.reply = reply;
    in.invocation = &whose;
    whose.id = "i";
    if (fr_postprocess(t->p, &in, t->state, &turn, &err))
        fri_buf_printf(&t->out, "%s: failures %d\n", err.text,
                       (int)fr_state_error_count(t->state, "i"));
    else
        put_turn(t, turn);
    fr_turn_free(turn);
    fr_content_free(reply);
}

/* Plays a case; the outcome is in t->out, to be disposed. */
static void play(const test_case *c, table *t)
{
    *t = (table){.options = FR_POSTPROCESSOR_OPTIONS_INIT};
    fri_buf_init(&t->out, 1 << 20);
    each_word(c, "options", read_option, t);
    open_all(c, t);
    each_word(c, "replies", take_reply, t);
    fr_state_free(t->state);
    fr_postprocessor_free(t->p);
    fr_executor_close(t->ex);
}

static void run(void **state)
{
    const test_case *c = *state;
    table t;
    play(c, &t);
    assert_string_equal(t.out.p, case_text(c, "expect", ""));
    fri_buf_dispose(&t.out);
}

static int run_cases(const char *path, const case_file *file)
{
    struct CMUnitTest *tests = calloc(file->count, sizeof(*tests));
    if (!tests)
        abort();
    for (size_t i = 0; i < file->count; i++)
        tests[i] = (struct CMUnitTest){file->cases[i].name, run, NULL, NULL, &file->cases[i]};
    int failed = _cmocka_run_group_tests(path, tests, file->count, NULL, NULL);
    free(tests);
    return failed;
}

static int show_cases(const case_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const test_case *c = &file->cases[i];
        table t;
        play(c, &t);
        printf("%s\n  options  %s\n  results  %s\n  replies  %s\n%s\n", c->name,
               case_text(c, "options", ""), case_text(c, "results", ""),
               case_text(c, "replies", ""), t.out.p);
        fri_buf_dispose(&t.out);
    }
    return 0;
}

/* "show" as argument prints the tables. */
int main(int argc, char **argv)
{
    static const char *const paths[] = {FRI_SOURCE_DIR "/tests/data/loop/budget.case",
                                        FRI_SOURCE_DIR "/tests/data/loop/told.case"};
    int show = argc > 1 && strcmp(argv[1], "show") == 0, failed = 0;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        case_file file = cases_read(paths[i]);
        failed += show ? show_cases(&file) : run_cases(paths[i], &file);
        cases_free(&file);
    }
    return failed != 0;
}
