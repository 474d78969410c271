/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_REGISTRY_H
#define FR_EXECUTOR_REGISTRY_H

#include "fencerun/executor.h"

/* The class registered under a name, with every optional slot filled. Classes are never removed, so
 * the pointer stays good. Errors: FR_ENOTFOUND, FR_ENOMEM. */
FR_CHECK int fri_class_find(const char *name, const fr_executor_class **out, fr_error *err);

/* Whether a table of languages can be an executor's. Errors: FR_EINVAL. */
FR_CHECK int fri_check_languages(const fr_language *languages, size_t count, const char *name,
                                 fr_error *err);

/* The executors of the library. */
extern const fr_executor_class fri_guard_class;
extern const fr_executor_class fri_sandbox_class;
extern const fr_executor_class fri_scripted_class;

#endif
