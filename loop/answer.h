/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_ANSWER_H
#define FR_LOOP_ANSWER_H

#include "base/buf.h"
#include "fencerun/runner.h"

/* An answer with the memory behind its pointers. `pub` comes first: the two share an address. */
typedef struct fri_answer {
    fr_answer pub;
    fri_buf text;
    char *invocation_id;
} fri_answer;

FR_CHECK fri_answer *fri_answer_new(fr_error *err);

static inline void fri_answer_freep(fri_answer **answer)
{
    fr_answer_free((fr_answer *)*answer);
}

#endif
