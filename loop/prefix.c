/* SPDX-License-Identifier: MIT */
#include "loop/prefix.h"

/* CommonMark's bound on the number of a list item. */
#define MAX_DIGITS 9

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t column_behind(const fri_cursor *c)
{
    return c->text[c->at] == '\t' ? c->column / 4 * 4 + 4 : c->column + 1;
}

static void step(fri_cursor *c)
{
    c->column = column_behind(c);
    c->at++;
}

fri_cursor fri_cursor_at(const char *text, fri_line line)
{
    return (fri_cursor){text, line.start, line.end, 0, 0};
}

void fri_skip_blanks(fri_cursor *c)
{
    while (c->at < c->end && is_blank(c->text[c->at]))
        step(c);
}

/* The blank behind a marker belongs to it; a tab only as far as one column, so it may stay. */
static void skip_quote(fri_cursor *c)
{
    step(c);
    c->base = c->column;
    if (c->at == c->end || !is_blank(c->text[c->at]))
        return;
    c->base++;
    if (column_behind(c) == c->base)
        step(c);
}

size_t fri_skip_quotes(fri_cursor *c, size_t most, size_t slack)
{
    size_t n = 0;
    while (n < most) {
        fri_cursor marker = *c;
        fri_skip_blanks(&marker);
        if (marker.at == marker.end || marker.text[marker.at] != '>' ||
            marker.column > marker.base + 3 + slack)
            break;
        skip_quote(&marker);
        *c = marker;
        n++;
    }
    return n;
}

void fri_skip_indent(fri_cursor *c, size_t columns)
{
    while (c->at < c->end && is_blank(c->text[c->at]) && column_behind(c) <= c->base + columns)
        step(c);
}

/* Length of the list marker at the cursor: "-", "*", "+", "1." or "1)", with a blank behind it. */
static size_t list_marker(const fri_cursor *c)
{
    const char *p = c->text + c->at;
    size_t room = c->end - c->at, n = 0;
    if (p[0] == '-' || p[0] == '*' || p[0] == '+') {
        n = 1;
    } else {
        while (n < room && n < MAX_DIGITS && is_digit(p[n]))
            n++;
        if (n == 0 || n == room || (p[n] != '.' && p[n] != ')'))
            return 0;
        n++;
    }
    return n < room && is_blank(p[n]) ? n : 0;
}

fri_prefix fri_prefix_read(const char *text, fri_line line)
{
    fri_prefix prefix = {0, 0, 0, 0};
    fri_cursor c = fri_cursor_at(text, line);
    fri_skip_blanks(&c);
    while (c.at < c.end) {
        size_t marker = list_marker(&c);
        if (marker > 0) {
            c.at += marker;
            c.column += marker;
        } else if (text[c.at] == '>') {
            size_t pushed = c.column - c.base;
            if (pushed > prefix.slack)
                prefix.slack = pushed;
            skip_quote(&c);
            prefix.quotes++;
        } else {
            break;
        }
        fri_skip_blanks(&c);
    }
    prefix.at = c.at;
    prefix.indent = c.column - c.base;
    return prefix;
}
