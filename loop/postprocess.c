/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. One reply goes one way: it is searched, the budget says whether its block may run,
 * the code becomes an event, the executor runs it, the run is counted, the result becomes an event. The
 * session's state is only changed once the run has come back: a run that could not be had leaves it as
 * it was.
 */
#include "fencerun/postprocess.h"

#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/str.h"
#include "loop/budget.h"
#include "loop/event.h"
#include "loop/hint.h"
#include "loop/metadata.h"
#include "loop/quote.h"
#include "loop/tell.h"
#include "loop/turn.h"

#define DEFAULT_MAX_RUNS 20

struct fr_postprocessor {
    fr_executor *ex;
    fr_postprocessor_options options; /* defaults filled in */
    fri_budget budget;
    fr_extract_options extract;
    fr_delimiters *delimiters; /* of the extraction */
};

/* One reply on its way. */
typedef struct passage {
    const fr_postprocessor *p;
    const fr_turn_input *input;
    const fr_invocation *invocation;
    const char *id; /* of the invocation, never NULL */
    fr_state *state;
    fri_turn *turn;
} passage;

/* ---- making one ---- */

static int check(const fr_postprocessor_options *o, fr_error *err)
{
    if (o->compat & ~FR_COMPAT_ADK)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: unknown bits in compat 0x%x", o->compat);
    if (o->budget_rule < 0 || o->budget_rule > FR_BUDGET_ADK)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: there is no budget rule %d",
                       o->budget_rule);
    if (o->when_used_up < 0 || o->when_used_up > FR_USED_UP_FAIL)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: when_used_up cannot be %d",
                       o->when_used_up);
    if (o->max_runs < FR_NO_MAXIMUM)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: max_runs is %d", o->max_runs);
    return 0;
}

static void fill_defaults(fr_postprocessor_options *o)
{
    int adk = (o->compat & FR_COMPAT_ADK) != 0;
    if (o->budget_rule == 0)
        o->budget_rule = adk ? FR_BUDGET_ADK : FR_BUDGET_CLASSIFIED;
    if (o->when_used_up == 0)
        o->when_used_up = adk ? FR_USED_UP_PASSTHROUGH : FR_USED_UP_FINAL_TURN;
    if (o->max_runs == 0)
        o->max_runs = adk ? FR_NO_MAXIMUM : DEFAULT_MAX_RUNS;
}

/* The executor's delimiters that the search does not know by itself: by its own rules it finds fences. */
static int choose_delimiters(fr_postprocessor *p, const fr_executor_options *attributes,
                             fr_error *err)
{
    size_t n = attributes->code_block_delimiter_count;
    p->delimiters = fri_calloc(n > 0 ? n : 1, sizeof(*p->delimiters), err);
    if (!p->delimiters)
        return FR_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (p->options.compat || !fri_is_fence(attributes->code_block_delimiters[i].open))
            p->delimiters[p->extract.delimiter_count++] = attributes->code_block_delimiters[i];
    p->extract.delimiters = p->delimiters;
    return 0;
}

static int prepare(fr_postprocessor *p, fr_error *err)
{
    const fr_executor_options *attributes = fr_executor_get_options(p->ex);
    p->budget = (fri_budget){p->options.budget_rule, p->options.when_used_up,
                             attributes->error_retry_attempts, p->options.max_runs};
    if (p->budget.attempts == FR_NO_ATTEMPTS)
        p->budget.attempts = 0;
    p->extract = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    p->extract.compat = p->options.compat;
    p->extract.run_untagged = p->options.run_untagged;
    p->extract.run_unterminated = p->options.run_unterminated;
    p->extract.languages = fr_executor_languages(p->ex, &p->extract.language_count);
    if (!p->options.all_languages)
        p->extract.language_count = 1;
    return choose_delimiters(p, attributes, err);
}

int fr_postprocessor_new(fr_executor *ex, const fr_postprocessor_options *options,
                         fr_postprocessor **out, fr_error *err)
{
    fr_postprocessor_options read;
    int rc = fri_read_sized(&read, sizeof(read), options, "fr_postprocessor_options", err);
    if (rc == 0)
        rc = check(&read, err);
    if (rc)
        return rc;
    fr_postprocessor *p = fri_calloc(1, sizeof(*p), err);
    if (!p)
        return FR_ENOMEM;
    fill_defaults(&read);
    p->ex = ex;
    p->options = read;
    rc = ex ? prepare(p, err) : 0;
    if (rc) {
        fr_postprocessor_free(p);
        return rc;
    }
    *out = p;
    return 0;
}

void fr_postprocessor_free(fr_postprocessor *p)
{
    if (!p)
        return;
    fri_free(p->delimiters);
    fri_free(p);
}

/* ---- events ---- */

