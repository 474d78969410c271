/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. The keeper always has one init that is prepared: alone in its namespaces, with
 * its root made, and waiting for a job. A run is that job, then a loop over three descriptors: the
 * library's socket (kill, or gone), the pipe on which init reports, and init's pidfd (dead). Init's
 * report of the end already means that nothing else is alive, so the library hears of it at once;
 * the kernel's cleaning up, and preparing the next init, happen while it goes on.
 */
#include "executor/sandbox/keeper/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/sandbox/fd_message.h"
#include "executor/sandbox/keeper/sys.h"

#define ACCOUNT_NS          (10 * FRI_NS_PER_MS)
#define STOP_DEADLINE_NS    (2 * FRI_NS_PER_S)
#define COLLECT_DEADLINE_NS (10 * FRI_NS_PER_S)
/* To prepare, and to take a job; twice each when an init is lost is well below what the library grants. */
#define SETUP_DEADLINE_NS (10 * FRI_NS_PER_S)

typedef struct run {
    fri_keeper *keeper;
    int64_t timeout_ns;
    int64_t deadline_ns; /* -1: none any more */
    int64_t account_ns;  /* when to look how much processor time is used; -1: not */
    int preparing;       /* it is over once init waits for its job */
    int stopping;        /* it is not to go on */
    int library_gone;
    int prepared;
    int started;
    int exited;           /* the code is dead; what it left is being collected */
    int over;             /* `end` is complete */
    fri_keeper_event end; /* what the library will hear */
} run;

static void send_event(run *r, const fri_keeper_event *event)
{
    if (send(FRI_KEEPER_SOCKET_FD, event, sizeof(*event), MSG_NOSIGNAL) < 0)
        r->library_gone = 1;
}

/* Asks init to end everything and report, which keeps the accounts of what is killed; should it not
 * come to that, the deadline kills init itself and the kernel all the rest. Not by a signal: the run
 * can send those too, and drown ours. */
static void stop_run(run *r)
{
    send(r->keeper->init.control, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    r->stopping = 1;
    r->deadline_ns = fri_now_ns() + STOP_DEADLINE_NS;
    r->account_ns = -1;
}

static void kill_run(run *r)
{
    sys_pidfd_kill(r->keeper->init.pidfd, SIGKILL);
    r->stopping = 1;
    r->deadline_ns = r->account_ns = -1;
}

static void set_failure(fri_keeper_event *event, const fri_failure *f)
{
    event->type = FRI_KEEPER_FAILED;
    event->sys_errno = f->sys_errno;
    memcpy(event->step, f->step, sizeof(event->step));
}

/* What the groups know goes before what init has from its children: those who ignore the end of theirs hide
 * them from it. Which part of that was the system's nobody knows. */
static void measure(run *r)
{
    fri_usage u;
    fri_groups_measure(&r->keeper->groups, &u);
    if (u.peak_memory >= 0)
        r->end.peak_memory = u.peak_memory;
    if (u.cpu_ns > r->end.user_ns + r->end.system_ns)
        r->end.user_ns = u.cpu_ns - r->end.system_ns;
    r->end.oom_events = u.oom_events;
    r->end.peak_processes = u.peak_processes;
}

/* When the time that is left can be used up at the earliest: by all processors at once. */
static int64_t next_account(int64_t now, int64_t left)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t wait = left / (processors > 0 ? processors : 1);
    return now + (wait > ACCOUNT_NS ? wait : ACCOUNT_NS);
}

static void account(run *r)
{
    int64_t used = fri_groups_cpu_ns(&r->keeper->groups), left = r->keeper->config->cpu_ns - used;
    if (used < 0) {
        r->account_ns = -1;
    } else if (left > 0) {
        r->account_ns = next_account(fri_now_ns(), left);
    } else {
        r->end.cpu_used_up = 1;
        stop_run(r);
    }
}

static void take_exit(run *r, const fri_init_report *report)
{
    r->end.type = FRI_KEEPER_ENDED;
    r->end.at_ns = report->at_ns;
    r->end.wait_status = report->wait_status;
    r->end.user_ns = report->user_ns;
    r->end.system_ns = report->system_ns;
    r->end.peak_memory = report->max_rss;
    r->end.uncollected = 1;
    measure(r);
    r->exited = 1;
    r->deadline_ns = fri_now_ns() + COLLECT_DEADLINE_NS;
    r->account_ns = -1;
}

