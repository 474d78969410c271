/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_CANCEL_H
#define FENCERUN_CANCEL_H

#include "fencerun/error.h"

/**
 * A wish to stop, handed along with work (fr_code_input.cancel) and raised from anywhere else. It stays
 * raised, so it does not matter whether the work has begun: what starts with a raised one stops at
 * once. One may go with several runs, at once or one after the other, and then stops them all.
 */
typedef struct fr_cancel fr_cancel;

FR_BEGIN_DECLS

/** Makes one that is not raised. Free with fr_cancel_free(). Errors: FR_ENOMEM, FR_ESYSTEM (no
 * descriptor). Since: 0.1. */
FR_API FR_CHECK int fr_cancel_new(fr_cancel **out, fr_error *err);

/** Nothing may be using it any more. NULL is allowed. Since: 0.1. */
FR_API void fr_cancel_free(fr_cancel *cancel);

/** Raises it; once is enough. Threads: any, and signal handlers too (signal-safety(7)); errno is kept.
 * Since: 0.1. */
FR_API void fr_cancel_raise(fr_cancel *cancel);

/** Whether it is raised. NULL never is. Threads: any. Since: 0.1. */
FR_API int fr_cancel_raised(const fr_cancel *cancel);

/** A descriptor that is readable once it is raised, to be polled and nothing else; of NULL it is -1,
 * which poll(2) passes over. Owner: the fr_cancel. Threads: any. Since: 0.1. */
FR_API int fr_cancel_fd(const fr_cancel *cancel);

FR_END_DECLS

#endif
