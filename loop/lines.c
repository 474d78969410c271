/* SPDX-License-Identifier: MIT */
#include "loop/lines.h"

#include <string.h>

void fri_lines_init(fri_lines *lines, const char *text, size_t end)
{
    *lines = (fri_lines){text, end, {end, end}, {end, end}};
}

static size_t find(const char *text, char c, size_t from, size_t end, size_t otherwise)
{
    const char *hit = from < end ? memchr(text + from, c, end - from) : NULL;
    return hit ? (size_t)(hit - text) : otherwise;
}

static size_t look_ahead(const fri_lines *lines, fri_ahead *ahead, char c, size_t from)
{
    if (from > ahead->at)
        ahead->at = find(lines->text, c, from, lines->end, lines->end);
    else if (from < ahead->from)
        ahead->at = find(lines->text, c, from, ahead->from, ahead->at);
    else
        return ahead->at;
    ahead->from = from;
    return ahead->at;
}

fri_line fri_lines_at(fri_lines *lines, size_t start)
{
    size_t lf = look_ahead(lines, &lines->lf, '\n', start);
    size_t cr = look_ahead(lines, &lines->cr, '\r', start);
    size_t end = lf < cr ? lf : cr;
    size_t next = end;
    if (end < lines->end)
        next += cr + 1 == lf && lf < lines->end ? 2 : 1;
    return (fri_line){start, end, next};
}

size_t fri_line_start(const char *text, size_t at, size_t least)
{
    while (at > least && text[at - 1] != '\n' && text[at - 1] != '\r')
        at--;
    return at;
}
