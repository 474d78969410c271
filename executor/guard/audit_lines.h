/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_LINES_H
#define FR_EXECUTOR_GUARD_AUDIT_LINES_H

#include "base/buf.h"

/* A log read line by line, to where it ended when it was opened. That end is taken under the lock, so that
 * no write is half done there; what is before it changes no more, so that the reading itself holds up
 * nobody who writes. */
typedef struct fri_audit_lines {
    int fd;
    uint64_t left; /* bytes not yet in the chunk */
    char *chunk;
    size_t at, n; /* the rest of the chunk */
    fri_buf text;
    uint64_t offset; /* of the next line */
    uint64_t number; /* of the line before it */
} fri_audit_lines;

typedef struct fri_audit_line {
    fr_str text;     /* without the line feed; empty when the line is longer than any record */
    uint64_t number; /* from 1 */
    uint64_t offset; /* where it begins */
    uint64_t size;   /* its bytes, without the line feed */
    int whole;       /* it has one */
} fri_audit_line;

/* Dispose also after a failure. Errors: FR_EINVAL, FR_ENOTFOUND, FR_ESYSTEM, FR_ENOMEM. */
FR_CHECK int fri_audit_lines_open(fri_audit_lines *l, const char *path, fr_error *err);
void fri_audit_lines_dispose(fri_audit_lines *l);

/* 1 and the next line, good until the next call; 0 at the end. Errors: FR_ESYSTEM, FR_ENOMEM. */
FR_CHECK int fri_audit_lines_next(fri_audit_lines *l, fri_audit_line *out, fr_error *err);

#endif
