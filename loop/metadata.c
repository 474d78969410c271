/* SPDX-License-Identifier: MIT */
#include "loop/metadata.h"

#include "base/json_write.h"

static void put_audit(fri_json_out *w, const fr_receipt *receipt)
{
    fri_json_key(w, "audit");
    fri_json_begin_object(w);
    fri_json_member_uint(w, "seq", receipt->audit_sequence);
    fri_json_member_cstring(w, "hash", receipt->audit_hash);
    fri_json_end_object(w);
}

static void put_result(fri_json_out *w, const fr_code_result *r)
{
    fri_json_member_cstring(w, "outcome", fr_outcome_text(r->outcome));
    if (r->exit_code >= 0) {
        fri_json_member_int(w, "exit_code", r->exit_code);
    }
    if (r->signal > 0) {
        fri_json_member_int(w, "signal", r->signal);
    }
    fri_json_member_int(w, "run_ns", r->receipt->run_ns);
    fri_json_member_cstring(w, "stderr", fr_stderr_text(r->stderr_class));
    if (r->receipt->audit_sequence > 0)
        put_audit(w, r->receipt);
}

int fri_result_metadata(const fr_code_result *result, char **json, fr_error *err)
{
    fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, 4096);
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_json_key(&w, "fencerun");
    fri_json_begin_object(&w);
    put_result(&w, result);
    fri_json_end_object(&w);
    fri_json_end_object(&w);
    int rc = fri_json_out_steal(&w, "an event's metadata", json, err);
    fri_buf_dispose(&buf);
    return rc;
}
