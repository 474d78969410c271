/* SPDX-License-Identifier: MIT */
/* The executor "scripted": hands out recorded results, see fencerun/scripted.h. */
#include "fencerun/scripted.h"

#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/script.h"
#include "base/sized.h"
#include "base/str.h"
#include "executor/registry.h"

#define MAX_DELAY_MS (24 * 3600 * 1000)

typedef struct scripted {
    fri_script script;
    pthread_mutex_t lock; /* guards the script's place */
} scripted;

/* One recorded result, checked. */
typedef struct step {
    int outcome;
    int64_t exit_code, signal, delay_ms;
    int error; /* 0, or what the call fails with */
    char *out, *err, *expect, *message;
    size_t out_n, err_n, expect_n;
} step;

static void step_dispose(step *s)
{
    fri_free(s->out);
    fri_free(s->err);
    fri_free(s->expect);
    fri_free(s->message);
}

static int read_outcome(const fri_json *doc, fri_json_ref v, step *s, fr_error *err)
{
    FRI_AUTO(fri_freep) char *name = NULL;
    int rc = fri_json_optional_string(doc, v, "outcome", &name, NULL, err);
    if (rc)
        return rc;
    s->outcome = s->exit_code == 0 && s->signal == 0 ? FR_OUTCOME_OK : FR_OUTCOME_FAILED;
    if (!name)
        return 0;
    int natural = s->outcome;
    for (s->outcome = FR_OUTCOME_OK; strcmp(fr_outcome_text(s->outcome), name) != 0; s->outcome++)
        if (s->outcome == FR_OUTCOME_CPU_LIMIT)
            return fr_fail(err, FR_EFORMAT, 0, "there is no outcome '%.40s'", name);
    if (s->outcome == FR_OUTCOME_OK && natural != FR_OUTCOME_OK)
        return fr_fail(err, FR_EFORMAT, 0, "outcome ok with an exit code or a signal");
    return 0;
}

static int read_step(const fri_json *doc, fri_json_ref v, step *s, fr_error *err)
{
    if (fri_json_type(doc, v) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "a result is no object");
    FRI_AUTO(fri_freep) char *error = NULL;
    int rc = fri_json_optional_integer(doc, v, "exit_code", 0, 255, &s->exit_code, err);
    if (rc == 0)
        rc = fri_json_optional_integer(doc, v, "signal", 0, 64, &s->signal, err);
    if (rc == 0)
        rc = fri_json_optional_integer(doc, v, "delay_ms", 0, MAX_DELAY_MS, &s->delay_ms, err);
    if (rc == 0)
        rc = read_outcome(doc, v, s, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "stdout", &s->out, &s->out_n, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "stderr", &s->err, &s->err_n, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "expect", &s->expect, &s->expect_n, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "error", &error, NULL, err);
    if (rc == 0)
        rc = fri_script_error(error, &s->error, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "message", &s->message, NULL, err);
    return rc;
}

static int check_step(const fri_json *doc, fri_json_ref v, fr_error *err)
{
    step s;
    memset(&s, 0, sizeof(s));
    int rc = read_step(doc, v, &s, err);
    step_dispose(&s);
    return rc;
}

static const char *const members[] = {"outcome", "exit_code", "signal", "delay_ms", "stdout",
                                      "stderr",  "expect",    "error",  "message",  NULL};
static const fri_script_form form = {"results", members, check_step};

static int scripted_open(fr_executor *self, const void *config, fr_error *err)
{
    scripted *s = fr_executor_state(self);
    pthread_mutex_init(&s->lock, NULL);
    fr_scripted_options o;
    int rc = fri_read_sized(&o, sizeof(o), config, "fr_scripted_options", err);
    return rc ? rc : fri_script_open(&s->script, o.path, o.json, &form, err);
}

static void scripted_close(fr_executor *self)
{
    scripted *s = fr_executor_state(self);
    fri_script_dispose(&s->script);
    pthread_mutex_destroy(&s->lock);
}

