/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_SCRIPT_H
#define FR_BASE_SCRIPT_H

#include "base/buf.h"
#include "base/json_read.h"

/*
 * A script: JSON with one array of steps, which stand-ins for something real play one after the other,
 * for tests of what is around them.
 */
typedef struct fri_script {
    fri_buf text; /* `doc` points into it */
    fri_json *doc;
    fri_json_ref next;
} fri_script;

/* Reads a step, to see whether it is well-formed. */
typedef int (*fri_script_check)(const fri_json *doc, fri_json_ref step, fr_error *err);

/*
 * Reads the script in the file `path` or, when that is NULL, in `json`; exactly one of the two is given.
 * `steps` is the name of the array. Every step is checked, so that a bad one is refused now and not when
 * its turn comes. Dispose also after a failure.
 * Errors: FR_EINVAL (both or none given), FR_ENOTFOUND (no such file), FR_ESYSTEM, FR_EFORMAT, FR_ELIMIT,
 * FR_ENOMEM.
 */
FR_CHECK int fri_script_open(fri_script *s, const char *path, fr_str json, const char *steps,
                             fri_script_check check, fr_error *err);
void fri_script_dispose(fri_script *s);

/* The step whose turn it is, which it then no longer is; FRI_JSON_NONE behind the last. */
fri_json_ref fri_script_next(fri_script *s);

/* The number of the error a step names; 0 when it names none. Errors: FR_EFORMAT (there is no such). */
FR_CHECK int fri_script_error(const char *name, int *code, fr_error *err);

#endif
