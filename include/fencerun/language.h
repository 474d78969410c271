/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_LANGUAGE_H
#define FENCERUN_LANGUAGE_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/export.h"

/** Language flag: `'''` and `"""` strings may hold fence lines, as Python's do. */
#define FR_LANGUAGE_TRIPLE_QUOTES 1u

/** A language an executor runs, and the info-string words that name it. Fixed layout. */
typedef struct fr_language {
    const char *name;         /**< what results and receipts call it: "python" */
    const char *const *words; /**< info-string words, NULL-terminated, matched without case */
    uint32_t flags;           /**< FR_LANGUAGE_… */
} fr_language;

FR_BEGIN_DECLS

/** Python as ADK and people write it: python, py, python3, tool_code.
 * Owner: static storage. Threads: any. Since: 0.1. */
FR_API const fr_language *fr_language_python(void);

FR_END_DECLS

#endif
