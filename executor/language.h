/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_LANGUAGE_H
#define FR_EXECUTOR_LANGUAGE_H

#include "fencerun/language.h"

/* The words of fr_language_python(), for tables that have more than Python in them. */
extern const char *const fri_python_words[];

#endif