/* Waits for the recorded delay; 1 when the run was cancelled or its time was up before. The run took what is
 * recorded, or until it was stopped, however long playing it takes. */
static int wait_delay(fr_call *call, int64_t delay_ms)
{
    int64_t timeout_ms = fr_call_input(call)->timeout_ms, began = fri_now_ns();
    int64_t wait = delay_ms < timeout_ms ? delay_ms : timeout_ms;
    int cancelled = fri_wait_readable(fr_call_cancel_fd(call), wait);
    fr_result_receipt(call)->start_ns = 0;
    fr_result_receipt(call)->run_ns = cancelled ? fri_now_ns() - began : wait * FRI_NS_PER_MS;
    if (cancelled)
        fr_result_stopped(call, FR_OUTCOME_CANCELLED, "the run was cancelled");
    else if (delay_ms > timeout_ms)
        fr_result_stopped(call, FR_OUTCOME_TIMEOUT, "the code ran longer than %lld ms",
                          (long long)timeout_ms);
    return cancelled || delay_ms > timeout_ms;
}

static int check_expected(const step *s, fr_str code, fr_error *err)
{
    if (!s->expect || fri_str_equal(code, fri_str(s->expect, s->expect_n)))
        return 0;
    return fr_fail(err, FR_EINVAL, 0, "the code is not the expected '%.*s'; it is '%.*s'",
                   fri_script_shown(fri_str(s->expect, s->expect_n)), s->expect,
                   fri_script_shown(code), code.p);
}

static int play(const step *s, fr_call *call, fr_error *err)
{
    if (s->error)
        return fr_fail(err, s->error, 0, "scripted: %s",
                       s->message ? s->message : "a recorded failure");
    int rc = fr_result_write(call, FR_STDOUT, s->out, s->out_n, err);
    if (rc >= 0)
        rc = fr_result_write(call, FR_STDERR, s->err, s->err_n, err);
    if (rc < 0)
        return rc;
    if (wait_delay(call, s->delay_ms))
        return 0;
    if (s->outcome > FR_OUTCOME_FAILED)
        fr_result_stopped(call, s->outcome, "%s", s->message ? s->message : "as recorded");
    else if (s->signal)
        fr_result_signaled(call, (int)s->signal);
    else
        fr_result_exited(
            call, s->outcome == FR_OUTCOME_FAILED && s->exit_code == 0 ? 1 : (int)s->exit_code);
    return 0;
}

static int scripted_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    scripted *s = fr_executor_state(self);
    pthread_mutex_lock(&s->lock);
    size_t place;
    fri_json_ref now = fri_script_next(&s->script, &place);
    pthread_mutex_unlock(&s->lock);
    if (now == FRI_JSON_NONE)
        return fr_fail(err, FR_ENOTFOUND, 0, "scripted: the script has no result for this run");
    step played;
    fr_error why = FR_ERROR_INIT;
    memset(&played, 0, sizeof(played));
    int rc = read_step(s->script.doc, now, &played, &why);
    if (rc == 0)
        rc = check_expected(&played, fr_call_input(call)->code, &why);
    rc = rc ? fri_script_fail(&s->script, place, rc, why.text, err) : play(&played, call, err);
    step_dispose(&played);
    return rc;
}

/* The default probe would use up a result. */
static int scripted_probe(fr_executor *self, fr_error *err)
{
    (void)self;
    (void)err;
    return 0;
}

const fr_executor_class fri_scripted_class = {
    .struct_size = sizeof(fr_executor_class),
    .abi = FR_EXECUTOR_ABI,
    .flags = FR_EXECUTOR_CONCURRENT,
    .name = "scripted",
    .summary = "recorded results, for tests of what is around an executor",
    .state_size = sizeof(scripted),
    .open = scripted_open,
    .execute = scripted_execute,
    .close = scripted_close,
    .probe = scripted_probe,
};
