/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_EVENT_H
#define FENCERUN_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/content.h"
#include "fencerun/error.h"

/**
 * Something that happened in a session, in the shape of ADK's `Event`: somebody said something, and the
 * state changed. Text members that are not set are NULL.
 */
typedef struct fr_event {
    size_t struct_size; /**< FR_EVENT_INIT sets it */
    const char *id;     /**< a random UUID unless one was given */
    const char *invocation_id;
    const char *author; /**< "user", or the agent's name */
    const char *branch;
    const fr_content *content; /**< what was said, with whose role; may be NULL */
    const char *error_code;    /**< what went wrong, as one word; for people: error_message */
    const char *error_message;
    const char *state_delta;           /**< JSON object; "{}" when nothing changed */
    const char *artifact_delta;        /**< JSON object: name to version; "{}" likewise */
    const char *custom_metadata;       /**< JSON object */
    const char *long_running_tool_ids; /**< JSON array */
    int32_t partial;                   /**< a piece of something that comes whole later */
    int32_t skip_summarization;
    int64_t timestamp_us; /**< since the epoch; 0 when making one: now */
} fr_event;

#define FR_EVENT_INIT                                              \
    {                                                              \
        sizeof(fr_event), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/** Takes an event that has just happened. Owner: the caller of it, who keeps the event no longer than the
 * call. */
typedef void (*fr_event_fn)(void *user, const fr_event *event);

FR_BEGIN_DECLS

/** A copy of the event, with what is left open filled in; free with fr_event_free().
 * Errors: FR_EINVAL (struct_size not set, or a time before 1970 or behind 9999), FR_EABI (a member this
 * library does not know), FR_ESYSTEM (no random numbers), FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_event_new(const fr_event *fields, fr_event **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_event_free(fr_event *event);

/** One JSON object on one line, in ADK's names (camelCase); free `*json` with fr_free().
 * Errors: FR_EINVAL and FR_EABI as fr_event_new(), FR_EFORMAT (a member that should be JSON is none),
 * FR_EUNAVAILABLE (inline data, and no libcrypto to encode it), FR_ELIMIT (too long, or nested deeper than
 * fr_event_parse() reads), FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_event_json(const fr_event *event, char **json, fr_error *err);

/** Reads one, in camelCase or snake_case. Members that fr_event has no place for are dropped.
 * Errors: FR_EFORMAT, FR_ELIMIT, FR_EUNAVAILABLE, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_event_parse(const char *json, size_t n, fr_event **out, fr_error *err);

/** ADK's `is_final_response`: nobody has to go on after it. That is an event that is not partial, calls no
 * function and does not end in a result of code; or one that skips summarization or waits for a
 * long-running tool. Since: 0.1. */
FR_API int fr_event_is_final(const fr_event *event);

/** As ADK's `Content`, {"parts": […], "role": "…"}; otherwise as fr_event_json(). Since: 0.1. */
FR_API FR_CHECK int fr_content_json(const fr_content *content, char **json, fr_error *err);

/** Reads one, as fr_event_parse() does. Free with fr_content_free(). Since: 0.1. */
FR_API FR_CHECK int fr_content_parse(const char *json, size_t n, fr_content **out, fr_error *err);

FR_END_DECLS

#endif
