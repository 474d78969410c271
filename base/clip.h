/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_CLIP_H
#define FR_BASE_CLIP_H

#include <stdint.h>

#include "base/buf.h"

/* 0: no limit. */
typedef struct fri_clip_limits {
    size_t max_chars; /* code points */
    size_t max_lines;
} fri_clip_limits;

/* A line of the text that stands for what an earlier cut left out (base/capture.h writes such lines). It
 * is no part of what was printed: no limit counts it. */
typedef struct fri_gap {
    size_t at;      /* its offset */
    size_t n;       /* its length with the LF; 0: there is no gap */
    uint64_t bytes; /* what it stands for */
} fri_gap;

/* What fri_clip() did. */
typedef struct fri_clipped {
    size_t characters; /* left out, besides the gap's bytes */
} fri_clipped;

/*
 * Appends the text, which is valid UTF-8. When it goes beyond a limit, its head and its tail, each half
 * as long as the limit allows (an odd one is the head's), and between them a line of its own:
 * "[... 123 characters left out ...]", or, when the gap goes with them, "[... 123 characters and
 * 456 bytes left out ...]". Where both limits would cut, each end is as short as the stricter one says.
 * A line that is cut in two counts as one.
 */
void fri_clip(fri_buf *out, fr_str text, const fri_clip_limits *limits, fri_gap gap,
              fri_clipped *info);

#endif
