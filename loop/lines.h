/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_LINES_H
#define FR_LOOP_LINES_H

#include <stddef.h>

/* A line without its end, which is LF, CR LF or CR. */
typedef struct fri_line {
    size_t start;
    size_t end;
    size_t next; /* where the next line starts; the text's end when there is none */
} fri_line;

/* The nearest character of a kind that is not before `from`. */
typedef struct fri_ahead {
    size_t from;
    size_t at;
} fri_ahead;

/*
 * The lines of text[0, end). The nearest LF and the nearest CR are remembered, so that asking about
 * one long line again and again does not search it again and again.
 */
typedef struct fri_lines {
    const char *text;
    size_t end;
    fri_ahead lf;
    fri_ahead cr;
} fri_lines;

void fri_lines_init(fri_lines *lines, const char *text, size_t end);

/* The line that starts at `start`; or, from inside a line, what is left of it. */
fri_line fri_lines_at(fri_lines *lines, size_t start);

/* Where the line with offset `at` starts, but not before `least`. */
size_t fri_line_start(const char *text, size_t at, size_t least);

#endif
