/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_JSON_READ_H
#define FR_BASE_JSON_READ_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/error.h"
#include "fencerun/str.h"

/*
 * Strict JSON reading. The text is first checked by RFC 8259 (json_check.c: grammar, UTF-8, depth,
 * size), since jsmn alone accepts much that is no JSON; then jsmn indexes it, with parent links so
 * that this stays linear. The document borrows the text, which must outlive it.
 */
typedef struct fri_json fri_json;

/* A value in a document: an index into its tokens. 0 is the root; FRI_JSON_NONE is no value, and
 * every reader takes it as "absent". */
typedef int32_t fri_json_ref;
#define FRI_JSON_NONE (-1)

enum fri_json_type {
    FRI_JSON_ABSENT,
    FRI_JSON_NULL,
    FRI_JSON_BOOL,
    FRI_JSON_NUMBER,
    FRI_JSON_STRING,
    FRI_JSON_ARRAY,
    FRI_JSON_OBJECT
};

/* How a \u escape of a lone surrogate is treated. */
enum fri_json_surrogates {
    FRI_JSON_REPAIR, /* becomes U+FFFD */
    FRI_JSON_REFUSE  /* the document is malformed */
};

/* Errors: FR_EFORMAT with line and column, FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_json_parse(const char *text, size_t n, int surrogates, fri_json **out,
                            fr_error *err);
void fri_json_free(fri_json *doc);
void fri_json_freep(fri_json **doc);

/* The check alone, without indexing; *tokens gets how many tokens jsmn will need. */
FR_CHECK int fri_json_check(const char *text, size_t n, int surrogates, size_t *tokens,
                            fr_error *err);

int fri_json_type(const fri_json *doc, fri_json_ref v);

/* Whether there is a value: neither absent nor null. */
int fri_json_is_given(const fri_json *doc, fri_json_ref v);

/* Member `key` of an object, the last one where a key stands twice; FRI_JSON_NONE when there is
 * none or v is no object. The key is compared after unescaping. */
fri_json_ref fri_json_get(const fri_json *doc, fri_json_ref v, const char *key);

/* Number of members or elements; 0 for everything else. */
size_t fri_json_size(const fri_json *doc, fri_json_ref v);

/* Iteration: the first child of an array or object (of an object: a key), and the next sibling.
 * FRI_JSON_NONE at the end. The value of a key is fri_json_value(). */
fri_json_ref fri_json_first(const fri_json *doc, fri_json_ref v);
fri_json_ref fri_json_next(const fri_json *doc, fri_json_ref v);
fri_json_ref fri_json_value(const fri_json *doc, fri_json_ref key);

/* The bytes of the value as written, strings without their quotes. */
fr_str fri_json_raw(const fri_json *doc, fri_json_ref v);

/* The bytes of the value as written, strings with their quotes: again a whole JSON text. */
fr_str fri_json_source(const fri_json *doc, fri_json_ref v);

/* A string, unescaped, in new memory (fri_free). `n` may be NULL. FR_EFORMAT for another type;
 * `what` names the value in the text of the error. */
FR_CHECK int fri_json_string(const fri_json *doc, fri_json_ref v, const char *what, char **out,
                             size_t *n, fr_error *err);

/* A number that is written as an integer and lies in [min, max]. */
FR_CHECK int fri_json_integer(const fri_json *doc, fri_json_ref v, const char *what, int64_t min,
                              int64_t max, int64_t *out, fr_error *err);

/* Members that may be left out; *out is then as it was. An integer may be null as well. */
FR_CHECK int fri_json_optional_string(const fri_json *doc, fri_json_ref v, const char *key,
                                      char **out, size_t *n, fr_error *err);
FR_CHECK int fri_json_optional_integer(const fri_json *doc, fri_json_ref v, const char *key,
                                       int64_t min, int64_t max, int64_t *out, fr_error *err);

FR_CHECK int fri_json_bool(const fri_json *doc, fri_json_ref v, const char *what, int *out,
                           fr_error *err);

#endif
