/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_OPTIONS_H
#define FR_EXECUTOR_OPTIONS_H

#include "fencerun/executor.h"

/* Copies a caller's options (NULL: none) with ADK's and our defaults filled in, and refuses what the
 * class cannot do. `config` alone stays borrowed. Dispose also after a failure.
 * Errors: FR_EINVAL, FR_EUNSUPPORTED, FR_EABI, FR_ENOMEM. */
FR_CHECK int fri_options_init(fr_executor_options *options, const fr_executor_options *given,
                              const fr_executor_class *cls, fr_error *err);

/* Copies options that are complete. Dispose also after a failure. Errors: FR_ENOMEM. */
FR_CHECK int fri_options_copy(fr_executor_options *options, const fr_executor_options *complete,
                              fr_error *err);
void fri_options_dispose(fr_executor_options *options);

/* Refuses a wall time that is no 1 ms to 24 h; 0 stands for the default. Errors: FR_EINVAL. */
FR_CHECK int fri_check_timeout(int64_t timeout_ms, const char *name, fr_error *err);

#endif
