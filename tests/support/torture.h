/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_TORTURE_H
#define TESTS_SUPPORT_TORTURE_H

#include <stddef.h>

#include "fencerun/error.h"

/* What is put under torture: one whole use of something, which frees all it made, also when it fails.
 * Returns 0 or the code of the call that failed. */
typedef int (*torture_fn)(void *user, fr_error *err);

/*
 * Runs fn with its first, second, third … allocation failing, until it succeeds with none failing.
 * Every run but the last must return FR_ENOMEM with a text, and no run may leave an allocation behind.
 * Returns how many allocations fn makes.
 */
size_t torture(torture_fn fn, void *user);

#endif
