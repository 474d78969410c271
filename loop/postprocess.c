/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. One reply goes one way: it is searched, the budget says whether its block may run,
 * the code becomes an event, the executor runs it, the run is counted, the result becomes an event. The
 * session's state is only changed once the run has come back: a run that could not be had leaves it as
 * it was, and one that was had is counted before anything else can go wrong.
 */
#include "loop/postprocessor.h"

#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/str.h"
#include "loop/budget.h"
#include "loop/content.h"
#include "loop/event.h"
#include "loop/hint.h"
#include "loop/metadata.h"
#include "loop/tell.h"
#include "loop/turn.h"

/* One reply on its way. */
typedef struct passage {
    const fr_postprocessor *p;
    const fr_turn_input *input;
    const fr_invocation *invocation;
    const char *id; /* of the invocation, never NULL */
    fr_state *state;
    fri_turn *turn;
} passage;

/* ---- events ---- */

static int emit(passage *g, fr_event *event, fr_error *err)
{
    fri_turn *turn = g->turn;
    event->invocation_id = g->id[0] ? g->id : NULL;
    event->author = g->invocation->agent ? g->invocation->agent : FRI_DEFAULT_AGENT;
    event->branch = g->invocation->branch;
    int rc =
        fri_turn_add(turn, event, fr_executor_get_options(g->p->ex), g->p->options.compat, err);
    if (rc == 0 && g->p->options.on_event)
        g->p->options.on_event(g->p->options.user, turn->events[turn->pub.event_count - 1]);
    return rc;
}

static int emit_code(passage *g, fr_error *err)
{
    fr_event event = FR_EVENT_INIT;
    event.content = fr_extraction_content(g->turn->extraction);
    return emit(g, &event, err);
}

static const char *outcome_label(const passage *g, const fr_code_result *r)
{
    if (!g->p->options.compat && r && r->outcome == FR_OUTCOME_TIMEOUT)
        return "OUTCOME_DEADLINE_EXCEEDED";
    int well = r && r->outcome != FR_OUTCOME_CANCELLED && !fri_is_failure(&g->p->budget, r);
    return well ? "OUTCOME_OK" : "OUTCOME_FAILED";
}

/* The event of a result, or of a refusal when there is none. */
static int emit_output(passage *g, fr_str output, fr_error *err)
{
    const fr_code_result *r = g->turn->result;
    FRI_AUTO(fri_content_freep) fr_content *content = NULL;
    FRI_AUTO(fri_freep) char *delta = NULL;
    FRI_AUTO(fri_freep) char *metadata = NULL;
    int rc = fr_content_new(&content, err);
    if (rc == 0)
        rc = fr_content_set_role(content, "model", err);
    if (rc == 0)
        rc = fr_content_add(content, FR_PART_CODE_EXECUTION_RESULT, 0, output.p, output.n,
                            outcome_label(g, r), err);
    if (rc == 0)
        rc = fr_state_delta(g->state, g->p->options.compat, &delta, err);
    if (rc == 0 && r && !g->p->options.compat)
        rc = fri_result_metadata(r, &metadata, err);
    if (rc)
        return rc;
    fr_event event = FR_EVENT_INIT;
    event.content = content;
    event.state_delta = delta;
    event.custom_metadata = metadata;
    return emit(g, &event, err);
}

static void set_standing(passage *g)
{
    fri_standing s = fri_budget_standing(&g->p->budget, g->state, g->id);
    fr_turn *turn = &g->turn->pub;
    turn->failures = s.failures;
    turn->attempts_left = s.attempts_left;
    turn->runs = s.runs;
    turn->runs_left = s.runs_left;
}

/* ---- a block that is run ---- */

/* A stateful executor's id is that of the session, or the one it had before; NULL for others. */
static const char *execution_id(const passage *g)
{
    const char *before = fr_state_execution_id(g->state), *session = g->invocation->session;
    if (!fr_executor_get_options(g->p->ex)->stateful)
        return NULL;
    return before ? before : session ? session : g->id;
}

static int execute(passage *g, const fr_block *block, fr_error *err)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = block->code;
    in.language = block->language.p;
    in.cancel = g->input->cancel;
    in.invocation = g->invocation;
    in.execution_id = execution_id(g);
    return fr_executor_execute(g->p->ex, &in, &g->turn->result, err);
}

static int record(passage *g, const fr_block *block, fr_error *err)
{
    const fr_code_result *r = g->turn->result;
    const char *id = fr_state_execution_id(g->state) ? NULL : execution_id(g);
    int rc = fri_budget_charge(&g->p->budget, g->state, g->id, r, err);
    if (rc == 0 && id)
        rc = fr_state_set_execution_id(g->state, id, err);
    return rc ? rc
              : fr_state_add_result(g->state, g->id, block->code, r->out, r->err, time(NULL), err);
}

