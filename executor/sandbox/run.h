/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_RUN_H
#define FR_EXECUTOR_SANDBOX_RUN_H

#include "executor/sandbox/keeper_client.h"
#include "fencerun/executor.h"

/*
 * One run on a keeper that is idle: sends the code, collects both streams, watches for a cancel, and
 * describes the end to `call`. FRI_KEEPER_LOST: nothing has run. After that and after an error the
 * keeper must not be used again.
 */
FR_CHECK int fri_sandbox_run(fri_keeper_client *k, uint32_t language, fr_call *call, fr_error *err);

#endif
