/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_INVOCATION_H
#define FENCERUN_INVOCATION_H

#include <stddef.h>

/** Whom a run is for, in ADK's words; NULL: not known. Members are only ever added at the end. */
typedef struct fr_invocation {
    size_t struct_size;
    const char *app;
    const char *user;
    const char *session;
    const char *id; /**< ADK's `invocation_id` */
    const char *agent;
    const char *branch;        /**< agents on the way to this one, "root.planner" */
    const char *function_call; /**< id of the function call that asked for the run */
} fr_invocation;

#define FR_INVOCATION_INIT                         \
    {                                              \
        sizeof(fr_invocation), 0, 0, 0, 0, 0, 0, 0 \
    }

#endif
