/* SPDX-License-Identifier: MIT */
/* The model "openai": whatever speaks OpenAI's chat completions, see fencerun/model.h. */
#include "loop/model/openai.h"

#include <sys/random.h>

#include "base/http_curl.h"
#include "base/io.h"
#include "base/limits.h"

#define FIRST_BACKOFF_MS 500
#define MAX_BACKOFF_MS   30000

int64_t fri_openai_backoff_ms(int retry, uint32_t random)
{
    int64_t ms = FIRST_BACKOFF_MS;
    for (int i = 0; i < retry && ms < MAX_BACKOFF_MS; i++)
        ms *= 2;
    if (ms > MAX_BACKOFF_MS)
        ms = MAX_BACKOFF_MS;
    return ms - (ms / 4) * random / UINT32_MAX;
}

static int64_t backoff_ms(int retry)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
        random = 0;
    return fri_openai_backoff_ms(retry, random);
}

/* The last of several failures, told with how many there were. */
static int give_up(int rc, int requests, fr_error *err)
{
    if (requests == 1)
        return rc;
    int sys_errno = err->sys_errno;
    rc = fr_fail(err, rc, 0, "%s (asked %d times)", err->text, requests);
    err->sys_errno = sys_errno;
    return rc;
}

/* Sends the request until it is answered. What has been said cannot be taken back: from then on nothing
 * is sent again. */
static int ask(const fri_openai *o, const fr_model_request *q, fr_str body, fr_reply *reply,
               fr_error *err)
{
    for (int retry = 0;; retry++) {
        int64_t wait_ms = FRI_RETRY_NEVER;
        fr_reply_request(reply);
        int rc = fri_openai_exchange(o, q, body, reply, &wait_ms, err);
        if (rc == 0)
            return 0;
        if (wait_ms == FRI_RETRY_NEVER || retry == o->max_retries || fr_reply_begun(reply))
            return give_up(rc, retry + 1, err);
        if (wait_ms == FRI_RETRY_BACKOFF)
            wait_ms = backoff_ms(retry);
        if (fri_wait_readable(fr_cancel_fd(q->cancel), wait_ms))
            return fr_fail(err, FR_ECANCELLED, 0, "openai: the request was cancelled");
    }
}

static int openai_generate(fr_model *self, const fr_model_request *q, fr_reply *reply,
                           fr_error *err)
{
    const fri_openai *o = fr_model_state(self);
    fri_buf body;
    fri_buf_init(&body, FRI_MAX_JSON_OUT);
    int rc = fri_openai_body(o, q, &body, err);
    if (rc == 0)
        rc = ask(o, q, fri_buf_str(&body), reply, err);
    fri_buf_dispose(&body);
    return rc;
}

/* Without libcurl nothing will ever come of it, which is better known at once. */
static int openai_open(fr_model *self, const void *config, fr_error *err)
{
    const fri_curl *curl;
    int rc = fri_openai_init(fr_model_state(self), config, err);
    return rc ? rc : fri_curl_load(&curl, err);
}

static void openai_close(fr_model *self)
{
    fri_openai_dispose(fr_model_state(self));
}

const fr_model_class *fr_model_openai(void)
{
    static const fr_model_class cls = {
        .struct_size = sizeof(fr_model_class),
        .abi = FR_MODEL_ABI,
        .name = "openai",
        .state_size = sizeof(fri_openai),
        .open = openai_open,
        .generate = openai_generate,
        .close = openai_close,
    };
    return &cls;
}
