/* SPDX-License-Identifier: MIT */
/* Events in and out of ADK's JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/str.h"
#include "loop/content.h"
#include "loop/content_json.h"
#include "loop/event.h"

/* ---- out ---- */

static void put(fri_json_out *w, const char *key, const char *value)
{
    if (!value)
        return;
    fri_json_member_cstring(w, key, value);
}

static void put_true(fri_json_out *w, const char *key, int value)
{
    if (!value)
        return;
    fri_json_member_bool(w, key, 1);
}

static int put_json(fri_json_out *w, const char *key, const char *json, int type, fr_error *err)
{
    if (!json)
        return 0;
    fri_json_key(w, key);
    return fri_put_foreign_json(w, fri_cstr(json), type, key, err);
}

static int put_actions(const fr_event *e, fri_json_out *w, fr_error *err)
{
    fri_json_key(w, "actions");
    fri_json_begin_object(w);
    put_true(w, "skipSummarization", e->skip_summarization);
    int rc =
        put_json(w, "stateDelta", e->state_delta ? e->state_delta : "{}", FRI_JSON_OBJECT, err);
    if (rc == 0)
        rc = put_json(w, "artifactDelta", e->artifact_delta ? e->artifact_delta : "{}",
                      FRI_JSON_OBJECT, err);
    fri_json_end_object(w);
    return rc;
}

static void put_timestamp(fri_json_out *w, int64_t us)
{
    char text[40];
    int n = snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
    fri_json_key(w, "timestamp");
    fri_json_put_checked(w, fri_str(text, (size_t)n));
}

static int put_members(const fr_event *e, fri_json_out *w, fr_error *err)
{
    int rc = 0;
    if (e->content) {
        fri_json_key(w, "content");
        rc = fri_content_put(e->content, w, err);
    }
    put_true(w, "partial", e->partial);
    put(w, "errorCode", e->error_code);
    put(w, "errorMessage", e->error_message);
    if (rc == 0)
        rc = put_json(w, "customMetadata", e->custom_metadata, FRI_JSON_OBJECT, err);
    put(w, "invocationId", e->invocation_id);
    put(w, "author", e->author);
    if (rc == 0)
        rc = put_actions(e, w, err);
    if (rc == 0)
        rc = put_json(w, "longRunningToolIds", e->long_running_tool_ids, FRI_JSON_ARRAY, err);
    put(w, "branch", e->branch);
    put(w, "id", e->id);
    put_timestamp(w, e->timestamp_us);
    return rc;
}

int fr_event_json(const fr_event *event, char **json, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf buf;
    fri_json_out w;
    fr_event e;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    int rc = fri_event_load(&e, event, err);
    if (rc)
        return rc;
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    rc = put_members(&e, &w, err);
    fri_json_end_object(&w);
    return rc ? rc : fri_json_out_steal(&w, "an event as JSON", json, err);
}

/* ---- in ---- */

/* An event in the making, which owns what its members point to. */
typedef struct reading {
    const fri_json *doc;
    fr_event event;
} reading;

static int read_string(reading *r, fri_json_ref parent, const char *camel, const char *snake,
                       const char **out, fr_error *err)
{
    fri_json_ref v = fri_json_get_either(r->doc, parent, camel, snake);
    if (!fri_json_is_given(r->doc, v))
        return 0;
    char *text;
    int rc = fri_json_string(r->doc, v, camel, &text, NULL, err);
    if (rc == 0)
        *out = text;
    return rc;
}

static int read_json(reading *r, fri_json_ref parent, const char *camel, const char *snake,
                     int type, const char **out, fr_error *err)
{
    fri_json_ref v = fri_json_get_either(r->doc, parent, camel, snake);
    if (!fri_json_is_given(r->doc, v))
        return 0;
    if (fri_json_type(r->doc, v) != type)
        return fr_fail(err, FR_EFORMAT, 0, "event: %s must be an %s", camel,
                       type == FRI_JSON_ARRAY ? "array" : "object");
    fr_str source = fri_json_source(r->doc, v);
    *out = fri_memdup(source.p, source.n, err);
    return *out ? 0 : FR_ENOMEM;
}

static int read_flag(reading *r, fri_json_ref parent, const char *camel, const char *snake,
                     int32_t *out, fr_error *err)
{
    int value = 0;
    fri_json_ref v = fri_json_get_either(r->doc, parent, camel, snake);
    int rc = fri_json_is_given(r->doc, v) ? fri_json_bool(r->doc, v, camel, &value, err) : 0;
    *out = value;
    return rc;
}