static int emit(passage *g, fr_event *event, fr_error *err)
{
    fri_turn *turn = g->turn;
    event->invocation_id = g->id[0] ? g->id : NULL;
    event->author = g->invocation->agent;
    event->branch = g->invocation->branch;
    int rc =
        fri_turn_add(turn, event, fr_executor_get_options(g->p->ex), g->p->options.compat, err);
    if (rc == 0 && g->p->options.on_event)
        g->p->options.on_event(g->p->options.user, turn->events[turn->pub.event_count - 1]);
    return rc;
}

static int emit_code(passage *g, fr_error *err)
{
    fr_event event = {.content = fr_extraction_content(g->turn->extraction)};
    return emit(g, &event, err);
}

static const char *outcome_label(const passage *g, const fr_code_result *r)
{
    if (!g->p->options.compat && r && r->outcome == FR_OUTCOME_TIMEOUT)
        return "OUTCOME_DEADLINE_EXCEEDED";
    return r && !fri_is_failure(&g->p->budget, r) ? "OUTCOME_OK" : "OUTCOME_FAILED";
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
    fr_event event = {.content = content, .state_delta = delta, .custom_metadata = metadata};
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

/* A stateful executor's id is that of the session, or the one it had before. */
static int execution_id(passage *g, const char **id, fr_error *err)
{
    *id = NULL;
    if (!fr_executor_get_options(g->p->ex)->stateful)
        return 0;
    if (!fr_state_execution_id(g->state)) {
        const char *session = g->invocation->session;
        int rc = fr_state_set_execution_id(g->state, session ? session : g->id, err);
        if (rc)
            return rc;
    }
    *id = fr_state_execution_id(g->state);
    return 0;
}

static int execute(passage *g, const fr_block *block, fr_error *err)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = block->code;
    in.language = block->language.p;
    in.cancel = g->input->cancel;
    in.invocation = g->invocation;
    int rc = execution_id(g, &in.execution_id, err);
    return rc ? rc : fr_executor_execute(g->p->ex, &in, &g->turn->result, err);
}

static int record(passage *g, const fr_block *block, fr_error *err)
{
    const fr_code_result *r = g->turn->result;
    int rc = fr_state_add_result(g->state, g->id, block->code, r->out, r->err, time(NULL), err);
    return rc ? rc : fri_budget_charge(&g->p->budget, g->state, g->id, r, err);
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
    fri_buf output;
    fri_tally *tally = fri_state_tally(g->state, g->id, err);
    if (!tally)
        return FR_ENOMEM;
    tally->refused++;
    fri_buf_init(&output, FRI_MAX_REPLY_BYTES);
    fri_tell_refusal(&output);
    int rc = fri_buf_check(&output, "what the model is told", err);
    if (rc == 0)
        rc = emit_code(g, err);
    if (rc == 0)
        rc = emit_output(g, fri_buf_str(&output), err);
    fri_buf_dispose(&output);
    g->turn->pub.call_again = 1;
    return rc;
}

static int fail(passage *g, const fri_standing *standing, fr_error *err)
{
    char why[160];
    fr_event event = {.content = g->input->reply,
                      .error_code = "CODE_EXECUTION_BUDGET_EXHAUSTED",
                      .error_message = why};
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

static int process(passage *g, fr_error *err)
{
    if (!g->p->ex || g->input->partial)
        return 0;
    int rc = fr_extract(g->input->reply, &g->p->extract, &g->turn->extraction, err);
    if (rc)
        return rc;
    g->turn->pub.extraction = g->turn->extraction;
    const fr_block *block = fr_extraction_block(g->turn->extraction, 0);
    rc = block ? decide(g, block, err) : 0;
    g->turn->pub.result = g->turn->result;
    set_standing(g);
    return rc;
}

int fr_postprocess(fr_postprocessor *p, const fr_turn_input *input, fr_state *state, fr_turn **out,
                   fr_error *err)
{
    static const fr_invocation nobody = FR_INVOCATION_INIT;
    fr_turn_input in;
    fr_invocation invocation = nobody;
    int rc = fri_read_sized(&in, sizeof(in), input, "fr_turn_input", err);
    if (rc == 0 && in.invocation)
        rc = fri_read_sized(&invocation, sizeof(invocation), in.invocation, "fr_invocation", err);
    if (rc == 0 && (!in.reply || !state))
        rc = fr_fail(err, FR_EINVAL, 0, "post-processor: there is no reply, or no state");
    if (rc)
        return rc;
    FRI_AUTO(fri_turn_freep) fri_turn *turn = fri_turn_new(err);
    if (!turn)
        return FR_ENOMEM;
    passage g = {p, &in, &invocation, invocation.id ? invocation.id : "", state, turn};
    rc = process(&g, err);
    if (rc)
        return rc;
    *out = &fri_steal(&turn)->pub;
    return 0;
}
