/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

enum { OPT_JSON = 256, OPT_ALL };

static const cli_option options[] = {
    {OPT_JSON, "json", NULL, "one JSON object instead of the bare code"},
    {OPT_ALL, "all", NULL, "every runnable block, not only the first"},
    CLI_EXTRACT_OPTIONS,
    {0, NULL, NULL, NULL},
};

typedef struct settings {
    int json;
    fr_extract_options extract;
} settings;

/* CLI_END when all options are read. */
static int read_options(const cli_command *self, int argc, char **argv, settings *s)
{
    const char *argument;
    int id, taken;
    while ((id = cli_next_option(self, argc, argv, &argument)) >= 0) {
        if (id == OPT_JSON)
            s->json = 1;
        else if (id == OPT_ALL)
            s->extract.all = 1;
        else if ((taken = cli_take_extract_option(self->name, id, argument, &s->extract)) < 0)
            return taken;
    }
    return id;
}

static size_t longest_backticks(fr_str code)
{
    size_t longest = 0, here = 0;
    for (size_t i = 0; i < code.n; i++) {
        here = code.p[i] == '`' ? here + 1 : 0;
        longest = here > longest ? here : longest;
    }
    return longest;
}

/* Fenced again, with fences the code cannot close. */
static void put_fenced(const fr_block *block)
{
    size_t ticks = longest_backticks(block->code) + 1;
    ticks = ticks < 3 ? 3 : ticks;
    for (size_t i = 0; i < ticks; i++)
        cli_put("`", 1);
    printf("%s\n", block->language.p);
    cli_put(block->code.p, block->code.n);
    if (block->code.n > 0 && block->code.p[block->code.n - 1] != '\n')
        cli_put("\n", 1);
    for (size_t i = 0; i < ticks; i++)
        cli_put("`", 1);
    cli_put("\n", 1);
}

static int put_json(const fr_extraction *x)
{
    int rc = cli_put_extraction("extract", x);
    return rc ? rc : fr_extraction_block(x, 0) ? CLI_OK : CLI_FAILED;
}

static int put_code(const fr_extraction *x, const fr_extract_options *how)
{
    const fr_block *b;
    cli_say_skipped("extract", x, how, NULL, NULL);
    if (!fr_extraction_block(x, 0)) {
        cli_say("extract: no runnable block");
        return CLI_FAILED;
    }
    for (size_t i = 0; (b = fr_extraction_block(x, i)) && (how->all || i == 0); i++) {
        if (how->all)
            put_fenced(b);
        else
            cli_put(b->code.p, b->code.n);
    }
    return CLI_OK;
}

static int extract(const settings *s, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    int rc = cli_read("extract", path, &text, &n);
    if (rc)
        return rc;
    fr_error err = FR_ERROR_INIT;
    fr_extraction *x = NULL;
    if (fr_extract_text(text, n, &s->extract, &x, &err)) {
        rc = cli_fail("extract", s->json, &err);
    } else {
        rc = s->json ? put_json(x) : put_code(x, &s->extract);
    }
    fr_extraction_free(x);
    free(text);
    return rc;
}

static int run_extract(const cli_command *self, int argc, char **argv)
{
    settings s = {0, FR_EXTRACT_OPTIONS_INIT};
    int id = read_options(self, argc, argv, &s);
    if (id != CLI_END)
        return id == CLI_HELP ? CLI_OK : CLI_USAGE;
    if (argc - optind > 1) {
        cli_say("extract: one reply at a time, not also '%s'", argv[optind + 1]);
        return CLI_USAGE;
    }
    return extract(&s, optind < argc ? argv[optind] : "-");
}

const cli_command cli_extract = {
    "extract",
    "Prints the first runnable code block of a reply, which is a file or standard input (-).",
    "[OPTION]... [FILE|-]",
    options,
    run_extract,
};
