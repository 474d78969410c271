/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_TALK_H
#define TESTS_SUPPORT_TALK_H

#include "base/buf.h"
#include "fencerun/model.h"

/* A request with one content that says one thing, and what on_text was given of the answer. */
typedef struct talk {
    fr_content *content;
    const fr_content *contents[1];
    fr_model_request request;
    fri_buf heard;
    int pieces;
    int cancel_at; /* the piece at which request.cancel is raised; 0: none */
} talk;

void talk_init(talk *t, const char *text);
void talk_dispose(talk *t);

/* The parts of a content as one text: thoughts in parentheses, the kind and label of parts that are no
 * text in brackets before their data; a bar between parts. */
void talk_describe(const fr_content *content, fri_buf *out);

/* Asks; the answer must be what `parts` describes, or the error `code` with `text` in its text. Both
 * return what is besides. */
fr_model_response talk_expect(talk *t, fr_model *model, const char *parts);
fr_error talk_expect_error(talk *t, fr_model *model, int code, const char *text);

#endif
