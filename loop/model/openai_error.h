/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_MODEL_OPENAI_ERROR_H
#define FR_LOOP_MODEL_OPENAI_ERROR_H

#include "base/json_read.h"

/* Why a server gives no answer, in its own words, which are shortened and freed of the key: some
 * servers repeat what they were sent. */
typedef struct fri_openai_reason {
    char text[201];   /* "" where it gives none */
    int out_of_quota; /* waiting will not help */
} fri_openai_reason;

/* The reason in JSON that is an error in one of the shapes there are: {"error":{"message":"…"}} (OpenAI,
 * Ark), {"error":"…"}, {"message":"…"} (vLLM), {"detail":"…"}. Errors: FR_ENOMEM. */
FR_CHECK int fri_openai_json_reason(const fri_json *doc, const char *key, fri_openai_reason *out,
                                    fr_error *err);

/* The reason in a body of any kind; one that is no JSON is the reason itself. Errors: FR_ENOMEM. */
FR_CHECK int fri_openai_body_reason(fr_str body, const char *key, fri_openai_reason *out,
                                    fr_error *err);

#endif
