/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum {
    OPT_JSON = 256,
    OPT_EVENTS,
    OPT_MODEL,
    OPT_BASE_URL,
    OPT_KEY_ENV,
    OPT_STREAM,
    OPT_BUDGET,
    OPT_BUDGET_RULE,
    OPT_WHEN_USED_UP,
    OPT_MAX_RUNS,
    OPT_MAX_MODEL_CALLS,
    OPT_ALL_LANGUAGES
};

static const cli_option options[] = {
    {OPT_MODEL, "model", "MODEL", "openai:NAME, or scripted:FILE for replies from a file"},
    {OPT_BASE_URL, "base-url", "URL", "of the API ($OPENAI_BASE_URL, https://api.openai.com/v1)"},
    {OPT_KEY_ENV, "key-env", "NAME",
     "environment variable that holds the API's key (OPENAI_API_KEY)"},
    {OPT_STREAM, "stream", NULL,
     "print what the model says as it says it, its code as well as the answer"},
    CLI_EXECUTOR_OPTIONS,
    {OPT_BUDGET, "budget", "N", "failures in a row until no more code is run (2)"},
    {OPT_BUDGET_RULE, "budget-rule", "RULE",
     "what a failure is: classified (default), or adk: anything on stderr"},
    {OPT_WHEN_USED_UP, "when-used-up", "MODE",
     "final_turn (default): ask once more, without code; passthrough, fail"},
    {OPT_MAX_RUNS, "max-runs", "N", "runs of code, failed or not (20)"},
    {OPT_MAX_MODEL_CALLS, "max-model-calls", "N", "calls of the model (25)"},
    {OPT_ALL_LANGUAGES, "all-languages", NULL,
     "run blocks in bash and sh, too, not only in Python"},
    CLI_EXTRACT_OPTIONS,
    {OPT_EVENTS, "events", NULL, "every event as a line of JSON, in ADK's shape, as it happens"},
    {OPT_JSON, "json", NULL, "the answer and what it took as one JSON object"},
    {0, NULL, NULL, NULL},
};

typedef struct settings {
    int json;
    int events;
    const char *model;
    const char *question;
    fr_openai_options openai;
    fr_scripted_model_options scripted;
    fr_runner_options runner;
    fr_postprocessor_options post;
    fr_extract_options extract;
    cli_executor_settings executor;
    int mid_line;     /* what was printed of a stream does not end a line yet */
    fr_error unshown; /* the first event that could not be shown; code 0: none */
} settings;

static int read_number(const char *text, int32_t min, int32_t *out, fr_error *err)
{
    int64_t n;
    int rc = fr_parse_integer(text, min, 1000000, &n, err);
    if (rc == 0)
        *out = (int32_t)n;
    return rc;
}

static int read_budget(const char *text, settings *s, fr_error *err)
{
    int rc = read_number(text, 0, &s->executor.options.error_retry_attempts, err);
    if (rc == 0 && s->executor.options.error_retry_attempts == 0)
        s->executor.options.error_retry_attempts = FR_NO_ATTEMPTS;
    return rc;
}

/* The place of a word in a list, from 1. */
static int read_word(const char *text, const char *const *words, const char *known, int32_t *out,
                     fr_error *err)
{
    for (int32_t i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = i + 1;
            return 0;
        }
    return fr_fail(err, FR_EINVAL, 0, "'%.40s' is not known; %s are", text, known);
}

static int read_when_used_up(const char *text, settings *s, fr_error *err)
{
    static const char *const modes[] = {
        [FR_USED_UP_FINAL_TURN - 1] = "final_turn",
        [FR_USED_UP_PASSTHROUGH - 1] = "passthrough",
        [FR_USED_UP_FAIL - 1] = "fail",
        NULL,
    };
    return read_word(text, modes, "final_turn, passthrough and fail", &s->post.when_used_up, err);
}

static int read_rule(const char *text, settings *s, fr_error *err)
{
    static const char *const rules[] = {
        [FR_BUDGET_CLASSIFIED - 1] = "classified",
        [FR_BUDGET_ADK - 1] = "adk",
        NULL,
    };
    return read_word(text, rules, "classified and adk", &s->post.budget_rule, err);
}

/* What is said of blocks goes to the post-processor. With ADK's texts the guard leaves the output as it is. */
static void hand_on_extract_options(settings *s)
{
    s->post.compat = s->extract.compat;
    s->post.run_untagged = s->extract.run_untagged;
    s->post.run_unterminated = s->extract.run_unterminated;
    if (!s->extract.compat)
        return;
    s->executor.guard.keep_controls = 1;
    s->executor.guard.max_characters = FR_NO_CLIP;
}

