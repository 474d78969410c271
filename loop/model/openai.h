/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_MODEL_OPENAI_H
#define FR_LOOP_MODEL_OPENAI_H

#include <stdint.h>

#include "base/buf.h"
#include "fencerun/model.h"

/* A model behind OpenAI's chat completions: its options, checked and with the defaults filled in. */
typedef struct fri_openai {
    char *model;
    char *base_url;      /* without a slash at its end */
    char *url;           /* where requests go */
    char *authorization; /* the header with the key; NULL: no key */
    const char *key;     /* the key within it; "" */
    char *key_source;    /* the variable or option it is to be set in */
    char *parameters;    /* members for the request's object, without the braces; "" */
    int stream;
    int max_retries;
    int64_t timeout_ms;
    int64_t idle_ms;
} fri_openai;

/* Reads an fr_openai_options and the environment. Dispose also after a failure; that wipes the key.
 * Errors: FR_EINVAL, FR_EABI, FR_EFORMAT (parameters), FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_openai_init(fri_openai *o, const void *config, fr_error *err);
void fri_openai_dispose(fri_openai *o);

/* Appends the body of a request. Errors: FR_EINVAL, FR_EUNSUPPORTED (a part that cannot be sent),
 * FR_ELIMIT, FR_ENOMEM, those of fri_put_base64(). */
FR_CHECK int fri_openai_body(const fri_openai *o, const fr_model_request *q, fri_buf *out,
                             fr_error *err);

/* Whether, and when, a request that failed may be sent again: after so many milliseconds, or */
enum {
    FRI_RETRY_BACKOFF = -1, /* after the back-off */
    FRI_RETRY_NEVER = -2
};

/* Sends one request and builds the reply. When that fails, *retry says what may be done, and `err`, which
 * must not be NULL, why. Errors: as fr_model_generate(). */
FR_CHECK int fri_openai_exchange(const fri_openai *o, const fr_model_request *q, fr_str body,
                                 fr_reply *reply, int64_t *retry, fr_error *err);

/* The back-off before retry number `retry`, the first being 0: half a second and twice that each time,
 * at most 30 s, of which `random` takes off up to a quarter, so that many clients do not come back at
 * once. */
int64_t fri_openai_backoff_ms(int retry, uint32_t random);

#endif
