/* SPDX-License-Identifier: MIT */
#include "loop/session.h"

#include <string.h>

#include "base/cleanup.h"
#include "loop/event.h"

static int copy_optional(char **slot, const char *text, fr_error *err)
{
    *slot = text ? fri_strdup(text, err) : NULL;
    return text && !*slot ? FR_ENOMEM : 0;
}

static int fill(fr_session *s, const char *app, const char *user, const char *id, fr_error *err)
{
    int rc = copy_optional(&s->app, app, err);
    if (rc == 0)
        rc = copy_optional(&s->user, user, err);
    if (rc == 0)
        rc = id ? copy_optional(&s->id, id, err) : fri_new_id("", &s->id, err);
    return rc ? rc : fr_state_new(&s->state, err);
}

int fr_session_new(const char *app, const char *user, const char *id, fr_session **out,
                   fr_error *err)
{
    fr_session *s = fri_calloc(1, sizeof(*s), err);
    if (!s)
        return FR_ENOMEM;
    int rc = fill(s, app, user, id, err);
    if (rc) {
        fr_session_free(s);
        return rc;
    }
    *out = s;
    return 0;
}

void fr_session_free(fr_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < session->count; i++)
        fr_event_free(session->events[i]);
    fri_free(session->events);
    fr_state_free(session->state);
    fri_free(session->app);
    fri_free(session->user);
    fri_free(session->id);
    fri_free(session);
}

const char *fr_session_id(const fr_session *session)
{
    return session->id;
}

fr_state *fr_session_state(fr_session *session)
{
    return session->state;
}

const fr_event *fr_session_event(const fr_session *session, size_t i)
{
    return i < session->count ? session->events[i] : NULL;
}

int fri_session_record(fr_session *session, const fr_event *event, fr_error *err)
{
    fr_event **events = fri_realloc(session->events, session->count + 1, sizeof(fr_event *), err);
    if (!events)
        return FR_ENOMEM;
    session->events = events;
    int rc = fr_event_new(event, &events[session->count], err);
    session->count += rc == 0;
    return rc;
}

int fr_session_append(fr_session *session, const fr_event *event, fr_error *err)
{
    if (event->partial)
        return 0;
    int rc = fri_session_record(session, event, err);
    if (rc || !event->state_delta)
        return rc;
    rc = fr_state_apply(session->state, event->state_delta, strlen(event->state_delta), err);
    if (rc)
        fr_event_free(session->events[--session->count]);
    return rc;
}
