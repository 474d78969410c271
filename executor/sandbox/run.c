/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. The calling thread polls four descriptors until the keeper has said that the
 * run is over: stdout and stderr (read ends), the keeper's socket, and the call's cancel descriptor. Then it
 * empties the pipes. When the run has to be stopped we ask the keeper to kill it and go on until it says it did, so that what was printed
 * before is kept. Should the keeper not answer long after the deadline, it is killed, and the run
 * with it.
 */
#include "executor/sandbox/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "executor/sandbox/inputs.h"
#include "executor/sandbox/outputs.h"

/* How long the keeper may take beyond the code's own time: setting up, killing, and then some. */
#define KEEPER_GRACE_NS (60 * FRI_NS_PER_S)
#define READ_SIZE       65536
#define RLIMIT_SLACK_NS (50 * FRI_NS_PER_MS)

enum { OUT, ERR, KEEPER, CANCEL, FILES, FD_COUNT };
enum { VERSION = ERR + 1, OUTPUTS, PIPES }; /* of the pipes, which begin with OUT and ERR */

typedef struct run {
    fri_keeper_client *keeper;
    fr_call *call;
    const fri_sandbox_job *job;
    int pipes[PIPES][2];
    struct pollfd fds[FD_COUNT];
    int stop; /* the outcome we asked the keeper to make true, or 0 */
    int over;
    int lost; /* the keeper was gone before it read of the run */
    int64_t began_ns;
    int64_t deadline_ns; /* the keeper's */
    fri_keeper_event started;
    fri_keeper_event end;
    char *buffer;
} run;

static int stop(run *r, int outcome, fr_error *err)
{
    if (r->stop || r->over)
        return 0;
    r->stop = outcome;
    const fri_keeper_request kill_it = {.type = FRI_KEEPER_KILL};
    int rc = fri_keeper_client_send(r->keeper, &kill_it, NULL, 0, err);
    return rc > 0 ? 0 : rc; /* what became of a keeper that is gone, its events tell */
}

/* One read; the rest waits for the next turn of the loop, so that neither stream starves. Returns
 * whether there may be more at once, or an error. */
static int on_output(run *r, int which, fr_error *err)
{
    ssize_t n;
    do
        n = read(r->fds[which].fd, r->buffer, READ_SIZE);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return 0;
    if (n <= 0) {
        r->fds[which].fd = -1;
        return n < 0 ? fr_fail(err, FR_ESYSTEM, errno, "sandbox: read the program's output") : 0;
    }
    int stream = which == OUT ? FR_STDOUT : FR_STDERR;
    int rc = fr_result_write(r->call, stream, r->buffer, (size_t)n, err);
    if (rc < 0)
        return rc;
    if (rc > 0)
        rc = stop(r, FR_OUTCOME_OUTPUT_LIMIT, err);
    return rc ? rc : 1;
}

static int take_file(run *r, fr_error *err)
{
    return fri_sandbox_take_output(r->pipes[OUTPUTS][0], r->job->file_bytes, r->call, err);
}

/* What is left in the pipes when everything that wrote to them is dead. Not until their end: should
 * the host program have forked meanwhile, its child holds a write end too. */
static int drain(run *r, fr_error *err)
{
    int rc = 0;
    for (int i = OUT; i <= ERR && rc >= 0; i++)
        while (r->fds[i].fd >= 0 && (rc = on_output(r, i, err)) > 0)
            ;
    while (rc >= 0 && (rc = take_file(r, err)) > 0)
        ;
    return rc;
}

static int on_event(run *r, fr_error *err)
{
    fri_keeper_event event;
    int rc = fri_keeper_client_receive(r->keeper, &event, err);
    if (rc == FRI_KEEPER_LOST && r->stop)
        return fr_fail(err, FR_ESYSTEM, 0, "sandbox: the keeper ended while it stopped a run");
    if (rc == FRI_KEEPER_LOST)
        r->lost = r->over = 1;
    if (rc)
        return rc < 0 ? rc : 0;
    if (event.type == FRI_KEEPER_STARTED) {
        r->started = event;
    } else {
        r->end = event;
        r->over = 1;
        r->fds[KEEPER].fd = r->fds[CANCEL].fd = -1;
    }
    return 0;
}

static int unanswered(fr_error *err)
{
    return fr_fail(err, FR_ESYSTEM, ETIMEDOUT, "sandbox: the keeper does not answer");
}

