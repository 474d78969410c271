/* SPDX-License-Identifier: MIT */
#include "loop/state.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clip.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

const char fri_key_context[] = "_code_execution_context";
const char fri_key_input_files[] = "_code_executor_input_files";
const char fri_key_error_counts[] = "_code_executor_error_counts";
const char fri_key_results[] = "_code_execution_results";
const char fri_key_budget[] = "_fencerun_budget";

int fr_state_new(fr_state **out, fr_error *err)
{
    fr_state *state = fri_calloc(1, sizeof(*state), err);
    if (!state)
        return FR_ENOMEM;
    *out = state;
    return 0;
}

int fr_state_parse(const char *json, size_t n, fr_state **out, fr_error *err)
{
    fr_state *state;
    int rc = fr_state_new(&state, err);
    if (rc)
        return rc;
    rc = fri_state_read(state, json, n, err);
    if (rc) {
        fr_state_free(state);
        return rc;
    }
    *out = state;
    return 0;
}

static void clear_files(fr_state *state)
{
    for (size_t i = 0; i < state->input_file_count; i++) {
        const fr_file *f = &state->input_files[i];
        fri_free((void *)(uintptr_t)f->name);
        fri_free((void *)(uintptr_t)f->content.p);
        fri_free((void *)(uintptr_t)f->mime_type);
    }
    state->input_file_count = 0;
}

static void clear_processed(fr_state *state)
{
    for (size_t i = 0; i < state->processed_count; i++)
        fri_free(state->processed[i]);
    state->processed_count = 0;
}

static void free_record(const fri_record *r)
{
    fri_free(r->invocation);
    fri_free(r->json);
}

static void dispose(fr_state *state)
{
    clear_files(state);
    clear_processed(state);
    for (size_t i = 0; i < state->tally_count; i++)
        fri_free(state->tallies[i].invocation);
    for (size_t i = 0; i < state->record_count; i++)
        free_record(&state->records[i]);
    fri_json_map_dispose(&state->others);
    fri_json_map_dispose(&state->context);
    fri_free(state->execution_id);
    fri_free(state->processed);
    fri_free(state->input_files);
    fri_free(state->tallies);
    fri_free(state->records);
}

void fr_state_free(fr_state *state)
{
    if (!state)
        return;
    dispose(state);
    fri_free(state);
}

static int read_map(fri_json_map *map, const char *json, size_t n, const char *what, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    int rc = fri_json_parse(json, n, FRI_JSON_REPAIR, &doc, err);
    return rc ? rc : fri_json_map_read(map, doc, 0, what, err);
}

/* The state with the changes made, as JSON. */
static int merge(const fr_state *state, const char *delta, size_t n, fri_buf *out, fr_error *err)
{
    FRI_AUTO(fri_freep) char *json = NULL;
    FRI_AUTO(fri_json_map_dispose) fri_json_map before = {0};
    FRI_AUTO(fri_json_map_dispose) fri_json_map changes = {0};
    FRI_AUTO(fri_json_map_dispose) fri_json_map after = {0};
    fri_json_out w;
    int rc = fr_state_json(state, &json, err);
    if (rc == 0)
        rc = read_map(&before, json, strlen(json), "a state", err);
    if (rc == 0)
        rc = read_map(&changes, delta, n, "a state delta", err);
    if (rc == 0)
        rc = fri_json_map_merge(&before, &changes, &after, err);
    if (rc)
        return rc;
    fri_json_out_init(&w, out);
    fri_json_begin_object(&w);
    fri_json_map_put(&after, &w);
    fri_json_end_object(&w);
    return fri_json_out_finish(&w, "a state", err);
}

int fr_state_apply(fr_state *state, const char *delta, size_t n, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf text;
    fr_state *changed = NULL;
    fri_buf_init(&text, FRI_MAX_JSON_BYTES);
    int rc = merge(state, delta, n, &text, err);
    if (rc == 0)
        rc = fr_state_parse(text.p, text.n, &changed, err);
    if (rc)
        return rc;
    dispose(state);
    *state = *changed;
    fri_free(changed);
    return 0;
}

/* ---- the context ---- */

const char *fr_state_execution_id(const fr_state *state)
{
    return state->execution_id;
}

int fr_state_set_execution_id(fr_state *state, const char *id, fr_error *err)
{
    char *copy = fri_strdup(id, err);
    if (!copy)
        return FR_ENOMEM;
    fri_free(state->execution_id);
    state->execution_id = copy;
    return 0;
}

const char *fr_state_processed_file(const fr_state *state, size_t i)
{
    return i < state->processed_count ? state->processed[i] : NULL;
}

