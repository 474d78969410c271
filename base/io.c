/* SPDX-License-Identifier: MIT */
#include "base/io.h"

#include <errno.h>
#include <unistd.h>

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
