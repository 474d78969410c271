/* SPDX-License-Identifier: MIT */
/*
 * Any bytes: the check and the reader agree, an accepted document that is written again reads as the
 * same values, and writing that gives the same bytes. Copied as checked it keeps all its tokens.
 */
#include <string.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

static fr_str unescaped(const fri_json *doc, fri_json_ref v, char **owner)
{
    size_t n;
    FUZZ_CHECK(fri_json_string(doc, v, "string", owner, &n, NULL) == 0);
    FUZZ_CHECK(fri_utf8_valid_prefix(*owner, n) == n);
    return fri_str(*owner, n);
}

static void write_scalar(const fri_json *doc, fri_json_ref v, fri_json_out *w)
{
    char *owner = NULL;
    int64_t number;
    int truth;
    switch (fri_json_type(doc, v)) {
    case FRI_JSON_NULL:
        fri_json_put_null(w);
        break;
    case FRI_JSON_BOOL:
        FUZZ_CHECK(fri_json_bool(doc, v, "boolean", &truth, NULL) == 0);
        fri_json_put_bool(w, truth);
        break;
    case FRI_JSON_NUMBER:
        /* Other numbers than integers are none of the writer's business: they go as strings. */
        if (fri_json_integer(doc, v, "number", INT64_MIN, INT64_MAX, &number, NULL) == 0)
            fri_json_put_int(w, number);
        else
            fri_json_put_string(w, fri_json_raw(doc, v));
        break;
    default:
        fri_json_put_string(w, unescaped(doc, v, &owner));
    }
    fri_free(owner);
}

/* Writes a key and gives back its value. */
static fri_json_ref write_key(const fri_json *doc, fri_json_ref key, fri_json_out *w)
{
    char *owner;
    unescaped(doc, key, &owner);
    fri_json_key(w, owner);
    fri_free(owner);
    return fri_json_value(doc, key);
}

/* A container that is being written: which, and its child that comes next. */
typedef struct level {
    fri_json_ref container;
    fri_json_ref child;
} level;

static void write_document(const fri_json *doc, fri_json_out *w)
{
    level levels[FRI_JSON_WRITE_DEPTH + 1];
    int depth = 0;
    fri_json_ref v = 0;
    for (;;) {
        int type = fri_json_type(doc, v);
        FUZZ_CHECK(type != FRI_JSON_ABSENT);
        if (type == FRI_JSON_OBJECT || type == FRI_JSON_ARRAY) {
            (type == FRI_JSON_OBJECT ? fri_json_begin_object : fri_json_begin_array)(w);
            levels[depth++] = (level){v, fri_json_first(doc, v)};
        } else {
            write_scalar(doc, v, w);
        }
        for (; depth > 0 && levels[depth - 1].child == FRI_JSON_NONE; depth--) {
            type = fri_json_type(doc, levels[depth - 1].container);
            (type == FRI_JSON_OBJECT ? fri_json_end_object : fri_json_end_array)(w);
        }
        if (depth == 0)
            return;
        level *top = &levels[depth - 1];
        v = top->child;
        top->child = fri_json_next(doc, v);
        if (fri_json_type(doc, top->container) == FRI_JSON_OBJECT)
            v = write_key(doc, v, w);
    }
}

static void write_again(const fri_json *doc, fri_buf *buf)
{
    fri_json_out w;
    fri_json_out_init(&w, buf);
    write_document(doc, &w);
    FUZZ_CHECK(fri_json_out_finish(&w, "document", NULL) == 0);
}

/* A key is written as a C string, so that one with a NUL in it comes back shorter. */
static fr_str up_to_nul(fr_str s)
{
    return fri_str(s.p, strnlen(s.p, s.n));
}

