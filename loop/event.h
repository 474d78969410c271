/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_EVENT_H
#define FR_LOOP_EVENT_H

#include "fencerun/event.h"

/* A random UUID (RFC 9562, version 4) behind `prefix`. Free with fri_free(). */
FR_CHECK int fri_new_id(const char *prefix, char **out, fr_error *err);

/* A copy of a content. */
FR_CHECK int fri_content_clone(const fr_content *content, fr_content **out, fr_error *err);

static inline void fri_event_freep(fr_event **event)
{
    fr_event_free(*event);
}

static inline void fri_content_freep(fr_content **content)
{
    fr_content_free(*content);
}

#endif
