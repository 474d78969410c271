/* SPDX-License-Identifier: MIT */
#include "base/timestamp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/digits.h"

#define US_PER_S INT64_C(1000000)
#define EARLIEST (INT64_C(-62167219200) * US_PER_S)     /* 0000-01-01T00:00:00.000000Z */
#define LATEST   (INT64_C(253402300800) * US_PER_S - 1) /* 9999-12-31T23:59:59.999999Z */

int64_t fri_wall_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * US_PER_S + t.tv_nsec / 1000;
}

void fri_timestamp_text(int64_t us, char text[FRI_TIMESTAMP_LENGTH + 1])
{
    us = us < EARLIEST ? EARLIEST : us > LATEST ? LATEST : us;
    int64_t fraction = (us % US_PER_S + US_PER_S) % US_PER_S;
    time_t seconds = (time_t)((us - fraction) / US_PER_S);
    struct tm t;
    gmtime_r(&seconds, &t);
    /* Wider than it can be, for a compiler that does not know what gmtime_r() promises. */
    char wide[96];
    snprintf(wide, sizeof(wide), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", t.tm_year + 1900,
             t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, (int)fraction);
    memcpy(text, wide, FRI_TIMESTAMP_LENGTH);
    text[FRI_TIMESTAMP_LENGTH] = '\0';
}

/* The number of `n` digits at p; -1 when they are none. */
static int number(const char *p, size_t n)
{
    uint64_t v;
    return fri_decimal(p, n, &v) ? -1 : (int)v;
}

int fri_timestamp_read(fr_str text, int64_t *us)
{
    if (text.n != FRI_TIMESTAMP_LENGTH)
        return -1;
    const char *p = text.p;
    struct tm t = {.tm_year = number(p, 4) - 1900,
                   .tm_mon = number(p + 5, 2) - 1,
                   .tm_mday = number(p + 8, 2),
                   .tm_hour = number(p + 11, 2),
                   .tm_min = number(p + 14, 2),
                   .tm_sec = number(p + 17, 2)};
    int64_t value = (int64_t)timegm(&t) * US_PER_S + number(p + 20, 6);
    /* Whatever is no such date, or has something else between its digits, is written differently. */
    char again[FRI_TIMESTAMP_LENGTH + 1];
    fri_timestamp_text(value, again);
    if (memcmp(again, p, FRI_TIMESTAMP_LENGTH) != 0)
        return -1;
    *us = value;
    return 0;
}
