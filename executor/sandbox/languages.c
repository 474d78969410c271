/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/languages.h"

#include <stddef.h>

#include "executor/language.h"
#include "executor/sandbox/embedded.h"

static const char *const python_interpreters[] = {"/usr/bin/python3", "/usr/local/bin/python3",
                                                  NULL};
static const char *const python_args[] = {"-I", "-S", "-X", "utf8", "-c", fri_python_start, NULL};

static const char *const bash_words[] = {"bash", NULL};
static const char *const bash_interpreters[] = {"/usr/bin/bash", "/bin/bash", NULL};
static const char *const sh_words[] = {"sh", "shell", NULL};
static const char *const sh_interpreters[] = {"/usr/bin/sh", "/bin/sh", NULL};
static const char *const no_args[] = {NULL};

const fr_language fri_sandbox_languages[FRI_SANDBOX_LANGUAGES] = {
    {"python", fri_python_words, FR_LANGUAGE_TRIPLE_QUOTES},
    {"bash", bash_words, 0},
    {"sh", sh_words, 0},
};

const fri_sandbox_language fri_sandbox_language_table[FRI_SANDBOX_LANGUAGES] = {
    {"/code/main.py", python_interpreters, python_args, 1},
    {"/code/main.sh", bash_interpreters, no_args, 0},
    {"/code/main.sh", sh_interpreters, no_args, 0},
};
