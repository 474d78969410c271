/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_LANGUAGES_H
#define FR_EXECUTOR_SANDBOX_LANGUAGES_H

#include "fencerun/language.h"

/* How the sandbox runs a language. */
typedef struct fri_sandbox_language {
    const char *path;                /* the code's file in the run */
    const char *const *interpreters; /* paths in the run's root, the first that exists is taken */
    const char *const *args;         /* what stands between interpreter and file */
    int says_version;                /* these args make it write its version to descriptor 3 */
} fri_sandbox_language;

#define FRI_SANDBOX_LANGUAGES 3

/* Parallel: what the world sees, and how it is done. */
extern const fr_language fri_sandbox_languages[FRI_SANDBOX_LANGUAGES];
extern const fri_sandbox_language fri_sandbox_language_table[FRI_SANDBOX_LANGUAGES];

#endif
