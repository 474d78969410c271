/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

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
