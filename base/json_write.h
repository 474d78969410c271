/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_JSON_WRITE_H
#define FR_BASE_JSON_WRITE_H

#include <stdint.h>

#include "base/buf.h"

/*
 * JSON writing that cannot emit bad JSON: commas, colons and nesting are the writer's affair, strings
 * are repaired UTF-8, and a call that does not fit where the writer stands (a value without a key, an
 * end without a start) makes the whole document fail with FR_EINTERNAL. Compact, "/" and everything
 * above U+007F unescaped, U+2028, U+2029 and U+007F escaped. The buffer may hold other text before
 * the document; nothing else may be appended to it until the document is finished.
 */
#define FRI_JSON_WRITE_DEPTH 64

typedef struct fri_json_out {
    fri_buf *buf;
    size_t start; /* where the document starts in it */
    int depth;
    int state;                       /* what may come next */
    char kind[FRI_JSON_WRITE_DEPTH]; /* '{' or '[' */
    int code;                        /* sticky: 0, FR_EINTERNAL or FR_ELIMIT (depth) */
} fri_json_out;

void fri_json_out_init(fri_json_out *w, fri_buf *buf);
void fri_json_begin_object(fri_json_out *w);
void fri_json_end_object(fri_json_out *w);
void fri_json_begin_array(fri_json_out *w);
void fri_json_end_array(fri_json_out *w);
void fri_json_key(fri_json_out *w, const char *key);
void fri_json_key_str(fri_json_out *w, fr_str key);
void fri_json_put_string(fri_json_out *w, fr_str s);
void fri_json_put_cstring(fri_json_out *w, const char *s);
void fri_json_put_int(fri_json_out *w, int64_t v);
void fri_json_put_uint(fri_json_out *w, uint64_t v);
void fri_json_put_bool(fri_json_out *w, int v);
void fri_json_put_null(fri_json_out *w);

/* A key with its value. */
void fri_json_member_string(fri_json_out *w, const char *key, fr_str s);
void fri_json_member_cstring(fri_json_out *w, const char *key, const char *s);
void fri_json_member_int(fri_json_out *w, const char *key, int64_t v);
void fri_json_member_uint(fri_json_out *w, const char *key, uint64_t v);
void fri_json_member_bool(fri_json_out *w, const char *key, int v);

/* A whole value that fri_json_check() has found good, without the blanks between its tokens. */
void fri_json_put_checked(fri_json_out *w, fr_str json);

/* 0 when exactly one whole value has been written, else the failure that stuck; the buffer is then
 * cut back to where the document started. `what` is the subject of the error's text. */
FR_CHECK int fri_json_out_finish(fri_json_out *w, const char *what, fr_error *err);

/* The same, and gives the buffer's bytes away: `*json`, to be freed with fri_free() or fr_free(). */
FR_CHECK int fri_json_out_steal(fri_json_out *w, const char *what, char **json, fr_error *err);

#endif
