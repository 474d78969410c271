/* SPDX-License-Identifier: MIT */
#include "loop/body.h"

#include <string.h>

#include "loop/prefix.h"

/* From here on CommonMark would not take a fence for one outside a list. */
#define DEEP_INDENT 4

int fri_is_blank(fr_str code)
{
    for (size_t i = 0; i < code.n; i++)
        if (code.p[i] != ' ' && (code.p[i] < '\t' || code.p[i] > '\r'))
            return 0;
    return 1;
}

static fri_cursor line_content(const char *text, const fri_body *body, fri_line line)
{
    fri_cursor c = fri_cursor_at(text, line);
    fri_skip_quotes(&c, body->quotes, body->slack);
    if (line.start == body->start && !body->literal && c.end - c.at >= 3 &&
        memcmp(text + c.at, "\xef\xbb\xbf", 3) == 0)
        c.at += 3;
    return c;
}

/* Under a deeply indented fence models often write code that is not indented at all; taking columns
 * away from its inner lines would break it. */
static int is_unindented(const char *text, const fri_body *body)
{
    fri_lines lines;
    fri_lines_init(&lines, text, body->end);
    fri_line line;
    for (size_t at = body->start; at < body->end; at = line.next) {
        line = fri_lines_at(&lines, at);
        fri_cursor c = line_content(text, body, line);
        size_t start = c.at;
        fri_skip_blanks(&c);
        if (c.at < c.end)
            return c.at == start;
    }
    return 0;
}

void fri_body_read(const char *text, const fri_body *body, fri_buf *code)
{
    size_t indent = body->indent;
    if (indent >= DEEP_INDENT && is_unindented(text, body))
        indent = 0;
    fri_buf_reserve(code, body->end - body->start);
    fri_lines lines;
    fri_lines_init(&lines, text, body->end);
    fri_line line;
    for (size_t at = body->start; at < body->end; at = line.next) {
        line = fri_lines_at(&lines, at);
        fri_cursor c = line_content(text, body, line);
        fri_skip_indent(&c, indent);
        fri_buf_append(code, text + c.at, c.end - c.at);
        if (line.next > line.end)
            fri_buf_putc(code, '\n');
    }
}
