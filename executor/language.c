/* SPDX-License-Identifier: MIT */
#include "executor/language.h"

#include <stddef.h>

const char *const fri_python_words[] = {"python", "py", "python3", "tool_code", NULL};

const fr_language *fr_language_python(void)
{
    static const fr_language python = {"python", fri_python_words, FR_LANGUAGE_TRIPLE_QUOTES};
    return &python;
}
