/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/digits.h"
#include "base/http.h"
#include "base/http_curl.h"

/* Longer than anybody waits; keeps the arithmetic from overflowing. */
#define MAX_MS ((uint64_t)INT64_C(1000) * 365 * 24 * 3600 * 1000)

static int64_t whole_number(fr_str value, uint64_t unit_ms)
{
    uint64_t n = 0;
    if (fri_decimal(value.p, value.n, &n))
        return -1;
    return (int64_t)(n < MAX_MS / unit_ms ? n * unit_ms : MAX_MS);
}

/* A date that is past means "now". */
static int64_t until_date(fr_str value)
{
    char text[64];
    const fri_curl *curl;
    if (value.n >= sizeof(text) || fri_curl_load(&curl, NULL))
        return -1;
    snprintf(text, sizeof(text), "%.*s", (int)value.n, value.p);
    time_t now = time(NULL), then = curl->getdate(text, NULL);
    if (then < 0)
        return -1;
    return then > now ? (int64_t)(then - now) * 1000 : 0;
}

int64_t fri_http_retry_after(const fri_http_response *response)
{
    fr_str value = fri_http_header(response, "retry-after-ms");
    int64_t ms = whole_number(value, 1);
    if (ms >= 0)
        return ms;
    value = fri_http_header(response, "retry-after");
    ms = whole_number(value, 1000);
    /* Dates begin with the name of a day; libcurl would make one of less. */
    if (ms >= 0 || value.n == 0 || !strchr("MTWFS", value.p[0]))
        return ms;
    return until_date(value);
}
