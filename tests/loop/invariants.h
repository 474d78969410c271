/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOOP_INVARIANTS_H
#define TESTS_LOOP_INVARIANTS_H

#include "fencerun/extract.h"

/* Checks what holds for every reply and all options. Returns NULL, or what is broken. */
const char *broken_invariant(const fr_content *reply, const fr_extract_options *options,
                             const fr_extraction *x);

#endif
