/* SPDX-License-Identifier: MIT */
#include "loop/model/tool_calls.h"

#include "base/cleanup.h"
#include "base/json_write.h"
#include "base/limits.h"

#define MAX_CALLS 128

void fri_tool_calls_dispose(fri_tool_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        fri_free(calls->list[i].id);
        fri_free(calls->list[i].name);
        fri_buf_dispose(&calls->list[i].arguments);
    }
    fri_free(calls->list);
}

/* ---- Pieces ---- */

static int make_room(fri_tool_calls *calls, size_t count, fr_error *err)
{
    if (count <= calls->count)
        return 0;
    fri_tool_call *list = fri_realloc(calls->list, count, sizeof(*list), err);
    if (!list)
        return FR_ENOMEM;
    calls->list = list;
    for (; calls->count < count; calls->count++) {
        list[calls->count] = (fri_tool_call){NULL, NULL, {0}};
        fri_buf_init(&list[calls->count].arguments, FRI_MAX_ANSWER_BYTES);
    }
    return 0;
}

/* Id and name: the first that is given. Later pieces have none, or an empty one, or it again. */
static int take_word(char **slot, const fri_json *doc, fri_json_ref v, const char *key,
                     fr_error *err)
{
    fri_json_ref word = fri_json_get(doc, v, key);
    if (*slot || !fri_json_is_given(doc, word) || fri_json_raw(doc, word).n == 0)
        return 0;
    return fri_json_string(doc, word, key, slot, NULL, err);
}

/* A piece of JSON in a string; some servers send the object itself. */
static int take_arguments(fri_buf *out, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    FRI_AUTO(fri_freep) char *piece = NULL;
    size_t n = 0;
    if (fri_json_type(doc, v) == FRI_JSON_OBJECT) {
        fr_str object = fri_json_raw(doc, v);
        fri_buf_append(out, object.p, object.n);
    } else if (fri_json_is_given(doc, v)) {
        int rc = fri_json_string(doc, v, "arguments", &piece, &n, err);
        if (rc)
            return rc;
        fri_buf_append(out, piece, n);
    }
    return fri_buf_check(out, "the arguments of a tool call", err);
}

static int take_piece(fri_tool_calls *calls, const fri_json *doc, fri_json_ref v, int64_t place,
                      fr_error *err)
{
    int rc = fri_json_optional_integer(doc, v, "index", 0, MAX_CALLS - 1, &place, err);
    if (rc == 0 && place >= MAX_CALLS)
        rc = fr_fail(err, FR_ELIMIT, 0, "more than %d tool calls in one answer", MAX_CALLS);
    if (rc == 0)
        rc = make_room(calls, (size_t)place + 1, err);
    if (rc)
        return rc;
    fri_tool_call *call = &calls->list[place];
    fri_json_ref function = fri_json_get(doc, v, "function");
    rc = take_word(&call->id, doc, v, "id", err);
    if (rc == 0)
        rc = take_word(&call->name, doc, function, "name", err);
    if (rc)
        return rc;
    return take_arguments(&call->arguments, doc, fri_json_get(doc, function, "arguments"), err);
}

int fri_tool_calls_take(fri_tool_calls *calls, const fri_json *doc, fri_json_ref array,
                        fr_error *err)
{
    int rc = 0;
    int64_t place = 0;
    for (fri_json_ref v = fri_json_first(doc, array); rc == 0 && v != FRI_JSON_NONE;
         v = fri_json_next(doc, v))
        rc = take_piece(calls, doc, v, place++, err);
    return rc;
}

/* ---- Parts ---- */

static int check_call(const fri_tool_call *call, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    if (!call->name)
        return fr_fail(err, FR_EMODEL, 0, "the model calls a tool without saying which");
    if (call->arguments.n == 0)
        return 0;
    int rc = fri_json_parse(call->arguments.p, call->arguments.n, FRI_JSON_REPAIR, &doc, err);
    if (rc == FR_ENOMEM)
        return rc;
    if (rc || fri_json_type(doc, 0) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EMODEL, 0,
                       "the model calls the tool '%.40s' with arguments that are no JSON object",
                       call->name);
    return 0;
}

static void write_call(fri_json_out *w, const fri_tool_call *call)
{
    static const fr_str none = {"{}", 2};
    fri_json_begin_object(w);
    if (call->id) {
        fri_json_member_cstring(w, "id", call->id);
    }
    fri_json_member_cstring(w, "name", call->name);
    fri_json_key(w, "args");
    fri_json_put_checked(w, call->arguments.n > 0 ? fri_buf_str(&call->arguments) : none);
    fri_json_end_object(w);
}

static int add_call(const fri_tool_call *call, fr_reply *reply, fr_error *err)
{
    fri_buf json;
    fri_json_out w;
    int rc = check_call(call, err);
    if (rc)
        return rc;
    fri_buf_init(&json, FRI_MAX_JSON_OUT);
    fri_json_out_init(&w, &json);
    write_call(&w, call);
    rc = fri_json_out_finish(&w, "a tool call", err);
    if (rc == 0)
        rc = fr_reply_part(reply, FR_PART_FUNCTION_CALL, json.p, json.n, call->name, err);
    fri_buf_dispose(&json);
    return rc;
}

int fri_tool_calls_add(const fri_tool_calls *calls, fr_reply *reply, fr_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < calls->count; i++)
        rc = add_call(&calls->list[i], reply, err);
    return rc;
}
