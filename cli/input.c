/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_INPUT ((size_t)256 << 20) /* what the library takes */

static int slurp(FILE *f, char **text, size_t *n)
{
    size_t cap = 65536;
    char *p = malloc(cap);
    *n = 0;
    while (p && !feof(f) && !ferror(f) && *n <= MAX_INPUT) {
        *n += fread(p + *n, 1, cap - *n, f);
        if (*n == cap) {
            char *bigger = realloc(p, cap * 2);
            if (!bigger)
                free(p);
            p = bigger;
            cap *= 2;
        }
    }
    *text = p;
    if (!p)
        errno = ENOMEM;
    return !p || ferror(f) ? -1 : 0;
}

int cli_read(const char *command, const char *path, char **text, size_t *n)
{
    int is_stdin = strcmp(path, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(path, "rbe");
    if (!f) {
        cli_say("%s: cannot open %s: %s", command, path, strerror(errno));
        return CLI_USAGE;
    }
    errno = 0;
    int rc = slurp(f, text, n);
    int saved = errno;
    if (!is_stdin)
        fclose(f);
    if (rc) {
        cli_say("%s: cannot read %s: %s", command, path, strerror(saved));
        free(*text);
        return CLI_USAGE;
    }
    if (*n > MAX_INPUT) {
        cli_say("%s: %s is longer than %zu MiB", command, path, MAX_INPUT >> 20);
        free(*text);
        return CLI_MALFORMED;
    }
    return CLI_OK;
}
