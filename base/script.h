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
    char *path; /* NULL where it came from no file */
    const char *steps;
    fri_json_ref next;
    size_t played;
} fri_script;

/* What a script is made of. */
typedef struct fri_script_form {
    const char *steps;          /* the name of the array */
    const char *const *members; /* of a step that is an object, up to NULL; others are refused */
    /* Reads a step, to see whether it is well-formed. */
    int (*check)(const fri_json *doc, fri_json_ref step, fr_error *err);
} fri_script_form;

/*
 * Reads the script in the file `path` or, when that is NULL, in `json`; exactly one of the two is given.
 * Every step is checked, so that a bad one is refused now and not when its turn comes. `form` must outlive
 * the script. Dispose also after a failure.
 * Errors: FR_EINVAL (both or none given), FR_ENOTFOUND (no such file), FR_ESYSTEM, FR_EFORMAT, FR_ELIMIT,
 * FR_ENOMEM.
 */
FR_CHECK int fri_script_open(fri_script *s, const char *path, fr_str json,
                             const fri_script_form *form, fr_error *err);
void fri_script_dispose(fri_script *s);

/* The step whose turn it is, which it then no longer is, and its place from 0; FRI_JSON_NONE behind the
 * last. */
fri_json_ref fri_script_next(fri_script *s, size_t *place);

/* Fails with what is wrong with the step at that place, and where it stands. Returns `code`. */
int fri_script_fail(const fri_script *s, size_t place, int code, const char *text, fr_error *err);

/* How much of a text there is room for in what is wrong: a number of bytes, for "%.*s". */
int fri_script_shown(fr_str text);

/* The number of the error a step names; 0 when it names none. Errors: FR_EFORMAT (there is no such). */
FR_CHECK int fri_script_error(const char *name, int *code, fr_error *err);

#endif
