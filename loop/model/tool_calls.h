/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_MODEL_TOOL_CALLS_H
#define FR_LOOP_MODEL_TOOL_CALLS_H

#include "base/buf.h"
#include "base/json_read.h"
#include "fencerun/model.h"

/* A call of a tool, which may come in pieces: the first has id and name, all have some of the arguments,
 * whose JSON is cut anywhere. */
typedef struct fri_tool_call {
    char *id;
    char *name;
    fri_buf arguments;
} fri_tool_call;

/* Zeroed: none yet. */
typedef struct fri_tool_calls {
    fri_tool_call *list;
    size_t count;
} fri_tool_calls;

void fri_tool_calls_dispose(fri_tool_calls *calls);

/* Takes an array "tool_calls" of OpenAI's chat completions. The member "index" says which call a piece
 * belongs to; without one it is its place in the array. Errors: FR_EFORMAT, FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_tool_calls_take(fri_tool_calls *calls, const fri_json *doc, fri_json_ref array,
                                 fr_error *err);

/* Adds them to the reply, each as a part with the JSON of ADK's FunctionCall: {"id":…,"name":…,"args":…}.
 * Errors: FR_EMODEL (no name, or arguments that are no object), FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_tool_calls_add(const fri_tool_calls *calls, fr_reply *reply, fr_error *err);

#endif