static void take_collected(run *r, const fri_init_report *report)
{
    r->end.uncollected = !report->all_collected;
    r->over = 1;
}

static void take_start(run *r, const fri_init_report *report)
{
    fri_keeper_event started;
    memset(&started, 0, sizeof(started));
    started.type = FRI_KEEPER_STARTED;
    started.at_ns = report->at_ns;
    r->started = 1;
    if (!r->stopping) {
        int64_t cpu_ns = r->keeper->config->cpu_ns;
        r->deadline_ns = report->at_ns + r->timeout_ns;
        r->account_ns = cpu_ns ? next_account(report->at_ns, cpu_ns) : -1;
    }
    send_event(r, &started);
}

static void on_report(run *r)
{
    fri_init_report report;
    ssize_t n = read(r->keeper->init.status, &report, sizeof(report));
    if (n != sizeof(report))
        return;
    if (report.type == FRI_INIT_PREPARED)
        r->prepared = 1;
    else if (report.type == FRI_INIT_STARTED)
        take_start(r, &report);
    else if (report.type == FRI_INIT_EXITED)
        take_exit(r, &report);
    else if (report.type == FRI_INIT_COLLECTED)
        take_collected(r, &report);
    else {
        set_failure(&r->end, &report.failure);
        r->over = 1;
    }
}

static void kill_for_library(run *r)
{
    if (r->stopping || r->exited)
        return;
    r->end.killed = 1;
    stop_run(r);
}

static void on_library_gone(run *r)
{
    r->library_gone = 1;
    if (r->exited)
        kill_run(r);
    else
        kill_for_library(r);
}

