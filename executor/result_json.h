/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_RESULT_JSON_H
#define FR_EXECUTOR_RESULT_JSON_H

#include "base/json_write.h"
#include "fencerun/code.h"

/* Parts of a result as members of the object that is open, the same wherever a result is written. */

/* outcome, exit_code, signal; reason when there is one. */
void fri_put_end(fri_json_out *w, const fr_code_result *r);

/* stdout, stderr. */
void fri_put_streams(fri_json_out *w, const fr_code_result *r);

/* receipt. */
void fri_put_receipt(fri_json_out *w, const fr_receipt *r);

#endif