static int tell(passage *g, const fr_block *block, int repeat, fri_buf *out, fr_error *err)
{
    const fr_code_result *r = g->turn->result;
    fri_told told = {.standing = fri_budget_standing(&g->p->budget, g->state, g->id),
                     .failed = fri_is_failure(&g->p->budget, r),
                     .repeat = repeat,
                     .expression = {"", 0}};
    if (g->p->options.compat) {
        fri_tell_adk(out, r);
        return fri_buf_check(out, "what the model is told", err);
    }
    if (r->outcome == FR_OUTCOME_OK && r->out.n == 0 &&
        fri_str_equal(block->language, fri_cstr("python")))
        told.expression = fri_bare_expression(block->code);
    return fri_tell(out, r, &told, err);
}

static int run(passage *g, const fr_block *block, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf output;
    fri_buf_init(&output, FRI_MAX_REPLY_BYTES);
    int repeat = fri_state_is_repeat(g->state, g->id, block->code, err);
    int rc = repeat < 0 ? repeat : emit_code(g, err);
    if (rc == 0)
        rc = execute(g, block, err);
    if (rc == 0)
        rc = record(g, block, err);
    if (rc == 0)
        rc = tell(g, block, repeat, &output, err);
    if (rc == 0)
        rc = emit_output(g, fri_buf_str(&output), err);
    if (rc)
        return rc;
    int cancelled = g->turn->result->outcome == FR_OUTCOME_CANCELLED;
    g->turn->pub.status = cancelled ? FR_TURN_CANCELLED : FR_TURN_RAN;
    g->turn->pub.call_again = !cancelled;
    return 0;
}

/* ---- a block that is not ---- */

static int refuse(passage *g, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf output;
    fri_buf_init(&output, FRI_MAX_REPLY_BYTES);
    fri_tell_refusal(&output);
    int rc = fri_buf_check(&output, "what the model is told", err);
    if (rc == 0)
        rc = emit_code(g, err);
    fri_tally *tally = rc ? NULL : fri_state_tally(g->state, g->id, err);
    if (!tally)
        return rc ? rc : FR_ENOMEM;
    tally->refused++;
    g->turn->pub.call_again = 1;
    return emit_output(g, fri_buf_str(&output), err);
}

static int fail(passage *g, const fri_standing *standing, fr_error *err)
{
    char why[160];
    fr_event event = FR_EVENT_INIT;
    event.content = g->input->reply;
    event.error_code = "CODE_EXECUTION_BUDGET_EXHAUSTED";
    event.error_message = why;
    snprintf(why, sizeof(why), "a code block was not run: %d failures in a row, %d runs",
             standing->failures, standing->runs);
    return emit(g, &event, err);
}

static int decide(passage *g, const fr_block *block, fr_error *err)
{
    const fri_standing standing = fri_budget_standing(&g->p->budget, g->state, g->id);
    if (!fri_is_used_up(&standing))
        return run(g, block, err);
    g->turn->pub.status = fri_budget_refusal(&g->p->budget, &standing);
    if (g->turn->pub.status == FR_TURN_REFUSED)
        return refuse(g, err);
    return g->turn->pub.status == FR_TURN_FAILED ? fail(g, &standing, err) : 0;
}

static int search_and_decide(passage *g, fr_error *err)
{
    int rc = fr_extract(g->input->reply, &g->p->extract, &g->turn->extraction, err);
    if (rc)
        return rc;
    const fr_block *block = fr_extraction_block(g->turn->extraction, 0);
    return block ? decide(g, block, err) : 0;
}

static int process(passage *g, fr_error *err)
{
    int rc = g->p->ex && !g->input->partial ? search_and_decide(g, err) : 0;
    g->turn->pub.extraction = g->turn->extraction;
    g->turn->pub.result = g->turn->result;
    set_standing(g);
    return rc;
}

/* Reads the caller's structs; a reply that is plain text becomes a content, which *own frees. */
static int read_input(const fr_turn_input *input, fr_turn_input *in, fr_invocation *invocation,
                      fr_content **own, fr_error *err)
{
    int rc = fri_read_sized(in, sizeof(*in), input, "fr_turn_input", err);
    if (rc == 0)
        rc = fri_read_sized(invocation, sizeof(*invocation), in->invocation, "fr_invocation", err);
    if (rc == 0)
        rc = fri_state_check_id(invocation->id ? invocation->id : "", err);
    if (rc || in->reply)
        return rc;
    if (!in->text.p)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: there is no reply");
    rc = fr_content_new(own, err);
    if (rc == 0)
        rc = fr_content_set_role(*own, "model", err);
    in->reply = *own;
    return rc ? rc : fr_content_add(*own, FR_PART_TEXT, 0, in->text.p, in->text.n, NULL, err);
}

int fr_postprocess(fr_postprocessor *p, const fr_turn_input *input, fr_state *state, fr_turn **out,
                   fr_error *err)
{
    FRI_AUTO(fri_content_freep) fr_content *own = NULL;
    FRI_AUTO(fri_turn_freep) fri_turn *turn = NULL;
    fr_turn_input in;
    fr_invocation invocation;
    if (!state)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: there is no state");
    int rc = read_input(input, &in, &invocation, &own, err);
    if (rc)
        return rc;
    turn = fri_turn_new(err);
    if (!turn)
        return FR_ENOMEM;
    passage g = {p, &in, &invocation, invocation.id ? invocation.id : "", state, turn};
    rc = process(&g, err);
    if (rc)
        return rc;
    *out = &fri_steal(&turn)->pub;
    return 0;
}
