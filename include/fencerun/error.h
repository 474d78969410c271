/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_ERROR_H
#define FENCERUN_ERROR_H

#include <stdint.h>

#include "fencerun/export.h"

/**
 * Every error code: name, value, text. A negative code means that the call itself failed; it never
 * says anything about the code a model wrote (that is what `fr_code_result` is for).
 */
#define FR_ERROR_MAP(X)                                     \
    X(EINVAL, -1, "invalid argument")                       \
    X(ENOMEM, -2, "out of memory")                          \
    X(ELIMIT, -3, "limit exceeded")                         \
    X(EFORMAT, -4, "malformed input")                       \
    X(ENOTFOUND, -5, "not found")                           \
    X(EEXISTS, -6, "exists already")                        \
    X(EABI, -7, "built for another version of the library") \
    X(EUNSUPPORTED, -8, "not supported")                    \
    X(EUNAVAILABLE, -9, "backend unavailable")              \
    X(ESYSTEM, -10, "system call failed")                   \
    X(EPROTOCOL, -11, "unexpected answer")                  \
    X(EINTERNAL, -12, "internal error")                     \
    X(ECANCELLED, -13, "cancelled")                         \
    X(EMODEL, -14, "model failed")

enum fr_error_code {
    FR_OK = 0,
#define FR_ERROR_ENUM(name, value, text) FR_##name = (value),
    FR_ERROR_MAP(FR_ERROR_ENUM)
#undef FR_ERROR_ENUM
};

#define FR_ERROR_TEXT_SIZE 504

/**
 * Where a failed call says what went wrong. The caller owns it, usually on the stack; it is written
 * only on failure, never allocated and never freed. Every function that takes one accepts NULL.
 */
typedef struct fr_error {
    int32_t code;                  /**< one of `fr_error_code` */
    int32_t sys_errno;             /**< errno of the system call that failed, or 0 */
    char text[FR_ERROR_TEXT_SIZE]; /**< one line of UTF-8: what failed, on what, what to do */
} fr_error;

#define FR_ERROR_INIT \
    {                 \
        0, 0, ""      \
    }

FR_BEGIN_DECLS

/**
 * Fills `err` and returns `code`, so that a failure is one line: `return fr_fail(err, FR_EINVAL, 0,
 * "...")`. A text that does not fit is cut at a character boundary; control characters become
 * spaces. `sys_errno`, if not 0, is appended as text by the library.
 * Errors: returns `code`, always. Threads: any. Since: 0.1.
 */
FR_API int fr_fail(fr_error *err, int code, int sys_errno, const char *format, ...) FR_PRINTF(4, 5);

/** "FR_EINVAL" for FR_EINVAL, "FR_OK" for 0, "FR_E?" for a number that is no code.
 * Owner: static storage. Threads: any. Since: 0.1. */
FR_API const char *fr_error_name(int code);

/** "invalid argument" for FR_EINVAL, "ok" for 0, "unknown error" for a number that is no code.
 * Owner: static storage. Threads: any. Since: 0.1. */
FR_API const char *fr_error_text(int code);

/** One JSON object on one line, {"error":{"code":"FR_EMODEL","message":"…"}}, for who reads the others of the
 * library. Free `*json` with fr_free(). Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_error_json(const fr_error *error, char **json, fr_error *err);

FR_END_DECLS

#endif
