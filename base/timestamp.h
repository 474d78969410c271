/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_TIMESTAMP_H
#define FR_BASE_TIMESTAMP_H

#include <stdint.h>

#include "fencerun/str.h"

/* Points of time for people and other machines: RFC 3339 in UTC, to the microsecond, of one length, so
 * that they sort as text: "2026-12-01T05:00:00.123456Z". */

#define FRI_TIMESTAMP_LENGTH 27

/* CLOCK_REALTIME in microseconds since 1970. May be set back. */
int64_t fri_wall_us(void);

/* For the years 0 to 9999; what is outside becomes the nearest that is not. */
void fri_timestamp_text(int64_t us, char text[FRI_TIMESTAMP_LENGTH + 1]);

/* 0, or -1 when it is not exactly of that form, or no date. */
int fri_timestamp_read(fr_str text, int64_t *us);

#endif
