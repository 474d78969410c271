/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_SKIPPED 20

void cli_say(const char *format, ...)
{
    va_list ap;
    fputs("fencerun: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
}

/* What would have taken it after all. */
static const char *hint(int skip)
{
    switch (skip) {
    case FR_SKIP_UNTAGGED:
        return " (--untagged takes it)";
    case FR_SKIP_UNTERMINATED:
        return " (--unterminated takes it)";
    default:
        return "";
    }
}

void cli_say_skipped(const char *command, const fr_extraction *x)
{
    const fr_block *b;
    size_t i = 0;
    for (; (b = fr_extraction_skipped(x, i)) && i < MAX_SKIPPED; i++)
        cli_say("%s: passed over the block%s%.60s%s at byte %zu: %s%s", command,
                b->info.n ? " '" : "", b->info.p, b->info.n ? "'" : "", b->start,
                fr_skip_text(b->skip), hint(b->skip));
    if (b)
        cli_say("%s: passed over more blocks than these %d", command, MAX_SKIPPED);
}

void cli_put(const char *p, size_t n)
{
    fwrite(p, 1, n, stdout);
}

int cli_finish_output(int exit_code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_code;
    cli_say("cannot write to standard output: %s", strerror(errno));
    return CLI_UNAVAILABLE;
}

int cli_exit_for(const fr_error *err)
{
    switch (err->code) {
    case FR_EINVAL:
    case FR_ENOTFOUND:
    case FR_EUNSUPPORTED:
        return CLI_USAGE;
    case FR_EFORMAT:
    case FR_ELIMIT:
        return CLI_MALFORMED;
    default:
        return CLI_UNAVAILABLE;
    }
}
