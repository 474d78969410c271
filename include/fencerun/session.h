/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_SESSION_H
#define FENCERUN_SESSION_H

#include <stddef.h>

#include "fencerun/error.h"
#include "fencerun/event.h"
#include "fencerun/state.h"

/** A conversation: its events, oldest first, and its state. Threads: one object, one thread. */
typedef struct fr_session fr_session;

FR_BEGIN_DECLS

/** An empty one; `app` and `user` may be NULL, `id` too: then it is random. All are copied. Free with
 * fr_session_free(). Errors: FR_ESYSTEM, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_session_new(const char *app, const char *user, const char *id,
                                   fr_session **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_session_free(fr_session *session);

/** Owner: the session. Since: 0.1. */
FR_API const char *fr_session_id(const fr_session *session);

/** The state; changed by fr_session_append() and whoever runs code for the session. Owner: the session.
 * Since: 0.1. */
FR_API fr_state *fr_session_state(fr_session *session);

/** Appends a copy of the event and applies its state delta. Of a partial event nothing is kept.
 * Errors: as fr_state_apply(), FR_ENOMEM; the session is then unchanged. Since: 0.1. */
FR_API FR_CHECK int fr_session_append(fr_session *session, const fr_event *event, fr_error *err);

/** Event number `i`; NULL past the end. Owner: the session. Since: 0.1. */
FR_API const fr_event *fr_session_event(const fr_session *session, size_t i);

FR_END_DECLS

#endif
