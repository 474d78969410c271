/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_SKIPPED 20

void cli_say(const char *format, ...)
{
    va_list ap;
    char *line = NULL;
    va_start(ap, format);
    int n = vasprintf(&line, format, ap);
    va_end(ap);
    fputs("fencerun: ", stderr);
    if (n >= 0)
        cli_put_printable(stderr, line, (size_t)n);
    fputs(n < 0 ? "out of memory\n" : "\n", stderr);
    free(n < 0 ? NULL : line);
}

/* "python" of "python title=x", "{.python}" and the like. */
static fr_str first_word(fr_str info)
{
    size_t from = 0;
    while (from < info.n && strchr("{. ", info.p[from]))
        from++;
    size_t to = from;
    while (to < info.n && (isalnum((unsigned char)info.p[to]) || strchr("_+#-", info.p[to])))
        to++;
    return (fr_str){info.p + from, to - from};
}

/* What would have taken a block after all, unless that was asked for already. */
static void hint(char *text, size_t n, const fr_block *b, const fr_extract_options *options,
                 const fr_executor *ex, const char *all_languages)
{
    fr_str word = first_word(b->info);
    const fr_language *language = ex && word.n ? cli_find_language(ex, word.p, word.n) : NULL;
    int other = b->skip == FR_SKIP_LANGUAGE ||
                (b->skip == FR_SKIP_UNTERMINATED && b->info.n && !b->language.n);
    int untagged = b->skip == FR_SKIP_UNTAGGED ||
                   (b->skip == FR_SKIP_UNTERMINATED && !b->info.n && !options->run_untagged);
    int cut = b->skip == FR_SKIP_UNTERMINATED && !options->run_unterminated;
    *text = '\0';
    if (options->compat == FR_COMPAT_ADK || (other && !language))
        return;
    snprintf(text, n, " (%s%s%s%s takes it)",
             !other          ? ""
             : all_languages ? all_languages
                             : "--language ",
             other && !all_languages ? language->name : "", untagged ? "--untagged" : "",
             cut ? (other || untagged ? " --unterminated" : "--unterminated") : "");
}

void cli_say_skipped(const char *command, const fr_extraction *x, const fr_extract_options *options,
                     const fr_executor *ex, const char *all_languages)
{
    const fr_block *b;
    size_t i = 0;
    for (; (b = fr_extraction_skipped(x, i)) && i < MAX_SKIPPED; i++) {
        char taken_by[96] = "";
        if (b->skip != FR_SKIP_EMPTY)
            hint(taken_by, sizeof(taken_by), b, options, ex, all_languages);
        cli_say("%s: passed over the block%s%.60s%s at byte %zu: %s%s", command,
                b->info.n ? " '" : "", b->info.p, b->info.n ? "'" : "", b->start,
                fr_skip_text(b->skip), taken_by);
    }
    if (b)
        cli_say("%s: passed over more blocks than these %d", command, MAX_SKIPPED);
}

int cli_put_extraction(const char *command, const fr_extraction *x)
{
    fr_error err = FR_ERROR_INIT;
    char *json = NULL;
    if (fr_extraction_json(x, &json, &err)) {
        return cli_fail(command, 0, &err);
    }
    cli_put(json, strlen(json));
    cli_put("\n", 1);
    fr_free(json);
    return CLI_OK;
}

void cli_put(const char *p, size_t n)
{
    fwrite(p, 1, n, stdout);
}

int cli_finish_output(int exit_code)
{
    static int said;
    if (fflush(stdout) || ferror(stdout)) {
        if (!said)
            cli_say("cannot write to standard output: %s", strerror(errno));
        said = 1;
        return CLI_UNAVAILABLE;
    }
    return fflush(stderr) || ferror(stderr) ? CLI_UNAVAILABLE : exit_code;
}

int cli_fail(const char *command, int json, const fr_error *err)
{
    char *text = NULL;
    cli_say("%s: %s", command, err->text);
    if (json && fr_error_json(err, &text, NULL) == 0) {
        cli_put(text, strlen(text));
        cli_put("\n", 1);
    }
    fr_free(text);
    return cli_exit_for(err);
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
    case FR_EMODEL:
        return CLI_MODEL;
    default:
        return CLI_UNAVAILABLE;
    }
}
