/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

_Static_assert(FRI_MAX_JSON_BYTES <= INT_MAX, "jsmn counts bytes in an int");
_Static_assert(FRI_MAX_JSON_TOKENS <= INT32_MAX, "a fri_json_ref names every token");

struct fri_json {
    const char *text;
    jsmntok_t *tokens;
    fri_json_ref *next; /* next sibling of each token */
};

/* ---- Indexing ---- */

/* Fills the tokens of a text that passed the check. */
static int index_text(jsmntok_t *tokens, size_t count, const char *text, size_t n, fr_error *err)
{
    jsmn_parser parser;
    jsmn_init(&parser);
    int found = jsmn_parse(&parser, text, n, tokens, (unsigned)count);
    if (found == JSMN_ERROR_PART && count == 1) {
        /* A number or word up to the very end: jsmn wants something behind one. */
        jsmn_fill_token(tokens, JSMN_PRIMITIVE, (int)parser.pos, (int)n);
        found = 1;
    }
    if (found < 0 || (size_t)found != count)
        return fr_fail(err, FR_EINTERNAL, 0, "checked JSON has %zu tokens, indexed has %d", count,
                       found);
    return 0;
}

/* Backwards, so that a token knows the sibling behind it. Until its own turn comes, a container's
 * place holds the first of its children seen so far. */
static void link_siblings(fri_json_ref *next, const jsmntok_t *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++)
        next[i] = FRI_JSON_NONE;
    for (size_t i = count - 1; i > 0; i--) {
        int parent = tokens[i].parent;
        next[i] = next[parent];
        next[parent] = (fri_json_ref)i;
    }
    next[0] = FRI_JSON_NONE;
}

int fri_json_parse(const char *text, size_t n, int surrogates, fri_json **out, fr_error *err)
{
    size_t count;
    int rc = fri_json_check(text, n, surrogates, &count, err);
    if (rc)
        return rc;
    FRI_AUTO(fri_json_freep) fri_json *doc = fri_calloc(1, sizeof(*doc), err);
    if (!doc)
        return FR_ENOMEM;
    doc->text = text;
    doc->tokens = fri_calloc(count, sizeof(*doc->tokens), err);
    doc->next = doc->tokens ? fri_calloc(count, sizeof(*doc->next), err) : NULL;
    if (!doc->next)
        return FR_ENOMEM;
    rc = index_text(doc->tokens, count, text, n, err);
    if (rc)
        return rc;
    link_siblings(doc->next, doc->tokens, count);
    *out = fri_steal(&doc);
    return 0;
}

void fri_json_free(fri_json *doc)
{
    if (!doc)
        return;
    fri_free(doc->tokens);
    fri_free(doc->next);
    fri_free(doc);
}

void fri_json_freep(fri_json **doc)
{
    fri_json_free(*doc);
}

/* ---- Walking ---- */

int fri_json_type(const fri_json *doc, fri_json_ref v)
{
    if (v < 0)
        return FRI_JSON_ABSENT;
    const jsmntok_t *token = &doc->tokens[v];
    if (token->type == JSMN_OBJECT)
        return FRI_JSON_OBJECT;
    if (token->type == JSMN_ARRAY)
        return FRI_JSON_ARRAY;
    if (token->type == JSMN_STRING)
        return FRI_JSON_STRING;
    switch (doc->text[token->start]) {
    case 'n':
        return FRI_JSON_NULL;
    case 't':
    case 'f':
        return FRI_JSON_BOOL;
    default:
        return FRI_JSON_NUMBER;
    }
}

int fri_json_is_given(const fri_json *doc, fri_json_ref v)
{
    int type = fri_json_type(doc, v);
    return type != FRI_JSON_ABSENT && type != FRI_JSON_NULL;
}

fr_str fri_json_raw(const fri_json *doc, fri_json_ref v)
{
    if (v < 0)
        return fri_str("", 0);
    const jsmntok_t *token = &doc->tokens[v];
    return fri_str(doc->text + token->start, (size_t)(token->end - token->start));
}

fr_str fri_json_source(const fri_json *doc, fri_json_ref v)
{
    fr_str raw = fri_json_raw(doc, v);
    if (fri_json_type(doc, v) != FRI_JSON_STRING)
        return raw;
    return fri_str(raw.p - 1, raw.n + 2);
}

size_t fri_json_size(const fri_json *doc, fri_json_ref v)
{
    int type = fri_json_type(doc, v);
    int container = type == FRI_JSON_OBJECT || type == FRI_JSON_ARRAY;
    return container ? (size_t)doc->tokens[v].size : 0;
}

fri_json_ref fri_json_first(const fri_json *doc, fri_json_ref v)
{
    return fri_json_size(doc, v) > 0 ? v + 1 : FRI_JSON_NONE;
}

fri_json_ref fri_json_next(const fri_json *doc, fri_json_ref v)
{
    return v < 0 ? FRI_JSON_NONE : doc->next[v];
}

fri_json_ref fri_json_value(const fri_json *doc, fri_json_ref key)
{
    int is_key = fri_json_type(doc, key) == FRI_JSON_STRING && doc->tokens[key].size == 1;
    return is_key ? key + 1 : FRI_JSON_NONE;
}

/* ---- Strings ---- */

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 4 | (uint32_t)fri_hex_value(p[i]);
    return v;
}

