/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum {
    OPT_JSON = 256,
    OPT_CODE,
    OPT_EXECUTOR,
    OPT_LANGUAGE,
    OPT_MEMORY,
    OPT_NETWORK,
    OPT_PIDS,
    OPT_TIMEOUT,
    OPT_CODE_TEXT = 'c'
};

/* A person who did not ask for JSON wants to see what was printed, also when it is long. */
#define PLAIN_OUTPUT_KEEP ((uint64_t)64 << 20)

static const cli_option options[] = {
    {OPT_CODE_TEXT, NULL, "CODE", "run this text as code"},
    {OPT_CODE, "code", "FILE", "run this file (- is standard input) as code, not as a reply"},
    {OPT_LANGUAGE, "language", "L",
     "python (default), bash or sh: to look for in a reply, or of the code"},
    {OPT_EXECUTOR, "executor", "NAME", "sandbox (default), sandbox:ROOT, scripted:FILE"},
    {OPT_TIMEOUT, "timeout", "TIME", "wall time the code may take (60s)"},
    {OPT_MEMORY, "memory", "SIZE", "memory of all its processes together (512M)"},
    {OPT_PIDS, "pids", "N", "processes and threads at one time (128)"},
    {OPT_NETWORK, "network", NULL, "let the code reach the network"},
    CLI_EXTRACT_OPTIONS,
    {OPT_JSON, "json", NULL, "the result with its receipt as one JSON object"},
    {0, NULL, NULL, NULL},
};

typedef struct settings {
    int json;
    const char *code_text;
    const char *code_file;
    const char *reply_file;
    const char *executor;
    const char *language;
    fr_executor_options ex;
    fr_extract_options extract;
} settings;

static int read_pids(const char *text, fr_executor_options *o, fr_error *err)
{
    int64_t n;
    int rc = fr_parse_integer(text, 1, 32768, &n, err);
    if (rc == 0)
        o->max_processes = (uint32_t)n;
    return rc;
}

/* Takes one option; 0, or an error for CLI_ERROR. */
static int take_option(settings *s, int id, const char *argument, fr_error *err)
{
    switch (id) {
    case OPT_CODE_TEXT:
        s->code_text = argument;
        return 0;
    case OPT_CODE:
        s->code_file = argument;
        return 0;
    case OPT_LANGUAGE:
        s->language = argument;
        return 0;
    case OPT_EXECUTOR:
        s->executor = argument;
        return 0;
    case OPT_TIMEOUT:
        return fr_parse_duration(argument, &s->ex.timeout_ms, err);
    case OPT_MEMORY:
        return fr_parse_size(argument, &s->ex.memory_bytes, err);
    case OPT_PIDS:
        return read_pids(argument, &s->ex, err);
    case OPT_NETWORK:
        s->ex.network = 1;
        return 0;
    default:
        s->json = 1;
        return 0;
    }
}

static int read_options(const cli_command *self, int argc, char **argv, settings *s)
{
    const char *argument;
    for (int id; (id = cli_next_option(self, argc, argv, &argument)) != CLI_END;) {
        fr_error err = FR_ERROR_INIT;
        if (id < 0)
            return id;
        int taken = cli_take_extract_option(self->name, id, argument, &s->extract);
        if (taken < 0)
            return taken;
        if (!taken && take_option(s, id, argument, &err)) {
            cli_say("run: --%s: %s", cli_option_name(self, id), err.text);
            return CLI_ERROR;
        }
    }
    int sources = (s->code_text != NULL) + (s->code_file != NULL) + (argc - optind);
    if (sources > 1) {
        cli_say("run: one of -c CODE, --code FILE and a reply's FILE, not %d of them", sources);
        return CLI_ERROR;
    }
    if ((s->code_text || s->code_file) &&
        (s->extract.compat || s->extract.run_untagged || s->extract.run_unterminated)) {
        cli_say("run: --compat, --untagged and --unterminated are for replies, not for code");
        return CLI_ERROR;
    }
    s->reply_file = optind < argc ? argv[optind] : "-";
    return CLI_END;
}

