/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOOP_CONVERSATION_H
#define TESTS_LOOP_CONVERSATION_H

#include "base/buf.h"
#include "fencerun/runner.h"

/* A whole loop whose model and executor play scripts. Each function fails the test where a call fails. */

/* A reply that is one block, for a list of replies. */
#define BLOCK(code) "\"```python\\n" code "\\n```\\n\""

typedef struct loop {
    fr_model *model;
    fr_executor *ex;
    fr_postprocessor_options post;
    fr_runner_options options;
    fr_session *session;
    fr_answer *answer;
    fri_buf events; /* a line each: author, role, kinds of parts, "!" for an error */
    fri_buf streamed;
} loop;

/* `replies` and `results` are JSON arrays; NULL for the latter: no executor. */
void begin(loop *l, const char *replies, const char *results);
void end(loop *l);

/* Asks in a new runner; the answer is then in l->answer. */
int ask(loop *l, const char *question, fr_error *err);
void ask_well(loop *l, const char *question);

void expect_answer(const loop *l, int status, const char *text, int calls);

#endif