/* One turn of the loop. */
static int turn(run *r, fr_error *err)
{
    int rc = 0;
    for (int i = OUT; i <= ERR && rc >= 0; i++)
        if (r->fds[i].revents)
            rc = on_output(r, i, err);
    /* Nothing there, though poll(2) said so: the end. */
    if (rc >= 0 && r->fds[FILES].revents && (rc = take_file(r, err)) == 0)
        r->fds[FILES].fd = -1;
    if (rc >= 0 && r->fds[CANCEL].revents) {
        r->fds[CANCEL].fd = -1;
        rc = stop(r, FR_OUTCOME_CANCELLED, err);
    }
    if (rc >= 0 && r->fds[KEEPER].revents)
        rc = on_event(r, err);
    return rc;
}

static int watch(run *r, fr_error *err)
{
    int rc = 0;
    while (rc >= 0 && !r->over) {
        int n = poll(r->fds, FD_COUNT, fri_poll_timeout(r->deadline_ns));
        if (n < 0 && errno != EINTR)
            return fr_fail(err, FR_ESYSTEM, errno, "sandbox: wait for the program");
        if (n == 0)
            return unanswered(err);
        rc = n < 0 ? 0 : turn(r, err);
    }
    return rc < 0 ? rc : drain(r, err);
}

static int make_pipes(run *r, fr_error *err)
{
    /* Only our ends: the other ones' flags are the program's. */
    for (int i = 0; i < PIPES; i++) {
        int *pipe = r->pipes[i];
        int rc = i == OUTPUTS ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pipe)
                              : pipe2(pipe, O_CLOEXEC);
        if (rc || fcntl(pipe[0], F_SETFL, O_NONBLOCK))
            return fr_fail(err, FR_ESYSTEM, errno, "sandbox: make a pipe");
    }
    return 0;
}

static int send_run(const run *r, fr_error *err)
{
    const fr_code_input *in = fr_call_input(r->call);
    FRI_AUTO(fri_closep)
    int code = fri_sealed_memfd("fencerun-code", in->code, fri_str("", 0), err);
    if (code < 0)
        return FR_ESYSTEM;
    FRI_AUTO(fri_closep) int inputs = -1;
    int rc = fri_sandbox_pack_inputs(in, r->job->tmp_bytes, &inputs, err);
    if (rc)
        return rc;
    const fri_keeper_request request = {FRI_KEEPER_RUN, r->job->language,
                                        in->timeout_ms * FRI_NS_PER_MS};
    const int fds[FRI_JOB_FDS] = {
        [FRI_JOB_CODE] = code,
        [FRI_JOB_OUT] = r->pipes[OUT][1],
        [FRI_JOB_ERR] = r->pipes[ERR][1],
        [FRI_JOB_VERSION] = r->pipes[VERSION][1],
        [FRI_JOB_OUTPUTS] = r->pipes[OUTPUTS][1],
        [FRI_JOB_INPUTS] = inputs,
    };
    return fri_keeper_client_send(r->keeper, &request, fds, FRI_JOB_FDS - (inputs < 0), err);
}

/* What the interpreter said of itself, if it did. Only what a version is made of: it is not trusted more than
 * what else it prints. */
static int take_interpreter(const run *r, fr_error *err)
{
    char version[32];
    ssize_t n = read(r->pipes[VERSION][0], version, sizeof(version) - 1);
    version[n > 0 ? n : 0] = '\0';
    version[strspn(version, "0123456789.")] = '\0';
    return fr_result_interpreter(r->call, r->job->interpreter, version, err);
}

static void fill_receipt(const run *r)
{
    fr_receipt *receipt = fr_result_receipt(r->call);
    /* Cancelled before the code started: it ran for no time at all. */
    int64_t started_ns = r->started.type ? r->started.at_ns : r->end.at_ns;
    receipt->queue_ns = r->began_ns - r->job->asked_ns;
    receipt->start_ns = started_ns - r->began_ns;
    receipt->run_ns = r->end.at_ns - started_ns;
    receipt->cpu_user_ns = r->end.user_ns;
    receipt->cpu_system_ns = r->end.system_ns;
    receipt->peak_memory_bytes = r->end.peak_memory;
    receipt->oom_events = r->end.oom_events;
    receipt->peak_processes = r->end.peak_processes;
}

/* SIGKILL that we did not send, with the kernel's out-of-memory counter moved. */
static int out_of_memory(const fri_keeper_event *end)
{
    return end->oom_events > 0 &&
           (end->lost || (WIFSIGNALED(end->wait_status) && WTERMSIG(end->wait_status) == SIGKILL));
}

