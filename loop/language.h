/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_LANGUAGE_H
#define FR_LOOP_LANGUAGE_H

#include "fencerun/language.h"
#include "fencerun/str.h"

/* The language that a word of an info string names, or NULL. ASCII case does not count. */
const fr_language *fri_language_find(const fr_language *table, size_t count, fr_str word);

#endif
