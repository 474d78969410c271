/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_TRIPLE_QUOTES_H
#define FR_LOOP_TRIPLE_QUOTES_H

#include <stddef.h>

/* Whether a line of Python is inside a ''' or """ string. Zeroed at the start of the code. */
typedef struct fri_triple_quotes {
    char quote; /* of the string that is open at the end of the last line; 0: none */
    int triple; /* it is a ''' or """ string */
} fri_triple_quotes;

/* Takes in the next line, without its end. */
void fri_triple_quotes_line(fri_triple_quotes *q, const char *p, size_t n);

#endif