static int say_nothing_to_run(const settings *s, const fr_extraction *x, const char *language,
                              const fr_executor *ex)
{
    int rc = s->json ? cli_put_extraction("run", x) : CLI_OK;
    cli_say_skipped("run", x, &s->extract, ex);
    cli_say("run: no runnable %s block in %s", language,
            strcmp(s->reply_file, "-") == 0 ? "the reply" : s->reply_file);
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
    cli_say("run: executor %s does not run '%s', but:%s", fr_executor_name(ex), name, known);
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
        cli_say("run: %s", err.text);
        return cli_exit_for(&err);
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

static void put_plain(const fr_code_result *r)
{
    char how[320] = "";
    cli_put(r->out.p, r->out.n);
    fflush(stdout);
    fwrite(r->err.p, 1, r->err.n, stderr);
    fr_str last = r->err.n > 0 ? r->err : r->out;
    if (last.n > 0 && last.p[last.n - 1] != '\n')
        fputc('\n', stderr);
    say_degraded(r->receipt);
    if (r->reason[0])
        snprintf(how, sizeof(how), ": %s", r->reason);
    else if (r->signal)
        snprintf(how, sizeof(how), ": signal %d (%s)", r->signal, strsignal(r->signal));
    else
        snprintf(how, sizeof(how), ": exit code %d", r->exit_code);
    cli_say("%s%s, %.3f s", fr_outcome_text(r->outcome), how, (double)r->receipt->run_ns / 1e9);
}

static int put_result(const settings *s, const fr_code_result *r)
{
    if (!s->json) {
        put_plain(r);
        return exit_code_of(r);
    }
    fr_error err = FR_ERROR_INIT;
    char *json = NULL;
    if (fr_code_result_json(r, &json, &err)) {
        cli_say("run: %s", err.text);
        return cli_exit_for(&err);
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
    fr_code_result *r = NULL;
    if (fr_executor_execute(ex, &in, &r, &err)) {
        cli_say("run: %s", err.text);
        return cli_caught_signal() ? CLI_SIGNAL + cli_caught_signal() : cli_exit_for(&err);
    }
    int rc = cli_finish_output(put_result(s, r));
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
        cli_say("run: %s", err.text);
        return cli_exit_for(&err);
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
    fr_error err = FR_ERROR_INIT;
    fr_executor *ex = NULL;
    if (!s->json)
        s->ex.output_keep_bytes = PLAIN_OUTPUT_KEEP;
    if (s->ex.network)
        cli_say("run: warning: the code can reach the network, this machine's own services among "
                "it");
    if (cli_open_executor(s->executor, &s->ex, &ex, &err)) {
        cli_say("run: %s", err.text);
        return cli_exit_for(&err);
    }
    int rc = run_text(s, ex, text, n);
    fr_executor_close(ex);
    return rc;
}

static int run_run(const cli_command *self, int argc, char **argv)
{
    settings s = {
        .executor = "sandbox", .ex = FR_EXECUTOR_OPTIONS_INIT, .extract = FR_EXTRACT_OPTIONS_INIT};
    int id = read_options(self, argc, argv, &s);
    if (id != CLI_END)
        return id == CLI_HELP ? CLI_OK : CLI_USAGE;
    if (s.code_text)
        return with_executor(&s, s.code_text, strlen(s.code_text));
    char *text = NULL;
    size_t n = 0;
    int rc = cli_read("run", s.code_file ? s.code_file : s.reply_file, &text, &n);
    if (rc)
        return rc;
    rc = with_executor(&s, text, n);
    free(text);
    return rc;
}

const cli_command cli_run = {
    "run",
    "Runs the first runnable code block of a reply, which is a file or standard input (-).",
    "[OPTION]... (-c CODE | --code FILE | FILE|-)",
    options,
    run_run,
};
