/* SPDX-License-Identifier: MIT */
#include "base/sse.h"

#include <string.h>

#include "base/str.h"

void fri_sse_init(fri_sse *s, size_t max_event_bytes, fri_sse_handler handler, void *user)
{
    *s = (fri_sse){.handler = handler, .user = user};
    fri_buf_init(&s->line, max_event_bytes);
    fri_buf_init(&s->type, max_event_bytes);
    fri_buf_init(&s->data, max_event_bytes);
}

void fri_sse_dispose(fri_sse *s)
{
    fri_buf_dispose(&s->line);
    fri_buf_dispose(&s->type);
    fri_buf_dispose(&s->data);
}

/* The end of an event: without data it is none. */
static int dispatch(fri_sse *s, fr_error *err)
{
    int rc = 0;
    if (s->data.n > 0) {
        fr_str type = s->type.n > 0 ? fri_buf_str(&s->type) : fri_cstr("message");
        fr_str data = fri_str(s->data.p, s->data.n - 1); /* without the last LF */
        rc = s->handler(s->user, type, data, err);
    }
    fri_buf_truncate(&s->data, 0);
    fri_buf_truncate(&s->type, 0);
    return rc;
}

static void take_field(fri_sse *s, fr_str name, fr_str value)
{
    if (fri_str_equal(name, fri_cstr("data"))) {
        fri_buf_append(&s->data, value.p, value.n);
        fri_buf_putc(&s->data, '\n');
    } else if (fri_str_equal(name, fri_cstr("event"))) {
        fri_buf_truncate(&s->type, 0);
        fri_buf_append(&s->type, value.p, value.n);
    }
}

/* "name: value", where one blank behind the colon does not count; a line without a name is a comment. */
static int take_line(fri_sse *s, fr_str line, fr_error *err)
{
    if (line.n == 0)
        return dispatch(s, err);
    const char *colon = memchr(line.p, ':', line.n);
    size_t n = colon ? (size_t)(colon - line.p) : line.n;
    size_t behind = colon ? n + 1 : n;
    behind += behind < line.n && line.p[behind] == ' ';
    take_field(s, fri_str(line.p, n), fri_str(line.p + behind, line.n - behind));
    int rc = fri_buf_check(&s->data, "a server-sent event", err);
    return rc ? rc : fri_buf_check(&s->type, "the type of a server-sent event", err);
}

/* The line that is complete now; at the very start a byte order mark is dropped. */
static int end_line(fri_sse *s, fr_error *err)
{
    fr_str line = fri_buf_str(&s->line);
    if (!s->begun && line.n >= 3 && memcmp(line.p, "\xef\xbb\xbf", 3) == 0)
        line = fri_str(line.p + 3, line.n - 3);
    s->begun = 1;
    int rc = take_line(s, line, err);
    fri_buf_truncate(&s->line, 0);
    return rc;
}

static size_t until_break(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] != '\n' && p[i] != '\r')
        i++;
    return i;
}

int fri_sse_feed(fri_sse *s, const char *p, size_t n, fr_error *err)
{
    for (size_t at = 0; at < n;) {
        if (s->after_cr && p[at] == '\n') {
            s->after_cr = 0;
            at++;
            continue;
        }
        s->after_cr = 0;
        size_t length = until_break(p + at, n - at);
        fri_buf_append(&s->line, p + at, length);
        int rc = fri_buf_check(&s->line, "a line of server-sent events", err);
        if (rc)
            return rc;
        at += length;
        if (at == n)
            break;
        s->after_cr = p[at++] == '\r';
        rc = end_line(s, err);
        if (rc)
            return rc;
    }
    return 0;
}

int fri_sse_is_inside(const fri_sse *s)
{
    return s->line.n > 0 || s->data.n > 0 || s->type.n > 0;
}
