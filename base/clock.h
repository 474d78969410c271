/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_CLOCK_H
#define FR_BASE_CLOCK_H

#include <stdint.h>
#include <sys/time.h>

#define FRI_NS_PER_MS INT64_C(1000000)
#define FRI_NS_PER_S  INT64_C(1000000000)

/* CLOCK_MONOTONIC in nanoseconds: comparable between processes, never set back. */
int64_t fri_now_ns(void);

/* A struct timeval, as getrusage gives it. */
int64_t fri_timeval_ns(struct timeval t);

/* Milliseconds until `deadline_ns` for poll(2): rounded up, 0 when it is past, at most INT_MAX;
 * -1 (no deadline) for a negative deadline. */
int fri_poll_timeout(int64_t deadline_ns);

#endif
