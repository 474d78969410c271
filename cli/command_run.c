/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum {
    OPT_JSON = 256,
    OPT_CODE,
    OPT_LANGUAGE,
    OPT_FILE,
    OPT_OUT,
    OPT_NO_GUARD,
    OPT_INVOCATION,
    OPT_CODE_TEXT = 'c'
};

/* Who wants neither JSON nor a guard wants to see what was printed, also when it is long. */
#define PLAIN_OUTPUT_KEEP ((uint64_t)64 << 20)

static const cli_option options[] = {
    {OPT_CODE_TEXT, NULL, "CODE", "run this text as code"},
    {OPT_CODE, "code", "FILE", "run this file (- is standard input) as code, not as a reply"},
    {OPT_LANGUAGE, "language", "L",
     "python (default), bash or sh: to look for in a reply, or of the code"},
    {OPT_FILE, "file", "[NAME=]PATH", "copy this file into the working directory (repeatable)"},
    {OPT_OUT, "out", "DIR", "write what is new or changed there afterwards into this directory"},
    CLI_EXECUTOR_OPTIONS,
    {OPT_INVOCATION, "invocation", "ID", "whom the run is for, for the audit log"},
    {OPT_NO_GUARD, "no-guard", NULL,
     "the output as it is, up to 64 MiB, not cleaned and not shortened"},
    CLI_EXTRACT_OPTIONS,
    {OPT_JSON, "json", NULL, "the result with its receipt as one JSON object"},
    {0, NULL, NULL, NULL},
};

typedef struct settings {
    int json;
    const char *code_text;
    const char *code_file;
    const char *reply_file;
    const char *language;
    const char *invocation;
    const char *out;
    cli_files files;
    cli_executor_settings executor;
    fr_extract_options extract;
} settings;

static int take_option(settings *s, int id, const char *argument)
{
    switch (id) {
    case OPT_FILE:
        return cli_add_file("run", argument, &s->files);
    case OPT_OUT:
        s->out = argument;
        break;
    case OPT_CODE_TEXT:
        s->code_text = argument;
        break;
    case OPT_CODE:
        s->code_file = argument;
        break;
    case OPT_LANGUAGE:
        s->language = argument;
        break;
    case OPT_INVOCATION:
        s->invocation = argument;
        break;
    case OPT_NO_GUARD:
        s->executor.no_guard = 1;
        break;
    default:
        s->json = 1;
        break;
    }
    return 0;
}

/* What does not go together. 0, or CLI_ERROR after saying so. */
static int check_settings(const settings *s, int replies)
{
    int sources = (s->code_text != NULL) + (s->code_file != NULL) + replies;
    if (sources > 1)
        cli_say("run: one of -c CODE, --code FILE and a reply's FILE, not %d of them", sources);
    else if ((s->code_text || s->code_file) &&
             (s->extract.compat || s->extract.run_untagged || s->extract.run_unterminated))
        cli_say("run: --compat, --untagged and --unterminated are for replies, not for code");
    else if (s->executor.no_guard && s->executor.guard.audit_path)
        cli_say("run: it is the guard that writes the --audit log, so not with --no-guard");
    else if (s->invocation && !s->executor.guard.audit_path)
        cli_say("run: --invocation is for the --audit log, which is not asked for");
    else
        return 0;
    return CLI_ERROR;
}

static int read_options(const cli_command *self, int argc, char **argv, settings *s)
{
    const char *argument;
    int id;
    while ((id = cli_next_option(self, argc, argv, &argument)) >= 0) {
        int taken = cli_take_extract_option(self->name, id, argument, &s->extract);
        if (taken == 0)
            taken = cli_take_executor_option(self, id, argument, &s->executor);
        if (taken == 0)
            taken = take_option(s, id, argument);
        if (taken < 0)
            return taken;
    }
    if (id != CLI_END)
        return id;
    s->reply_file = optind < argc ? argv[optind] : "-";
    return check_settings(s, argc - optind) ? CLI_ERROR : CLI_END;
}

