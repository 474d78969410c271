/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_EXTRACTION_H
#define FR_LOOP_EXTRACTION_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "fencerun/extract.h"

typedef struct fri_block_list {
    fr_block *v;
    size_t n;
    size_t room;
} fri_block_list;

/* All strings in it are its own, each with a NUL behind it. */
struct fr_extraction {
    fri_buf text;
    fri_buf prefix; /* used only when there is a runnable block */
    char **names;   /* of the languages, by their index in the options */
    size_t name_count;
    fri_block_list runnable;
    fri_block_list skipped;
    fr_content *content; /* may borrow from the rest */
    char *label;         /* of the code in it */
    int unterminated;
    int all;
};

/* An extraction without text and blocks. */
FR_CHECK int fri_extraction_new(const fr_extract_options *options, fr_extraction **out,
                                fr_error *err);

static inline void fri_extraction_freep(fr_extraction **x)
{
    fr_extraction_free(*x);
}

/* Appends a block to the runnable or the skipped ones, by its `skip`. Its info string is copied, its
 * code becomes `code` (its own from then on), its language the name with index `language`, -1 for
 * none. */
FR_CHECK int fri_extraction_add(fr_extraction *x, const fr_block *block, int language,
                                fri_buf *code, fr_error *err);

#endif