static int take_option(settings *s, int id, const char *argument, fr_error *err)
{
    switch (id) {
    case OPT_MODEL:
        s->model = argument;
        return 0;
    case OPT_BASE_URL:
        s->openai.base_url = argument;
        return 0;
    case OPT_KEY_ENV:
        s->openai.api_key_env = argument;
        return 0;
    case OPT_BUDGET:
        return read_budget(argument, s, err);
    case OPT_BUDGET_RULE:
        return read_rule(argument, s, err);
    case OPT_WHEN_USED_UP:
        return read_when_used_up(argument, s, err);
    case OPT_MAX_RUNS:
        return read_number(argument, 1, &s->post.max_runs, err);
    case OPT_MAX_MODEL_CALLS:
        return read_number(argument, 1, &s->runner.max_model_calls, err);
    case OPT_ALL_LANGUAGES:
        s->post.all_languages = 1;
        return 0;
    default:
        *(id == OPT_STREAM ? &s->openai.stream : id == OPT_EVENTS ? &s->events : &s->json) = 1;
        return 0;
    }
}

static int is_scripted(const settings *s)
{
    return strncmp(s->model, "scripted:", 9) == 0;
}

static int check_settings(const settings *s, int questions)
{
    if (questions != 1)
        cli_say("ask: one question, not %d; - reads it from standard input", questions);
    else if (!s->question[0])
        cli_say("ask: the question is empty");
    else if (!s->model)
        cli_say("ask: which model? --model openai:NAME or --model scripted:FILE");
    else if (s->json && s->events)
        cli_say("ask: --json or --events, not both");
    else if (is_scripted(s) && (s->openai.base_url || s->openai.api_key_env))
        cli_say("ask: --base-url and --key-env are for openai:NAME, not for a script");
    else
        return 0;
    return CLI_ERROR;
}

static int read_options(const cli_command *self, int argc, char **argv, settings *s)
{
    const char *argument;
    int id;
    while ((id = cli_next_option(self, argc, argv, &argument)) >= 0) {
        fr_error err = FR_ERROR_INIT;
        int taken = cli_take_extract_option(self->name, id, argument, &s->extract);
        if (taken == 0)
            taken = cli_take_executor_option(self, id, argument, &s->executor);
        if (taken < 0)
            return taken;
        if (!taken && take_option(s, id, argument, &err)) {
            cli_say("ask: --%s: %s", cli_option_name(self, id), err.text);
            return CLI_ERROR;
        }
    }
    if (id != CLI_END)
        return id;
    s->question = argv[optind];
    hand_on_extract_options(s);
    return check_settings(s, argc - optind) ? CLI_ERROR : CLI_END;
}

static int open_model(settings *s, fr_error *err)
{
    if (strncmp(s->model, "openai:", 7) == 0) {
        s->openai.model = s->model + 7;
        return fr_model_open(fr_model_openai(), &s->openai, &s->runner.model, err);
    }
    if (is_scripted(s)) {
        s->scripted.path = s->model + 9;
        return fr_model_open(fr_model_scripted(), &s->scripted, &s->runner.model, err);
    }
    return fr_fail(err, FR_EINVAL, 0, "there is no model '%.60s', but openai:NAME, scripted:FILE",
                   s->model);
}

static void put_line(char *json)
{
    cli_put(json, strlen(json));
    cli_put("\n", 1);
    fflush(stdout);
    fr_free(json);
}

static void put_event(void *user, const fr_event *event)
{
    settings *s = user;
    fr_error err = FR_ERROR_INIT;
    char *json = NULL;
    if (fr_event_json(event, &json, &err) == 0) {
        put_line(json);
        return;
    }
    cli_say("ask: an event cannot be shown: %s", err.text);
    if (!s->unshown.code)
        s->unshown = err;
}

/* ---- a stream ---- */

static void put_piece(void *user, const char *p, size_t n)
{
    settings *s = user;
    cli_put_text(p, n);
    fflush(stdout);
    s->mid_line = n > 0 ? p[n - 1] != '\n' : s->mid_line;
}

static void end_line(void *user, const fr_event *event)
{
    settings *s = user;
    (void)event;
    cli_put("\n", s->mid_line != 0);
    fflush(stdout);
    s->mid_line = 0;
}

