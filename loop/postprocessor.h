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
    /* Of the extraction. */
    fr_delimiters *delimiters;
    fr_language *languages;
    const char **words; /* of the first language */
    char **own_words;   /* those of them that are not the executor's; NULL-terminated */
};

#endif
