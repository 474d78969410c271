/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_entry.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "executor/guard/audit_frame.h"
#include "executor/result_json.h"

static void put_text(fri_json_out *w, const char *key, const char *text)
{
    fri_json_member_cstring(w, key, text);
}

static void put_known(fri_json_out *w, const char *key, const char *text)
{
    if (text)
        put_text(w, key, text);
}

static void put_invocation(fri_json_out *w, const fr_invocation *of)
{
    fri_json_key(w, "invocation");
    fri_json_begin_object(w);
    put_known(w, "app", of->app);
    put_known(w, "user", of->user);
    put_known(w, "session", of->session);
    put_known(w, "id", of->id);
    put_known(w, "agent", of->agent);
    put_known(w, "branch", of->branch);
    put_known(w, "function_call", of->function_call);
    fri_json_end_object(w);
}

/* Not their content: that they were what somebody says can be told by the hash. A file of the host's, which is only
 * read when the code is about to run, is named by its path. */
static int put_file(fri_json_out *w, const fr_file *f, fr_error *err)
{
    char hash[65];
    int rc = f->path ? 0 : fri_audit_hash(f->content, hash, err);
    if (rc)
        return rc;
    fri_json_begin_object(w);
    put_text(w, "name", f->name);
    put_known(w, "mime_type", f->mime_type);
    put_known(w, "path", f->path);
    if (!f->path) {
        fri_json_member_uint(w, "bytes", f->content.n);
        put_text(w, "sha256", hash);
    }
    fri_json_end_object(w);
    return 0;
}

static int put_files(fri_json_out *w, const fr_file *files, size_t n, fr_error *err)
{
    int rc = 0;
    if (n == 0)
        return 0;
    fri_json_key(w, "files");
    fri_json_begin_array(w);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = put_file(w, &files[i], err);
    fri_json_end_array(w);
    return rc;
}

/* null: the executor's own. */
static int put_started(fri_json_out *w, const fri_audit_entry *e, fr_error *err)
{
    put_text(w, "executor", e->executor);
    fri_json_key(w, "language");
    if (e->input->language)
        fri_json_put_cstring(w, e->input->language);
    else
        fri_json_put_null(w);
    put_invocation(w, e->invocation);
    fri_json_member_string(w, "code", e->input->code);
    put_text(w, "code_sha256", e->code_sha256);
    put_known(w, "code_base64", e->code_base64.p);
    fri_json_key(w, "timeout_ms");
    if (e->input->timeout_ms)
        fri_json_put_int(w, e->input->timeout_ms);
    else
        fri_json_put_null(w);
    return put_files(w, e->input->files, e->input->file_count, err);
}

static int put_end_of_run(fri_json_out *w, const fri_audit_entry *e, fr_error *err)
{
    fri_json_member_uint(w, "run", e->run);
    if (e->result) {
        fri_put_end(w, e->result);
        fri_put_streams(w, e->result);
        fri_put_receipt(w, e->result->receipt);
        return put_files(w, e->result->files, e->result->file_count, err);
    }
    put_text(w, "error", fr_error_name(e->failure->code));
    put_text(w, "message", e->failure->text);
    return 0;
}

static void put_torn(fri_json_out *w, const fri_audit_tail *tail)
{
    fri_json_key(w, "torn");
    fri_json_begin_object(w);
    fri_json_member_uint(w, "bytes", tail->torn_bytes);
    put_text(w, "sha256", tail->torn_sha256);
    fri_json_end_object(w);
}

static int put_members(fri_json_out *w, const fri_audit_tail *tail, const fri_audit_entry *e,
                       fr_error *err)
{
    char time[FRI_TIMESTAMP_LENGTH + 1];
    fri_timestamp_text(fri_wall_us(), time);
    fri_json_member_uint(w, "seq", tail->last.sequence + 1);
    put_text(w, "time", time);
    put_text(w, "event", e->input ? "started" : e->result ? "ended" : "failed");
    if (tail->torn)
        put_torn(w, tail);
    int rc = e->input ? put_started(w, e, err) : put_end_of_run(w, e, err);
    put_text(w, "prev", tail->last.hash);
    return rc;
}

int fri_audit_put_record(fri_buf *buf, const fri_audit_tail *tail, const fri_audit_entry *entry,
                         fr_audit_mark *mark, fr_error *err)
{
    if (tail->needs_lf)
        fri_buf_putc(buf, '\n');
    size_t start = buf->n;
    fr_audit_mark made = {.sequence = tail->last.sequence + 1};
    fri_json_out w;
    fri_json_out_init(&w, buf);
    fri_json_begin_object(&w);
    int rc = put_members(&w, tail, entry, err);
    if (rc)
        return rc;
    rc = fri_audit_hash(fri_str(buf->p + start, buf->n - start), made.hash, err);
    if (rc)
        return rc;
    put_text(&w, "hash", made.hash);
    fri_json_end_object(&w);
    rc = fri_json_out_finish(&w, "audit: a record", err);
    if (rc == 0) {
        fri_buf_putc(buf, '\n');
        rc = fri_buf_check(buf, "audit: a record", err);
    }
    if (rc == FR_ELIMIT)
        return fr_fail(err, rc, 0, "audit: a record of more than %lu bytes is not written",
                       FRI_MAX_AUDIT_RECORD);
    if (rc == 0)
        *mark = made;
    return rc;
}