static void compare_values(const fri_json *a, const fri_json *b, fri_json_ref v)
{
    int type = fri_json_type(a, v);
    FUZZ_CHECK(fri_json_size(a, v) == fri_json_size(b, v));
    FUZZ_CHECK(fri_json_next(a, v) == fri_json_next(b, v));
    FUZZ_CHECK(fri_json_value(a, v) == fri_json_value(b, v));
    if (type == FRI_JSON_STRING) {
        char *of_a, *of_b;
        fr_str s = unescaped(a, v, &of_a), t = unescaped(b, v, &of_b);
        int is_key = fri_json_value(a, v) != FRI_JSON_NONE;
        FUZZ_CHECK(fri_str_equal(is_key ? up_to_nul(s) : s, t));
        fri_free(of_a);
        fri_free(of_b);
    } else if (type == FRI_JSON_NUMBER) {
        int64_t m, n;
        int is_integer = fri_json_integer(a, v, "number", INT64_MIN, INT64_MAX, &m, NULL) == 0;
        FUZZ_CHECK(is_integer ? fri_json_integer(b, v, "number", m, m, &n, NULL) == 0
                              : fri_str_equal(fri_json_raw(a, v), fri_json_raw(b, v)));
    } else {
        FUZZ_CHECK(fri_json_type(b, v) == type);
    }
}

static void round_trip(const fri_json *doc, size_t tokens)
{
    fri_buf once, twice;
    fri_json *again = NULL;
    fri_buf_init(&once, SIZE_MAX);
    fri_buf_init(&twice, SIZE_MAX);
    write_again(doc, &once);
    FUZZ_CHECK(fri_json_parse(once.p, once.n, FRI_JSON_REFUSE, &again, NULL) == 0);
    for (size_t v = 0; v < tokens; v++)
        compare_values(doc, again, (fri_json_ref)v);
    write_again(again, &twice);
    FUZZ_CHECK(fri_str_equal(fri_buf_str(&once), fri_buf_str(&twice)));
    fri_json_free(again);
    fri_buf_dispose(&once);
    fri_buf_dispose(&twice);
}

/* Without its blanks it is the same document, token by token. */
static void compact(const fri_json *doc, size_t tokens, int surrogates)
{
    fri_buf buf;
    fri_json_out w;
    fri_json *again = NULL;
    fri_buf_init(&buf, SIZE_MAX);
    fri_json_out_init(&w, &buf);
    fri_json_put_checked(&w, fri_json_source(doc, 0));
    FUZZ_CHECK(fri_json_out_finish(&w, "document", NULL) == 0);
    FUZZ_CHECK(!memchr(buf.p, '\n', buf.n));
    FUZZ_CHECK(fri_json_parse(buf.p, buf.n, surrogates, &again, NULL) == 0);
    for (fri_json_ref v = 0; v < (fri_json_ref)tokens; v++) {
        int type = fri_json_type(doc, v);
        FUZZ_CHECK(fri_json_type(again, v) == type);
        FUZZ_CHECK(fri_json_size(again, v) == fri_json_size(doc, v));
        if (type != FRI_JSON_OBJECT && type != FRI_JSON_ARRAY)
            FUZZ_CHECK(fri_str_equal(fri_json_source(again, v), fri_json_source(doc, v)));
    }
    fri_json_free(again);
    fri_buf_dispose(&buf);
}

static int run(const char *text, size_t n, int surrogates)
{
    size_t tokens = 0;
    fri_json *doc = NULL;
    fr_error of_check = FR_ERROR_INIT, of_read = FR_ERROR_INIT;
    int rc = fri_json_check(text, n, surrogates, &tokens, &of_check);
    FUZZ_CHECK(rc == 0 || rc == FR_EFORMAT || rc == FR_ELIMIT);
    FUZZ_CHECK(fri_json_parse(text, n, surrogates, &doc, &of_read) == rc);
    FUZZ_CHECK(strcmp(of_check.text, of_read.text) == 0);
    FUZZ_CHECK((rc == 0) == (doc != NULL));
    if (doc) {
        round_trip(doc, tokens);
        compact(doc, tokens, surrogates);
    }
    fri_json_free(doc);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int repaired = run((const char *)data, size, FRI_JSON_REPAIR);
    int refused = run((const char *)data, size, FRI_JSON_REFUSE);
    FUZZ_CHECK(refused == repaired || refused == FR_EFORMAT);
    return 0;
}
