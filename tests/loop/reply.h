/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOOP_REPLY_H
#define TESTS_LOOP_REPLY_H

#include "fencerun/postprocess.h"

/* Short forms for tests of the loop. Each fails the test where the call fails. */

/* A content of one text part with the role "model". Free with fr_content_free(). */
fr_content *text_content(const char *text);

/* A content of the parts given as ADK's JSON: [{"text": "…"}, …], role "model". */
fr_content *parts_content(const char *parts);

/* The executor "scripted" with these results, a JSON array; `attempts` as error_retry_attempts. */
fr_executor *scripted_results(const char *results, int attempts);

/* One reply through a post-processor. */
fr_turn *postprocess(fr_postprocessor *p, const fr_content *reply, const char *invocation,
                     fr_state *state);

fr_state *state_of(const char *json);

#endif
