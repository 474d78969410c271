/* SPDX-License-Identifier: MIT */
/*
 * One request and what becomes of it. The answer is read as it comes: as a stream of events where one was
 * asked for and is given; else it is collected, and is a whole answer or, by its status, the reason why
 * there is none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/http.h"
#include "base/limits.h"
#include "base/sse.h"
#include "base/str.h"
#include "loop/model/openai.h"
#include "loop/model/openai_answer.h"
#include "loop/model/openai_error.h"

#define CONNECT_MS         30000
#define MAX_RETRY_AFTER_MS 120000
#define JSON_TYPE          "application/json"

/* What on_body() returns, besides 0, FRI_HTTP_CANCELLED and errors, to end the exchange: some servers
 * keep the connection open when all has been said. */
enum { ANSWER_DONE = 2 };

typedef struct exchange {
    const fri_openai *o;
    const fr_model_request *q;
    fri_http_response response;
    fri_buf body; /* of what is no stream */
    fri_sse sse;
    fri_openai_answer answer;
} exchange;

/* ---- Reading ---- */

static int is_good(const exchange *x)
{
    return x->response.status / 100 == 2;
}

static int has_type(const exchange *x, const char *type)
{
    fr_str is = fri_http_header(&x->response, "content-type");
    size_t n = strlen(type);
    return is.n >= n && strncasecmp(is.p, type, n) == 0;
}

static int is_stream(const exchange *x)
{
    return x->o->stream && is_good(x) && !has_type(x, JSON_TYPE);
}

/* What some servers say when they fail in the middle of a stream. */
static int failed(const exchange *x, fr_str data, fr_error *err)
{
    fri_openai_reason reason;
    int rc = fri_openai_body_reason(data, x->o->key, &reason, err);
    return rc ? rc
              : fr_fail(err, FR_EMODEL, 0, "openai: an error instead of an answer: %s",
                        reason.text);
}

static int on_event(void *user, fr_str type, fr_str data, fr_error *err)
{
    exchange *x = user;
    if (fr_cancel_raised(x->q->cancel))
        return FRI_HTTP_CANCELLED;
    if (fri_str_equal(type, fri_cstr("error")))
        return failed(x, data, err);
    int rc = fri_openai_answer_chunk(&x->answer, data, err);
    return rc == 0 && x->answer.done ? ANSWER_DONE : rc;
}

static int on_body(void *user, const char *p, size_t n, fr_error *err)
{
    exchange *x = user;
    if (is_stream(x))
        return fri_sse_feed(&x->sse, p, n, err);
    fri_buf_append(&x->body, p, n);
    return fri_buf_check(&x->body, "openai: the answer", err);
}

static int perform(exchange *x, fr_str body, fr_error *err)
{
    const char *headers[] = {"Content-Type: " JSON_TYPE, x->o->authorization, NULL};
    const fri_http_request q = {
        .method = "POST",
        .url = x->o->url,
        .headers = headers,
        .body = body,
        .connect_ms = CONNECT_MS,
        .total_ms = x->o->timeout_ms,
        .idle_ms = x->o->idle_ms,
        .max_body_bytes = FRI_MAX_STREAM_BYTES,
        .cancel = x->q->cancel,
        .sink = on_body,
        .user = x,
    };
    return fri_http_perform(&q, &x->response, err);
}

/* ---- No answer ---- */

/* What can be done about a status, for people. */
static void advise(const exchange *x, char *out, size_t size)
{
    const fri_openai *o = x->o;
    int status = x->response.status;
    out[0] = '\0';
    if (status == 401 || status == 403)
        snprintf(out, size, "; set %.60s", o->key_source);
    else if (status == 404)
        snprintf(out, size, "; check the model '%.60s' and the base url %.120s", o->model,
                 o->base_url);
    else if (status / 100 == 3)
        snprintf(out, size, "; redirects are not followed, so the base url must be the last one");
}

static int is_passing(int status, const fri_openai_reason *reason)
{
    return (status == 429 && !reason->out_of_quota) || status == 408 || status / 100 == 5;
}

static int refused(const exchange *x, int64_t *retry, fr_error *err)
{
    char advice[256];
    fri_openai_reason reason;
    int status = x->response.status;
    int rc = fri_openai_body_reason(fri_buf_str(&x->body), x->o->key, &reason, err);
    if (rc)
        return rc;
    advise(x, advice, sizeof(advice));
    if (is_passing(status, &reason)) {
        /* FRI_RETRY_BACKOFF where the server does not say. */
        *retry = fri_http_retry_after(&x->response);
        if (*retry > MAX_RETRY_AFTER_MS) {
            snprintf(advice, sizeof(advice), "; ask again in %" PRId64 " s, which is too long here",
                     *retry / 1000);
            *retry = FRI_RETRY_NEVER;
        }
    }
    return fr_fail(err, FR_EMODEL, 0, "openai: HTTP %d%s%s%s", status, reason.text[0] ? ": " : "",
                   reason.text, advice);
}

/* A connection that did not come about, or did not last. */
static int lost(int rc, int64_t *retry, fr_error *err)
{
    int timed_out = rc == FR_ESYSTEM && err->sys_errno == ETIMEDOUT;
    if (rc != FR_EUNAVAILABLE && rc != FR_EPROTOCOL && !timed_out)
        return rc;
    *retry = FRI_RETRY_BACKOFF;
    if (rc != FR_EUNAVAILABLE)
        err->code = FR_EMODEL;
    return err->code;
}

/* ---- The whole ---- */

static int conclude(exchange *x, int64_t *retry, fr_error *err)
{
    if (!is_good(x))
        return refused(x, retry, err);
    if (!is_stream(x)) {
        int rc = fri_openai_answer_whole(&x->answer, fri_buf_str(&x->body), err);
        if (rc == FR_EMODEL && has_type(x, "text/html"))
            return fr_fail(err, rc, 0, "%s; it is a page of HTML: check the base url %.120s",
                           err->text, x->o->base_url);
        if (rc)
            return rc;
    }
    if (!fri_openai_answer_is_complete(&x->answer)) {
        *retry = FRI_RETRY_BACKOFF;
        return fr_fail(err, FR_EMODEL, 0, "openai: the stream broke off before the answer's end");
    }
    return fri_openai_answer_end(&x->answer, err);
}

int fri_openai_exchange(const fri_openai *o, const fr_model_request *q, fr_str body,
                        fr_reply *reply, int64_t *retry, fr_error *err)
{
    exchange x = {.o = o, .q = q};
    fri_buf_init(&x.body, FRI_MAX_ANSWER_BYTES);
    fri_sse_init(&x.sse, FRI_MAX_ANSWER_BYTES, on_event, &x);
    fri_openai_answer_init(&x.answer, reply, o->key);
    *retry = FRI_RETRY_NEVER;
    int rc = perform(&x, body, err);
    if (rc == FRI_HTTP_CANCELLED)
        rc = fr_fail(err, FR_ECANCELLED, 0, "openai: the request was cancelled");
    else if (rc < 0)
        rc = lost(rc, retry, err);
    else
        rc = conclude(&x, retry, err);
    fri_http_response_dispose(&x.response);
    fri_openai_answer_dispose(&x.answer);
    fri_sse_dispose(&x.sse);
    fri_buf_dispose(&x.body);
    return rc;
}
