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

/* A line of the text that stands for what an earlier cut left out (base/capture.h and fri_clip() write such
 * lines). It is no part of what was printed: no limit counts it. */
typedef struct fri_gap {
    size_t at;         /* its offset, or that of the LF that had to be put before it */
    size_t n;          /* its length with both LFs; 0: there is no gap */
    uint64_t bytes;    /* what it stands for */
    size_t characters; /* besides the bytes */
} fri_gap;

/*
 * Appends the text, which is valid UTF-8. When it goes beyond a limit, its head and its tail, each half
 * as long as the limit allows (an odd one is the head's), and between them a line of its own:
 * "[... 123 characters left out ...]", or, when the gap goes with them and stands for bytes, "[... 123
 * characters and 456 bytes left out ...]". Where both limits would cut, each end is as short as the stricter
 * one says. A line that is cut in two counts as one.
 * `gap` becomes the one of the text that was appended. Returns how many characters were left out now.
 */
size_t fri_clip(fri_buf *out, fr_str text, const fri_clip_limits *limits, fri_gap *gap);

#endif
