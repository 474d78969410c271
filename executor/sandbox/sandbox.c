/* SPDX-License-Identifier: MIT */
/*
 * The executor "sandbox". Theory of operation: keeper/main.c. Each thread that runs something has a
 * keeper to itself; keepers that are idle wait in a list for the next run.
 */
#include "fencerun/sandbox.h"

#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/sized.h"
#include "executor/registry.h"
#include "executor/sandbox/config.h"
#include "executor/sandbox/keeper_client.h"
#include "executor/sandbox/run.h"
#include "fencerun/doctor.h"

#define MAX_KEEPERS_LOST 8

typedef struct sandbox {
    fri_sandbox_plan plan;
    pthread_mutex_t lock; /* over `idle` */
    fri_keeper_client *idle;
} sandbox;

static fri_keeper_client *take_idle(sandbox *s)
{
    pthread_mutex_lock(&s->lock);
    fri_keeper_client *k = s->idle;
    if (k)
        s->idle = k->next;
    pthread_mutex_unlock(&s->lock);
    return k;
}

/* One that can be given a run: idle ones may have been killed since. */
static int take_keeper(sandbox *s, fri_keeper_client **out, fr_error *err)
{
    fri_keeper_client *k;
    while ((k = take_idle(s)) && !fri_keeper_client_is_alive(k))
        fri_keeper_client_free(k);
    *out = k;
    return k ? 0 : fri_keeper_client_new(&s->plan, out, err);
}

static void give_back(sandbox *s, fri_keeper_client *k)
{
    pthread_mutex_lock(&s->lock);
    k->next = s->idle;
    s->idle = k;
    pthread_mutex_unlock(&s->lock);
}

/* Waits for the keeper and checks that it has what was asked for. */
static int make_ready(fri_keeper_client *k, const fr_executor_options *options, int cancel_fd,
                      fr_error *err)
{
    int rc = fri_keeper_client_await(k, cancel_fd, err);
    if (rc)
        return rc;
    if (options->cpu_millis && k->ready.cpu_by == FRI_BY_RLIMIT)
        return fr_fail(err, FR_EUNAVAILABLE, 0,
                       "sandbox: a CPU limit needs the cgroup controller cpu, which is not "
                       "delegated to this process");
    return 0;
}

static int keepers_lost(fr_error *err)
{
    return fr_fail(err, FR_ESYSTEM, 0, "sandbox: the keeper is killed before it can do anything");
}

static int sandbox_open(fr_executor *self, const void *config, fr_error *err)
{
    sandbox *s = fr_executor_state(self);
    const fr_executor_options *options = fr_executor_get_options(self);
    pthread_mutex_init(&s->lock, NULL);
    fr_sandbox_options own;
    int rc = fri_read_sized(&own, sizeof(own), config, "fr_sandbox_options", err);
    if (rc)
        return rc;
    rc = fri_sandbox_plan_init(&s->plan, options, &own, err);
    if (rc == 0)
        rc = fr_executor_set_languages(self, s->plan.languages, s->plan.config.language_count, err);
    if (rc)
        return rc;
    /* The first keeper starts here, so that what the system withholds is known at once, or soon. */
    fri_keeper_client *k = NULL;
    rc = fri_keeper_client_new(&s->plan, &k, err);
    if (rc)
        return rc;
    give_back(s, k);
    if (own.no_wait)
        return 0;
    rc = make_ready(k, options, -1, err);
    return rc > 0 ? keepers_lost(err) : rc;
}

static void sandbox_close(fr_executor *self)
{
    sandbox *s = fr_executor_state(self);
    for (fri_keeper_client *k; (k = take_idle(s));)
        fri_keeper_client_free(k);
    fri_sandbox_plan_dispose(&s->plan);
    pthread_mutex_destroy(&s->lock);
}

static const char *interpreter(const sandbox *s, uint32_t language)
{
    return fri_plan_text(&s->plan, s->plan.config.languages[language].args);
}

static int find_language(const sandbox *s, const char *name, uint32_t *out, fr_error *err)
{
    uint32_t i = 0;
    while (strcmp(s->plan.languages[i].name, name) != 0) /* it is there: checked before */
        i++;
    *out = i;
    if (interpreter(s, i)[0])
        return 0;
    return fr_fail(err, FR_EUNAVAILABLE, 0,
                   "sandbox: there is no interpreter for %s at %s in the run's root", name,
                   fri_plan_text(&s->plan, s->plan.wanted[i]));
}

static const char *mechanism(int32_t by, const char *fallback)
{
    switch (by) {
    case FRI_BY_CGROUP1:
        return "cgroup1";
    case FRI_BY_CGROUP2:
        return "cgroup2";
    default:
        return fallback;
    }
}