static int say_nothing_to_run(const settings *s, const fr_extraction *x, const char *language,
                              const fr_executor *ex)
{
    int rc = s->json ? cli_put_extraction("run", x) : CLI_OK;
    cli_say_skipped("run", x, &s->extract, ex, NULL);
    int is_stdin = strcmp(s->reply_file, "-") == 0;
    int has_no_block = !fr_extraction_skipped(x, 0);
    cli_say("run: no runnable %s block in %s%s", language, is_stdin ? "the reply" : s->reply_file,
            has_no_block && !is_stdin ? "; a file that is code itself is run by --code" : "");
    return rc ? rc : CLI_MALFORMED;
}

/* The language the executor knows by that word; NULL after saying that it has none. */
static const fr_language *find_language(const fr_executor *ex, const char *name)
{
    size_t count;
    const fr_language *table = fr_executor_languages(ex, &count);
    if (!name)
        return table;
    const fr_language *found = cli_find_language(ex, name, strlen(name));
    if (found)
        return found;
    char known[256] = "";
    for (size_t i = 0, n = 0; i < count && n < sizeof(known); i++)
        n += (size_t)snprintf(known + n, sizeof(known) - n, " %s", table[i].name);
    cli_say("run: executor %s does not run '%s', but:%s",
            fr_executor_name(fr_executor_innermost(ex)), name, known);
    return NULL;
}

/* Finds the block. *x owns the code. */
static int find_code(const settings *s, const fr_executor *ex, const fr_language *language,
                     const char *text, size_t n, fr_extraction **x, fr_str *code)
{
    size_t count;
    if (s->extract.compat && language != fr_executor_languages(ex, &count)) {
        cli_say("run: --compat adk finds %s only, not %s", fr_executor_languages(ex, &count)->name,
                language->name);
        return CLI_USAGE;
    }
    fr_error err = FR_ERROR_INIT;
    fr_extract_options o = s->extract;
    o.languages = language;
    o.language_count = 1;
    if (fr_extract_text(text, n, &o, x, &err)) {
        return cli_fail("run", s->json, &err);
    }
    const fr_block *block = fr_extraction_block(*x, 0);
    if (!block)
        return say_nothing_to_run(s, *x, language->name, ex);
    *code = block->code;
    return CLI_OK;
}

static int exit_code_of(const fr_code_result *r)
{
    switch (r->outcome) {
    case FR_OUTCOME_OK:
        return CLI_OK;
    case FR_OUTCOME_TIMEOUT:
        return CLI_TIMEOUT;
    default:
        return CLI_FAILED;
    }
}

static void say_degraded(const fr_receipt *receipt)
{
    for (size_t i = 0; i < receipt->limit_count; i++)
        if (receipt->limits[i].degraded)
            cli_say(
                "run: warning: %s was bounded for each process only (%s); no cgroup is delegated "
                "to this user",
                receipt->limits[i].name, receipt->limits[i].mechanism);
}

/* What the executor did not keep, and what of the rest the guard left out. */
static void say_shortened(const settings *s, const char *stream, uint64_t bytes,
                          uint64_t characters, uint64_t written)
{
    const char *remedy = s->executor.no_guard           ? ""
                         : written <= PLAIN_OUTPUT_KEEP ? "; --no-guard shows them"
                                                        : "; --no-guard shows more";
    if (bytes > 0)
        cli_say("run: %" PRIu64 " bytes of %s were not kept%s", bytes, stream, remedy);
    if (characters > 0)
        cli_say("run: %" PRIu64 " characters of %s are left out%s", characters, stream, remedy);
}

static void put_plain(const settings *s, const fr_code_result *r)
{
    const fr_receipt *receipt = r->receipt;
    char how[320] = "";
    cli_put(r->out.p, r->out.n);
    fflush(stdout);
    fwrite(r->err.p, 1, r->err.n, stderr);
    fr_str last = r->err.n > 0 ? r->err : r->out;
    if (last.n > 0 && last.p[last.n - 1] != '\n')
        fputc('\n', stderr);
    say_shortened(s, "stdout", receipt->stdout_written - receipt->stdout_kept,
                  receipt->stdout_clipped, receipt->stdout_written);
    say_shortened(s, "stderr", receipt->stderr_written - receipt->stderr_kept,
                  receipt->stderr_clipped, receipt->stderr_written);
    say_degraded(receipt);
    cli_say_files("run", s->out, r);
    if (r->reason[0])
        snprintf(how, sizeof(how), ": %s", r->reason);
    else if (r->signal)
        snprintf(how, sizeof(how), ": signal %d (%s)", r->signal, strsignal(r->signal));
    else
        snprintf(how, sizeof(how), ": exit code %d", r->exit_code);
    cli_say("%s%s, %.3f s", fr_outcome_text(r->outcome), how, (double)receipt->run_ns / 1e9);
}

