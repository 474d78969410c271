/* SPDX-License-Identifier: MIT */
#include "tests/loop/conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/loop/reply.h"

static void note_event(void *user, const fr_event *event)
{
    static const char *const kinds[] = {"",     "text", "code",     "result",
                                        "data", "call", "response", "?"};
    loop *l = user;
    fri_buf_printf(&l->events, "%s %s:", event->author,
                   event->content ? fr_content_role(event->content) : "-");
    for (size_t i = 0; event->content && fr_content_part(event->content, i); i++)
        fri_buf_printf(&l->events, " %s", kinds[fr_content_part(event->content, i)->kind]);
    fri_buf_puts(&l->events, event->error_code ? " !" : "");
    fri_buf_puts(&l->events, "\n");
}

static void note_text(void *user, const char *p, size_t n)
{
    loop *l = user;
    fri_buf_append(&l->streamed, p, n);
}

static void open_model(loop *l, const char *replies)
{
    fr_scripted_model_options o = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    char *json = NULL;
    fr_error err = FR_ERROR_INIT;
    if (asprintf(&json, "{\"replies\":%s}", replies) < 0)
        abort();
    o.json = fri_cstr(json);
    if (fr_model_open(fr_model_scripted(), &o, &l->model, &err))
        fail_msg("%s: %s", json, err.text);
    free(json);
}

void begin(loop *l, const char *replies, const char *results)
{
    *l = (loop){.post = FR_POSTPROCESSOR_OPTIONS_INIT, .options = FR_RUNNER_OPTIONS_INIT};
    fri_buf_init(&l->events, 100000);
    fri_buf_init(&l->streamed, 100000);
    open_model(l, replies);
    l->ex = results ? scripted_results(results, 2) : NULL;
    l->options.model = l->model;
    l->options.executor = l->ex;
    l->options.postprocessor = &l->post;
    l->options.on_event = note_event;
    l->options.on_text = note_text;
    l->options.user = l;
    assert_int_equal(fr_session_new("app", "user", "session", &l->session, NULL), 0);
}

int ask(loop *l, const char *question, fr_error *err)
{
    fr_runner *r = NULL;
    int rc = fr_runner_new(&l->options, &r, err);
    fr_answer_free(l->answer);
    l->answer = NULL;
    if (rc == 0)
        rc = fr_runner_ask(r, l->session, fri_cstr(question), "e-1", NULL, &l->answer, err);
    fr_runner_free(r);
    return rc;
}

void ask_well(loop *l, const char *question)
{
    fr_error err = FR_ERROR_INIT;
    if (ask(l, question, &err))
        fail_msg("%s", err.text);
}

void end(loop *l)
{
    fr_answer_free(l->answer);
    fr_session_free(l->session);
    fr_model_close(l->model);
    fr_executor_close(l->ex);
    fri_buf_dispose(&l->events);
    fri_buf_dispose(&l->streamed);
}

void expect_answer(const loop *l, int status, const char *text, int calls)
{
    if (l->answer->status != status)
        fail_msg("%s", fr_answer_status_text(l->answer->status));
    assert_string_equal(l->answer->text.p, text);
    assert_int_equal(l->answer->model_calls, calls);
}
