/* SPDX-License-Identifier: MIT */
/* Any bytes, split anywhere: the first byte says where, the rest is the stream. The events are the same
 * as when it comes whole, and no event holds a line break that is no LF. */
#include <string.h>

#include "base/sse.h"
#include "tests/fuzz/fuzz.h"

static int write_down(void *user, fr_str type, fr_str data, fr_error *err)
{
    FUZZ_CHECK(!memchr(type.p, '\n', type.n) && !memchr(type.p, '\r', type.n));
    FUZZ_CHECK(data.n == 0 || !memchr(data.p, '\r', data.n));
    fri_buf_append(user, type.p, type.n);
    fri_buf_putc(user, '\0');
    fri_buf_append(user, data.p, data.n);
    fri_buf_putc(user, '\1');
    return fri_buf_check(user, "events", err);
}

static int read_stream(const char *p, size_t n, size_t step, fri_buf *events)
{
    fri_sse s;
    int rc = 0;
    fri_buf_init(events, 1 << 24);
    fri_sse_init(&s, 1 << 20, write_down, events);
    for (size_t at = 0; rc == 0 && at < n; at += step)
        rc = fri_sse_feed(&s, p + at, n - at < step ? n - at : step, NULL);
    int inside = fri_sse_is_inside(&s);
    fri_sse_dispose(&s);
    FUZZ_CHECK(rc == 0);
    return inside;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fri_buf whole, pieces;
    if (size == 0)
        return 0;
    const char *p = (const char *)data + 1;
    int inside = read_stream(p, size - 1, size, &whole);
    FUZZ_CHECK(read_stream(p, size - 1, (size_t)data[0] % 16 + 1, &pieces) == inside);
    FUZZ_CHECK(whole.n == pieces.n && memcmp(whole.p, pieces.p, whole.n) == 0);
    fri_buf_dispose(&whole);
    fri_buf_dispose(&pieces);
    return 0;
}