static void on_request(run *r)
{
    fri_keeper_request request;
    ssize_t n = recv(FRI_KEEPER_SOCKET_FD, &request, sizeof(request), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        on_library_gone(r);
    else if (request.type == FRI_KEEPER_KILL)
        kill_for_library(r);
}

/* An init that is still preparing listens for other things. */
static void on_deadline(run *r)
{
    if (r->exited) {
        kill_run(r);
        return;
    }
    r->end.timed_out |= !r->stopping;
    if (r->stopping || r->preparing)
        kill_run(r);
    else
        stop_run(r);
}

/* The next of the two moments; -1: neither comes. */
static int64_t next_moment(const run *r)
{
    int64_t a = r->deadline_ns, b = r->account_ns;
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void on_moment(run *r)
{
    int64_t now = fri_now_ns();
    if (r->account_ns >= 0 && now >= r->account_ns)
        account(r);
    if (r->deadline_ns >= 0 && now >= r->deadline_ns)
        on_deadline(r);
}

/* Init is dead or about to be. Reaping it last keeps its pidfd and the namespace's end in order. */
static void reap(run *r)
{
    fri_keeper *k = r->keeper;
    int status;
    struct rusage usage;
    memset(&usage, 0, sizeof(usage));
    while (wait4(k->init.pid, &status, __WALL, &usage) < 0 && errno == EINTR)
        ;
    if (!r->over && !r->exited) {
        r->end.type = FRI_KEEPER_ENDED;
        r->end.at_ns = fri_now_ns();
        r->end.uncollected = 1;
        r->end.lost = !r->end.timed_out && !r->end.cpu_used_up && !r->end.killed;
        r->end.user_ns = fri_timeval_ns(usage.ru_utime);
        r->end.system_ns = fri_timeval_ns(usage.ru_stime);
        r->end.peak_memory = (int64_t)usage.ru_maxrss * 1024;
        measure(r);
    }
    fri_keeper_forget_init(k);
}

static int has_report(const fri_prepared_init *init)
{
    struct pollfd report = {.fd = init->status, .events = POLLIN};
    return poll(&report, 1, 0) > 0 && report.revents & POLLIN;
}

/* Until the end, or while preparing until init waits for its job. */
static void watch(run *r)
{
    const fri_prepared_init *init = &r->keeper->init;
    struct pollfd fds[] = {
        {.fd = init->status, .events = POLLIN},
        {.fd = init->pidfd, .events = POLLIN},
        {.events = POLLIN},
        {.fd = FRI_KEEPER_HOST_FD, .events = POLLIN},
    };
    while (!r->over && !(r->preparing && r->prepared)) {
        /* A request that comes while the next init is being prepared waits for it. */
        fds[2].fd = r->library_gone || r->preparing ? -1 : FRI_KEEPER_SOCKET_FD;
        int n = poll(fds, 4, fri_poll_timeout(next_moment(r)));
        if (n == 0)
            on_moment(r);
        if (n <= 0)
            continue;
        /* What init said before it died counts, so the pipe comes before the pidfd. */
        if (fds[0].revents & POLLIN || (fds[1].revents & POLLIN && has_report(init)))
            on_report(r);
        else if (fds[1].revents & POLLIN)
            break;
        else if (fds[0].revents)
            fds[0].fd = -1; /* closed by init's death, which its pidfd will tell */
        if (fds[2].revents && !r->over)
            on_request(r);
        if (fds[3].revents) {
            fds[3].fd = -1;
            on_library_gone(r);
        }
    }
}

static run new_run(fri_keeper *k)
{
    run r = {.keeper = k, .deadline_ns = fri_now_ns() + SETUP_DEADLINE_NS, .account_ns = -1};
    return r;
}

static int prepare(fri_keeper *k, fri_failure *f)
{
    if (fri_keeper_clone_init(k, f))
        return -1;
    run r = new_run(k);
    r.preparing = 1;
    watch(&r);
    if (r.prepared)
        return 0;
    reap(&r);
    if (r.end.type == FRI_KEEPER_FAILED) {
        f->sys_errno = r.end.sys_errno;
        memcpy(f->step, r.end.step, sizeof(f->step));
        return -1;
    }
    errno = r.end.timed_out ? ETIMEDOUT : ECHILD;
    return fri_failed(f, "prepare a run");
}

/* Whether the prepared init is still there: the kernel may have killed it for want of memory. */
static int is_alive(const fri_prepared_init *init)
{
    struct pollfd dead = {.fd = init->pidfd, .events = POLLIN};
    return init->pid > 0 && poll(&dead, 1, 0) == 0;
}

int fri_keeper_ensure_init(fri_keeper *k, fri_failure *f)
{
    if (is_alive(&k->init))
        return 0;
    if (k->init.pid > 0) {
        run dead = new_run(k);
        reap(&dead);
    }
    return prepare(k, f);
}

static int give_job(fri_keeper *k, const fri_keeper_request *request, const int fds[FRI_JOB_FDS],
                    fri_failure *f)
{
    if (request->language >= k->config->language_count) {
        errno = EINVAL;
        return fri_failed(f, "find language %u", request->language);
    }
    if (fri_keeper_ensure_init(k, f))
        return -1;
    fri_groups_mark(&k->groups);
    const fri_job job = {request->language, k->groups.memory_by, k->groups.accounting_by};
    /* Should init be dead, watch() will see it. */
    int count = fds[FRI_JOB_INPUTS] < 0 ? FRI_JOB_FDS - 1 : FRI_JOB_FDS;
    if (fri_send_fds(k->init.control, &job, sizeof(job), fds, count) >= 0 || errno == EPIPE ||
        errno == ECONNRESET)
        return 0;
    return fri_failed(f, "give a run its job");
}

/* One init from job to reaping. Returns whether it was killed from outside before the code started:
 * nothing has run then, and another init can have the job. */
static int run_once(run *r, const fri_keeper_request *request, const int fds[FRI_JOB_FDS], int last)
{
    fri_failure f;
    memset(&f, 0, sizeof(f));
    r->timeout_ns = request->timeout_ns;
    if (give_job(r->keeper, request, fds, &f)) {
        set_failure(&r->end, &f);
        send_event(r, &r->end);
        return 0;
    }
    watch(r);
    int over = r->over, again = !over && !r->started && !r->stopping && !last;
    if (over)
        send_event(r, &r->end); /* it need not wait for the kernel's cleaning up */
    reap(r);
    if (!over && !again)
        send_event(r, &r->end);
    return again;
}

int fri_keeper_run(fri_keeper *k, const fri_keeper_request *request, const int fds[FRI_JOB_FDS])
{
    run r = new_run(k);
    if (run_once(&r, request, fds, 0)) {
        r = new_run(k);
        run_once(&r, request, fds, 1);
    }
    return r.library_gone;
}

void fri_keeper_stop(fri_keeper *k)
{
    if (k->init.pid <= 0)
        return;
    run r = new_run(k);
    kill_run(&r);
    reap(&r);
}
