/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. Every event is appended to the session and, as a model is told it, to the
 * conversation; the conversation goes to the model; its reply goes through the post-processor, whose
 * events are appended in turn, until it says that the model need not be asked again.
 */
#include "fencerun/runner.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/str.h"
#include "loop/answer.h"
#include "loop/content.h"
#include "loop/event.h"
#include "loop/postprocessor.h"
#include "loop/session.h"

#define DEFAULT_MODEL_CALLS 25

struct fr_runner {
    fr_runner_options options; /* defaults filled in */
    char *agent;
    char *instruction; /* all of it; NULL: none */
    uint32_t compat;
    fr_postprocessor *postprocessor;
};

/* One question on its way to an answer. */
typedef struct inquiry {
    const fr_runner *runner;
    fr_session *session;
    fr_invocation invocation;
    fr_cancel *cancel;
    fr_content **conversation;
    size_t count;
    fri_answer *answer;
} inquiry;

/* ---- making one ---- */

static int make_instruction(fr_runner *r, fr_error *err)
{
    const fr_runner_options *o = &r->options;
    FRI_AUTO(fri_freep) char *generated = NULL;
    FRI_AUTO(fri_buf_dispose) fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    int rc = o->executor && !o->no_instruction
                 ? fr_instruction(o->executor, r->compat, &generated, err)
                 : 0;
    if (rc)
        return rc;
    fri_buf_puts(&text, o->instruction ? o->instruction : "");
    fri_buf_puts(&text, o->instruction && generated ? "\n\n" : "");
    fri_buf_puts(&text, generated ? generated : "");
    rc = fri_buf_check(&text, "the instruction", err);
    if (rc || text.n == 0)
        return rc;
    r->instruction = fri_buf_steal(&text, err);
    return r->instruction ? 0 : FR_ENOMEM;
}

static int prepare(fr_runner *r, fr_error *err)
{
    const fr_runner_options *o = &r->options;
    fr_postprocessor_options p;
    r->agent = fri_strdup(o->agent ? o->agent : FRI_DEFAULT_AGENT, err);
    if (!r->agent)
        return FR_ENOMEM;
    int rc = fri_read_sized(&p, sizeof(p), o->postprocessor, "fr_postprocessor_options", err);
    if (rc)
        return rc;
    p.struct_size = sizeof(p);
    p.on_event = o->on_event;
    p.user = o->user;
    r->compat = p.compat;
    rc = fr_postprocessor_new(o->executor, &p, &r->postprocessor, err);
    return rc ? rc : make_instruction(r, err);
}

