/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_SIZED_H
#define FR_BASE_SIZED_H

#include <stddef.h>

#include "fencerun/error.h"

/*
 * Reads a caller's options struct, whose first member is its `size_t struct_size`: an older caller's
 * is shorter (the rest stays zero, the default), a newer caller's is longer (then what we do not
 * know must be zero, since it cannot be honoured). NULL leaves all defaults. `name` is for the error.
 * Errors: FR_EINVAL (struct_size not set), FR_EABI.
 */
FR_CHECK int fri_read_sized(void *dst, size_t dst_size, const void *src, const char *name,
                            fr_error *err);

#endif
