/* SPDX-License-Identifier: MIT */
/* The state in and out of JSON. */
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/str.h"
#include "fencerun/extract.h"
#include "loop/state.h"

/* ---- in ---- */

static int read_processed(fr_state *state, const fri_json *doc, fri_json_ref list, fr_error *err)
{
    for (fri_json_ref v = fri_json_first(doc, list); v != FRI_JSON_NONE;
         v = fri_json_next(doc, v)) {
        FRI_AUTO(fri_freep) char *name = NULL;
        int rc =
            fri_json_string(doc, v, "state: a name in processed_input_files", &name, NULL, err);
        if (rc == 0)
            rc = fr_state_add_processed_file(state, name, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int need(const fri_json *doc, fri_json_ref v, int type, const char *key, fr_error *err)
{
    if (!fri_json_is_given(doc, v) || fri_json_type(doc, v) == type)
        return 0;
    return fr_fail(err, FR_EFORMAT, 0, "state: %s must be an %s", key,
                   type == FRI_JSON_ARRAY ? "array" : "object");
}

static int read_context(fr_state *state, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    static const char id_key[] = "execution_session_id", list_key[] = "processed_input_files";
    fri_json_ref id = fri_json_get(doc, v, id_key), list = fri_json_get(doc, v, list_key);
    int rc = need(doc, v, FRI_JSON_OBJECT, fri_key_context, err);
    if (rc == 0 && fri_json_type(doc, v) == FRI_JSON_OBJECT)
        rc = fri_json_map_read(&state->context, doc, v, fri_key_context, err);
    if (rc == 0 && fri_json_is_given(doc, id))
        rc = fri_json_string(doc, id, "state: execution_session_id", &state->execution_id, NULL,
                             err);
    if (rc == 0)
        rc = need(doc, list, FRI_JSON_ARRAY, list_key, err);
    if (rc == 0)
        rc = read_processed(state, doc, list, err);
    fri_json_map_remove(&state->context, fri_cstr(id_key));
    fri_json_map_remove(&state->context, fri_cstr(list_key));
    return rc;
}

static int read_file(fr_state *state, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    FRI_AUTO(fri_freep) char *name = NULL;
    FRI_AUTO(fri_freep) char *encoded = NULL;
    FRI_AUTO(fri_freep) char *mime = NULL;
    FRI_AUTO(fri_buf_dispose) fri_buf content;
    fri_json_ref type = fri_json_get(doc, v, "mime_type");
    size_t n = 0;
    fri_buf_init(&content, FRI_MAX_JSON_BYTES);
    int rc = fri_json_string(doc, fri_json_get(doc, v, "name"), "state: an input file's name",
                             &name, NULL, err);
    if (rc == 0)
        rc = fri_json_string(doc, fri_json_get(doc, v, "content"), "state: an input file's content",
                             &encoded, &n, err);
    if (rc == 0 && type != FRI_JSON_NONE)
        rc = fri_json_string(doc, type, "state: an input file's mime_type", &mime, NULL, err);
    if (rc == 0)
        rc = fri_get_base64(&content, fri_str(encoded, n), err);
    if (rc)
        return rc;
    const fr_file file = {name, fri_buf_str(&content), mime, NULL, 0};
    return fr_state_add_input_file(state, &file, err);
}

static int read_files(fr_state *state, const fri_json *doc, fri_json_ref list, fr_error *err)
{
    int rc = need(doc, list, FRI_JSON_ARRAY, fri_key_input_files, err);
    for (fri_json_ref v = fri_json_first(doc, list); rc == 0 && v != FRI_JSON_NONE;
         v = fri_json_next(doc, v))
        rc = read_file(state, doc, v, err);
    return rc;
}

/* Calls `read` for each invocation in the object. */
static int each_invocation(fr_state *state, const fri_json *doc, fri_json_ref v, const char *key,
                           int (*read)(fr_state *state, const char *invocation, const fri_json *doc,
                                       fri_json_ref v, fr_error *err),
                           fr_error *err)
{
    int rc = need(doc, v, FRI_JSON_OBJECT, key, err);
    if (rc || fri_json_type(doc, v) != FRI_JSON_OBJECT)
        return rc;
    for (fri_json_ref k = fri_json_first(doc, v); rc == 0 && k != FRI_JSON_NONE;
         k = fri_json_next(doc, k)) {
        FRI_AUTO(fri_freep) char *invocation = NULL;
        rc = fri_json_string(doc, k, key, &invocation, NULL, err);
        if (rc == 0)
            rc = read(state, invocation, doc, fri_json_value(doc, k), err);
    }
    return rc;
}

static int read_error_count(fr_state *state, const char *invocation, const fri_json *doc,
                            fri_json_ref v, fr_error *err)
{
    fri_tally *tally = fri_state_tally(state, invocation, err);
    if (!tally)
        return FR_ENOMEM;
    return fri_json_integer(doc, v, "state: an error count", 0, INT32_MAX, &tally->errors, err);
}

static int read_budget(fr_state *state, const char *invocation, const fri_json *doc, fri_json_ref v,
                       fr_error *err)
{
    fri_tally *tally = fri_state_tally(state, invocation, err);
    if (!tally)
        return FR_ENOMEM;
    int rc = fri_json_integer(doc, fri_json_get(doc, v, "runs"), "state: runs", 0, INT32_MAX,
                              &tally->runs, err);
    return rc ? rc
              : fri_json_integer(doc, fri_json_get(doc, v, "refused"), "state: refused", 0,
                                 INT32_MAX, &tally->refused, err);
}

/* When a run was recorded; `otherwise` where that is not told. */
static int64_t time_of(const fri_json *doc, fri_json_ref record, int64_t otherwise)
{
    int64_t time;
    fri_json_ref v = fri_json_get(doc, record, "timestamp");
    return fri_json_integer(doc, v, "timestamp", INT64_MIN, INT64_MAX, &time, NULL) ? otherwise
                                                                                    : time;
}

static int read_records(fr_state *state, const char *invocation, const fri_json *doc,
                        fri_json_ref list, fr_error *err)
{
    int rc = need(doc, list, FRI_JSON_ARRAY, "an invocation's results", err);
    for (fri_json_ref v = fri_json_first(doc, list); rc == 0 && v != FRI_JSON_NONE;
         v = fri_json_next(doc, v)) {
        rc = need(doc, v, FRI_JSON_OBJECT, "a recorded result", err);
        if (rc == 0)
            rc = fri_state_add_record(state, invocation, fri_json_source(doc, v),
                                      time_of(doc, v, fri_state_last_time(state)), err);
    }
    return rc;
}

static int read_keys(fr_state *state, const fri_json *doc, fr_error *err)
{
    int rc = read_context(state, doc, fri_json_get(doc, 0, fri_key_context), err);
    if (rc == 0)
        rc = read_files(state, doc, fri_json_get(doc, 0, fri_key_input_files), err);
    if (rc == 0)
        rc = each_invocation(state, doc, fri_json_get(doc, 0, fri_key_budget), fri_key_budget,
                             read_budget, err); /* in the order of the tallies; so it comes first */
    if (rc == 0)
        rc = each_invocation(state, doc, fri_json_get(doc, 0, fri_key_error_counts),
                             fri_key_error_counts, read_error_count, err);
    if (rc == 0)
        rc = each_invocation(state, doc, fri_json_get(doc, 0, fri_key_results), fri_key_results,
                             read_records, err);
    return rc;
}

int fri_state_read(fr_state *state, const char *json, size_t n, fr_error *err)
{
    static const char *const ours[] = {fri_key_context, fri_key_input_files, fri_key_error_counts,
                                       fri_key_results, fri_key_budget};
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    int rc = fri_json_parse(json, n, FRI_JSON_REPAIR, &doc, err);
    if (rc == 0)
        rc = fri_json_map_read(&state->others, doc, 0, "a state", err);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        fri_json_map_remove(&state->others, fri_cstr(ours[i]));
    return rc ? rc : read_keys(state, doc, err);
}

/* ---- out ---- */

static void put_context(const fr_state *state, fri_json_out *w)
{
    fri_json_key(w, fri_key_context);
    fri_json_begin_object(w);
    if (state->execution_id) {
        fri_json_member_cstring(w, "execution_session_id", state->execution_id);
    }
    if (state->processed_count > 0) {
        fri_json_key(w, "processed_input_files");
        fri_json_begin_array(w);
        for (size_t i = 0; i < state->processed_count; i++)
            fri_json_put_cstring(w, state->processed[i]);
        fri_json_end_array(w);
    }
    fri_json_map_put(&state->context, w);
    fri_json_end_object(w);
}

static int put_files(const fr_state *state, fri_json_out *w, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf encoded;
    int rc = 0;
    fri_buf_init(&encoded, FRI_MAX_JSON_OUT);
    fri_json_key(w, fri_key_input_files);
    fri_json_begin_array(w);
    for (size_t i = 0; rc == 0 && i < state->input_file_count; i++) {
        const fr_file *f = &state->input_files[i];
        fri_buf_truncate(&encoded, 0);
        rc = fri_put_base64(&encoded, f->content, err);
        if (rc == 0)
            rc = fri_buf_check(&encoded, "an input file", err);
        fri_json_begin_object(w);
        fri_json_member_cstring(w, "name", f->name);
        fri_json_member_string(w, "content", fri_buf_str(&encoded));
        fri_json_member_cstring(w, "mime_type", f->mime_type);
        fri_json_end_object(w);
    }
    fri_json_end_array(w);
    return rc;
}

static void put_error_counts(const fr_state *state, fri_json_out *w)
{
    fri_json_key(w, fri_key_error_counts);
    fri_json_begin_object(w);
    for (size_t i = 0; i < state->tally_count; i++)
        if (state->tallies[i].errors > 0) {
            fri_json_member_int(w, state->tallies[i].invocation, state->tallies[i].errors);
        }
    fri_json_end_object(w);
}

static void put_budget(const fr_state *state, fri_json_out *w)
{
    fri_json_key(w, fri_key_budget);
    fri_json_begin_object(w);
    for (size_t i = 0; i < state->tally_count; i++)
        if (state->tallies[i].runs > 0 || state->tallies[i].refused > 0) {
            fri_json_key(w, state->tallies[i].invocation);
            fri_json_begin_object(w);
            fri_json_member_int(w, "runs", state->tallies[i].runs);
            fri_json_member_int(w, "refused", state->tallies[i].refused);
            fri_json_end_object(w);
        }
    fri_json_end_object(w);
}

/* Whether an earlier record is of the same invocation. */
static int is_written(const fr_state *state, size_t record)
{
    for (size_t i = 0; i < record; i++)
        if (strcmp(state->records[i].invocation, state->records[record].invocation) == 0)
            return 1;
    return 0;
}

static void put_results(const fr_state *state, fri_json_out *w)
{
    fri_json_key(w, fri_key_results);
    fri_json_begin_object(w);
    for (size_t i = 0; i < state->record_count; i++) {
        const char *invocation = state->records[i].invocation;
        if (is_written(state, i))
            continue;
        fri_json_key(w, invocation);
        fri_json_begin_array(w);
        for (size_t k = i; k < state->record_count; k++)
            if (strcmp(state->records[k].invocation, invocation) == 0)
                fri_json_put_checked(w, fri_str(state->records[k].json, state->records[k].n));
        fri_json_end_array(w);
    }
    fri_json_end_object(w);
}

/* The keys of code execution that change with a run. */
static void put_changing(const fr_state *state, fri_json_out *w)
{
    put_error_counts(state, w);
    put_results(state, w);
    put_budget(state, w);
}

int fr_state_json(const fr_state *state, char **json, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, FRI_MAX_JSON_BYTES); /* so that it can be read back */
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_json_map_put(&state->others, &w);
    put_context(state, &w);
    int rc = state->input_file_count > 0 ? put_files(state, &w, err) : 0;
    put_changing(state, &w);
    fri_json_end_object(&w);
    return rc ? rc : fri_json_out_steal(&w, "the state as JSON", json, err);
}

int fr_state_delta(const fr_state *state, uint32_t compat, char **json, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, FRI_MAX_JSON_BYTES);
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    put_context(state, &w);
    if (!(compat & FR_COMPAT_ADK))
        put_changing(state, &w);
    fri_json_end_object(&w);
    return fri_json_out_steal(&w, "a state delta", json, err);
}
