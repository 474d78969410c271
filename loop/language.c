/* SPDX-License-Identifier: MIT */
#include "loop/language.h"

#include <string.h>
#include <strings.h>

static int is_word(fr_str s, const char *word)
{
    return strlen(word) == s.n && strncasecmp(s.p, word, s.n) == 0;
}

const fr_language *fri_language_find(const fr_language *table, size_t count, fr_str word)
{
    for (size_t i = 0; i < count; i++)
        for (const char *const *w = table[i].words; *w; w++)
            if (is_word(word, *w))
                return &table[i];
    return NULL;
}
