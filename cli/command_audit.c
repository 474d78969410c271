/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

enum { OPT_JSON = 256, OPT_ANCHOR, OPT_RUN };

typedef struct settings {
    int json;
    const char *anchor;
    int64_t run; /* 0: all of them */
    const char *file;
} settings;

static int take_option(const cli_command *self, settings *s, int id, const char *argument)
{
    fr_error err = FR_ERROR_INIT;
    if (id == OPT_JSON)
        s->json = 1;
    else if (id == OPT_ANCHOR)
        s->anchor = argument;
    else if (fr_parse_integer(argument, 1, INT64_MAX, &s->run, &err)) {
        cli_say("%s: --%s: %s", self->name, cli_option_name(self, id), err.text);
        return CLI_ERROR;
    }
    return 0;
}

static int read_arguments(const cli_command *self, int argc, char **argv, settings *s)
{
    const char *argument;
    int id;
    while ((id = cli_next_option(self, argc, argv, &argument)) >= 0)
        if (take_option(self, s, id, argument))
            return CLI_ERROR;
    if (id != CLI_END)
        return id;
    if (argc - optind != 1) {
        cli_say("%s: one file, not %d; see 'fencerun %s --help'", self->name, argc - optind,
                self->name);
        return CLI_ERROR;
    }
    s->file = argv[optind];
    if (strcmp(s->file, "-") == 0) {
        cli_say("%s: an audit log is read from its file, not from standard input", self->name);
        return CLI_ERROR;
    }
    return CLI_END;
}

/* As for other commands, a file that cannot be read is a fault of whoever named it. */
static int say_failed(const cli_command *self, const fr_error *err)
{
    cli_say("%s: %s", self->name, err->text);
    return err->code == FR_ESYSTEM ? CLI_USAGE : cli_exit_for(err);
}

/* ---- verify ---- */

static void put_summary(const fr_audit_summary *sum)
{
    if (sum->broken_line)
        printf("the chain breaks at line %" PRIu64 ", byte %" PRIu64 ": %s\nbefore it: ",
               sum->broken_line, sum->broken_offset, sum->broken);
    else
        printf("the chain holds: ");
    printf("%" PRIu64 " record%s of %" PRIu64 " run%s", sum->records, sum->records == 1 ? "" : "s",
           sum->runs, sum->runs == 1 ? "" : "s");
    if (sum->records) {
        fputs(", from ", stdout);
        cli_put_time(sum->first_us, 0);
        fputs(" to ", stdout);
        cli_put_time(sum->last_us, 0);
        printf("\nhead %" PRIu64 ":%s", sum->head.sequence, sum->head.hash);
    }
    cli_put("\n", 1);
}

/* What does not break the chain, but is worth knowing. */
static void say_remarks(const cli_command *self, const fr_audit_summary *sum)
{
    if (sum->runs_without_end)
        cli_say("%s: runs without an end: %" PRIu64 ", the first is that of record %" PRIu64,
                self->name, sum->runs_without_end, sum->first_without_end);
    if (sum->torn)
        cli_say("%s: writes that were cut off, as later records tell: %" PRIu64, self->name,
                sum->torn);
    if (sum->clock_back)
        cli_say("%s: the clock was set back: record %" PRIu64
                " has an earlier time than the one before",
                self->name, sum->clock_back);
}

static int put_summary_json(const cli_command *self, const fr_audit_summary *sum)
{
    fr_error err = FR_ERROR_INIT;
    char *json = NULL;
    if (fr_audit_summary_json(sum, &json, &err))
        return say_failed(self, &err);
    printf("%s\n", json);
    fr_free(json);
    return CLI_OK;
}