static int add_limits(fr_call *call, const fr_executor_options *o, const fri_keeper_config *c,
                      const fri_keeper_ready *by, fr_error *err)
{
    const struct {
        const char *name;
        uint64_t value;
        const char *mechanism;
        int degraded;
    } limits[] = {
        {"wall_ms", (uint64_t)fr_call_input(call)->timeout_ms, "keeper", 0},
        /* An address space per process is neither memory in use nor shared by the run. */
        {"memory_bytes", c->memory_bytes, mechanism(by->memory_by, "rlimit"),
         by->memory_by == FRI_BY_RLIMIT},
        {"processes", c->processes, "rlimit", 0},
        {"cpu_millis", c->cpu_millis, mechanism(by->cpu_by, "none"), 0},
        /* An rlimit is of each process by itself. */
        {"cpu_ms", (uint64_t)o->cpu_ms, mechanism(by->accounting_by, "rlimit"),
         by->accounting_by == FRI_BY_RLIMIT},
        {"tmp_bytes", c->tmp_bytes, "tmpfs", 0},
        {"tmp_inodes", c->tmp_inodes, "tmpfs", 0},
        {"file_bytes", c->file_bytes, "rlimit", 0},
        {"open_files", c->open_files, "rlimit", 0},
        {"output_bytes", o->output_max_bytes, "library", 0},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        int rc = limits[i].value == 0
                     ? 0
                     : fr_result_limit(call, limits[i].name, limits[i].value, limits[i].mechanism,
                                       limits[i].degraded, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int run_on(fri_keeper_client *k, const fri_sandbox_job *job, fr_call *call,
                  const fr_executor_options *options, fr_error *err)
{
    int rc = make_ready(k, options, fr_call_cancel_fd(call), err);
    if (rc == 0)
        return fri_sandbox_run(k, job, call, err);
    if (rc != FRI_KEEPER_CANCELLED)
        return rc;
    fr_result_receipt(call)->run_ns = 0;
    fr_result_stopped(call, FR_OUTCOME_CANCELLED, "the run was cancelled before it began");
    return fr_result_interpreter(call, job->interpreter, NULL, err);
}

/* A keeper that was killed while idle may not be seen to be dead before it is given the run; the run can
 * have another then. */
static int run_somewhere(sandbox *s, fri_keeper_client **k, const fri_sandbox_job *job,
                         fr_call *call, const fr_executor_options *options, fr_error *err)
{
    for (int i = 0; i < MAX_KEEPERS_LOST; i++) {
        int rc = take_keeper(s, k, err);
        if (rc == 0)
            rc = run_on(*k, job, call, options, err);
        if (rc != FRI_KEEPER_LOST)
            return rc;
        fri_keeper_client_free(fri_steal(k));
    }
    return keepers_lost(err);
}

static int sandbox_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    sandbox *s = fr_executor_state(self);
    const fr_executor_options *options = fr_executor_get_options(self);
    fri_sandbox_job job = {.cpu_ms = options->cpu_ms,
                           .tmp_bytes = options->tmp_bytes,
                           .file_bytes = options->output_file_bytes,
                           .asked_ns = fri_now_ns()};
    fri_keeper_client *k = NULL;
    int rc = find_language(s, fr_call_input(call)->language, &job.language, err);
    if (rc)
        return rc;
    job.interpreter = interpreter(s, job.language);
    fr_result_receipt(call)->network = options->network;
    rc = run_somewhere(s, &k, &job, call, options, err);
    if (rc == 0 && k->awaited) /* else nothing has run, and no limit has held */
        rc = add_limits(call, options, &s->plan.config, &k->ready, err);
    if (rc)
        fri_keeper_client_free(k);
    else
        give_back(s, k);
    return rc;
}

const fr_executor_class fri_sandbox_class = {
    .struct_size = sizeof(fr_executor_class),
    .abi = FR_EXECUTOR_ABI,
    .flags = FR_EXECUTOR_CONCURRENT | FR_EXECUTOR_FILES | FR_EXECUTOR_NETWORK | FR_EXECUTOR_LIMITS,
    .name = "sandbox",
    .summary = "fresh Linux namespaces under a read-only root, no engine needed",
    .state_size = sizeof(sandbox),
    .open = sandbox_open,
    .execute = sandbox_execute,
    .close = sandbox_close,
};

/* ---- sweeping ---- */

static int sweep(fri_keeper_client *k, fr_error *err)
{
    const fri_keeper_request request = {.type = FRI_KEEPER_SWEEP};
    fri_keeper_event event;
    int rc = fri_keeper_client_send(k, &request, NULL, 0, err);
    if (rc == 0)
        rc = fri_keeper_client_receive(k, &event, err);
    if (rc > 0)
        return fr_fail(err, FR_ESYSTEM, 0, "sandbox: the keeper was killed while it swept");
    return rc ? rc : event.swept;
}

int fr_sandbox_sweep(fr_error *err)
{
    fr_executor *ex = NULL;
    int rc = fr_executor_open("sandbox", NULL, &ex, err);
    if (rc)
        return rc;
    fri_keeper_client *k = take_idle(fr_executor_state(ex));
    rc = sweep(k, err);
    fri_keeper_client_free(k);
    fr_executor_close(ex);
    return rc;
}
