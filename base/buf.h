/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_BUF_H
#define FR_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "fencerun/error.h"
#include "fencerun/str.h"

/*
 * A growing byte string with a limit. `p` is never NULL and always NUL-terminated. The first failure
 * sticks: later appends do nothing, so a run of appends is checked once, by fri_buf_check().
 */
typedef struct fri_buf {
    char *p;
    size_t n;
    size_t cap;
    size_t limit; /* most bytes it may hold, without the NUL */
    int code;     /* 0, FR_ENOMEM or FR_ELIMIT */
} fri_buf;

void fri_buf_init(fri_buf *b, size_t limit);
void fri_buf_dispose(fri_buf *b);
void fri_buf_append(fri_buf *b, const void *p, size_t n);
void fri_buf_puts(fri_buf *b, const char *s);
void fri_buf_putc(fri_buf *b, char c);
void fri_buf_printf(fri_buf *b, const char *format, ...) FR_PRINTF(2, 3);

/* Room for n more bytes at p + n, for a reader to fill; NULL when the buffer has failed. The caller
 * adds what it filled with fri_buf_grow(). */
char *fri_buf_reserve(fri_buf *b, size_t n);
void fri_buf_grow(fri_buf *b, size_t n);

/* Back to n bytes; n must not be larger than now. */
void fri_buf_truncate(fri_buf *b, size_t n);

/* 0, or the failure that stuck, with `what` as the subject of its text. */
FR_CHECK int fri_buf_check(const fri_buf *b, const char *what, fr_error *err);

/* Gives the bytes away (free with fri_free) and starts afresh; NULL only when that cannot be
 * allocated. Call after fri_buf_check(). */
FR_CHECK char *fri_buf_steal(fri_buf *b, fr_error *err);

static inline fr_str fri_buf_str(const fri_buf *b)
{
    fr_str s = {b->p, b->n};
    return s;
}

#endif
