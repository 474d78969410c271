/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* What `p` points to before the first allocation: never written to. */
static char empty[1];

void fri_buf_init(fri_buf *b, size_t limit)
{
    b->p = empty;
    b->n = 0;
    b->cap = 0;
    b->limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4; /* sizes cannot wrap then */
    b->code = 0;
}

void fri_buf_dispose(fri_buf *b)
{
    if (b->cap > 0)
        fri_free(b->p);
    fri_buf_init(b, b->limit);
}

/* Makes room for n more bytes and a NUL. */
static int ensure(fri_buf *b, size_t n)
{
    if (b->code)
        return b->code;
    if (n > b->limit || b->n > b->limit - n)
        return b->code = FR_ELIMIT;
    size_t need = b->n + n + 1;
    if (need <= b->cap)
        return 0;
    size_t cap = b->cap < 64 ? 64 : b->cap;
    while (cap < need)
        cap += cap / 2;
    char *p = fri_realloc(b->cap > 0 ? b->p : NULL, cap, 1, NULL);
    if (!p)
        return b->code = FR_ENOMEM;
    b->p = p;
    b->cap = cap;
    b->p[b->n] = '\0';
    return 0;
}

char *fri_buf_reserve(fri_buf *b, size_t n)
{
    return ensure(b, n) ? NULL : b->p + b->n;
}

void fri_buf_grow(fri_buf *b, size_t n)
{
    b->n += n;
    b->p[b->n] = '\0';
}

void fri_buf_append(fri_buf *b, const void *p, size_t n)
{
    if (n == 0 || ensure(b, n))
        return;
    memcpy(b->p + b->n, p, n);
    fri_buf_grow(b, n);
}

void fri_buf_puts(fri_buf *b, const char *s)
{
    fri_buf_append(b, s, strlen(s));
}

void fri_buf_putc(fri_buf *b, char c)
{
    fri_buf_append(b, &c, 1);
}

void fri_buf_printf(fri_buf *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0 && !b->code)
        b->code = FR_ELIMIT; /* longer than INT_MAX */
    if (n <= 0 || ensure(b, (size_t)n))
        return;
    va_start(ap, format);
    vsnprintf(b->p + b->n, (size_t)n + 1, format, ap);
    va_end(ap);
    fri_buf_grow(b, (size_t)n);
}

void fri_buf_truncate(fri_buf *b, size_t n)
{
    if (n < b->n) {
        b->n = n;
        b->p[n] = '\0';
    }
}

int fri_buf_check(const fri_buf *b, const char *what, fr_error *err)
{
    if (b->code == FR_ELIMIT)
        return fr_fail(err, FR_ELIMIT, 0, "%s is longer than %zu bytes", what, b->limit);
    if (b->code)
        return fr_fail(err, b->code, 0, "out of memory for %s", what);
    return 0;
}

char *fri_buf_steal(fri_buf *b, fr_error *err)
{
    char *p = b->cap > 0 ? b->p : fri_calloc(1, 1, err);
    if (p)
        fri_buf_init(b, b->limit);
    return p;
}
