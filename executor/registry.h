/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_REGISTRY_H
#define FR_EXECUTOR_REGISTRY_H

#include "fencerun/executor.h"

/* The class registered under a name, with every optional slot filled; NULL when there is none.
 * Classes are never removed, so the pointer stays good. */
const fr_executor_class *fri_class_find(const char *name);

/* The executors of the library. */
extern const fr_executor_class fri_sandbox_class;
extern const fr_executor_class fri_scripted_class;

#endif
