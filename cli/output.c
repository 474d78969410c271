/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

void cli_say(const char *format, ...)
{
    va_list ap;
    fputs("fencerun: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
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
    return exit_code == CLI_OK ? CLI_FAILED : exit_code;
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
