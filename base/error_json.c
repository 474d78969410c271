/* SPDX-License-Identifier: MIT */
#include "base/json_write.h"
#include "base/limits.h"
#include "fencerun/error.h"

int fr_error_json(const fr_error *error, char **json, fr_error *err)
{
    fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_json_key(&w, "error");
    fri_json_begin_object(&w);
    fri_json_member_cstring(&w, "code", fr_error_name(error->code));
    fri_json_member_cstring(&w, "message", error->text);
    fri_json_end_object(&w);
    fri_json_end_object(&w);
    int rc = fri_json_out_steal(&w, "an error as JSON", json, err);
    fri_buf_dispose(&buf);
    return rc;
}
