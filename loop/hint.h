/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_HINT_H
#define FR_LOOP_HINT_H

#include "fencerun/str.h"

/* The last line of Python code when it looks like an expression whose value is lost, as `total / n` is:
 * what a notebook would show, and a program does not. Empty when it does not look so. A guess from the
 * line's own words, for a hint and nothing else. */
fr_str fri_bare_expression(fr_str code);

#endif
