/* SPDX-License-Identifier: MIT */
#include "base/json_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

/* What may come next. */
enum {
    ROOT,         /* the document's one value */
    FIRST,        /* in a container: its first key or element, or its end */
    NEXT,         /* in a container: one more, behind a comma, or its end */
    MEMBER_VALUE, /* the value of a key */
    DONE
};

void fri_json_out_init(fri_json_out *w, fri_buf *buf)
{
    *w = (fri_json_out){.buf = buf, .start = buf->n, .state = ROOT};
}

static int fail(fri_json_out *w, int code)
{
    if (!w->code)
        w->code = code;
    return -1;
}

static int inside(const fri_json_out *w, char kind)
{
    return (w->state == FIRST || w->state == NEXT) && w->kind[w->depth - 1] == kind;
}

/* Before a value or a key of a container of that kind. */
static void separate(fri_json_out *w)
{
    if (w->state == NEXT)
        fri_buf_putc(w->buf, ',');
}

/* Whether a value fits here; puts the comma before it. */
static int begin_value(fri_json_out *w)
{
    if (w->code || (w->state != ROOT && w->state != MEMBER_VALUE && !inside(w, '[')))
        return fail(w, FR_EINTERNAL);
    separate(w);
    return 0;
}

static void end_value(fri_json_out *w)
{
    w->state = w->depth > 0 ? NEXT : DONE;
}

static void begin(fri_json_out *w, char kind)
{
    if (begin_value(w))
        return;
    if (w->depth == FRI_JSON_WRITE_DEPTH) {
        fail(w, FR_ELIMIT);
        return;
    }
    w->kind[w->depth++] = kind;
    w->state = FIRST;
    fri_buf_putc(w->buf, kind);
}

static void end(fri_json_out *w, char kind, char closer)
{
    if (w->code || !inside(w, kind)) {
        fail(w, FR_EINTERNAL);
        return;
    }
    w->depth--;
    fri_buf_putc(w->buf, closer);
    end_value(w);
}

void fri_json_begin_object(fri_json_out *w)
{
    begin(w, '{');
}

void fri_json_end_object(fri_json_out *w)
{
    end(w, '{', '}');
}

void fri_json_begin_array(fri_json_out *w)
{
    begin(w, '[');
}

void fri_json_end_array(fri_json_out *w)
{
    end(w, '[', ']');
}

/* ---- Strings ---- */

/* The character at p that has to be escaped: its length, or 0 when it stands for itself. U+2028 and
 * U+2029 end a line in JavaScript and in many log viewers, U+007F is a control character. */
static size_t special(const char *p, size_t n)
{
    unsigned char c = (unsigned char)p[0];
    if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
        return 1;
    if (c != 0xe2 || n < 3 || (unsigned char)p[1] != 0x80)
        return 0;
    return (unsigned char)p[2] == 0xa8 || (unsigned char)p[2] == 0xa9 ? 3 : 0;
}

static void put_escape(fri_buf *buf, const char *p, size_t n)
{
    static const char values[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *short_form = p[0] ? strchr(values, p[0]) : NULL;
    if (short_form) {
        fri_buf_putc(buf, '\\');
        fri_buf_putc(buf, names[short_form - values]);
    } else if (n == 1) {
        fri_buf_printf(buf, "\\u%04x", (unsigned char)p[0]);
    } else {
        fri_buf_puts(buf, (unsigned char)p[2] == 0xa8 ? "\\u2028" : "\\u2029");
    }
}

/* What is escaped begins and ends a character in any bytes, so that the runs between can be repaired
 * one by one. */
static void put_quoted(fri_buf *buf, fr_str s)
{
    size_t done = 0, at = 0;
    fri_buf_putc(buf, '"');
    while (at < s.n) {
        size_t n = special(s.p + at, s.n - at);
        if (n > 0) {
            fri_utf8_repair(buf, s.p + done, at - done);
            put_escape(buf, s.p + at, n);
            done = at + n;
        }
        at += n > 0 ? n : 1;
    }
    fri_utf8_repair(buf, s.p + done, at - done);
    fri_buf_putc(buf, '"');
}

void fri_json_key_str(fri_json_out *w, fr_str key)
{
    if (w->code || !inside(w, '{')) {
        fail(w, FR_EINTERNAL);
        return;
    }
    separate(w);
    put_quoted(w->buf, key);
    fri_buf_putc(w->buf, ':');
    w->state = MEMBER_VALUE;
}

void fri_json_key(fri_json_out *w, const char *key)
{
    fri_json_key_str(w, fri_cstr(key));
}

void fri_json_put_string(fri_json_out *w, fr_str s)
{
    if (begin_value(w))
        return;
    put_quoted(w->buf, s);
    end_value(w);
}

void fri_json_put_cstring(fri_json_out *w, const char *s)
{
    fri_json_put_string(w, fri_cstr(s));
}

/* ---- Other scalars ---- */

static void put_word(fri_json_out *w, const char *word)
{
    if (begin_value(w))
        return;
    fri_buf_puts(w->buf, word);
    end_value(w);
}

void fri_json_put_int(fri_json_out *w, int64_t v)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, v);
    put_word(w, text);
}

