/* SPDX-License-Identifier: MIT */
#include "executor/guard/clean.h"

#include "base/str.h"

#define BEL '\a'
#define CAN 0x18
#define SUB 0x1a
#define ESC 0x1b
#define DEL 0x7f

typedef struct cleaner {
    fri_buf *out;
    size_t line;   /* where in `out` the current line begins */
    int at_margin; /* a CR was read: what is drawn next replaces the line */
    uint64_t removed;
} cleaner;

static int is_between(char c, unsigned char first, unsigned char last)
{
    return (unsigned char)c >= first && (unsigned char)c <= last;
}

/* U+0080 to U+009F, which stand for ESC and '@' to '_'. */
static int is_c1(fr_str s)
{
    return s.n >= 2 && s.p[0] == '\xc2' && is_between(s.p[1], 0x80, 0x9f);
}

static size_t skip(fr_str s, size_t at, unsigned char first, unsigned char last)
{
    while (at < s.n && is_between(s.p[at], first, last))
        at++;
    return at;
}

/* CSI: parameters, intermediates, a final byte. Where another byte stands the sequence is over. */
static size_t control_sequence(fr_str s)
{
    size_t at = skip(s, 2, 0x30, 0x3f);
    at = skip(s, at, 0x20, 0x2f);
    return at + (at < s.n && is_between(s.p[at], 0x40, 0x7e));
}

/* OSC and its like, up to what ends them: BEL, ST, or the two that cancel. One that never ends would
 * swallow the rest of the output, so that it is taken to end before the next line or sequence. */
static size_t control_string(fr_str s)
{
    for (size_t at = 2; at < s.n; at++) {
        fr_str rest = fri_str(s.p + at, s.n - at);
        if (*rest.p == BEL || *rest.p == CAN || *rest.p == SUB)
            return at + 1;
        if (*rest.p == ESC)
            return rest.n > 1 && rest.p[1] == '\\' ? at + 2 : at;
        if (*rest.p == '\n' || *rest.p == '\r')
            return at;
        if (is_c1(rest))
            return rest.p[1] == '\x9c' ? at + 2 : at;
    }
    return s.n;
}

/* ESC, intermediates, a final byte. */
static size_t escape_sequence(fr_str s)
{
    size_t at = skip(s, 1, 0x20, 0x2f);
    return at + (at < s.n && is_between(s.p[at], 0x30, 0x7e));
}

/* The length of what begins with ESC or a C1 control. */
static size_t sequence(fr_str s)
{
    switch (s.n < 2 ? 0 : *s.p == ESC ? s.p[1] : s.p[1] - '\x80' + '@') {
    case '[':
        return control_sequence(s);
    case ']': /* OSC */
    case 'P': /* DCS */
    case 'X': /* SOS */
    case '^': /* PM */
    case '_': /* APC */
        return control_string(s);
    default:
        return *s.p == ESC ? escape_sequence(s) : 2;
    }
}

static int is_plain(fr_str s)
{
    return (!is_between(*s.p, 0, 0x1f) || *s.p == '\t') && *s.p != DEL && !is_c1(s);
}

static size_t plain_text(fr_str s)
{
    size_t n = 0;
    while (n < s.n && is_plain(fri_str(s.p + n, s.n - n)))
        n++;
    return n;
}

static void draw(cleaner *c, const char *p, size_t n)
{
    if (c->at_margin && c->out->n > c->line) {
        fri_buf_truncate(c->out, c->line);
        c->removed++;
    }
    c->at_margin = 0;
    fri_buf_append(c->out, p, n);
}

static void end_line(cleaner *c)
{
    fri_buf_putc(c->out, '\n');
    c->line = c->out->n;
}

/* Takes away the character before the cursor; at the margin there is none. */
static void step_back(cleaner *c)
{
    size_t n = c->out->n;
    if (c->at_margin || n == c->line)
        return;
    do
        n--;
    while (n > c->line && is_between(c->out->p[n], 0x80, 0xbf));
    fri_buf_truncate(c->out, n);
}

/* Obeys the control that s begins with and returns its length. CR and LF are no loss by themselves. */
static size_t control(cleaner *c, fr_str s)
{
    if (*s.p == '\n') {
        end_line(c);
        return 1;
    }
    if (*s.p == '\r') {
        c->at_margin = 1;
        return 1;
    }
    if (*s.p == '\b')
        step_back(c);
    c->removed++;
    return *s.p == ESC || is_c1(s) ? sequence(s) : 1;
}

uint64_t fri_clean(fri_buf *out, fr_str text)
{
    cleaner c = {.out = out, .line = out->n};
    while (text.n > 0) {
        size_t n = plain_text(text);
        if (n > 0)
            draw(&c, text.p, n);
        else
            n = control(&c, text);
        text = fri_str(text.p + n, text.n - n);
    }
    return c.removed;
}
