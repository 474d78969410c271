/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_SANDBOX_H
#define FENCERUN_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/**
 * Options of the executor "sandbox", for fr_executor_options.config. It runs code in fresh Linux
 * namespaces under a read-only root, needs no engine and no privilege, and refuses to run where the
 * kernel withholds something its isolation rests on. What it promises and what not: SECURITY.md.
 */

/** Zero means default. Members are only ever added at the end. */
typedef struct fr_sandbox_options {
    size_t struct_size;
    /** Directory that becomes the run's root, read-only: an unpacked image with usr/bin/python3 in
     * it. NULL: the host's /usr under an otherwise made-up root. */
    const char *root;
    /** Not 0: opening does not wait until a first sandbox stands. What the system withholds
     * (FR_EUNAVAILABLE) is then told by the first run or probe. */
    int32_t no_wait;
} fr_sandbox_options;

#define FR_SANDBOX_OPTIONS_INIT          \
    {                                    \
        sizeof(fr_sandbox_options), 0, 0 \
    }

#endif
