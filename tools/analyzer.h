/* SPDX-License-Identifier: MIT */
/* For tools/lint.sh only: tells the analyzer what it cannot see from a caller, that fr_fail() returns
 * the code it is given, so that it does not follow failures that succeed. */
#include "fencerun/error.h"

#define fr_fail(err, code, ...) (fr_fail((err), (code), __VA_ARGS__), (code))
