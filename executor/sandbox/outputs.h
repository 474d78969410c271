/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_OUTPUTS_H
#define FR_EXECUTOR_SANDBOX_OUTPUTS_H

#include "fencerun/executor.h"

/* Takes one file, or word of one that was skipped, from the socket into the result; of more than `most` bytes
 * there is no need to read any. Returns 1; 0 when there is nothing there now; or an error: FR_ESYSTEM, those of
 * fr_result_file(). */
FR_CHECK int fri_sandbox_take_output(int socket, uint64_t most, fr_call *call, fr_error *err);

#endif
