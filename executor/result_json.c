/* SPDX-License-Identifier: MIT */
#include "executor/result_json.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"

static void put_count(fri_json_out *w, const char *key, int64_t v)
{
    fri_json_key(w, key);
    if (v < 0)
        fri_json_put_null(w);
    else
        fri_json_put_int(w, v);
}

static void put_stream(fri_json_out *w, const char *key, uint64_t written, uint64_t kept,
                       uint64_t invalid)
{
    fri_json_key(w, key);
    fri_json_begin_object(w);
    fri_json_member_uint(w, "bytes_written", written);
    fri_json_member_uint(w, "bytes_kept", kept);
    fri_json_member_uint(w, "invalid_utf8", invalid);
    fri_json_end_object(w);
}

static void put_limits(fri_json_out *w, const fr_receipt *r)
{
    fri_json_key(w, "limits");
    fri_json_begin_object(w);
    for (size_t i = 0; i < r->limit_count; i++) {
        fri_json_key(w, r->limits[i].name);
        fri_json_begin_object(w);
        fri_json_member_uint(w, "value", r->limits[i].value);
        fri_json_member_cstring(w, "by", r->limits[i].mechanism);
        if (r->limits[i].degraded) {
            fri_json_member_bool(w, "degraded", 1);
        }
        fri_json_end_object(w);
    }
    fri_json_end_object(w);
}

void fri_put_receipt(fri_json_out *w, const fr_receipt *r)
{
    fri_json_key(w, "receipt");
    fri_json_begin_object(w);
    fri_json_member_cstring(w, "executor", r->executor);
    fri_json_member_cstring(w, "language", r->language);
    fri_json_member_cstring(w, "interpreter", r->interpreter);
    fri_json_member_cstring(w, "interpreter_version", r->interpreter_version);
    fri_json_member_bool(w, "network", r->network);
    put_count(w, "queue_ns", r->queue_ns);
    put_count(w, "start_ns", r->start_ns);
    put_count(w, "run_ns", r->run_ns);
    put_count(w, "collect_ns", r->collect_ns);
    put_count(w, "cpu_user_ns", r->cpu_user_ns);
    put_count(w, "cpu_system_ns", r->cpu_system_ns);
    put_count(w, "peak_memory_bytes", r->peak_memory_bytes);
    put_count(w, "peak_processes", r->peak_processes);
    put_count(w, "oom_events", r->oom_events);
    put_stream(w, "stdout", r->stdout_written, r->stdout_kept, r->stdout_invalid);
    put_stream(w, "stderr", r->stderr_written, r->stderr_kept, r->stderr_invalid);
    put_limits(w, r);
    fri_json_end_object(w);
}

static void put_files(fri_json_out *w, const fr_code_result *r)
{
    fri_json_key(w, "files");
    fri_json_begin_array(w);
    for (size_t i = 0; i < r->file_count; i++) {
        fri_json_begin_object(w);
        fri_json_member_cstring(w, "name", r->files[i].name);
        fri_json_member_cstring(w, "mime_type", r->files[i].mime_type);
        fri_json_member_uint(w, "bytes", r->files[i].content.n);
        if (r->files[i].flags & FR_FILE_PARTIAL) {
            fri_json_member_bool(w, "partial", 1);
        }
        fri_json_end_object(w);
    }
    fri_json_end_array(w);
}

static void put_skipped(fri_json_out *w, const fr_code_result *r)
{
    fri_json_key(w, "skipped");
    fri_json_begin_array(w);
    for (size_t i = 0; i < r->skipped_count; i++) {
        fri_json_begin_object(w);
        fri_json_member_cstring(w, "name", r->skipped[i].name);
        fri_json_member_cstring(w, "reason", r->skipped[i].reason);
        fri_json_end_object(w);
    }
    fri_json_end_array(w);
}

/* null: the code did not end that way. */
void fri_put_end(fri_json_out *w, const fr_code_result *r)
{
    fri_json_member_cstring(w, "outcome", fr_outcome_text(r->outcome));
    put_count(w, "exit_code", r->exit_code);
    put_count(w, "signal", r->signal ? r->signal : -1);
    if (r->reason[0]) {
        fri_json_member_cstring(w, "reason", r->reason);
    }
}

void fri_put_streams(fri_json_out *w, const fr_code_result *r)
{
    fri_json_member_string(w, "stdout", r->out);
    fri_json_member_string(w, "stderr", r->err);
}

static void put_changes(fri_json_out *w, const char *key, uint64_t cleaned, uint64_t clipped)
{
    fri_json_key(w, key);
    fri_json_begin_object(w);
    fri_json_member_uint(w, "controls_removed", cleaned);
    fri_json_member_uint(w, "characters_left_out", clipped);
    fri_json_end_object(w);
}

static void put_audit(fri_json_out *w, const fr_receipt *r)
{
    fri_json_key(w, "audit");
    fri_json_begin_object(w);
    fri_json_member_uint(w, "seq", r->audit_sequence);
    fri_json_member_cstring(w, "hash", r->audit_hash);
    fri_json_end_object(w);
}

/* What a guard saw and did. */
static void put_guard(fri_json_out *w, const fr_code_result *r)
{
    const fr_receipt *receipt = r->receipt;
    fri_json_key(w, "guard");
    fri_json_begin_object(w);
    fri_json_member_cstring(w, "stderr_class", fr_stderr_text(r->stderr_class));
    put_changes(w, "stdout", receipt->stdout_cleaned, receipt->stdout_clipped);
    put_changes(w, "stderr", receipt->stderr_cleaned, receipt->stderr_clipped);
    if (receipt->audit_sequence > 0)
        put_audit(w, receipt);
    fri_json_end_object(w);
}

int fr_code_result_json(const fr_code_result *r, char **json, fr_error *err)
{
    fri_buf buf;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out w;
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_put_end(&w, r);
    fri_put_streams(&w, r);
    put_files(&w, r);
    if (r->skipped_count > 0)
        put_skipped(&w, r);
    if (r->stderr_class != FR_STDERR_UNJUDGED)
        put_guard(&w, r);
    fri_put_receipt(&w, r->receipt);
    fri_json_end_object(&w);
    int rc = fri_json_out_steal(&w, "a result as JSON", json, err);
    fri_buf_dispose(&buf);
    return rc;
}
