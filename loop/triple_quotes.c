/* SPDX-License-Identifier: MIT */
#include "loop/triple_quotes.h"

/*
 * Theory of operation. Of Python's lexer only what decides where strings begin and end: comments,
 * both quotes, one or three of them, and the backslash, which keeps the next character from ending a
 * string in raw strings too. A string in single quotes ends with its line unless a backslash is the
 * line's last character. Prefixes (f, r, b) change nothing here.
 */

static int is_triple(const char *p, size_t n)
{
    return n >= 3 && p[1] == p[0] && p[2] == p[0];
}

/* Outside strings: how far to go from p, which may open a string. */
static size_t open_string(fri_triple_quotes *q, const char *p, size_t n)
{
    if (p[0] == '#')
        return n;
    if (p[0] != '\'' && p[0] != '"')
        return 1;
    q->quote = p[0];
    q->triple = is_triple(p, n);
    return q->triple ? 3 : 1;
}

/* Inside a string: how far to go from p, which may close it. */
static size_t close_string(fri_triple_quotes *q, const char *p, size_t n)
{
    if (p[0] == '\\')
        return 2;
    if (p[0] != q->quote || (q->triple && !is_triple(p, n)))
        return 1;
    size_t length = q->triple ? 3 : 1;
    *q = (fri_triple_quotes){0, 0};
    return length;
}

void fri_triple_quotes_line(fri_triple_quotes *q, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n)
        i += q->quote ? close_string(q, p + i, n - i) : open_string(q, p + i, n - i);
    int continued = i > n;
    if (!q->triple && !continued)
        q->quote = 0;
}
