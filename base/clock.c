/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <limits.h>
#include <time.h>

int64_t fri_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * FRI_NS_PER_S + t.tv_nsec;
}

int fri_poll_timeout(int64_t deadline_ns)
{
    if (deadline_ns < 0)
        return -1;
    int64_t left = deadline_ns - fri_now_ns();
    if (left <= 0)
        return 0;
    int64_t ms = (left - 1) / FRI_NS_PER_MS + 1;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

int64_t fri_timeval_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * FRI_NS_PER_S + (int64_t)t.tv_usec * 1000;
}