int fr_state_add_processed_file(fr_state *state, const char *name, fr_error *err)
{
    char **names = fri_realloc(state->processed, state->processed_count + 1, sizeof(*names), err);
    if (!names)
        return FR_ENOMEM;
    state->processed = names;
    names[state->processed_count] = fri_strdup(name, err);
    if (!names[state->processed_count])
        return FR_ENOMEM;
    state->processed_count++;
    return 0;
}

/* ---- input files ---- */

const fr_file *fr_state_input_file(const fr_state *state, size_t i)
{
    return i < state->input_file_count ? &state->input_files[i] : NULL;
}

static size_t input_bytes(const fr_state *state)
{
    size_t sum = 0;
    for (size_t i = 0; i < state->input_file_count; i++)
        sum += state->input_files[i].content.n;
    return sum;
}

int fr_state_add_input_file(fr_state *state, const fr_file *file, fr_error *err)
{
    size_t n = state->input_file_count;
    if (!file->name || !file->name[0] || file->path)
        return fr_fail(err, FR_EINVAL, 0, "state: an input file has a name and content, no path");
    if (file->content.n > FRI_MAX_STATE_FILE_BYTES - input_bytes(state))
        return fr_fail(err, FR_ELIMIT, 0, "state: the input files have more than %lu bytes",
                       FRI_MAX_STATE_FILE_BYTES);
    fr_file *files = fri_realloc(state->input_files, n + 1, sizeof(*files), err);
    if (!files)
        return FR_ENOMEM;
    state->input_files = files;
    FRI_AUTO(fri_freep) char *name = fri_strdup(file->name, err);
    FRI_AUTO(fri_freep)
    char *mime = name ? fri_strdup(file->mime_type ? file->mime_type : "text/plain", err) : NULL;
    char *content = mime ? fri_memdup(file->content.p, file->content.n, err) : NULL;
    if (!content)
        return FR_ENOMEM;
    files[n] =
        (fr_file){fri_steal(&name), fri_str(content, file->content.n), fri_steal(&mime), NULL, 0};
    state->input_file_count++;
    return 0;
}

void fr_state_clear_input_files(fr_state *state)
{
    clear_files(state);
    clear_processed(state);
}

/* ---- tallies ---- */

static fri_tally *find_tally(const fr_state *state, const char *invocation)
{
    for (size_t i = state->tally_count; i > 0; i--)
        if (strcmp(state->tallies[i - 1].invocation, invocation) == 0)
            return &state->tallies[i - 1];
    return NULL;
}

int fri_state_check_id(const char *invocation, fr_error *err)
{
    size_t valid = fri_utf8_valid_prefix(invocation, strlen(invocation));
    return invocation[valid] ? fr_fail(err, FR_EINVAL, 0,
                                       "the id of the invocation is no UTF-8 at byte %zu", valid)
                             : 0;
}

const fri_tally *fri_state_find_tally(const fr_state *state, const char *invocation)
{
    return find_tally(state, invocation);
}

static void drop_oldest_tally(fr_state *state)
{
    fri_free(state->tallies[0].invocation);
    state->tally_count--;
    memmove(state->tallies, state->tallies + 1, state->tally_count * sizeof(*state->tallies));
}

fri_tally *fri_state_tally(fr_state *state, const char *invocation, fr_error *err)
{
    fri_tally *found = find_tally(state, invocation);
    if (found)
        return found;
    fri_tally *tallies = fri_realloc(state->tallies, state->tally_count + 1, sizeof(*tallies), err);
    if (!tallies)
        return NULL;
    state->tallies = tallies;
    char *name = fri_strdup(invocation, err);
    if (!name)
        return NULL;
    if (state->tally_count == FRI_MAX_STATE_INVOCATIONS)
        drop_oldest_tally(state);
    found = &state->tallies[state->tally_count++];
    *found = (fri_tally){name, 0, 0, 0};
    return found;
}

int64_t fr_state_error_count(const fr_state *state, const char *invocation)
{
    const fri_tally *tally = find_tally(state, invocation);
    return tally ? tally->errors : 0;
}

int fr_state_increment_error_count(fr_state *state, const char *invocation, fr_error *err)
{
    fri_tally *tally = fri_state_tally(state, invocation, err);
    if (!tally)
        return FR_ENOMEM;
    tally->errors += tally->errors < INT32_MAX;
    return 0;
}

void fr_state_reset_error_count(fr_state *state, const char *invocation)
{
    fri_tally *tally = find_tally(state, invocation);
    if (tally)
        tally->errors = 0;
}

/* ---- results ---- */

