/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_TURN_H
#define FR_LOOP_TURN_H

#include "fencerun/postprocess.h"

#define FRI_TURN_EVENTS 2

/* A turn with the memory behind its pointers. `pub` comes first: the two share an address. */
typedef struct fri_turn {
    fr_turn pub;
    fr_event *events[FRI_TURN_EVENTS];
    fr_message messages[FRI_TURN_EVENTS];
    fr_content *told[FRI_TURN_EVENTS]; /* the events' contents as a model is told them */
    char *texts[FRI_TURN_EVENTS];
    fr_extraction *extraction;
    fr_code_result *result;
} fri_turn;

FR_CHECK fri_turn *fri_turn_new(fr_error *err);

static inline void fri_turn_freep(fri_turn **turn)
{
    fr_turn_free((fr_turn *)*turn);
}

/* Adds an event, of which it makes a copy, and its message. */
FR_CHECK int fri_turn_add(fri_turn *turn, const fr_event *event,
                          const fr_executor_options *attributes, uint32_t compat, fr_error *err);

#endif
