/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_SESSION_H
#define FR_LOOP_SESSION_H

#include "fencerun/session.h"

struct fr_session {
    char *app;
    char *user;
    char *id;
    fr_state *state;
    fr_event **events;
    size_t count;
};

/* Appends a copy of an event whose delta the state has already. */
FR_CHECK int fri_session_record(fr_session *session, const fr_event *event, fr_error *err);

#endif
