/* SPDX-License-Identifier: MIT */
/* Contents and parts in and out of ADK's JSON. */
#include "loop/content_json.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/str.h"
#include "fencerun/event.h"
#include "loop/content.h"

/* ---- out ---- */

int fri_put_foreign_json(fri_json_out *w, fr_str json, int type, const char *what, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    fr_error why = FR_ERROR_INIT;
    int rc = fri_json_parse(json.p, json.n, FRI_JSON_REPAIR, &doc, &why);
    if (rc == 0 && fri_json_type(doc, 0) != type)
        rc = fr_fail(&why, FR_EFORMAT, 0, "of another type");
    if (rc)
        return fr_fail(err, rc, 0, "%s is no JSON as it should be: %s", what, why.text);
    fri_json_put_checked(w, json);
    return 0;
}

static void put_pair(fri_json_out *w, const char *kind, const char *first, fr_str a,
                     const char *second, fr_str b)
{
    fri_json_key(w, kind);
    fri_json_begin_object(w);
    if (a.n > 0)
        fri_json_member_string(w, first, a);
    fri_json_member_string(w, second, b);
    fri_json_end_object(w);
}

static int put_inline_data(const fr_part *part, fri_json_out *w, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf encoded;
    fri_buf_init(&encoded, FRI_MAX_JSON_OUT);
    int rc = fri_put_base64(&encoded, part->data, err);
    if (rc == 0)
        rc = fri_buf_check(&encoded, "inline data", err);
    put_pair(w, "inlineData", "mimeType", part->label, "data", fri_buf_str(&encoded));
    return rc;
}

static int put_members(const fr_part *part, fri_json_out *w, fr_error *err)
{
    switch (part->kind) {
    case FR_PART_TEXT:
        fri_json_member_string(w, "text", part->data);
        return 0;
    case FR_PART_EXECUTABLE_CODE:
        put_pair(w, "executableCode", "language", part->label, "code", part->data);
        return 0;
    case FR_PART_CODE_EXECUTION_RESULT:
        put_pair(w, "codeExecutionResult", "outcome", part->label, "output", part->data);
        return 0;
    case FR_PART_INLINE_DATA:
        return put_inline_data(part, w, err);
    default:
        fri_json_key(w, part->kind == FR_PART_FUNCTION_CALL ? "functionCall" : "functionResponse");
        return fri_put_foreign_json(w, part->data, FRI_JSON_OBJECT, "a function call's part", err);
    }
}

static int put_part(const fr_part *part, fri_json_out *w, fr_error *err)
{
    if (part->kind == FR_PART_OTHER)
        return fri_put_foreign_json(w, part->data, FRI_JSON_OBJECT, "a part", err);
    fri_json_begin_object(w);
    if (part->flags & FR_PART_THOUGHT) {
        fri_json_member_bool(w, "thought", 1);
    }
    int rc = put_members(part, w, err);
    fri_json_end_object(w);
    return rc;
}

int fri_content_put(const fr_content *content, fri_json_out *w, fr_error *err)
{
    const fr_part *part;
    int rc = 0;
    fri_json_begin_object(w);
    fri_json_key(w, "parts");
    fri_json_begin_array(w);
    for (size_t i = 0; rc == 0 && (part = fr_content_part(content, i)); i++)
        rc = put_part(part, w, err);
    fri_json_end_array(w);
    if (fr_content_role(content)[0])
        fri_json_member_string(w, "role", fri_cstr(fr_content_role(content)));
    fri_json_end_object(w);
    return rc;
}

int fr_content_json(const fr_content *content, char **json, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out_init(&w, &buf);
    int rc = fri_content_put(content, &w, err);
    return rc ? rc : fri_json_out_steal(&w, "a content as JSON", json, err);
}

/* ---- in ---- */

fri_json_ref fri_json_get_either(const fri_json *doc, fri_json_ref v, const char *camel,
                                 const char *snake)
{
    fri_json_ref found = fri_json_get(doc, v, camel);
    return found != FRI_JSON_NONE ? found : fri_json_get(doc, v, snake);
}

/* A string that may be missing or null, then empty. */
static int read_string(const fri_json *doc, fri_json_ref v, const char *what, char **out, size_t *n,
                       fr_error *err)
{
    *n = 0;
    if (!fri_json_is_given(doc, v))
        return (*out = fri_strdup("", err)) ? 0 : FR_ENOMEM;
    return fri_json_string(doc, v, what, out, n, err);
}

/* base64 as a URL-safe writer (RFC 4648, section 5) makes it becomes the usual one. */
static void to_plain_base64(char *text)
{
    for (; *text; text++)
        *text = *text == '-' ? '+' : *text == '_' ? '/' : *text;
}

/* A part while it is read: where it is, and what holds for any kind of part. */
typedef struct source {
    const fri_json *doc;
    fri_json_ref part;
    uint32_t flags;
} source;

static int read_flags(source *s, fr_error *err)
{
    int thought = 0;
    fri_json_ref v = fri_json_get(s->doc, s->part, "thought");
    int rc = 0;
    if (fri_json_is_given(s->doc, v))
        rc = fri_json_bool(s->doc, v, "content: thought", &thought, err);
    s->flags = thought ? FR_PART_THOUGHT : 0;
    return rc;
}

