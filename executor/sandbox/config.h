/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_CONFIG_H
#define FR_EXECUTOR_SANDBOX_CONFIG_H

#include "base/buf.h"
#include "executor/sandbox/languages.h"
#include "executor/sandbox/protocol.h"
#include "fencerun/executor.h"
#include "fencerun/sandbox.h"

/* What does not change between the runs of an executor: the keeper's configuration and its text. */
typedef struct fri_sandbox_plan {
    fri_keeper_config config;
    fri_buf text;
} fri_sandbox_plan;

static inline const char *fri_plan_text(const fri_sandbox_plan *plan, fri_keeper_string at)
{
    return plan->text.p + at;
}

/* Dispose also after a failure.
 * Errors: FR_EINVAL (root), FR_EUNAVAILABLE (no /usr, too many entries), FR_ESYSTEM, FR_ENOMEM,
 * FR_ELIMIT (too much text). */
FR_CHECK int fri_sandbox_plan_init(fri_sandbox_plan *plan, const fr_executor_options *options,
                                   const fr_sandbox_options *sandbox, fr_error *err);
void fri_sandbox_plan_dispose(fri_sandbox_plan *plan);

#endif