/* The character a \u escape at p stands for, of n checked bytes; *used gets the escape's length. */
static uint32_t unicode_escape(const char *p, size_t n, size_t *used)
{
    uint32_t c = hex4(p + 2);
    *used = 6;
    if (c < 0xd800 || c > 0xdfff)
        return c;
    if (c <= 0xdbff && n >= 12 && p[6] == '\\' && p[7] == 'u') {
        uint32_t low = hex4(p + 8);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *used = 12;
            return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return 0xfffd;
}

/* Writes what the escape at p, of n checked bytes, stands for; returns the escape's length, which is
 * never less than the *m bytes written. */
static size_t unescape(const char *p, size_t n, char out[4], size_t *m)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (p[1] == 'u') {
        size_t used;
        *m = fri_utf8_encode(unicode_escape(p, n, &used), out);
        return used;
    }
    out[0] = values[strchr(names, p[1]) - names];
    *m = 1;
    return 2;
}

/* Takes the next piece off a string as written: bytes that stand for themselves, or one escape, which
 * is unescaped into `bytes`. */
static fr_str next_piece(fr_str *raw, char bytes[4])
{
    const char *slash = memchr(raw->p, '\\', raw->n);
    size_t used = slash ? (size_t)(slash - raw->p) : raw->n;
    fr_str piece = fri_str(raw->p, used);
    if (used == 0) {
        piece.p = bytes;
        used = unescape(raw->p, raw->n, bytes, &piece.n);
    }
    *raw = fri_str(raw->p + used, raw->n - used);
    return piece;
}

static int key_equals(fr_str raw, fr_str key)
{
    while (raw.n > 0) {
        char bytes[4];
        fr_str piece = next_piece(&raw, bytes);
        if (piece.n > key.n || memcmp(piece.p, key.p, piece.n) != 0)
            return 0;
        key = fri_str(key.p + piece.n, key.n - piece.n);
    }
    return key.n == 0;
}

fri_json_ref fri_json_get(const fri_json *doc, fri_json_ref v, const char *key)
{
    fri_json_ref found = FRI_JSON_NONE;
    if (fri_json_type(doc, v) != FRI_JSON_OBJECT)
        return found;
    fr_str name = fri_cstr(key);
    for (fri_json_ref k = fri_json_first(doc, v); k != FRI_JSON_NONE; k = fri_json_next(doc, k))
        if (key_equals(fri_json_raw(doc, k), name))
            found = fri_json_value(doc, k);
    return found;
}

/* ---- Values ---- */

static const char *const type_names[] = {"absent",   "null",     "a boolean", "a number",
                                         "a string", "an array", "an object"};

static int need_type(const fri_json *doc, fri_json_ref v, const char *what, int type, fr_error *err)
{
    int is = fri_json_type(doc, v);
    if (is == type)
        return 0;
    if (is == FRI_JSON_ABSENT)
        return fr_fail(err, FR_EFORMAT, 0, "%s is missing", what);
    return fr_fail(err, FR_EFORMAT, 0, "%s must be %s, not %s", what, type_names[type],
                   type_names[is]);
}

int fri_json_string(const fri_json *doc, fri_json_ref v, const char *what, char **out, size_t *n,
                    fr_error *err)
{
    int rc = need_type(doc, v, what, FRI_JSON_STRING, err);
    if (rc)
        return rc;
    fr_str raw = fri_json_raw(doc, v);
    char *s = fri_calloc(raw.n + 1, 1, err);
    if (!s)
        return FR_ENOMEM;
    size_t length = 0;
    while (raw.n > 0) {
        char bytes[4];
        fr_str piece = next_piece(&raw, bytes);
        memcpy(s + length, piece.p, piece.n);
        length += piece.n;
    }
    *out = s;
    if (n)
        *n = length;
    return 0;
}

int fri_json_integer(const fri_json *doc, fri_json_ref v, const char *what, int64_t min,
                     int64_t max, int64_t *out, fr_error *err)
{
    int64_t value = 0;
    int rc = need_type(doc, v, what, FRI_JSON_NUMBER, err);
    if (rc)
        return rc;
    fr_str raw = fri_json_raw(doc, v);
    if (fri_signed_decimal(raw.p, raw.n, &value) || value < min || value > max)
        return fr_fail(err, FR_EFORMAT, 0,
                       "%s must be a whole number from %" PRId64 " to %" PRId64 ", not %.*s", what,
                       min, max, raw.n > 40 ? 40 : (int)raw.n, raw.p);
    *out = value;
    return 0;
}

int fri_json_bool(const fri_json *doc, fri_json_ref v, const char *what, int *out, fr_error *err)
{
    int rc = need_type(doc, v, what, FRI_JSON_BOOL, err);
    if (rc)
        return rc;
    *out = doc->text[doc->tokens[v].start] == 't';
    return 0;
}

int fri_json_optional_string(const fri_json *doc, fri_json_ref v, const char *key, char **out,
                             size_t *n, fr_error *err)
{
    fri_json_ref member = fri_json_get(doc, v, key);
    return member == FRI_JSON_NONE ? 0 : fri_json_string(doc, member, key, out, n, err);
}

int fri_json_optional_integer(const fri_json *doc, fri_json_ref v, const char *key, int64_t min,
                              int64_t max, int64_t *out, fr_error *err)
{
    fri_json_ref member = fri_json_get(doc, v, key);
    if (!fri_json_is_given(doc, member))
        return 0;
    return fri_json_integer(doc, member, key, min, max, out, err);
}
