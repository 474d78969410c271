/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_EVENT_H
#define FR_LOOP_EVENT_H

#include "fencerun/event.h"

/* The end of the year 9999, which the JSON of times does not reach beyond. */
#define FRI_MAX_TIMESTAMP_US INT64_C(253402300799999999)

/* A random UUID (RFC 9562, version 4) behind `prefix`. Free with fri_free(). */
FR_CHECK int fri_new_id(const char *prefix, char **out, fr_error *err);

/* Reads the caller's struct. Errors: as fri_read_sized(), FR_EINVAL for a time that cannot be told. */
FR_CHECK int fri_event_load(fr_event *event, const fr_event *given, fr_error *err);

/* Frees what the members of an event point to. */
void fri_event_dispose(fr_event *event);

static inline void fri_event_freep(fr_event **event)
{
    fr_event_free(*event);
}

#endif
