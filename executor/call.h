/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_CALL_H
#define FR_EXECUTOR_CALL_H

#include "base/capture.h"
#include "executor/result.h"
#include "fencerun/executor.h"

/* A run in progress: what fr_executor_execute() hands to a class's `execute`. */
struct fr_call {
    fr_code_input input; /* defaults filled in */
    uint32_t flags;      /* the executor's */
    uint64_t output_max;
    uint32_t files_max;
    uint64_t file_bytes_max, files_bytes_max;
    fri_capture capture[2]; /* stdout, stderr */
    fri_result *result;     /* what is being built */
    int ends;               /* how often the executor said how the run ended */
    int adopted;            /* the result is another executor's, complete */
    const char *fault;      /* what else it did that no executor may; NULL: nothing */
};

/* Errors: FR_ENOMEM. */
FR_CHECK int fri_call_init(fr_call *call, const fr_executor *ex, const fr_code_input *input,
                           fr_error *err);
void fri_call_dispose(fr_call *call);

/* Turns what was built into a result. Errors: FR_EINTERNAL when the executor did not say exactly
 * once how the run ended, or said what cannot be; FR_ENOMEM, FR_ELIMIT. */
FR_CHECK int fri_call_finish(fr_call *call, const char *executor, fr_code_result **out,
                             fr_error *err);

#endif
