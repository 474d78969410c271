/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_POSTPROCESSOR_H
#define FR_LOOP_POSTPROCESSOR_H

#include "loop/budget.h"

/* The author of events where nobody has named the agent. */
#define FRI_DEFAULT_AGENT "agent"

struct fr_postprocessor {
    fr_executor *ex;
    fr_postprocessor_options options; /* defaults filled in */
    fri_budget budget;
    fr_extract_options extract;
    fr_delimiters *delimiters; /* of the extraction */
};

#endif
