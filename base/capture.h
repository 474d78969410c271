/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_CAPTURE_H
#define FR_BASE_CAPTURE_H

#include <stdint.h>

#include "base/buf.h"

/*
 * Head and tail of a stream of any length, in constant memory and with exact counts. The first half
 * of `keep` bytes is held as it comes; of the rest a ring holds the last half. A stream of at most
 * `keep` bytes is held whole.
 */
typedef struct fri_capture {
    uint64_t written; /* bytes fed */
    fri_buf head;     /* its limit is its share of `keep` */
    size_t tail_max;
    char *ring; /* none before the head is full; then grows up to tail_max bytes */
    size_t ring_cap;
    size_t
        ring_at; /* where the next byte goes; ring_len until the ring is tail_max long and full */
    size_t ring_len; /* bytes in it */
} fri_capture;

void fri_capture_init(fri_capture *c, size_t keep);
void fri_capture_dispose(fri_capture *c);

/* Takes bytes in. Errors: FR_ENOMEM; the capture then holds and counts what it did before. */
FR_CHECK int fri_capture_feed(fri_capture *c, const void *bytes, size_t n, fr_error *err);

/* What fri_capture_text() made. */
typedef struct fri_captured {
    uint64_t kept;    /* bytes of the stream that are in the text */
    uint64_t invalid; /* ill-formed UTF-8 sequences replaced */
    uint64_t
        gap; /* where bytes were left out: offset in the text of what says so; UINT64_MAX: none were */
} fri_captured;

/*
 * Appends the stream as valid UTF-8. When something was left out, a line of its own between head and
 * tail says how much: "[... 123 bytes left out ...]". Neither side is cut inside a character, so what
 * is left out may be some bytes more than did not fit. The capture is unchanged.
 */
void fri_capture_text(const fri_capture *c, fri_buf *out, fri_captured *info);

#endif
