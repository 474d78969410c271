/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_TELL_H
#define FR_LOOP_TELL_H

#include "base/buf.h"
#include "loop/budget.h"

/*
 * What a model is told of a run: the `output` of ADK's code_execution_result part.
 */

/* What is told besides the result itself. */
typedef struct fri_told {
    fri_standing standing; /* after this run */
    int failed;            /* it counts as a failure */
    int repeat;            /* it was the same code as the run before */
    fr_str expression;     /* the code's last line, when its value was lost; or empty */
} fri_told;

/* Both streams, each in a fence that it cannot end; how the run ended, how long it took, what is left
 * of the budget, and hints. */
FR_CHECK int fri_tell(fri_buf *out, const fr_code_result *result, const fri_told *told,
                      fr_error *err);

/* That a block was not run. */
void fri_tell_refusal(fri_buf *out);

/* ADK's own text, to the byte. */
void fri_tell_adk(fri_buf *out, const fr_code_result *result);

/* Whether ADK would call it a failure: what it has on stderr, or would put there. */
int fri_adk_failed(const fr_code_result *result);

#endif