/* A part of two strings, its data and its label. */
static int read_pair(const source *s, fri_json_ref v, int kind, fri_json_ref data_at,
                     fri_json_ref label_at, fr_content *content, fr_error *err)
{
    FRI_AUTO(fri_freep) char *data = NULL;
    FRI_AUTO(fri_freep) char *label = NULL;
    FRI_AUTO(fri_buf_dispose) fri_buf bytes;
    size_t n, ignored;
    fri_buf_init(&bytes, FRI_MAX_REPLY_BYTES);
    if (fri_json_type(s->doc, v) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "content: a part's member must be an object");
    int rc = read_string(s->doc, data_at, "content: a part's data", &data, &n, err);
    if (rc == 0)
        rc = read_string(s->doc, label_at, "content: a part's label", &label, &ignored, err);
    if (rc == 0 && kind == FR_PART_INLINE_DATA) {
        to_plain_base64(data);
        rc = fri_get_base64(&bytes, fri_str(data, n), err);
    } else if (rc == 0) {
        fri_buf_append(&bytes, data, n);
    }
    if (rc == 0)
        rc = fri_buf_check(&bytes, "content: a part", err);
    return rc ? rc : fr_content_add(content, kind, s->flags, bytes.p, bytes.n, label, err);
}

static int read_text(const source *s, fri_json_ref text, fr_content *content, fr_error *err)
{
    FRI_AUTO(fri_freep) char *data = NULL;
    size_t n;
    int rc = fri_json_string(s->doc, text, "content: text", &data, &n, err);
    return rc ? rc : fr_content_add(content, FR_PART_TEXT, s->flags, data, n, NULL, err);
}

static int read_call(const source *s, fri_json_ref v, int kind, fr_content *content, fr_error *err)
{
    FRI_AUTO(fri_freep) char *name = NULL;
    size_t n;
    fr_str json = fri_json_source(s->doc, v);
    if (fri_json_type(s->doc, v) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "content: a function call's part must be an object");
    int rc = read_string(s->doc, fri_json_get(s->doc, v, "name"), "content: a function's name",
                         &name, &n, err);
    return rc ? rc : fr_content_add(content, kind, s->flags, json.p, json.n, name, err);
}

/* Whether the part has that member, of which no more than one is expected. */
static int has(const source *s, const char *camel, const char *snake, fri_json_ref *v)
{
    *v = fri_json_get_either(s->doc, s->part, camel, snake);
    return fri_json_is_given(s->doc, *v);
}

static int read_members(const source *s, fr_content *content, fr_error *err)
{
    const fri_json *doc = s->doc;
    fri_json_ref v;
    if (has(s, "text", "text", &v))
        return read_text(s, v, content, err);
    if (has(s, "executableCode", "executable_code", &v))
        return read_pair(s, v, FR_PART_EXECUTABLE_CODE, fri_json_get(doc, v, "code"),
                         fri_json_get(doc, v, "language"), content, err);
    if (has(s, "codeExecutionResult", "code_execution_result", &v))
        return read_pair(s, v, FR_PART_CODE_EXECUTION_RESULT, fri_json_get(doc, v, "output"),
                         fri_json_get(doc, v, "outcome"), content, err);
    if (has(s, "inlineData", "inline_data", &v))
        return read_pair(s, v, FR_PART_INLINE_DATA, fri_json_get(doc, v, "data"),
                         fri_json_get_either(doc, v, "mimeType", "mime_type"), content, err);
    if (has(s, "functionCall", "function_call", &v))
        return read_call(s, v, FR_PART_FUNCTION_CALL, content, err);
    if (has(s, "functionResponse", "function_response", &v))
        return read_call(s, v, FR_PART_FUNCTION_RESPONSE, content, err);
    fr_str json = fri_json_source(doc, s->part);
    return fr_content_add(content, FR_PART_OTHER, s->flags, json.p, json.n, NULL, err);
}

static int read_part(const fri_json *doc, fri_json_ref part, fr_content *content, fr_error *err)
{
    source s = {doc, part, 0};
    if (fri_json_type(doc, part) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "content: a part must be an object");
    int rc = read_flags(&s, err);
    return rc ? rc : read_members(&s, content, err);
}

static int read_role(const fri_json *doc, fri_json_ref v, fr_content *content, fr_error *err)
{
    FRI_AUTO(fri_freep) char *role = NULL;
    size_t n;
    int rc = read_string(doc, fri_json_get(doc, v, "role"), "content: role", &role, &n, err);
    fr_error why = FR_ERROR_INIT;
    if (rc == 0 && n > 0 && fr_content_set_role(content, role, &why))
        return fr_fail(err, FR_EFORMAT, 0, "%s", why.text);
    return rc;
}

int fri_content_read(const fri_json *doc, fri_json_ref v, fr_content **out, fr_error *err)
{
    FRI_AUTO(fri_content_freep) fr_content *content = NULL;
    fri_json_ref parts = fri_json_get(doc, v, "parts");
    if (fri_json_type(doc, v) != FRI_JSON_OBJECT ||
        (fri_json_is_given(doc, parts) && fri_json_type(doc, parts) != FRI_JSON_ARRAY))
        return fr_fail(err, FR_EFORMAT, 0, "content: must be an object with an array \"parts\"");
    int rc = fr_content_new(&content, err);
    if (rc == 0)
        rc = read_role(doc, v, content, err);
    for (fri_json_ref p = fri_json_first(doc, parts); rc == 0 && p != FRI_JSON_NONE;
         p = fri_json_next(doc, p))
        rc = read_part(doc, p, content, err);
    if (rc)
        return rc;
    *out = fri_steal(&content);
    return 0;
}

int fr_content_parse(const char *json, size_t n, fr_content **out, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    int rc = fri_json_parse(json, n, FRI_JSON_REPAIR, &doc, err);
    return rc ? rc : fri_content_read(doc, 0, out, err);
}