void fri_json_put_uint(fri_json_out *w, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, v);
    put_word(w, text);
}

void fri_json_put_bool(fri_json_out *w, int v)
{
    put_word(w, v ? "true" : "false");
}

void fri_json_put_null(fri_json_out *w)
{
    put_word(w, "null");
}

void fri_json_member_string(fri_json_out *w, const char *key, fr_str s)
{
    fri_json_key(w, key);
    fri_json_put_string(w, s);
}

void fri_json_member_cstring(fri_json_out *w, const char *key, const char *s)
{
    fri_json_member_string(w, key, fri_cstr(s));
}

void fri_json_member_int(fri_json_out *w, const char *key, int64_t v)
{
    fri_json_key(w, key);
    fri_json_put_int(w, v);
}

void fri_json_member_uint(fri_json_out *w, const char *key, uint64_t v)
{
    fri_json_key(w, key);
    fri_json_put_uint(w, v);
}

void fri_json_member_bool(fri_json_out *w, const char *key, int v)
{
    fri_json_key(w, key);
    fri_json_put_bool(w, v);
}

/* Length of the string token at p, its quotes included. */
static size_t string_token(const char *p)
{
    size_t n = 1 + strcspn(p + 1, "\"\\");
    while (p[n] == '\\')
        n += 2 + strcspn(p + n + 2, "\"\\");
    return n + 1;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* How a byte outside of strings changes the nesting. */
static int nesting(char c)
{
    return c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
}

void fri_json_put_checked(fri_json_out *w, fr_str json)
{
    size_t done = 0, at = 0;
    int depth = w->depth;
    if (begin_value(w))
        return;
    while (at < json.n) {
        depth += nesting(json.p[at]);
        if (depth > FRI_JSON_WRITE_DEPTH)
            fail(w, FR_ELIMIT);
        if (is_blank(json.p[at])) {
            fri_buf_append(w->buf, json.p + done, at - done);
            done = at + 1;
        }
        at += json.p[at] == '"' ? string_token(json.p + at) : 1;
    }
    fri_buf_append(w->buf, json.p + done, at - done);
    end_value(w);
}

int fri_json_out_finish(fri_json_out *w, const char *what, fr_error *err)
{
    int rc = fri_buf_check(w->buf, what, err);
    if (!rc && w->code == FR_ELIMIT)
        rc = fr_fail(err, FR_ELIMIT, 0, "%s is nested deeper than %d", what, FRI_JSON_WRITE_DEPTH);
    else if (!rc && (w->code || w->state != DONE))
        rc = fr_fail(err, FR_EINTERNAL, 0, "%s was not written as one JSON value", what);
    if (rc)
        fri_buf_truncate(w->buf, w->start);
    return rc;
}

int fri_json_out_steal(fri_json_out *w, const char *what, char **json, fr_error *err)
{
    int rc = fri_json_out_finish(w, what, err);
    if (rc)
        return rc;
    char *text = fri_buf_steal(w->buf, err);
    if (!text)
        return FR_ENOMEM;
    *json = text;
    return 0;
}
