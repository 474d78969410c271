/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_MODEL_REPLY_H
#define FR_LOOP_MODEL_REPLY_H

#include "base/buf.h"
#include "fencerun/model.h"

/* An answer in the making. */
struct fr_reply {
    const fr_model_request *request;
    fr_content *content;
    fri_buf text;   /* the part that may go on; not in the content yet */
    uint32_t flags; /* of that part */
    int begun;
    fr_model_response numbers; /* what is said besides the content */
};

/* Dispose also after a failure. Errors: FR_ENOMEM. */
FR_CHECK int fri_reply_init(fr_reply *reply, const fr_model_request *request, fr_error *err);
void fri_reply_dispose(fr_reply *reply);

/* Turns what was built into a response. Errors: FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_reply_take(fr_reply *reply, fr_model_response **out, fr_error *err);

#endif