/* Killed by the kernel at the rlimit, for which it counts in ticks and not as it does for us. */
static int out_of_cpu(const run *r)
{
    const fri_keeper_event *end = &r->end;
    int64_t limit = r->job->cpu_ms * FRI_NS_PER_MS;
    return limit > 0 && WIFSIGNALED(end->wait_status) && WTERMSIG(end->wait_status) == SIGKILL &&
           end->user_ns + end->system_ns >= limit - RLIMIT_SLACK_NS;
}

static int describe_end(const run *r, fr_error *err)
{
    fr_call *call = r->call;
    const fri_keeper_event *end = &r->end;
    int64_t timeout_ms = fr_call_input(call)->timeout_ms;
    if (end->timed_out)
        fr_result_stopped(call, FR_OUTCOME_TIMEOUT, "the code ran longer than %lld.%03lld s",
                          (long long)(timeout_ms / 1000), (long long)(timeout_ms % 1000));
    else if (end->cpu_used_up || (!end->killed && !end->lost && out_of_cpu(r)))
        fr_result_stopped(call, FR_OUTCOME_CPU_LIMIT,
                          "the code used more than %lld.%03lld s of processor time",
                          (long long)(r->job->cpu_ms / 1000), (long long)(r->job->cpu_ms % 1000));
    else if (end->killed && r->stop)
        fr_result_stopped(call, r->stop,
                          r->stop == FR_OUTCOME_CANCELLED
                              ? "the run was cancelled"
                              : "the code wrote more than the output limit");
    else if (out_of_memory(end))
        fr_result_stopped(call, FR_OUTCOME_MEMORY, "the code used more memory than its limit");
    else if (end->lost || end->killed)
        return fr_fail(err, FR_ESYSTEM, 0, "sandbox: the run was killed from outside");
    else if (WIFSIGNALED(end->wait_status))
        fr_result_signaled(call, WTERMSIG(end->wait_status));
    else
        fr_result_exited(call, WEXITSTATUS(end->wait_status));
    return 0;
}

static int conclude(const run *r, fr_error *err)
{
    if (r->end.type == FRI_KEEPER_FAILED)
        return fri_keeper_failure(r->end.step, r->end.sys_errno, err);
    if (r->started.type == 0 && r->end.timed_out)
        return fr_fail(err, FR_ESYSTEM, ETIMEDOUT, "sandbox: setting up a run took too long");
    fill_receipt(r);
    int rc = take_interpreter(r, err);
    if (rc == 0 && r->end.uncollected)
        rc = fr_result_skipped(r->call, ".", "could not be collected, or not all of it", err);
    return rc ? rc : describe_end(r, err);
}

static int collect(run *r, fr_error *err)
{
    int rc = send_run(r, err);
    /* Ours must not keep the pipes open. */
    for (int i = 0; i < PIPES; i++)
        close(fri_steal_fd(&r->pipes[i][1]));
    r->lost = rc == FRI_KEEPER_LOST;
    if (rc)
        return rc < 0 ? rc : 0;
    const int fds[FD_COUNT] = {r->pipes[OUT][0], r->pipes[ERR][0], r->keeper->socket,
                               fr_call_cancel_fd(r->call), r->pipes[OUTPUTS][0]};
    for (int i = 0; i < FD_COUNT; i++)
        r->fds[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    rc = watch(r, err);
    return rc || r->lost ? rc : conclude(r, err);
}

int fri_sandbox_run(fri_keeper_client *k, const fri_sandbox_job *job, fr_call *call, fr_error *err)
{
    run r = {.keeper = k, .call = call, .job = job, .began_ns = fri_now_ns()};
    r.deadline_ns = r.began_ns + fr_call_input(call)->timeout_ms * FRI_NS_PER_MS + KEEPER_GRACE_NS;
    memset(r.pipes, -1, sizeof(r.pipes));
    FRI_AUTO(fri_freep) char *buffer = fri_realloc(NULL, READ_SIZE, 1, err);
    if (!buffer)
        return FR_ENOMEM;
    r.buffer = buffer;
    int rc = make_pipes(&r, err);
    if (rc == 0)
        rc = collect(&r, err);
    for (int i = 0; i < PIPES; i++) {
        fri_closep(&r.pipes[i][0]);
        fri_closep(&r.pipes[i][1]);
    }
    return rc ? rc : r.lost ? FRI_KEEPER_LOST : 0;
}
