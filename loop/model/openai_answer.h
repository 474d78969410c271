/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_MODEL_OPENAI_ANSWER_H
#define FR_LOOP_MODEL_OPENAI_ANSWER_H

#include "base/buf.h"
#include "base/json_read.h"
#include "fencerun/model.h"
#include "loop/model/tool_calls.h"

/*
 * From what a server answers to a reply: whole, or in the chunks of a stream. Both have the same shape,
 * but for the message being called a delta in chunks.
 *
 * What is said goes to the reply as it comes. Thoughts are held back until something is said or all is
 * over, since nothing of a reply can be taken back, and a stream that breaks off while the model thinks
 * may be asked for again.
 *
 * A \u escape of half a surrogate pair becomes U+FFFD, also where the other half is in the next chunk: a
 * server that cuts a character in two has lost it, and the answer is not worth refusing for that.
 */
typedef struct fri_openai_answer {
    fr_reply *reply;
    const char *key; /* that must not be told in errors */
    fri_buf thought;
    fri_tool_calls calls;
    int begun;  /* there is a message, or a delta of one */
    int done;   /* the end was said */
    int finish; /* `fr_finish`; -1 until it was given */
    int64_t prompt_tokens;
    int64_t output_tokens;
} fri_openai_answer;

void fri_openai_answer_init(fri_openai_answer *a, fr_reply *reply, const char *key);
void fri_openai_answer_dispose(fri_openai_answer *a);

/* Takes a whole answer. Errors: FR_EMODEL (malformed, or an error instead of an answer), FR_ELIMIT,
 * FR_ENOMEM. */
FR_CHECK int fri_openai_answer_whole(fri_openai_answer *a, fr_str body, fr_error *err);

/* Takes the data of an event of a stream, "[DONE]" among them. Errors: likewise. */
FR_CHECK int fri_openai_answer_chunk(fri_openai_answer *a, fr_str data, fr_error *err);

/* Whether the answer has come to its end. Some servers do not say [DONE]. */
int fri_openai_answer_is_complete(const fri_openai_answer *a);

/* Gives the reply what was held back. Errors: FR_EMODEL (a malformed tool call), FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_openai_answer_end(fri_openai_answer *a, fr_error *err);

#endif
