/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_CAPTURE_H
#define FR_BASE_CAPTURE_H

#include <stdint.h>

#include "base/buf.h"

/*
 * Head and tail of a stream of any length, in constant memory and with exact counts. The first half
 * of `keep` bytes is held as it comes; of the rest a ring holds the last half.
 */
typedef struct fri_capture {
    uint64_t written; /* bytes fed */
    size_t head_max;
    size_t tail_max;
    fri_buf head;
    char *ring; /* tail_max bytes once the head is full */
    size_t ring_cap;
    size_t ring_at;  /* where the next byte goes */
    size_t ring_len; /* bytes in it */
} fri_capture;

void fri_capture_init(fri_capture *c, size_t keep);
void fri_capture_dispose(fri_capture *c);

/* Takes bytes in. Errors: FR_ENOMEM. */
FR_CHECK int fri_capture_feed(fri_capture *c, const void *p, size_t n, fr_error *err);

/* What fri_capture_text() made. */
typedef struct fri_captured {
    uint64_t kept;    /* bytes of the stream that are in the text */
    uint64_t invalid; /* ill-formed UTF-8 sequences replaced */
} fri_captured;

/*
 * Appends the stream as valid UTF-8. When something was left out, a line of its own between head and
 * tail says how many bytes; neither side is cut inside a character. The capture is unchanged.
 */
void fri_capture_text(const fri_capture *c, fri_buf *out, fri_captured *info);

#endif
