/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_SSE_H
#define FR_BASE_SSE_H

#include "base/buf.h"

/*
 * Server-sent events (WHATWG HTML, "Interpreting an event stream") from a stream that comes in pieces of
 * any size. Ids and retry times are read over: nobody reconnects here.
 */

/* Called for each event that has data: `type` is "message" unless the stream says otherwise, `data` its
 * lines joined by LF. Not 0 ends the reading and is what fri_sse_feed() returns. */
typedef int (*fri_sse_handler)(void *user, fr_str type, fr_str data, fr_error *err);

typedef struct fri_sse {
    fri_sse_handler handler;
    void *user;
    fri_buf line; /* the one that is not over */
    fri_buf type;
    fri_buf data; /* each line with LF behind it */
    int after_cr; /* an LF now belongs to the line break before */
    int begun;    /* what can only be at the very start is past */
} fri_sse;

void fri_sse_init(fri_sse *s, size_t max_event_bytes, fri_sse_handler handler, void *user);
void fri_sse_dispose(fri_sse *s);

/* Reads on. Errors: FR_ELIMIT (an event is too long), FR_ENOMEM, and the handler's. */
FR_CHECK int fri_sse_feed(fri_sse *s, const char *p, size_t n, fr_error *err);

/* Whether the stream stands in the middle of an event, which its end would cut off. */
int fri_sse_is_inside(const fri_sse *s);

#endif
