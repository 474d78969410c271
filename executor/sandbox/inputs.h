/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_INPUTS_H
#define FR_EXECUTOR_SANDBOX_INPUTS_H

#include "fencerun/code.h"

/*
 * A sealed memory file with the input files as fri_input_head says. `room` is what they have to fit into.
 * Returns it, -1 in *fd where there are none, or an error: FR_ENOTFOUND and FR_EINVAL (a path), FR_ELIMIT (no
 * room), FR_ESYSTEM.
 */
FR_CHECK int fri_sandbox_pack_inputs(const fr_code_input *in, uint64_t room, int *fd,
                                     fr_error *err);

#endif
