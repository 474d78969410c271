/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_VERSION_H
#define FENCERUN_VERSION_H

#include "fencerun/export.h"

/** Version of these headers. CMake reads the three numbers from here. */
#define FR_VERSION_MAJOR 0
#define FR_VERSION_MINOR 1
#define FR_VERSION_PATCH 0

FR_BEGIN_DECLS

/**
 * Version of the library that is linked, as "MAJOR.MINOR.PATCH".
 * Owner: static storage. Threads: any. Since: 0.1.
 */
FR_API const char *fr_version(void);

FR_END_DECLS

#endif
