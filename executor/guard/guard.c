/* SPDX-License-Identifier: MIT */
/*
 * The executor "guard", see fencerun/guard.h.
 *
 * Theory of operation. A run is written down, run by the executor inside, and written down again as that
 * executor left it; only then is the result made fit for a model: cleaned, judged, clipped, in this order,
 * since what a terminal would not show is no part of a line and no character.
 */
#include "fencerun/guard.h"

#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clip.h"
#include "base/limits.h"
#include "base/sized.h"
#include "executor/guard/classify.h"
#include "executor/guard/clean.h"
#include "executor/registry.h"
#include "fencerun/audit.h"

#define DEFAULT_MAX_CHARACTERS 4000

/* Of a longer stderr head and tail are judged: rules take half a microsecond a byte. */
#define JUDGED_CHARACTERS 32768

typedef struct guard {
    fr_audit *audit;            /* NULL: nothing is written down */
    fri_classifier *classifier; /* made when the first stderr has something in it */
    pthread_mutex_t lock;       /* for that */
    fri_clip_limits limits;
    int keep_controls;
} guard;

/* One stream as it came, and where the receipt counts what is done to it. */
typedef struct stream {
    int which; /* `fr_stream` */
    fr_str text;
    fri_gap gap;
    uint64_t *cleaned;
    uint64_t *clipped;
    uint64_t *gap_at;
} stream;

static int read_limits(guard *g, const fr_guard_options *o, fr_error *err)
{
    if (o->max_characters < FR_NO_CLIP || o->max_lines < 0)
        return fr_fail(err, FR_EINVAL, 0, "guard: at most %d characters and %d lines of output",
                       o->max_characters, o->max_lines);
    g->keep_controls = o->keep_controls;
    g->limits.max_lines = (size_t)o->max_lines;
    if (o->max_characters != FR_NO_CLIP)
        g->limits.max_chars =
            o->max_characters ? (size_t)o->max_characters : DEFAULT_MAX_CHARACTERS;
    return 0;
}

static int guard_open(fr_executor *self, const void *config, fr_error *err)
{
    guard *g = fr_executor_state(self);
    fr_guard_options o;
    pthread_mutex_init(&g->lock, NULL);
    int rc = fri_read_sized(&o, sizeof(o), config, "fr_guard_options", err);
    if (rc == 0)
        rc = read_limits(g, &o, err);
    if (rc == 0)
        rc = fri_classifier_new(&g->classifier, err);
    if (rc == 0 && o.audit_path)
        rc = fr_audit_open(o.audit_path, o.audit_no_sync ? FR_AUDIT_NO_SYNC : 0, &g->audit, err);
    return rc;
}

static void guard_close(fr_executor *self)
{
    guard *g = fr_executor_state(self);
    fri_classifier_free(g->classifier);
    fr_audit_close(g->audit);
    pthread_mutex_destroy(&g->lock);
}

/* ---- the record ---- */

/* Writes down what came of a run; a failed call stays one, with its own error. */
static int record_end(guard *g, const fr_audit_mark *started, const fr_code_result *result,
                      const fr_error *failure, fr_audit_mark *mark, fr_error *err)
{
    fr_error why = FR_ERROR_INIT;
    int rc = fr_audit_ended(g->audit, started, result, failure, mark, &why);
    if (rc == FR_ELIMIT && result) {
        const fr_error too_long = why;
        int second = fr_audit_ended(g->audit, started, NULL, &too_long, NULL, &why);
        rc = second ? second : rc;
    }
    if (rc)
        return fr_fail(err, rc, 0, "the code ran, but what came of it is not recorded: %s",
                       why.text);
    return 0;
}

/* Runs the code in the inner executor, with a record before and after. */
static int run_recorded(fr_executor *self, const fr_code_input *input, fr_code_result **result,
                        fr_audit_mark *ended, fr_error *err)
{
    guard *g = fr_executor_state(self);
    fr_audit_mark started;
    fr_error failure = FR_ERROR_INIT;
    if (!g->audit)
        return fr_executor_execute(fr_executor_inner(self), input, result, err);
    int rc = fr_audit_started(g->audit, input, fr_executor_name(fr_executor_innermost(self)),
                              &started, err);
    if (rc)
        return rc;
    int failed = fr_executor_execute(fr_executor_inner(self), input, result, &failure);
    rc = record_end(g, &started, failed ? NULL : *result, failed ? &failure : NULL, ended, err);
    if (rc && !failed) {
        fr_code_result_free(*result);
        return rc;
    }
    return failed ? fr_fail(err, failed, 0, "%s", failure.text) : 0;
}

/* ---- the output ---- */

/* The line at that place which stands for what is not there; none where the place is behind the text. */
static fri_gap gap_of(fr_str text, uint64_t at, uint64_t bytes, uint64_t characters)
{
    if (at >= text.n)
        return (fri_gap){0, 0, 0, 0};
    size_t line = at + (text.p[at] == '\n');
    const char *end = memchr(text.p + line, '\n', text.n - line);
    return (fri_gap){at, (end ? (size_t)(end + 1 - text.p) : text.n) - at, bytes, characters};
}

/* Cleans the two sides of a gap by themselves, so that its line stays what it is and where it can be
 * found. Returns how much is gone, as fri_clean() counts. */
