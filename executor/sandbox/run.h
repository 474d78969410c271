/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_RUN_H
#define FR_EXECUTOR_SANDBOX_RUN_H

#include "executor/sandbox/keeper_client.h"
#include "fencerun/executor.h"

/* What is run, and under what. */
typedef struct fri_sandbox_job {
    uint32_t language;
    const char *interpreter;
    int64_t cpu_ms; /* the limit of processor time that the keeper was started with */
    uint64_t tmp_bytes,
        file_bytes;   /* what fits into the working directory, and comes out in one file */
    int64_t asked_ns; /* when the caller asked for it */
} fri_sandbox_job;

/*
 * One run on a keeper that is idle: sends the code, collects both streams, watches for a cancel, and describes
 * the end to `call`. FRI_KEEPER_LOST: nothing has run. After that and after an error the keeper must not be
 * used again.
 */
FR_CHECK int fri_sandbox_run(fri_keeper_client *k, const fri_sandbox_job *job, fr_call *call,
                             fr_error *err);

#endif
