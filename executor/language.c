/* SPDX-License-Identifier: MIT */
#include "fencerun/language.h"

#include <stddef.h>

const fr_language *fr_language_python(void)
{
    static const char *const words[] = {"python", "py", "python3", "tool_code", NULL};
    static const fr_language python = {"python", words, FR_LANGUAGE_TRIPLE_QUOTES};
    return &python;
}
