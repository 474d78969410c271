/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_GUARD_H
#define FENCERUN_GUARD_H

#include <stddef.h>
#include <stdint.h>

/**
 * Options of the executor "guard", which fr_executor_wrap() puts around any other. It records each run
 * in an audit log, before and after; says whether what is on stderr is an error (fr_code_result's
 * stderr_class, by the rules of docs/guard.md); and makes the output fit for a model: without control
 * sequences and redrawn lines, and head and tail only where it is long. A run that cannot be recorded is
 * refused. Around another guard it adds to what the receipt counts, and leaves the judgement to that one,
 * which saw all of it.
 */

/** Value of `max_characters` for no bound. */
#define FR_NO_CLIP (-1)

/** Zero means default. Members are only ever added at the end. */
typedef struct fr_guard_options {
    size_t struct_size;
    const char *audit_path; /**< the audit log; NULL: none */
    int32_t audit_no_sync;  /**< not 0: do not wait until a record is on the disk */
    int32_t max_characters; /**< of each stream; 0: 4,000; FR_NO_CLIP */
    int32_t max_lines;      /**< of each stream; 0: no bound */
    int32_t keep_controls;  /**< not 0: control sequences stay; stderr is judged without them */
} fr_guard_options;

#define FR_GUARD_OPTIONS_INIT                   \
    {                                           \
        sizeof(fr_guard_options), 0, 0, 0, 0, 0 \
    }

#endif
