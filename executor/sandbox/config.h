/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_CONFIG_H
#define FR_EXECUTOR_SANDBOX_CONFIG_H

#include "executor/sandbox/languages.h"
#include "executor/sandbox/protocol.h"
#include "fencerun/executor.h"
#include "fencerun/sandbox.h"

/* What does not change between the runs of an executor: the keeper's configuration, and the real
 * path of each language's interpreter ("" when it is missing). */
typedef struct fri_sandbox_plan {
    fri_keeper_config config;
    char interpreters[FRI_SANDBOX_LANGUAGES][FRI_KEEPER_PATH];
} fri_sandbox_plan;

/* Errors: FR_EINVAL (root), FR_EUNAVAILABLE (no /usr, too many entries), FR_ESYSTEM. */
FR_CHECK int fri_sandbox_plan_init(fri_sandbox_plan *plan, const fr_executor_options *options,
                                   const fr_sandbox_options *sandbox, fr_error *err);

#endif
