/* SPDX-License-Identifier: MIT */
/* From a request to the JSON that is sent. */
#include <string.h>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/str.h"
#include "loop/content.h"
#include "loop/model/openai.h"

static void begin_message(fri_json_out *w, const char *role)
{
    fri_json_begin_object(w);
    fri_json_member_cstring(w, "role", role);
    fri_json_key(w, "content");
}

/* ---- Parts ---- */

static int is_code_or_result(const fr_part *part)
{
    return part->kind == FR_PART_EXECUTABLE_CODE || part->kind == FR_PART_CODE_EXECUTION_RESULT;
}

static const char *name_of(const fr_part *part)
{
    switch (part->kind) {
    case FR_PART_EXECUTABLE_CODE:
        return "executable_code";
    case FR_PART_CODE_EXECUTION_RESULT:
        return "code_execution_result";
    case FR_PART_FUNCTION_CALL:
        return "function_call";
    case FR_PART_FUNCTION_RESPONSE:
        return "function_response";
    default:
        return "of another kind";
    }
}

/* As it can stand in a data URL: "image/" and characters of a token (RFC 9110, 8.3.1 and 5.6.2). */
static int is_image_type(fr_str type)
{
    static const char image[] = "image/", others[] = "!#$%&'*+-.^_`|~";
    size_t n = sizeof(image) - 1;
    if (type.n <= n || memcmp(type.p, image, n) != 0)
        return 0;
    while (n < type.n && (fri_is_alnum(type.p[n]) || memchr(others, type.p[n], sizeof(others) - 1)))
        n++;
    return n == type.n;
}

static int check_part(const fr_part *part, size_t i, fr_error *err)
{
    if (part->kind == FR_PART_TEXT)
        return 0;
    if (is_code_or_result(part))
        return fr_fail(err, FR_EINVAL, 0,
                       "openai: content %zu has a part %s; it has to be made text before", i,
                       name_of(part));
    if (part->kind != FR_PART_INLINE_DATA)
        return fr_fail(err, FR_EUNSUPPORTED, 0, "openai: content %zu has a part %s", i,
                       name_of(part));
    if (is_image_type(part->label))
        return 0;
    return fr_fail(err, FR_EUNSUPPORTED, 0,
                   "openai: content %zu has inline data of type '%.40s'; images alone can be sent",
                   i, part->label.p);
}

/* Refuses what cannot be sent. Of the model's own words only text goes back to it: the API has no place
 * there for anything else but calls, and those it refuses unless each has been answered. */
static int check_parts(const fr_content *content, size_t i, int is_model, int *images,
                       fr_error *err)
{
    const fr_part *part;
    *images = 0;
    for (size_t k = 0; (part = fr_content_part(content, k)); k++) {
        int rc = is_model && !is_code_or_result(part) ? 0 : check_part(part, i, err);
        if (rc)
            return rc;
        *images |= !is_model && part->kind == FR_PART_INLINE_DATA;
    }
    return 0;
}

/* Text between images, which then begins anew. */
static void put_text_part(fri_json_out *w, fri_buf *text)
{
    if (text->n == 0)
        return;
    fri_json_begin_object(w);
    fri_json_member_cstring(w, "type", "text");
    fri_json_member_string(w, "text", fri_buf_str(text));
    fri_json_end_object(w);
    fri_buf_truncate(text, 0);
}

static int put_image_part(fri_json_out *w, const fr_part *part, fr_error *err)
{
    fri_buf url;
    fri_buf_init(&url, FRI_MAX_JSON_OUT);
    fri_buf_printf(&url, "data:%s;base64,", part->label.p);
    int rc = fri_put_base64(&url, part->data, err);
    fri_json_begin_object(w);
    fri_json_member_cstring(w, "type", "image_url");
    fri_json_key(w, "image_url");
    fri_json_begin_object(w);
    fri_json_member_string(w, "url", fri_buf_str(&url));
    fri_json_end_object(w);
    fri_json_end_object(w);
    fri_buf_dispose(&url);
    return rc;
}

static int put_parts(fri_json_out *w, const fr_content *content, fr_error *err)
{
    int rc = 0;
    const fr_part *part;
    fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    fri_json_begin_array(w);
    for (size_t k = 0; rc == 0 && (part = fr_content_part(content, k)); k++) {
        if (fri_part_is_said(part))
            fri_buf_append(&text, part->data.p, part->data.n);
        if (part->kind != FR_PART_INLINE_DATA)
            continue;
        put_text_part(w, &text);
        rc = put_image_part(w, part, err);
    }
    put_text_part(w, &text);
    fri_json_end_array(w);
    if (rc == 0)
        rc = fri_buf_check(&text, "the text of a content", err);
    fri_buf_dispose(&text);
    return rc;
}

/* ---- Messages ---- */

static int put_message(fri_json_out *w, const fr_content *content, int is_model, int images,
                       fr_error *err)
{
    fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    fri_content_text(content, &text);
    int rc = fri_buf_check(&text, "the text of a content", err);
    /* Servers refuse a model that says nothing. */
    if (rc == 0 && (!is_model || text.n > 0)) {
        begin_message(w, is_model ? "assistant" : "user");
        if (images)
            rc = put_parts(w, content, err);
        else
            fri_json_put_string(w, fri_buf_str(&text));
        fri_json_end_object(w);
    }
    fri_buf_dispose(&text);
    return rc;
}

static int put_content(fri_json_out *w, const fr_content *content, size_t i, fr_error *err)
{
    const char *role = fr_content_role(content);
    int is_model = strcmp(role, "model") == 0, images;
    if (!is_model && strcmp(role, "user") != 0)
        return fr_fail(err, FR_EINVAL, 0,
                       "openai: content %zu has the role '%s'; only user and "
                       "model can be sent",
                       i, role);
    int rc = check_parts(content, i, is_model, &images, err);
    return rc ? rc : put_message(w, content, is_model, images, err);
}

static int put_messages(fri_json_out *w, const fr_model_request *q, fr_error *err)
{
    int rc = 0;
    fri_json_begin_array(w);
    if (q->instruction && q->instruction[0]) {
        begin_message(w, "system");
        fri_json_put_cstring(w, q->instruction);
        fri_json_end_object(w);
    }
    for (size_t i = 0; rc == 0 && i < q->content_count; i++)
        rc = put_content(w, q->contents[i], i, err);
    fri_json_end_array(w);
    return rc;
}

int fri_openai_body(const fri_openai *o, const fr_model_request *q, fri_buf *out, fr_error *err)
{
    fri_json_out w;
    fri_json_out_init(&w, out);
    fri_json_begin_object(&w);
    fri_json_member_cstring(&w, "model", o->model);
    fri_json_key(&w, "messages");
    int rc = put_messages(&w, q, err);
    if (o->stream) {
        fri_json_member_bool(&w, "stream", 1);
    }
    fri_json_end_object(&w);
    if (rc == 0)
        rc = fri_json_out_finish(&w, "openai: the request", err);
    if (rc || !o->parameters[0])
        return rc;
    /* Members of an object that has been checked: they join ours as they are. */
    fri_buf_truncate(out, out->n - 1);
    fri_buf_printf(out, ",%s}", o->parameters);
    return fri_buf_check(out, "openai: the request", err);
}
