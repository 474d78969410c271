/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_SCRIPTED_H
#define FENCERUN_SCRIPTED_H

#include <stddef.h>

#include "fencerun/str.h"

/**
 * Options of the executor "scripted", for fr_executor_options.config. It runs nothing: it hands out
 * recorded results one after the other, for tests of what is around an executor. The script is
 *
 *     {"results": [{"outcome": "failed", "exit_code": 1, "stdout": "", "stderr": "NameError"},
 *                  {"stdout": "42\n", "expect": "print(6*7)\n"},
 *                  {"error": "FR_EUNAVAILABLE", "message": "engine is down"}]}
 *
 * Left out members are: outcome ok, exit_code 0, empty output. `delay_ms` waits before the result is
 * given, `expect` fails the call when the code is another. A run behind the last result fails. All of it
 * is in docs/scripts.md.
 */

/** Exactly one of `path` and `json` is set. Members are only ever added at the end. */
typedef struct fr_scripted_options {
    size_t struct_size;
    const char *path; /**< file with the script */
    fr_str json;      /**< the script itself; `json.p` NULL: use `path` */
} fr_scripted_options;

#define FR_SCRIPTED_OPTIONS_INIT        \
    {                                   \
        sizeof(fr_scripted_options), 0, \
        {                               \
            0, 0                        \
        }                               \
    }

#endif
