/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_FAILURE_H
#define FR_BASE_FAILURE_H

#include "fencerun/error.h"

/*
 * What a method of somebody else's class has failed with, made whole: `rc` is what it returned, `why` what it
 * filled in. A number that is no error becomes FR_EINTERNAL, and a failure without a text gets one; `kind` and
 * `name` are whose it is ("executor", "sandbox"). 0 when it did not fail.
 */
int fri_failure_of(const char *kind, const char *name, int rc, const fr_error *why, fr_error *err);

#endif
