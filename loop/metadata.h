/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_METADATA_H
#define FR_LOOP_METADATA_H

#include "fencerun/code.h"

/* What ADK's event has no place for, as its custom metadata: {"fencerun": {outcome, exit_code, signal,
 * run_ns, stderr, audit}}. Free with fri_free(). */
FR_CHECK int fri_result_metadata(const fr_code_result *result, char **json, fr_error *err);

#endif