static void choose_callbacks(settings *s)
{
    s->runner.user = s;
    if (s->events) {
        s->runner.on_event = put_event;
    } else if (s->openai.stream && !s->json) {
        s->runner.on_text = put_piece;
        s->runner.on_event = end_line;
    }
}

/* ---- the answer ---- */

static int put_answer(const settings *s, const fr_answer *a)
{
    fr_error err = FR_ERROR_INIT;
    char *json = NULL;
    if (s->json && fr_answer_json(a, &json, &err))
        return cli_fail("ask", 1, &err);
    if (s->json) {
        put_line(json);
    } else if (!s->runner.on_event) {
        cli_put_text(a->text.p, a->text.n);
        cli_put("\n", a->text.n > 0 && a->text.p[a->text.n - 1] != '\n');
        fflush(stdout);
    }
    cli_say_ending(a, s->json ? NULL : &s->extract, s->runner.executor, s->post.all_languages);
    if (s->unshown.code)
        return cli_exit_for(&s->unshown);
    return a->status == FR_ANSWER_OK ? CLI_OK : CLI_FAILED;
}

static int ask(settings *s, fr_runner *runner, fr_session *session, fr_str question,
               fr_cancel *cancel)
{
    fr_error err = FR_ERROR_INIT;
    fr_answer *answer = NULL;
    int rc = CLI_OK;
    if (fr_runner_ask(runner, session, question, NULL, cancel, &answer, &err)) {
        end_line(s, NULL);
        rc = cli_fail("ask", s->json, &err);
    } else {
        rc = cli_finish_output(put_answer(s, answer));
    }
    fr_answer_free(answer);
    return cli_caught_signal() ? CLI_SIGNAL + cli_caught_signal() : rc;
}

static int ask_until_signal(settings *s, fr_str question)
{
    fr_error err = FR_ERROR_INIT;
    fr_runner *runner = NULL;
    fr_session *session = NULL;
    fr_cancel *cancel = NULL;
    int failed = fr_runner_new(&s->runner, &runner, &err);
    if (!failed)
        failed = fr_session_new("fencerun", NULL, NULL, &session, &err);
    if (!failed)
        failed = cli_catch_signals(&cancel, &err);
    int rc = failed ? cli_fail("ask", s->json, &err) : ask(s, runner, session, question, cancel);
    if (!failed)
        cli_release_signals();
    fr_session_free(session);
    fr_runner_free(runner);
    return rc;
}

static int with_executor_and_model(settings *s, fr_str question)
{
    fr_error err = FR_ERROR_INIT;
    int rc = cli_open_executor("ask", s->json, &s->executor, &s->runner.executor);
    if (rc)
        return rc;
    s->runner.postprocessor = &s->post;
    choose_callbacks(s);
    if (open_model(s, &err)) {
        rc = cli_fail("ask", s->json, &err);
        rc = rc == CLI_UNAVAILABLE ? CLI_MODEL : rc;
    } else {
        rc = ask_until_signal(s, question);
    }
    fr_model_close(s->runner.model);
    fr_executor_close(s->runner.executor);
    return rc;
}

static int ask_question(settings *s)
{
    if (strcmp(s->question, "-") != 0)
        return with_executor_and_model(s, (fr_str){s->question, strlen(s->question)});
    char *text = NULL;
    size_t n = 0;
    int rc = cli_read("ask", "-", &text, &n);
    if (rc)
        return rc;
    rc = with_executor_and_model(s, (fr_str){text, n});
    free(text);
    return rc;
}

static int run_ask(const cli_command *self, int argc, char **argv)
{
    settings s = {.openai = FR_OPENAI_OPTIONS_INIT,
                  .scripted = FR_SCRIPTED_MODEL_OPTIONS_INIT,
                  .runner = FR_RUNNER_OPTIONS_INIT,
                  .post = FR_POSTPROCESSOR_OPTIONS_INIT,
                  .extract = FR_EXTRACT_OPTIONS_INIT,
                  .executor = CLI_EXECUTOR_SETTINGS_INIT};
    int id = read_options(self, argc, argv, &s);
    int rc = id == CLI_END ? ask_question(&s) : id == CLI_HELP ? CLI_OK : CLI_USAGE;
    cli_free_mounts(&s.executor);
    return rc;
}

const cli_command cli_ask = {
    "ask",
    "Asks a model and runs the code it writes, until there is an answer.",
    "[OPTION]... QUESTION|-",
    options,
    run_ask,
};