int fr_runner_new(const fr_runner_options *options, fr_runner **out, fr_error *err)
{
    fr_runner_options read;
    int rc = fri_read_sized(&read, sizeof(read), options, "fr_runner_options", err);
    if (rc == 0 && (!read.model || read.max_model_calls < 0))
        rc = fr_fail(err, FR_EINVAL, 0, "runner: a model is needed, and 0 or more model calls");
    if (rc == 0 && read.executor && fr_executor_get_options(read.executor)->optimize_data_file)
        rc = fr_fail(err, FR_EUNSUPPORTED, 0,
                     "runner: data files are not explored (the executor's optimize_data_file)");
    if (rc)
        return rc;
    fr_runner *r = fri_calloc(1, sizeof(*r), err);
    if (!r)
        return FR_ENOMEM;
    if (read.max_model_calls == 0)
        read.max_model_calls = DEFAULT_MODEL_CALLS;
    r->options = read;
    rc = prepare(r, err);
    /* What was only for making it need not outlive that. */
    r->options.agent = r->options.instruction = NULL;
    r->options.postprocessor = NULL;
    if (rc) {
        fr_runner_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

void fr_runner_free(fr_runner *runner)
{
    if (!runner)
        return;
    fr_postprocessor_free(runner->postprocessor);
    fri_free(runner->agent);
    fri_free(runner->instruction);
    fri_free(runner);
}

/* ---- the conversation ---- */

static int add_to_conversation(inquiry *q, const fr_event *event, fr_error *err)
{
    const fr_executor *ex = q->runner->options.executor;
    if (!event->content || event->partial)
        return 0;
    fr_content **all = fri_realloc(q->conversation, q->count + 1, sizeof(fr_content *), err);
    if (!all)
        return FR_ENOMEM;
    q->conversation = all;
    int rc =
        fr_convert_code_execution_parts(event->content, ex ? fr_executor_get_options(ex) : NULL,
                                        q->runner->compat, &all[q->count], err);
    q->count += rc == 0;
    return rc;
}

static int keep(inquiry *q, const fr_event *event, fr_error *err)
{
    int rc = fri_session_record(q->session, event, err);
    return rc ? rc
              : add_to_conversation(q, fr_session_event(q->session, q->session->count - 1), err);
}

static int said(inquiry *q, const char *author, const fr_content *content, fr_error *err)
{
    fr_event event = FR_EVENT_INIT;
    event.invocation_id = q->invocation.id;
    event.author = author;
    event.branch = q->invocation.branch;
    event.content = content;
    int rc = keep(q, &event, err);
    if (rc == 0 && q->runner->options.on_event)
        q->runner->options.on_event(q->runner->options.user,
                                    fr_session_event(q->session, q->session->count - 1));
    return rc;
}

static int put_question(inquiry *q, fr_str question, fr_error *err)
{
    FRI_AUTO(fri_content_freep) fr_content *content = NULL;
    int rc = fr_content_new(&content, err);
    if (rc == 0)
        rc = fr_content_set_role(content, "user", err);
    if (rc == 0)
        rc = fr_content_add(content, FR_PART_TEXT, 0, question.p, question.n, NULL, err);
    return rc ? rc : said(q, "user", content, err);
}

static int recall(inquiry *q, fr_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < q->session->count; i++)
        rc = add_to_conversation(q, q->session->events[i], err);
    return rc;
}

/* ---- turns ---- */

static void add_tokens(int64_t *sum, int64_t n)
{
    if (n < 0 || *sum < 0 || __builtin_add_overflow(*sum, n, sum))
        *sum = -1;
}

static int ask_model(inquiry *q, fr_model_response **response, fr_error *err)
{
    const fr_runner_options *o = &q->runner->options;
    fr_model_request request = FR_MODEL_REQUEST_INIT;
    fr_error why = FR_ERROR_INIT;
    request.instruction = q->runner->instruction;
    request.contents = (const fr_content *const *)q->conversation;
    request.content_count = q->count;
    request.cancel = q->cancel;
    request.on_text = o->on_text;
    request.user = o->user;
    int rc = fr_model_generate(o->model, &request, response, &why);
    if (rc) {
        /* So that nobody takes it for the executor's. */
        int ours = rc == FR_ENOMEM || rc == FR_ECANCELLED;
        return fr_fail(err, ours ? rc : FR_EMODEL, 0, "%s", why.text);
    }
    q->answer->pub.model_calls++;
    add_tokens(&q->answer->pub.prompt_tokens, (*response)->prompt_tokens);
    add_tokens(&q->answer->pub.output_tokens, (*response)->output_tokens);
    return 0;
}

static int end(inquiry *q, int status, const fr_content *content, fr_error *err)
{
    fri_answer *a = q->answer;
    a->pub.status = status;
    if (content)
        fri_content_text(content, &a->text);
    a->pub.text = fri_buf_str(&a->text);
    if (status == FR_ANSWER_OK && a->text.n == 0)
        a->pub.status = FR_ANSWER_EMPTY;
    return fri_buf_check(&a->text, "an answer", err);
}

static int answer_status(const fr_model_response *response, const fr_turn *turn)
{
    if (turn->status == FR_TURN_EXHAUSTED)
        return FR_ANSWER_BUDGET_EXHAUSTED;
    if (response->finish == FR_FINISH_MAX_TOKENS ||
        (turn->extraction && fr_extraction_unterminated(turn->extraction)))
        return FR_ANSWER_TRUNCATED;
    if (response->finish == FR_FINISH_SAFETY)
        return FR_ANSWER_WITHHELD;
    return FR_ANSWER_OK;
}

static int record_turn(inquiry *q, const fr_model_response *response, const fr_turn *turn,
                       fr_error *err)
{
    int rc = 0;
    q->answer->pub.runs = turn->runs;
    q->answer->pub.failures = turn->failures;
    for (size_t i = 0; rc == 0 && i < turn->event_count; i++)
        rc = keep(q, turn->events[i], err);
    if (rc || turn->call_again)
        return rc;
    switch (turn->status) {
    case FR_TURN_FAILED:
        return end(q, FR_ANSWER_FAILED, response->content, err);
    case FR_TURN_CANCELLED:
        return end(q, FR_ANSWER_CANCELLED, NULL, err);
    default:
        if (fr_content_count(response->content) > 0)
            rc = said(q, q->runner->agent, response->content, err);
        return rc ? rc : end(q, answer_status(response, turn), response->content, err);
    }
}

/* One call of the model and what comes of it. *again: another one is wanted. */
static int take_turn(inquiry *q, int *again, fr_error *err)
{
    fr_model_response *response = NULL;
    fr_turn *turn = NULL;
    int rc = ask_model(q, &response, err);
    if (rc)
        return rc;
    fr_turn_input in = FR_TURN_INPUT_INIT;
    in.reply = response->content;
    in.invocation = &q->invocation;
    in.cancel = q->cancel;
    rc = fr_postprocess(q->runner->postprocessor, &in, fr_session_state(q->session), &turn, err);
    if (rc == 0)
        rc = record_turn(q, response, turn, err);
    *again = rc == 0 && turn->call_again;
    fr_turn_free(turn);
    fr_model_response_free(response);
    return rc;
}

static int converse(inquiry *q, fr_str question, fr_error *err)
{
    int again = 1;
    int rc = recall(q, err);
    if (rc == 0)
        rc = put_question(q, question, err);
    for (int i = 0; rc == 0 && again && i < q->runner->options.max_model_calls; i++)
        rc = take_turn(q, &again, err);
    if (rc == 0 && again)
        rc = end(q, FR_ANSWER_MODEL_CALLS, NULL, err);
    return rc;
}

static int name_invocation(inquiry *q, const char *invocation_id, fr_error *err)
{
    char **id = &q->answer->invocation_id;
    int rc = invocation_id ? fri_state_check_id(invocation_id, err) : 0;
    if (rc)
        return rc;
    if (!invocation_id)
        rc = fri_new_id("e-", id, err);
    else if (!(*id = fri_strdup(invocation_id, err)))
        rc = FR_ENOMEM;
    q->answer->pub.invocation_id = *id;
    q->invocation = (fr_invocation)FR_INVOCATION_INIT;
    q->invocation.id = *id;
    q->invocation.app = q->session->app;
    q->invocation.user = q->session->user;
    q->invocation.session = q->session->id;
    q->invocation.agent = q->runner->agent;
    return rc;
}

int fr_runner_ask(fr_runner *runner, fr_session *session, fr_str question,
                  const char *invocation_id, fr_cancel *cancel, fr_answer **out, fr_error *err)
{
    FRI_AUTO(fri_answer_freep) fri_answer *answer = fri_answer_new(err);
    if (!answer)
        return FR_ENOMEM;
    inquiry q = {.runner = runner, .session = session, .cancel = cancel, .answer = answer};
    int rc = name_invocation(&q, invocation_id, err);
    if (rc == 0)
        rc = converse(&q, question, err);
    for (size_t i = 0; i < q.count; i++)
        fr_content_free(q.conversation[i]);
    fri_free(q.conversation);
    if (rc)
        return rc;
    *out = &fri_steal(&answer)->pub;
    return 0;
}