static int run_verify(const cli_command *self, int argc, char **argv)
{
    settings s = {.json = 0};
    fr_audit_summary sum;
    fr_error err = FR_ERROR_INIT;
    int rc = CLI_OK, id = read_arguments(self, argc, argv, &s);
    if (id != CLI_END)
        return id == CLI_HELP ? CLI_OK : CLI_USAGE;
    if (fr_audit_verify(s.file, s.anchor, &sum, &err))
        return say_failed(self, &err);
    if (s.json)
        rc = put_summary_json(self, &sum);
    else
        put_summary(&sum);
    say_remarks(self, &sum);
    return rc ? rc : sum.broken_line ? CLI_UNVERIFIED : CLI_OK;
}

static const cli_option verify_options[] = {
    {OPT_ANCHOR, "anchor", "SEQ:HASH", "a head told before, which must be in the log"},
    {OPT_JSON, "json", NULL, "one JSON object instead of words"},
    {0, NULL, NULL, NULL},
};

static const cli_command verify = {
    "audit verify",
    "Checks that the chain of an audit log holds: no record was changed, added or taken out.",
    "[OPTION]... FILE",
    verify_options,
    run_verify,
};

/* ---- show ---- */

typedef struct showing {
    const settings *s;
    int shown;
} showing;

static int show_record(void *user, const fr_audit_record *r)
{
    showing *to = user;
    uint64_t run = (uint64_t)to->s->run;
    int is_wanted = !run || (r->event[0] && (r->sequence == run || r->run == run));
    if (!is_wanted)
        return 0;
    if (!to->s->json)
        cli_put_record(r);
    else if (r->event[0])
        printf("%s\n", r->json.p);
    to->shown = 1;
    return 0;
}

static int run_show(const cli_command *self, int argc, char **argv)
{
    settings s = {.json = 0};
    showing to = {&s, 0};
    fr_audit_summary sum;
    fr_error err = FR_ERROR_INIT;
    int id = read_arguments(self, argc, argv, &s);
    if (id != CLI_END)
        return id == CLI_HELP ? CLI_OK : CLI_USAGE;
    if (fr_audit_each(s.file, show_record, &to, &err) || fr_audit_verify(s.file, NULL, &sum, &err))
        return say_failed(self, &err);
    if (sum.broken_line) {
        cli_say("%s: the chain breaks at line %" PRIu64 ": %s", self->name, sum.broken_line,
                sum.broken);
        return CLI_UNVERIFIED;
    }
    if (s.run && !to.shown) {
        cli_say("%s: no record of run %" PRId64, self->name, s.run);
        return CLI_FAILED;
    }
    return CLI_OK;
}

static const cli_option show_options[] = {
    {OPT_RUN, "run", "SEQ", "only the records of the run that began with this one"},
    {OPT_JSON, "json", NULL, "the lines as they are"},
    {0, NULL, NULL, NULL},
};

static const cli_command show = {
    "audit show",
    "Prints the records of an audit log for people, with what could steer a terminal escaped.",
    "[OPTION]... FILE",
    show_options,
    run_show,
};

/* ---- audit ---- */

static const cli_command *const subcommands[] = {&verify, &show};
static const size_t subcommand_count = sizeof(subcommands) / sizeof(subcommands[0]);

static int run_audit(const cli_command *self, int argc, char **argv)
{
    const size_t prefix = strlen(self->name) + 1;
    const char *argument;
    for (size_t i = 0; argc > 1 && i < subcommand_count; i++)
        if (strcmp(subcommands[i]->name + prefix, argv[1]) == 0)
            return subcommands[i]->run(subcommands[i], argc - 1, argv + 1);
    int id = cli_next_option(self, argc, argv, &argument);
    if (id == CLI_HELP)
        return CLI_OK;
    if (id == CLI_END)
        cli_say("audit: verify or show, not '%s'; see 'fencerun audit --help'",
                optind < argc ? argv[optind] : "");
    return CLI_USAGE;
}

static const cli_option no_options[] = {{0, NULL, NULL, NULL}};

const cli_command cli_audit = {
    "audit",
    "Checks ('audit verify') or prints ('audit show') an audit log of runs.",
    "verify|show [OPTION]... FILE",
    no_options,
    run_audit,
};
