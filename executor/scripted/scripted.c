/* SPDX-License-Identifier: MIT */
/* The executor "scripted": hands out recorded results, see fencerun/scripted.h. */
#include "fencerun/scripted.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/str.h"
#include "executor/registry.h"

#define MAX_DELAY_MS (24 * 3600 * 1000)

typedef struct scripted {
    fri_buf text; /* the script; `doc` points into it */
    fri_json *doc;
    fri_json_ref next; /* the result of the next run */
    pthread_mutex_t lock;
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

static int read_file(const char *path, fri_buf *text, fr_error *err)
{
    FRI_AUTO(fri_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fr_fail(err, FR_ENOTFOUND, errno, "scripted: the script %s", path);
    for (;;) {
        char *room = fri_buf_reserve(text, 65536);
        if (!room)
            return fri_buf_check(text, "a script", err);
        ssize_t n = read(fd, room, 65536);
        if (n < 0)
            return fr_fail(err, FR_ESYSTEM, errno, "scripted: read the script %s", path);
        if (n == 0)
            return 0;
        fri_buf_grow(text, (size_t)n);
    }
}

static int load(const fr_scripted_options *o, fri_buf *text, fr_error *err)
{
    if (!o->path == !o->json.p)
        return fr_fail(err, FR_EINVAL, 0, "scripted: set either path or json in the options");
    if (o->path)
        return read_file(o->path, text, err);
    fri_buf_append(text, o->json.p, o->json.n);
    return fri_buf_check(text, "a script", err);
}

static int optional_string(const fri_json *doc, fri_json_ref v, const char *key, char **out,
                           size_t *n, fr_error *err)
{
    fri_json_ref member = fri_json_get(doc, v, key);
    return member == FRI_JSON_NONE ? 0 : fri_json_string(doc, member, key, out, n, err);
}

static int optional_integer(const fri_json *doc, fri_json_ref v, const char *key, int64_t max,
                            int64_t *out, fr_error *err)
{
    fri_json_ref member = fri_json_get(doc, v, key);
    if (member == FRI_JSON_NONE || fri_json_type(doc, member) == FRI_JSON_NULL)
        return 0;
    return fri_json_integer(doc, member, key, 0, max, out, err);
}

static int read_outcome(const fri_json *doc, fri_json_ref v, step *s, fr_error *err)
{
    FRI_AUTO(fri_freep) char *name = NULL;
    int rc = optional_string(doc, v, "outcome", &name, NULL, err);
    if (rc)
        return rc;
    s->outcome = s->exit_code == 0 && s->signal == 0 ? FR_OUTCOME_OK : FR_OUTCOME_FAILED;
    if (!name)
        return 0;
    int natural = s->outcome;
    for (s->outcome = FR_OUTCOME_OK; strcmp(fr_outcome_text(s->outcome), name) != 0; s->outcome++)
        if (s->outcome == FR_OUTCOME_CANCELLED)
            return fr_fail(err, FR_EFORMAT, 0, "scripted: there is no outcome '%.40s'", name);
    if (s->outcome == FR_OUTCOME_OK && natural != FR_OUTCOME_OK)
        return fr_fail(err, FR_EFORMAT, 0, "scripted: outcome ok with an exit code or a signal");
    return 0;
}

/* The number of the error a step names; 0 when it names none. */
static int read_error(const char *name, int *code, fr_error *err)
{
    *code = 0;
    if (!name)
        return 0;
    for (*code = -1; *code >= -64; --*code)
        if (strcmp(fr_error_name(*code), name) == 0)
            return 0;
    return fr_fail(err, FR_EFORMAT, 0, "scripted: there is no error '%.40s'", name);
}

static int read_step(const fri_json *doc, fri_json_ref v, step *s, fr_error *err)
{
    if (fri_json_type(doc, v) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "scripted: a result is no object");
    FRI_AUTO(fri_freep) char *error = NULL;
    int rc = optional_integer(doc, v, "exit_code", 255, &s->exit_code, err);
    if (rc == 0)
        rc = optional_integer(doc, v, "signal", 64, &s->signal, err);
    if (rc == 0)
        rc = optional_integer(doc, v, "delay_ms", MAX_DELAY_MS, &s->delay_ms, err);
    if (rc == 0)
        rc = read_outcome(doc, v, s, err);
    if (rc == 0)
        rc = optional_string(doc, v, "stdout", &s->out, &s->out_n, err);
    if (rc == 0)
        rc = optional_string(doc, v, "stderr", &s->err, &s->err_n, err);
    if (rc == 0)
        rc = optional_string(doc, v, "expect", &s->expect, &s->expect_n, err);
    if (rc == 0)
        rc = optional_string(doc, v, "error", &error, NULL, err);
    if (rc == 0)
        rc = read_error(error, &s->error, err);
    if (rc == 0)
        rc = optional_string(doc, v, "message", &s->message, NULL, err);
    return rc;
}

/* Reads every step once, so that a bad script is refused when it is opened, not at its third run. */
static int check_script(const fri_json *doc, fri_json_ref results, fr_error *err)
{
    if (fri_json_type(doc, results) != FRI_JSON_ARRAY)
        return fr_fail(err, FR_EFORMAT, 0, "scripted: the script has no array \"results\"");
    for (fri_json_ref v = fri_json_first(doc, results); v != FRI_JSON_NONE;
         v = fri_json_next(doc, v)) {
        step s;
        memset(&s, 0, sizeof(s));
        int rc = read_step(doc, v, &s, err);
        step_dispose(&s);
        if (rc)
            return rc;
    }
    return 0;
}

static int scripted_open(fr_executor *self, const void *config, fr_error *err)
{
    scripted *s = fr_executor_state(self);
    fri_buf_init(&s->text, FRI_MAX_JSON_BYTES);
    pthread_mutex_init(&s->lock, NULL);
    fr_scripted_options options;
    int rc = fri_read_sized(&options, sizeof(options), config, "fr_scripted_options", err);
    if (rc == 0)
        rc = load(&options, &s->text, err);
    if (rc == 0)
        rc = fri_json_parse(s->text.p, s->text.n, FRI_JSON_REPAIR, &s->doc, err);
    if (rc)
        return rc;
    fri_json_ref results = fri_json_get(s->doc, 0, "results");
    s->next = fri_json_first(s->doc, results);
    return check_script(s->doc, results, err);
}

static void scripted_close(fr_executor *self)
{
    scripted *s = fr_executor_state(self);
    fri_json_free(s->doc);
    fri_buf_dispose(&s->text);
    pthread_mutex_destroy(&s->lock);
}

/* Waits for the recorded delay; 1 when the run was cancelled or its time was up before. */
static int wait_delay(fr_call *call, int64_t delay_ms)
{
    int64_t timeout_ms = fr_call_input(call)->timeout_ms;
    int64_t wait = delay_ms < timeout_ms ? delay_ms : timeout_ms;
    int64_t deadline = fri_now_ns() + wait * FRI_NS_PER_MS;
    struct pollfd cancel = {.fd = fr_call_cancel_fd(call), .events = POLLIN};
    while (delay_ms > 0 && fri_now_ns() < deadline)
        if (poll(&cancel, 1, fri_poll_timeout(deadline)) > 0)
            break;
    if (fr_call_cancelled(call))
        fr_result_stopped(call, FR_OUTCOME_CANCELLED, "the run was cancelled");
    else if (delay_ms > timeout_ms)
        fr_result_stopped(call, FR_OUTCOME_TIMEOUT, "the code ran longer than %lld ms",
                          (long long)timeout_ms);
    else
        return 0;
    return 1;
}

static int play(const step *s, fr_call *call, fr_error *err)
{
    fr_str code = fr_call_input(call)->code;
    if (s->expect && !fri_str_equal(code, fri_str(s->expect, s->expect_n)))
        return fr_fail(err, FR_EINVAL, 0, "scripted: the code is not the one that was expected");
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
    fri_json_ref now = s->next;
    if (now != FRI_JSON_NONE)
        s->next = fri_json_next(s->doc, now);
    pthread_mutex_unlock(&s->lock);
    if (now == FRI_JSON_NONE)
        return fr_fail(err, FR_ENOTFOUND, 0, "scripted: the script has no result for this run");
    step played;
    memset(&played, 0, sizeof(played));
    int rc = read_step(s->doc, now, &played, err);
    if (rc == 0)
        rc = play(&played, call, err);
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
