/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "executor/sandbox/keeper/keeper.h"

int fri_failed(fri_failure *f, const char *format, ...)
{
    f->sys_errno = errno;
    va_list ap;
    va_start(ap, format);
    vsnprintf(f->step, sizeof(f->step), format, ap);
    va_end(ap);
    return -1;
}

int fri_write_all(int fd, const void *p, size_t n)
{
    const char *at = p;
    while (n > 0) {
        ssize_t m = write(fd, at, n);
        if (m < 0 && errno == EINTR)
            continue;
        if (m < 0)
            return -1;
        at += m;
        n -= (size_t)m;
    }
    return 0;
}
