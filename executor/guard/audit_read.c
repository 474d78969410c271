/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_read.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/timestamp.h"

/* What is being read and where it goes. The first failure sticks, so that members can be read one behind
 * the other. */
typedef struct source {
    const fri_json *doc;
    fri_json_ref object;
    fri_audit_reading *to;
    int rc;
    fr_error *err;
} source;

/* ---- Members ---- */

/* NULL when there is no place left for it, which no kind of record comes to. */
static void *own(source *s, void *p)
{
    if (s->to->owned_count == FRI_AUDIT_MAX_STRINGS) {
        fri_free(p);
        s->rc = fr_fail(s->err, FR_EINTERNAL, 0, "more than %d texts", FRI_AUDIT_MAX_STRINGS);
        return NULL;
    }
    s->to->owned[s->to->owned_count++] = p;
    return p;
}

static void read_bytes(source *s, const char *key, fr_str *out)
{
    char *p = NULL;
    size_t n = 0;
    if (!s->rc)
        s->rc = fri_json_string(s->doc, fri_json_get(s->doc, s->object, key), key, &p, &n, s->err);
    if (!s->rc)
        *out = fri_str(own(s, p), n);
}

static void read_text(source *s, const char *key, const char **out)
{
    fr_str text = fri_cstr(*out ? *out : "");
    read_bytes(s, key, &text);
    if (!s->rc)
        *out = text.p;
}

static void read_optional(source *s, const char *key, const char **out)
{
    if (fri_json_is_given(s->doc, fri_json_get(s->doc, s->object, key)))
        read_text(s, key, out);
}

static int64_t read_integer(source *s, const char *key, int64_t min, int64_t max)
{
    int64_t v = min;
    if (!s->rc)
        s->rc = fri_json_integer(s->doc, fri_json_get(s->doc, s->object, key), key, min, max, &v,
                                 s->err);
    return v;
}

/* null is what is not known. */
static int64_t read_known(source *s, const char *key, int64_t max, int64_t unknown)
{
    if (fri_json_type(s->doc, fri_json_get(s->doc, s->object, key)) == FRI_JSON_NULL)
        return unknown;
    return read_integer(s, key, 0, max);
}

/* The object of that name takes the place of the one it is in. */
static source enter(const source *s, const char *key)
{
    source inner = *s;
    inner.object = fri_json_get(s->doc, s->object, key);
    if (!inner.rc && fri_json_type(s->doc, inner.object) != FRI_JSON_OBJECT)
        inner.rc = fr_fail(s->err, FR_EFORMAT, 0, "%s is no object", key);
    return inner;
}

/* ---- The kinds of records ---- */

static void read_invocation(source *outer)
{
    source s = enter(outer, "invocation");
    fr_invocation *i = &s.to->invocation;
    read_optional(&s, "app", &i->app);
    read_optional(&s, "user", &i->user);
    read_optional(&s, "session", &i->session);
    read_optional(&s, "id", &i->id);
    read_optional(&s, "agent", &i->agent);
    read_optional(&s, "branch", &i->branch);
    read_optional(&s, "function_call", &i->function_call);
    outer->rc = s.rc;
}

/* What is no UTF-8 stands in `code` repaired, and as it was in base64. */
static void read_code(source *s)
{
    const char *base64 = NULL;
    read_bytes(s, "code", &s->to->record.code);
    read_optional(s, "code_base64", &base64);
    if (s->rc || !base64)
        return;
    FRI_AUTO(fri_buf_dispose) fri_buf code;
    fri_buf_init(&code, FRI_MAX_AUDIT_RECORD);
    s->rc = fri_get_base64(&code, fri_cstr(base64), s->err);
    size_t n = code.n;
    char *p = s->rc ? NULL : fri_buf_steal(&code, s->err);
    if (p)
        s->to->record.code = fri_str(own(s, p), n);
    else if (!s->rc)
        s->rc = FR_ENOMEM;
}

static void read_started(source *s)
{
    fr_audit_record *r = &s->to->record;
    read_text(s, "executor", &r->executor);
    read_optional(s, "language", &r->language);
    read_invocation(s);
    read_code(s);
    r->timeout_ms = read_known(s, "timeout_ms", INT64_MAX, -1);
}

