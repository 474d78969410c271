/* SPDX-License-Identifier: MIT */
#include "base/json_write.h"
#include "base/limits.h"
#include "base/timestamp.h"
#include "fencerun/audit.h"

/* null: there is no such record. */
static void put_sequence(fri_json_out *w, const char *key, uint64_t v)
{
    fri_json_key(w, key);
    if (v)
        fri_json_put_uint(w, v);
    else
        fri_json_put_null(w);
}

static void put_time(fri_json_out *w, const char *key, const fr_audit_summary *s, int64_t us)
{
    char text[FRI_TIMESTAMP_LENGTH + 1];
    fri_timestamp_text(us, text);
    fri_json_key(w, key);
    if (s->records)
        fri_json_put_cstring(w, text);
    else
        fri_json_put_null(w);
}

static void put_head(fri_json_out *w, const fr_audit_mark *head)
{
    fri_json_key(w, "head");
    fri_json_begin_object(w);
    fri_json_member_uint(w, "sequence", head->sequence);
    fri_json_member_cstring(w, "hash", head->hash);
    fri_json_end_object(w);
}

static void put_broken(fri_json_out *w, const fr_audit_summary *s)
{
    fri_json_key(w, "broken");
    if (!s->broken_line) {
        fri_json_put_null(w);
        return;
    }
    fri_json_begin_object(w);
    fri_json_member_uint(w, "line", s->broken_line);
    fri_json_member_uint(w, "offset", s->broken_offset);
    fri_json_member_cstring(w, "how", s->broken);
    fri_json_end_object(w);
}

int fr_audit_summary_json(const fr_audit_summary *s, char **json, fr_error *err)
{
    fri_buf buf;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out w;
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_json_member_bool(&w, "holds", s->broken_line == 0);
    fri_json_member_uint(&w, "records", s->records);
    fri_json_member_uint(&w, "runs", s->runs);
    fri_json_member_uint(&w, "runs_without_end", s->runs_without_end);
    put_sequence(&w, "first_without_end", s->first_without_end);
    fri_json_member_uint(&w, "torn", s->torn);
    put_sequence(&w, "clock_back", s->clock_back);
    put_time(&w, "first", s, s->first_us);
    put_time(&w, "last", s, s->last_us);
    put_head(&w, &s->head);
    put_broken(&w, s);
    fri_json_end_object(&w);
    int rc = fri_json_out_steal(&w, "a summary as JSON", json, err);
    fri_buf_dispose(&buf);
    return rc;
}