/* Seconds with a fraction, as ADK's float is written: to the microsecond, the rest cut off. */
static int microseconds(fr_str number, int64_t *us)
{
    const char *dot = memchr(number.p, '.', number.n);
    size_t whole = dot ? (size_t)(dot - number.p) : number.n;
    size_t digits = dot ? number.n - whole - 1 : 0;
    uint64_t seconds, fraction = 0;
    if (fri_decimal(number.p, whole, &seconds) || seconds > FRI_MAX_TIMESTAMP_US / 1000000)
        return -1;
    for (size_t i = 0; i < 6; i++) {
        uint64_t digit = 0;
        if (i < digits && fri_decimal(dot + 1 + i, 1, &digit))
            return -1;
        fraction = fraction * 10 + digit;
    }
    *us = (int64_t)(seconds * 1000000 + fraction);
    return 0;
}

static int read_timestamp(reading *r, fr_error *err)
{
    fri_json_ref v = fri_json_get(r->doc, 0, "timestamp");
    fr_str raw = fri_json_raw(r->doc, v);
    if (!fri_json_is_given(r->doc, v))
        return 0;
    if (fri_json_type(r->doc, v) != FRI_JSON_NUMBER || microseconds(raw, &r->event.timestamp_us))
        return fr_fail(err, FR_EFORMAT, 0, "event: timestamp must be seconds since 1970, not %.*s",
                       raw.n > 40 ? 40 : (int)raw.n, raw.p);
    return 0;
}

static int read_texts(reading *r, fr_error *err)
{
    fr_event *e = &r->event;
    int rc = read_string(r, 0, "id", "id", &e->id, err);
    if (rc == 0)
        rc = read_string(r, 0, "invocationId", "invocation_id", &e->invocation_id, err);
    if (rc == 0)
        rc = read_string(r, 0, "author", "author", &e->author, err);
    if (rc == 0)
        rc = read_string(r, 0, "branch", "branch", &e->branch, err);
    if (rc == 0)
        rc = read_string(r, 0, "errorCode", "error_code", &e->error_code, err);
    if (rc == 0)
        rc = read_string(r, 0, "errorMessage", "error_message", &e->error_message, err);
    return rc;
}

static int read_objects(reading *r, fr_error *err)
{
    fr_event *e = &r->event;
    fri_json_ref actions = fri_json_get(r->doc, 0, "actions");
    int rc =
        read_json(r, actions, "stateDelta", "state_delta", FRI_JSON_OBJECT, &e->state_delta, err);
    if (rc == 0)
        rc = read_json(r, actions, "artifactDelta", "artifact_delta", FRI_JSON_OBJECT,
                       &e->artifact_delta, err);
    if (rc == 0)
        rc = read_json(r, 0, "customMetadata", "custom_metadata", FRI_JSON_OBJECT,
                       &e->custom_metadata, err);
    if (rc == 0)
        rc = read_json(r, 0, "longRunningToolIds", "long_running_tool_ids", FRI_JSON_ARRAY,
                       &e->long_running_tool_ids, err);
    if (rc == 0)
        rc = read_flag(r, actions, "skipSummarization", "skip_summarization",
                       &e->skip_summarization, err);
    return rc;
}

static int read_event(reading *r, fr_event **out, fr_error *err)
{
    fr_content *content = NULL;
    fri_json_ref said = fri_json_get(r->doc, 0, "content");
    if (fri_json_type(r->doc, 0) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "event: must be an object");
    int rc = read_texts(r, err);
    if (rc == 0)
        rc = read_objects(r, err);
    if (rc == 0)
        rc = read_flag(r, 0, "partial", "partial", &r->event.partial, err);
    if (rc == 0)
        rc = read_timestamp(r, err);
    if (rc == 0 && fri_json_is_given(r->doc, said))
        rc = fri_content_read(r->doc, said, &content, err);
    r->event.content = content;
    return rc ? rc : fr_event_new(&r->event, out, err);
}

int fr_event_parse(const char *json, size_t n, fr_event **out, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    int rc = fri_json_parse(json, n, FRI_JSON_REPAIR, &doc, err);
    if (rc)
        return rc;
    reading r = {.doc = doc, .event = FR_EVENT_INIT};
    rc = read_event(&r, out, err);
    fri_event_dispose(&r.event);
    return rc;
}
