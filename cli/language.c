/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "cli/cli.h"

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
