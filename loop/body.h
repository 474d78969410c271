/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_BODY_H
#define FR_LOOP_BODY_H

#include "base/buf.h"

/* Where a block's code is in the text and what comes off its lines. */
typedef struct fri_body {
    size_t start;
    size_t end;
    size_t indent; /* columns of indentation */
    size_t quotes; /* block-quote markers */
    size_t slack;  /* for fri_skip_quotes() */
    int literal;   /* between delimiters: only line ends are changed */
} fri_body;

/* Appends the code, line ends as LF. `code` tells when that failed. */
void fri_body_read(const char *text, const fri_body *body, fri_buf *code);

/* Whether there is nothing but white space in it. */
int fri_is_blank(fr_str code);

#endif
