/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_DOCTOR_H
#define FENCERUN_DOCTOR_H

#include <stdint.h>

#include "fencerun/error.h"
#include "fencerun/executor.h"
#include "fencerun/sandbox.h"

/** What the sandbox can do on this machine, found out by trying. */

#define FR_CHECK_MAP(X)                                                                    \
    X(HOLDS, 1, "holds")                                                                   \
    X(DEGRADED, 2, "degraded") /**< by lesser means, as receipts say too */                \
    X(FAILS, 3, "fails")       /**< it does not hold, and so nothing should be run here */ \
    X(ABSENT, 4, "absent")     /**< something that one can do without, such as an interpreter */

enum fr_check_status {
#define FR_CHECK_ENUM(name, value, text) FR_CHECK_##name = (value),
    FR_CHECK_MAP(FR_CHECK_ENUM)
#undef FR_CHECK_ENUM
};

/** One thing that was tried. Only the library makes these; members are only ever added at the end. */
typedef struct fr_check {
    int32_t status;     /**< `fr_check_status` */
    const char *name;   /**< "network", "memory" */
    const char *found;  /**< one line: what was seen, and by what it holds */
    const char *advice; /**< one line: what to change; "" where nothing need be */
} fr_check;

/** Gets one check; it is good until this returns. */
typedef void (*fr_check_fn)(void *user, const fr_check *check);

FR_BEGIN_DECLS

/**
 * Tries each wall and each limit of the sandbox from inside of runs that are thrown away, with the options of
 * `sandbox` (NULL: its defaults). An address outside is only tried where the run has been seen to have no
 * interface but its own loopback. Takes a few seconds. Returns the number of checks that fail: 0 means that code
 * can be run here. Errors: FR_EINVAL (options), FR_ENOMEM. Threads: any. Since: 0.1.
 */
FR_API FR_CHECK int fr_sandbox_check(const fr_sandbox_options *sandbox, fr_check_fn report,
                                     void *user, fr_error *err);

/** "holds", "degraded", "fails", "absent"; "unknown" for another number. Owner: static storage. Threads: any.
 * Since: 0.1. */
FR_API const char *fr_check_text(int status);

/** One JSON object on one line: status, name, found, advice. Free `*json` with fr_free(). Errors: FR_ENOMEM.
 * Since: 0.1. */
FR_API FR_CHECK int fr_check_json(const fr_check *check, char **json, fr_error *err);

/**
 * Removes what sandboxes of programs that were killed, or of a machine that went down, have left: their cgroups.
 * Everything else goes with its processes. What belongs to programs that are alive stays. Each executor does the
 * same behind its first run. Returns how many were removed. Errors: FR_EUNAVAILABLE, FR_ESYSTEM, FR_ENOMEM.
 * Threads: any. Since: 0.1.
 */
FR_API FR_CHECK int fr_sandbox_sweep(fr_error *err);

FR_END_DECLS

#endif
