/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_MEMORY_H
#define FENCERUN_MEMORY_H

#include "fencerun/export.h"

FR_BEGIN_DECLS

/**
 * Frees memory that the library handed out as a plain pointer (the functions that do so name this
 * one). NULL is allowed. Threads: any. Since: 0.1.
 */
FR_API void fr_free(void *p);

FR_END_DECLS

#endif