/* Where a record of that time belongs: behind all that are not younger. */
static size_t place_of(const fr_state *state, int64_t timestamp)
{
    size_t i = state->record_count;
    while (i > 0 && state->records[i - 1].timestamp > timestamp)
        i--;
    return i;
}

static int make_room(fr_state *state, fr_error *err)
{
    fri_record *records =
        fri_realloc(state->records, state->record_count + 1, sizeof(*records), err);
    if (!records)
        return FR_ENOMEM;
    state->records = records;
    return 0;
}

int fri_state_add_record(fr_state *state, const char *invocation, fr_str json, int64_t timestamp,
                         fr_error *err)
{
    if (make_room(state, err))
        return FR_ENOMEM;
    FRI_AUTO(fri_freep) char *name = fri_strdup(invocation, err);
    char *copy = name ? fri_memdup(json.p, json.n, err) : NULL;
    if (!copy)
        return FR_ENOMEM;
    fri_record *at = state->records + place_of(state, timestamp);
    memmove(at + 1, at, (size_t)(state->records + state->record_count - at) * sizeof(*at));
    *at = (fri_record){fri_steal(&name), copy, json.n, timestamp};
    if (++state->record_count > FRI_MAX_STATE_RESULTS) {
        free_record(&state->records[0]);
        state->record_count--;
        memmove(state->records, state->records + 1, state->record_count * sizeof(*at));
    }
    return 0;
}

int64_t fri_state_last_time(const fr_state *state)
{
    return state->record_count > 0 ? state->records[state->record_count - 1].timestamp : INT64_MIN;
}

/* A text as it is recorded: valid UTF-8, and not more than so much of it. */
static int clip_text(fri_buf *out, fr_str text, fr_error *err)
{
    const fri_clip_limits limits = {FRI_MAX_STATE_TEXT, 0};
    fri_gap none = {0, 0, 0, 0};
    FRI_AUTO(fri_buf_dispose) fri_buf whole;
    fri_buf_init(&whole, FRI_MAX_RESULT_TEXT);
    fri_utf8_repair(&whole, text.p, text.n);
    fri_clip(out, fri_buf_str(&whole), &limits, &none);
    int rc = fri_buf_check(&whole, "a recorded text", err);
    return rc ? rc : fri_buf_check(out, "a recorded text", err);
}

static int put_text(fri_json_out *w, const char *key, fr_str text, fr_error *err)
{
    fri_buf clipped;
    fri_buf_init(&clipped, FRI_MAX_JSON_BYTES);
    int rc = clip_text(&clipped, text, err);
    fri_json_member_string(w, key, fri_buf_str(&clipped));
    fri_buf_dispose(&clipped);
    return rc;
}

int fr_state_add_result(fr_state *state, const char *invocation, fr_str code, fr_str out,
                        fr_str errors, int64_t timestamp, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf json;
    fri_json_out w;
    fri_buf_init(&json, FRI_MAX_JSON_BYTES);
    fri_json_out_init(&w, &json);
    fri_json_begin_object(&w);
    int rc = put_text(&w, "code", code, err);
    if (rc == 0)
        rc = put_text(&w, "result_stdout", out, err);
    if (rc == 0)
        rc = put_text(&w, "result_stderr", errors, err);
    fri_json_member_int(&w, "timestamp", timestamp);
    fri_json_end_object(&w);
    if (rc == 0)
        rc = fri_json_out_finish(&w, "a recorded result", err);
    int64_t last = fri_state_last_time(state); /* a clock may be set back */
    return rc ? rc
              : fri_state_add_record(state, invocation, fri_buf_str(&json),
                                     timestamp > last ? timestamp : last, err);
}

/* Reads the code of a record; NULL when it has none. */
static int read_code(const fri_record *r, char **code, size_t *n, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    int rc = fri_json_parse(r->json, r->n, FRI_JSON_REPAIR, &doc, err);
    fri_json_ref v = rc ? FRI_JSON_NONE : fri_json_get(doc, 0, "code");
    return fri_json_type(doc, v) == FRI_JSON_STRING ? fri_json_string(doc, v, "code", code, n, err)
                                                    : rc;
}

int fri_state_is_repeat(const fr_state *state, const char *invocation, fr_str code, fr_error *err)
{
    FRI_AUTO(fri_freep) char *last = NULL;
    size_t i = state->record_count, n = 0;
    while (i > 0 && strcmp(state->records[i - 1].invocation, invocation) != 0)
        i--;
    int rc = i > 0 ? read_code(&state->records[i - 1], &last, &n, err) : 0;
    /* Code that was shortened when it was recorded is never the same: nobody knows what is missing. */
    return rc ? rc : last && fri_str_equal(fri_str(last, n), code);
}
