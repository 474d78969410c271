/* SPDX-License-Identifier: MIT */
#include "base/io.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"

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

int fri_wait_readable(int fd, int64_t ms)
{
    int64_t deadline = fri_now_ns() + ms * FRI_NS_PER_MS;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (;;) {
        /* A signal may cut the waiting short. */
        if (poll(&p, 1, fri_poll_timeout(deadline)) > 0)
            return 1;
        if (fri_now_ns() >= deadline)
            return 0;
    }
}
