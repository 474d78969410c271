/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_SEARCH_H
#define FR_LOOP_SEARCH_H

#include <stdint.h>

#include "fencerun/content.h"
#include "loop/body.h"
#include "loop/extraction.h"

#define FRI_NO_PART SIZE_MAX

/* One call of fr_extract(): what it was given and what it is filling. */
typedef struct fri_search {
    const fr_content *content;
    fr_extract_options options; /* checked, with the defaults filled in */
    fr_extraction *x;
    size_t executable; /* index of the executable_code part that is the code, or FRI_NO_PART */
} fri_search;

/* A block as it was found in the text, before it is known whether it can run. */
typedef struct fri_found {
    size_t start; /* of the opening delimiter */
    size_t end;   /* behind the closing one */
    fr_str info;
    const fr_language *language; /* NULL: none of the table */
    int terminated;
    fri_body body;
} fri_found;

/* Decides whether a block can run, and records it. */
FR_CHECK int fri_search_record(fri_search *s, const fri_found *found, fr_error *err);

/* Whether part i is code that has no result right behind it. */
int fri_is_pending(const fr_content *content, size_t i);

/* The default rules and ADK's. They fill in `executable` and, of x, the text, the blocks and
 * `unterminated`. */
FR_CHECK int fri_find(fri_search *s, fr_error *err);
FR_CHECK int fri_find_adk(fri_search *s, fr_error *err);

/* The search of x->text by the default rules. */
FR_CHECK int fri_walk(fri_search *s, fr_error *err);

/* Fill in x->content. */
FR_CHECK int fri_cut(const fri_search *s, fr_error *err);
FR_CHECK int fri_cut_adk(const fri_search *s, fr_error *err);

#endif