static int put_result(const settings *s, const fr_code_result *r)
{
    if (!s->json) {
        put_plain(s, r);
        return exit_code_of(r);
    }
    fr_error err = FR_ERROR_INIT;
    char *json = NULL;
    if (fr_code_result_json(r, &json, &err)) {
        return cli_fail("run", s->json, &err);
    }
    cli_put(json, strlen(json));
    cli_put("\n", 1);
    fr_free(json);
    return exit_code_of(r);
}

static int execute(const settings *s, fr_executor *ex, const char *language, fr_str code,
                   fr_cancel *cancel)
{
    fr_error err = FR_ERROR_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = code;
    in.language = language;
    in.cancel = cancel;
    fr_invocation whose = FR_INVOCATION_INIT;
    whose.id = s->invocation;
    in.invocation = &whose;
    in.files = s->files.p;
    in.file_count = s->files.n;
    fr_code_result *r = NULL;
    if (fr_executor_execute(ex, &in, &r, &err)) {
        int failed = cli_fail("run", s->json, &err);
        return cli_caught_signal() ? CLI_SIGNAL + cli_caught_signal() : failed;
    }
    int written = s->out ? cli_put_files("run", s->out, r) : CLI_OK;
    int rc = cli_finish_output(put_result(s, r));
    rc = written ? written : rc;
    if (r->outcome == FR_OUTCOME_CANCELLED && cli_caught_signal())
        rc = CLI_SIGNAL + cli_caught_signal();
    fr_code_result_free(r);
    return rc;
}

/* A signal ends the run, and then what the run has come to is still put out. */
static int execute_until_signal(const settings *s, fr_executor *ex, const char *language,
                                fr_str code)
{
    fr_error err = FR_ERROR_INIT;
    fr_cancel *cancel = NULL;
    if (cli_catch_signals(&cancel, &err)) {
        return cli_fail("run", s->json, &err);
    }
    int rc = execute(s, ex, language, code, cancel);
    cli_release_signals();
    return rc;
}

static int run_text(const settings *s, fr_executor *ex, const char *text, size_t n)
{
    const fr_language *language = find_language(ex, s->language);
    if (!language)
        return CLI_USAGE;
    fr_extraction *x = NULL;
    fr_str code = {text, n};
    int rc = s->code_text || s->code_file ? CLI_OK : find_code(s, ex, language, text, n, &x, &code);
    if (rc == CLI_OK)
        rc = execute_until_signal(s, ex, language->name, code);
    fr_extraction_free(x);
    return rc;
}

static int with_executor(settings *s, const char *text, size_t n)
{
    fr_executor *ex = NULL;
    if (!s->json && s->executor.no_guard)
        s->executor.options.output_keep_bytes = PLAIN_OUTPUT_KEEP;
    int rc = cli_open_executor("run", s->json, &s->executor, &ex);
    if (rc)
        return rc;
    rc = run_text(s, ex, text, n);
    fr_executor_close(ex);
    return rc;
}

static int run_input(settings *s)
{
    if (s->code_text)
        return with_executor(s, s->code_text, strlen(s->code_text));
    char *text = NULL;
    size_t n = 0;
    int rc = cli_read("run", s->code_file ? s->code_file : s->reply_file, &text, &n);
    if (rc)
        return rc;
    rc = with_executor(s, text, n);
    free(text);
    return rc;
}

static int run_run(const cli_command *self, int argc, char **argv)
{
    settings s = {.executor = CLI_EXECUTOR_SETTINGS_INIT, .extract = FR_EXTRACT_OPTIONS_INIT};
    int id = read_options(self, argc, argv, &s);
    int rc = id == CLI_END ? run_input(&s) : id == CLI_HELP ? CLI_OK : CLI_USAGE;
    cli_free_files(&s.files);
    cli_free_mounts(&s.executor);
    return rc;
}

const cli_command cli_run = {
    "run",
    "Runs the first runnable code block of a reply, which is a file or standard input (-).",
    "[OPTION]... (-c CODE | --code FILE | FILE|-)",
    options,
    run_run,
};
