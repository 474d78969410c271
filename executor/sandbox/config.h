/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_CONFIG_H
#define FR_EXECUTOR_SANDBOX_CONFIG_H

#include "base/buf.h"
#include "executor/sandbox/protocol.h"
#include "fencerun/executor.h"
#include "fencerun/sandbox.h"

/* What does not change between the runs of an executor: the keeper's configuration and its text, and the
 * languages, in the same order as there. */
typedef struct fri_sandbox_plan {
    fri_keeper_config config;
    fri_buf text;
    fr_language languages[FRI_KEEPER_MAX_LANGUAGES];
    fri_keeper_string wanted[FRI_KEEPER_MAX_LANGUAGES]; /* their interpreters, there or not */
    const char **words;                                 /* of all of them */
} fri_sandbox_plan;

static inline const char *fri_plan_text(const fri_sandbox_plan *plan, fri_keeper_string at)
{
    return plan->text.p + at;
}

/* Keeps a string in the configuration's text; a failure sticks there. */
fri_keeper_string fri_plan_add_text(fri_sandbox_plan *plan, const char *s);

/* Dispose also after a failure.
 * Errors: FR_EINVAL (root, mounts, languages), FR_EUNAVAILABLE (no /usr, too many entries), FR_ESYSTEM,
 * FR_ENOMEM, FR_ELIMIT (too much text). */
FR_CHECK int fri_sandbox_plan_init(fri_sandbox_plan *plan, const fr_executor_options *options,
                                   const fr_sandbox_options *sandbox, fr_error *err);
void fri_sandbox_plan_dispose(fri_sandbox_plan *plan);

/* ---- languages.c ---- */

/* Adds the languages; `root_path` is the host's directory that becomes the root, "" for that of its own. The
 * mounts must have been added. Errors: FR_EINVAL, FR_ENOMEM. */
FR_CHECK int fri_plan_add_languages(fri_sandbox_plan *plan, const char *root_path,
                                    const fr_sandbox_options *sandbox, fr_error *err);

#endif
