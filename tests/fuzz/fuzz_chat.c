/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an answer of chat completions: the first says whether whole or as a stream, and how that is
 * split. A stream reads the same however it is split; what is read is UTF-8, text and thoughts come in
 * parts that alternate, a call is JSON with a name; and errors do not tell the key.
 */
#include <string.h>

#include "base/sse.h"
#include "base/str.h"
#include "base/utf8.h"
#include "loop/model/openai_answer.h"
#include "loop/model/reply.h"
#include "tests/fuzz/fuzz.h"

#define KEY "sk-key"

/* One reading of the bytes. */
typedef struct outcome {
    fr_reply reply;
    fri_openai_answer answer;
    fr_model_response *response; /* NULL when it failed */
    fri_buf heard;
    int complete;
    int code;
    fr_error err;
} outcome;

static void hear(void *user, const char *p, size_t n)
{
    FUZZ_CHECK(n > 0);
    fri_buf_append(user, p, n);
}

static int on_event(void *user, fr_str type, fr_str data, fr_error *err)
{
    (void)type;
    return fri_openai_answer_chunk(user, data, err);
}

static int read_stream(fri_openai_answer *answer, fr_str bytes, size_t step, fr_error *err)
{
    int rc = 0;
    fri_sse sse;
    fri_sse_init(&sse, 1 << 20, on_event, answer);
    for (size_t at = 0; rc == 0 && at < bytes.n; at += step)
        rc = fri_sse_feed(&sse, bytes.p + at, bytes.n - at < step ? bytes.n - at : step, err);
    fri_sse_dispose(&sse);
    return rc;
}

/* step 0: a whole answer */
static void read_answer(outcome *o, fr_str bytes, size_t step)
{
    fr_model_request q = FR_MODEL_REQUEST_INIT;
    q.on_text = hear;
    q.user = &o->heard;
    *o = (outcome){.err = FR_ERROR_INIT};
    fri_buf_init(&o->heard, SIZE_MAX);
    FUZZ_CHECK(fri_reply_init(&o->reply, &q, NULL) == 0);
    fri_openai_answer_init(&o->answer, &o->reply, KEY);
    o->code = step == 0 ? fri_openai_answer_whole(&o->answer, bytes, &o->err)
                        : read_stream(&o->answer, bytes, step, &o->err);
    o->complete = fri_openai_answer_is_complete(&o->answer);
    if (o->code == 0)
        o->code = fri_openai_answer_end(&o->answer, &o->err);
    if (o->code == 0)
        o->code = fri_reply_take(&o->reply, &o->response, &o->err);
    o->reply.request = NULL;
}

static void forget(outcome *o)
{
    fr_model_response_free(o->response);
    fri_openai_answer_dispose(&o->answer);
    fri_reply_dispose(&o->reply);
    fri_buf_dispose(&o->heard);
}

static void check_call(const fr_part *part)
{
    fri_json *doc = NULL;
    int rc = fri_json_parse(part->data.p, part->data.n, FRI_JSON_REPAIR, &doc, NULL);
    /* The arguments may be as deep as JSON can be, and are then within more. */
    FUZZ_CHECK(rc == 0 || rc == FR_ELIMIT);
    if (doc) {
        FUZZ_CHECK(fri_json_type(doc, fri_json_get(doc, 0, "name")) == FRI_JSON_STRING);
        FUZZ_CHECK(fri_json_type(doc, fri_json_get(doc, 0, "args")) == FRI_JSON_OBJECT);
    }
    fri_json_free(doc);
}

static void check_parts(const fr_content *content, fr_str heard)
{
    const fr_part *part, *before = NULL;
    size_t said = 0;
    for (size_t i = 0; (part = fr_content_part(content, i)); before = part, i++) {
        FUZZ_CHECK(fri_utf8_valid_prefix(part->data.p, part->data.n) == part->data.n);
        FUZZ_CHECK(part->kind != FR_PART_TEXT || part->data.n > 0);
        FUZZ_CHECK(!before || before->kind != FR_PART_TEXT || part->kind != FR_PART_TEXT ||
                   before->flags != part->flags);
        if (part->kind == FR_PART_FUNCTION_CALL)
            check_call(part);
        if (part->kind != FR_PART_TEXT || part->flags)
            continue;
        FUZZ_CHECK(part->data.n <= heard.n - said &&
                   memcmp(part->data.p, heard.p + said, part->data.n) == 0);
        said += part->data.n;
    }
    FUZZ_CHECK(said == heard.n);
}

static void check_outcome(const outcome *o)
{
    if (o->code == 0) {
        check_parts(o->response->content, fri_buf_str(&o->heard));
        FUZZ_CHECK(strcmp(fr_finish_text(o->response->finish), "unknown") != 0);
        return;
    }
    FUZZ_CHECK(o->code == FR_EMODEL || o->code == FR_ELIMIT);
    FUZZ_CHECK(o->err.code == o->code && o->err.text[0]);
    FUZZ_CHECK(!strstr(o->err.text, KEY));
}

static void check_same(const outcome *a, const outcome *b)
{
    FUZZ_CHECK(a->code == b->code && a->complete == b->complete);
    FUZZ_CHECK(fri_str_equal(fri_buf_str(&a->heard), fri_buf_str(&b->heard)));
    FUZZ_CHECK(strcmp(a->err.text, b->err.text) == 0);
    FUZZ_CHECK(!a->response || a->response->finish == b->response->finish);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const fr_str bytes = fri_str((const char *)data + 1, size - 1);
    size_t step = data[0] % 32;
    outcome first, second;
    read_answer(&first, bytes, step);
    check_outcome(&first);
    if (step > 0) {
        read_answer(&second, bytes, size);
        check_outcome(&second);
        check_same(&first, &second);
        forget(&second);
    }
    forget(&first);
    return 0;
}
