/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"

int cli_open_executor(const char *spec, fr_executor_options *options, fr_executor **out,
                      fr_error *err)
{
    char name[40];
    const char *colon = strchr(spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : strlen(spec);
    if (n >= sizeof(name))
        return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%.60s'", spec);
    memcpy(name, spec, n);
    name[n] = '\0';
    fr_scripted_options scripted = FR_SCRIPTED_OPTIONS_INIT;
    fr_sandbox_options sandbox = FR_SANDBOX_OPTIONS_INIT;
    if (colon && strcmp(name, "scripted") == 0) {
        scripted.path = colon + 1;
        options->config = &scripted;
    } else if (strcmp(name, "sandbox") == 0) {
        sandbox.root = colon ? colon + 1 : NULL;
        sandbox.no_wait = 1; /* it makes itself ready while the code is looked for */
        options->config = &sandbox;
    } else if (colon) {
        return fr_fail(err, FR_EINVAL, 0, "executor %s takes nothing behind ':'", name);
    }
    int rc = fr_executor_open(name, options, out, err);
    if (rc != FR_ENOTFOUND || colon)
        return rc;
    char known[256] = "";
    const fr_executor_class *cls;
    for (size_t i = 0, at = 0; (cls = fr_executor_class_at(i)) && at < sizeof(known); i++)
        at += (size_t)snprintf(known + at, sizeof(known) - at, " %s", cls->name);
    return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%s', but:%s", name, known);
}

static int has_word(const fr_language *language, const char *word, size_t n)
{
    for (const char *const *w = language->words; *w; w++)
        if (strlen(*w) == n && strncasecmp(*w, word, n) == 0)
            return 1;
    return 0;
}

const fr_language *cli_find_language(const fr_executor *ex, const char *word, size_t n)
{
    size_t count;
    const fr_language *table = fr_executor_languages(ex, &count);
    for (size_t i = 0; i < count; i++)
        if (has_word(&table[i], word, n))
            return &table[i];
    return NULL;
}