static uint64_t clean(const stream *s, fri_buf *out, fri_gap *gap)
{
    const fr_str head = {s->text.p, s->gap.at};
    const fr_str tail = {s->text.p + s->gap.at + s->gap.n, s->text.n - s->gap.at - s->gap.n};
    *gap = s->gap;
    uint64_t gone = fri_clean(out, head);
    gap->at = out->n;
    fri_buf_append(out, s->text.p + s->gap.at, s->gap.n);
    return gone + fri_clean(out, tail);
}

static int classify(guard *g, fr_str text, fri_gap gap, int *stderr_class, fr_error *err)
{
    static const fri_clip_limits limits = {JUDGED_CHARACTERS, 0};
    FRI_AUTO(fri_buf_dispose) fri_buf judged;
    int rc = 0;
    fri_buf_init(&judged, FRI_MAX_RESULT_TEXT);
    *stderr_class = FR_STDERR_EMPTY;
    if (text.n == 0)
        return 0;
    pthread_mutex_lock(&g->lock);
    if (!g->classifier)
        rc = fri_classifier_new(&g->classifier, err);
    pthread_mutex_unlock(&g->lock);
    fri_clip(&judged, text, &limits, &gap);
    if (rc == 0)
        rc = fri_buf_check(&judged, "stderr to be judged", err);
    return rc ? rc : fri_classify(g->classifier, fri_buf_str(&judged), stderr_class, err);
}

/* Leaves the judgement of a guard further inside alone: that one saw more. */
static int judge(guard *g, fr_call *call, int before, fr_str text, fri_gap gap, fr_error *err)
{
    int stderr_class;
    if (before != FR_STDERR_UNJUDGED)
        return 0;
    int rc = classify(g, text, gap, &stderr_class, err);
    if (rc == 0)
        fr_result_judge(call, stderr_class);
    return rc;
}

static int polish(guard *g, fr_call *call, const fr_code_result *r, const stream *s, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf cleaned;
    FRI_AUTO(fri_buf_dispose) fri_buf clipped;
    fri_gap gap;
    fri_buf_init(&cleaned, FRI_MAX_RESULT_TEXT);
    fri_buf_init(&clipped, FRI_MAX_RESULT_TEXT);
    uint64_t gone = clean(s, &cleaned, &gap);
    int rc = fri_buf_check(&cleaned, "cleaned output", err);
    if (rc == 0 && s->which == FR_STDERR)
        rc = judge(g, call, r->stderr_class, fri_buf_str(&cleaned), gap, err);
    if (rc)
        return rc;
    fr_str kept = fri_buf_str(&cleaned);
    if (g->keep_controls) {
        kept = s->text;
        gap = s->gap;
        gone = 0;
    }
    *s->cleaned += gone;
    *s->clipped += fri_clip(&clipped, kept, &g->limits, &gap);
    rc = fri_buf_check(&clipped, "clipped output", err);
    if (rc == 0)
        rc = fr_result_replace(call, s->which, clipped.p, clipped.n, err);
    if (rc == 0 && gap.n > 0)
        *s->gap_at = gap.at;
    return rc;
}

static int guard_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    guard *g = fr_executor_state(self);
    fr_code_result *r = NULL;
    fr_audit_mark ended = {0, ""};
    int rc = run_recorded(self, fr_call_input(call), &r, &ended, err);
    if (rc)
        return rc;
    fr_result_adopt(call, r);
    fr_receipt *receipt = fr_result_receipt(call);
    if (g->audit) {
        receipt->audit_sequence = ended.sequence;
        memcpy(receipt->audit_hash, ended.hash, sizeof(receipt->audit_hash));
    }
    const stream out = {FR_STDOUT,
                        r->out,
                        gap_of(r->out, receipt->stdout_gap,
                               receipt->stdout_written - receipt->stdout_kept,
                               receipt->stdout_clipped),
                        &receipt->stdout_cleaned,
                        &receipt->stdout_clipped,
                        &receipt->stdout_gap};
    const stream errors = {FR_STDERR,
                           r->err,
                           gap_of(r->err, receipt->stderr_gap,
                                  receipt->stderr_written - receipt->stderr_kept,
                                  receipt->stderr_clipped),
                           &receipt->stderr_cleaned,
                           &receipt->stderr_clipped,
                           &receipt->stderr_gap};
    rc = polish(g, call, r, &out, err);
    if (rc == 0)
        rc = polish(g, call, r, &errors, err);
    return rc;
}

/* The default probe would be recorded as a run. */
static int guard_probe(fr_executor *self, fr_error *err)
{
    return fr_executor_probe(fr_executor_inner(self), err);
}

const fr_executor_class fri_guard_class = {
    .struct_size = sizeof(fr_executor_class),
    .abi = FR_EXECUTOR_ABI,
    .flags = FR_EXECUTOR_WRAPPER | FR_EXECUTOR_CONCURRENT,
    .name = "guard",
    .summary = "wraps another: audit log, judgement of stderr, output fit for a model",
    .state_size = sizeof(guard),
    .open = guard_open,
    .execute = guard_execute,
    .close = guard_close,
    .probe = guard_probe,
};
