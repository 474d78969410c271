/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_CONTENT_H
#define FR_LOOP_CONTENT_H

#include "base/buf.h"
#include "fencerun/content.h"

struct fr_content {
    fr_part *parts;
    size_t count;
    size_t room;             /* parts that fit into `parts` */
    size_t bytes;            /* held by all parts together */
    const char *borrowed[2]; /* data of parts that somebody else frees */
    char role[32];
};

/* Text that is said, not thought. */
int fri_part_is_said(const fr_part *part);

/* Appends the text of all parts that are said, one behind the other. */
void fri_content_text(const fr_content *content, fri_buf *out);

/* A copy of a content. */
FR_CHECK int fri_content_clone(const fr_content *content, fr_content **out, fr_error *err);

static inline void fri_content_freep(fr_content **content)
{
    fr_content_free(*content);
}

/* Appends a copy of a part, without a look at the limits of fr_content_add(). */
FR_CHECK int fri_content_copy(fr_content *content, const fr_part *part, fr_error *err);

/* Appends a part whose data and label are not copied: they outlive the content. Two parts of a content
 * can be like that. */
FR_CHECK int fri_content_borrow(fr_content *content, const fr_part *part, fr_error *err);

#endif
