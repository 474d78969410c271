/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_BLOCK_H
#define FR_LOOP_BLOCK_H

#include "loop/fence.h"
#include "loop/lines.h"

/* A fence that opens a block. */
typedef struct fri_opener {
    size_t at; /* of the fence */
    fri_fence fence;
    size_t indent;     /* columns before it, or before the text it stands behind */
    size_t quotes;     /* block-quote markers before it */
    size_t slack;      /* for fri_skip_quotes() */
    size_t body;       /* start of the next line */
    int triple_quotes; /* its language has ''' and """ strings */
} fri_opener;

/* How far the block goes. */
typedef struct fri_extent {
    size_t body_end;
    size_t end;     /* behind the closing fence */
    size_t quotes;  /* block-quote markers on the lines of the body */
    int terminated; /* there is a closing fence */
} fri_extent;

/* Finds the end of a block. `budget` is how many bytes may still be read twice, see block.c. */
fri_extent fri_block_read(fri_lines *lines, const fri_opener *opener, size_t *budget);

#endif
