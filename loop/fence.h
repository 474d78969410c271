/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_FENCE_H
#define FR_LOOP_FENCE_H

#include "fencerun/str.h"

/* A fence: what CommonMark 4.5 calls one, except for where on its line it stands. */
typedef struct fri_fence {
    char mark;     /* '`' or '~' */
    size_t length; /* of the run, at least 3 */
    fr_str info;   /* what is behind it, trimmed; an empty one is "bare" */
} fri_fence;

/* How many bytes from p on are the same as the first. n > 0. */
size_t fri_fence_run(const char *p, size_t n);

/* Whether a fence starts at p; n reaches to the end of the line. */
int fri_fence_read(const char *p, size_t n, fri_fence *out);

/* Whether `fence` can close a block that `opener` opened. */
int fri_fence_closes(const fri_fence *fence, const fri_fence *opener);

/* The word that names the language: "python" of "Python title=x", "{.python .numberLines}",
 * "python:main.py". */
fr_str fri_info_word(fr_str info);

/* Whether an info string is one word and nothing but attributes behind it, so that a fence in the
 * middle of a line is more than words about fences. */
int fri_info_is_plain(fr_str info);

#endif
