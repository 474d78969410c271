/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_PREFIX_H
#define FR_LOOP_PREFIX_H

#include "loop/lines.h"

/*
 * What may stand on a line before a fence: indentation, list markers, block-quote markers. Columns
 * count from 0 at the start of the line, a tab goes on to the next multiple of 4.
 */

/* A place in a line. `base` is where indentation counts from: 0, or behind the last quote marker and
 * the blank that belongs to it. */
typedef struct fri_cursor {
    const char *text;
    size_t at;
    size_t end;
    size_t column;
    size_t base;
} fri_cursor;

fri_cursor fri_cursor_at(const char *text, fri_line line);

void fri_skip_blanks(fri_cursor *c);

/* Moves over at most `most` quote markers, each of them no more than three columns (and `slack`)
 * behind where it could be; returns how many there were. */
size_t fri_skip_quotes(fri_cursor *c, size_t most, size_t slack);

/* Moves over the blanks that fit into `columns` columns of indentation. */
void fri_skip_indent(fri_cursor *c, size_t columns);

/* The whole prefix of a line. */
typedef struct fri_prefix {
    size_t at;     /* where it ends */
    size_t indent; /* its columns, counted from behind the last quote marker */
    size_t quotes; /* quote markers in it */
    size_t slack;  /* how far list markers push a quote marker in */
} fri_prefix;

fri_prefix fri_prefix_read(const char *text, fri_line line);

#endif
