/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_CLEAN_H
#define FR_EXECUTOR_GUARD_CLEAN_H

#include <stdint.h>

#include "base/buf.h"

/*
 * Appends what a terminal would leave standing of the text, which is valid UTF-8: no control sequences
 * (ECMA-48), no controls but TAB and LF, of a line that was drawn several times its last state.
 * The screen is not emulated: a sequence that moves the cursor to another line, as nested progress bars
 * do, is removed like any other, and what was drawn there stays.
 * Returns how many sequences, controls and redraws were taken away. Cleaning twice changes nothing.
 */
uint64_t fri_clean(fri_buf *out, fr_str text);

#endif