static void read_ended(source *s)
{
    fr_audit_record *r = &s->to->record;
    r->run = (uint64_t)read_integer(s, "run", 1, INT64_MAX);
    read_text(s, "outcome", &r->outcome);
    r->exit_code = (int32_t)read_known(s, "exit_code", INT32_MAX, -1);
    r->signal = (int32_t)read_known(s, "signal", INT32_MAX, 0);
    read_optional(s, "reason", &r->reason);
    read_bytes(s, "stdout", &r->out);
    read_bytes(s, "stderr", &r->err);
    source receipt = enter(s, "receipt");
    r->run_ns = read_known(&receipt, "run_ns", INT64_MAX, -1);
    s->rc = receipt.rc;
}

static void read_failed(source *s)
{
    fr_audit_record *r = &s->to->record;
    r->run = (uint64_t)read_integer(s, "run", 1, INT64_MAX);
    read_text(s, "error", &r->error);
    read_text(s, "message", &r->message);
}

static const struct kind {
    const char *event;
    void (*read)(source *s);
} kinds[] = {{"started", read_started}, {"ended", read_ended}, {"failed", read_failed}};

static void read_event(source *s)
{
    const char *event = "";
    read_text(s, "event", &event);
    for (size_t i = 0; !s->rc && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].event, event) == 0) {
            kinds[i].read(s);
            s->to->record.event = kinds[i].event;
            return;
        }
    if (!s->rc)
        s->rc = fr_fail(s->err, FR_EFORMAT, 0, "there is no event '%.40s'", event);
}

/* ---- The record ---- */

static void read_torn(source *outer)
{
    const char *sha256 = "";
    if (fri_json_type(outer->doc, fri_json_get(outer->doc, outer->object, "torn")) ==
        FRI_JSON_ABSENT)
        return;
    source s = enter(outer, "torn");
    s.to->record.torn = 1;
    s.to->record.torn_bytes = (uint64_t)read_integer(&s, "bytes", 0, INT64_MAX);
    read_text(&s, "sha256", &sha256);
    memccpy(s.to->torn_sha256, sha256, '\0', sizeof(s.to->torn_sha256) - 1);
    outer->rc = s.rc;
}

/* A key may stand twice in JSON; what we go by are the ones of the frame, so there is no other. */
static void read_chain(source *s, const fri_audit_frame *frame)
{
    const char *prev = "", *hash = "";
    int64_t sequence = read_integer(s, "seq", 1, INT64_MAX);
    read_text(s, "prev", &prev);
    read_text(s, "hash", &hash);
    s->to->record.sequence = frame->mark.sequence;
    if (!s->rc && ((uint64_t)sequence != frame->mark.sequence || strcmp(prev, frame->prev) != 0 ||
                   strcmp(hash, frame->mark.hash) != 0))
        s->rc = fr_fail(s->err, FR_EFORMAT, 0, "seq, prev or hash stands in it twice");
}

static void read_time(source *s)
{
    fr_str time = fri_cstr("");
    read_bytes(s, "time", &time);
    if (!s->rc && fri_timestamp_read(time, &s->to->record.time_us))
        s->rc = fr_fail(s->err, FR_EFORMAT, 0, "its time is none");
}

void fri_audit_reading_init(fri_audit_reading *r)
{
    const fr_str nothing = fri_cstr("");
    *r = (fri_audit_reading){.invocation = FR_INVOCATION_INIT};
    r->record = (fr_audit_record){.event = "",
                                  .executor = "",
                                  .language = "",
                                  .code = nothing,
                                  .timeout_ms = -1,
                                  .outcome = "",
                                  .exit_code = -1,
                                  .reason = "",
                                  .out = nothing,
                                  .err = nothing,
                                  .run_ns = -1,
                                  .error = "",
                                  .message = "",
                                  .json = nothing};
    r->record.invocation = &r->invocation;
}

int fri_audit_read(fr_str line, const fri_audit_frame *frame, fri_audit_reading *out, fr_error *err)
{
    fri_audit_reading_init(out);
    out->record.json = line;
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    int rc = fri_json_parse(line.p, line.n, FRI_JSON_REFUSE, &doc, err);
    if (rc)
        return rc == FR_ELIMIT ? FR_EFORMAT : rc; /* nothing we write is that deep */
    source s = {.doc = doc, .object = 0, .to = out, .err = err};
    read_chain(&s, frame);
    read_time(&s);
    read_torn(&s);
    read_event(&s);
    return s.rc;
}

void fri_audit_reading_dispose(fri_audit_reading *r)
{
    for (size_t i = 0; i < r->owned_count; i++)
        fri_free(r->owned[i]);
    r->owned_count = 0;
}
