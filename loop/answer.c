/* SPDX-License-Identifier: MIT */
#include "loop/answer.h"

#include "base/json_write.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/word.h"

const char *fr_answer_status_text(int status)
{
    static const fri_word words[] = {FR_ANSWER_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, status);
}

fri_answer *fri_answer_new(fr_error *err)
{
    fri_answer *a = fri_calloc(1, sizeof(*a), err);
    if (!a)
        return NULL;
    fri_buf_init(&a->text, FRI_MAX_REPLY_BYTES);
    a->pub.text = fri_buf_str(&a->text);
    return a;
}

void fr_answer_free(fr_answer *pub)
{
    fri_answer *a = (fri_answer *)pub;
    if (!a)
        return;
    fri_buf_dispose(&a->text);
    fri_free(a->invocation_id);
    fri_free(a);
}

static void put_count(fri_json_out *w, const char *key, int64_t n)
{
    fri_json_key(w, key);
    if (n < 0)
        fri_json_put_null(w);
    else
        fri_json_put_int(w, n);
}

int fr_answer_json(const fr_answer *a, char **json, fr_error *err)
{
    fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_json_member_cstring(&w, "status", fr_answer_status_text(a->status));
    fri_json_member_string(&w, "answer", a->text);
    fri_json_member_cstring(&w, "invocation_id", a->invocation_id);
    put_count(&w, "model_calls", a->model_calls);
    put_count(&w, "runs", a->runs);
    put_count(&w, "failures_in_a_row", a->failures);
    put_count(&w, "prompt_tokens", a->prompt_tokens);
    put_count(&w, "output_tokens", a->output_tokens);
    fri_json_end_object(&w);
    int rc = fri_json_out_steal(&w, "an answer as JSON", json, err);
    fri_buf_dispose(&buf);
    return rc;
}
