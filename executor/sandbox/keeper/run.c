/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. One run is a loop over three descriptors: the library's socket (kill, or gone),
 * the pipe on which init reports, and init's pidfd (dead). The deadline is the one for setting up
 * until init has reported the start, from then on the code's own. Init's report of the end already
 * means that nothing else is alive, so the library hears of it at once, and the rest of the kernel's
 * cleaning up happens while it goes on.
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

#define SETUP_DEADLINE_NS (30 * FRI_NS_PER_S)

typedef struct run {
    fri_keeper *keeper;
    int64_t timeout_ns;
    int64_t deadline_ns; /* -1 once it has been killed */
    pid_t pid;
    int pidfd;
    int status; /* where init reports */
    int gate;   /* open as long as the keeper lives */
    int library_gone;
    fri_keeper_event end; /* what the library will hear */
    int over;             /* `end` is complete */
} run;

static void send_event(run *r, const fri_keeper_event *event)
{
    if (send(FRI_KEEPER_SOCKET_FD, event, sizeof(*event), MSG_NOSIGNAL) < 0)
        r->library_gone = 1;
}

static void kill_run(run *r)
{
    pidfd_send_signal(r->pidfd, SIGKILL, NULL, 0);
    r->deadline_ns = -1;
}

static void set_failure(fri_keeper_event *event, const fri_failure *f)
{
    event->type = FRI_KEEPER_FAILED;
    event->sys_errno = f->sys_errno;
    memcpy(event->step, f->step, sizeof(event->step));
}

static void measure(run *r)
{
    int64_t peak;
    fri_groups_measure(&r->keeper->groups, &peak, &r->end.oom_events);
    if (peak >= 0)
        r->end.peak_memory = peak;
}

static void take_exit(run *r, const fri_init_report *report)
{
    r->end.type = FRI_KEEPER_ENDED;
    r->end.at_ns = report->at_ns;
    r->end.wait_status = report->wait_status;
    r->end.user_ns = report->user_ns;
    r->end.system_ns = report->system_ns;
    r->end.peak_memory = report->max_rss;
    measure(r);
    r->over = 1;
}

static void take_start(run *r, const fri_init_report *report)
{
    fri_keeper_event started;
    memset(&started, 0, sizeof(started));
    started.type = FRI_KEEPER_STARTED;
    started.at_ns = report->at_ns;
    if (r->deadline_ns >= 0)
        r->deadline_ns = report->at_ns + r->timeout_ns;
    send_event(r, &started);
}

static void on_report(run *r)
{
    fri_init_report report;
    ssize_t n = read(r->status, &report, sizeof(report));
    if (n != sizeof(report))
        return;
    if (report.type == FRI_INIT_STARTED)
        take_start(r, &report);
    else if (report.type == FRI_INIT_EXITED)
        take_exit(r, &report);
    else {
        set_failure(&r->end, &report.failure);
        r->over = 1;
    }
}

static void on_request(run *r)
{
    fri_keeper_request request;
    ssize_t n = recv(FRI_KEEPER_SOCKET_FD, &request, sizeof(request), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        r->library_gone = 1;
    if (r->deadline_ns >= 0 && (n <= 0 || request.type == FRI_KEEPER_KILL)) {
        r->end.killed = 1;
        kill_run(r);
    }
}

static void on_deadline(run *r)
{
    r->end.timed_out = 1;
    kill_run(r);
}

static int64_t nanoseconds(struct timeval t)
{
    return (int64_t)t.tv_sec * FRI_NS_PER_S + (int64_t)t.tv_usec * 1000;
}

/* Init is dead or about to be. Reaping it last keeps its pidfd and the namespace's end in order. */
static void reap(run *r)
{
    int status;
    struct rusage usage;
    pid_t pid;
    do
        pid = wait4(r->pid, &status, __WALL, &usage);
    while (pid < 0 && errno == EINTR);
    if (r->over || pid < 0)
        return;
    r->end.type = FRI_KEEPER_ENDED;
    r->end.at_ns = fri_now_ns();
    r->end.lost = !r->end.timed_out && !r->end.killed;
    r->end.user_ns = nanoseconds(usage.ru_utime);
    r->end.system_ns = nanoseconds(usage.ru_stime);
    r->end.peak_memory = (int64_t)usage.ru_maxrss * 1024;
    measure(r);
}

static void watch(run *r)
{
    struct pollfd fds[3] = {
        {.fd = r->status, .events = POLLIN},
        {.fd = r->pidfd, .events = POLLIN},
        {.fd = FRI_KEEPER_SOCKET_FD, .events = POLLIN},
    };
    while (!r->over) {
        fds[2].fd = r->library_gone ? -1 : FRI_KEEPER_SOCKET_FD;
        int n = poll(fds, 3, fri_poll_timeout(r->deadline_ns));
        if (n == 0)
            on_deadline(r);
        if (n <= 0)
            continue;
        /* What init said before it died counts, so the pipe comes before the pidfd. */
        if (fds[0].revents & POLLIN)
            on_report(r);
        else if (fds[1].revents & POLLIN)
            break;
        if (fds[2].revents && !r->over)
            on_request(r);
    }
}

static void close_fds(const int *fds, int n)
{
    for (int i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static int clone_run(run *r, uint32_t language, const fri_run_fds *fds, fri_failure *f)
{
    fri_keeper *k = r->keeper;
    const fri_launch l = {k->config, &k->groups, *fds, language};
    r->pid = k->launcher.socket >= 0 ? fri_launcher_clone(&k->launcher, language, fds, f)
                                     : fri_launch_run(&l, 0, f);
    if (r->pid < 0)
        return -1;
    r->pidfd = pidfd_open(r->pid, 0);
    if (r->pidfd < 0)
        fri_failed(f, "watch the run");
    else if (fri_map_user(r->pid, r->gate, f) == 0)
        return 0;
    kill(r->pid, SIGKILL); /* not reaped yet, so the number is still its own */
    r->over = 1;
    reap(r);
    return -1;
}

/* Clones the run and opens its gate; from then on it is to be watched. */
static int begin(run *r, const fri_keeper_request *request, fri_run_fds *fds, fri_failure *f)
{
    int status[2], gate[2];
    if (request->language >= r->keeper->config->language_count) {
        errno = EINVAL;
        return fri_failed(f, "find language %u", request->language);
    }
    if (pipe2(status, O_CLOEXEC))
        return fri_failed(f, "make a pipe");
    r->status = status[0];
    fds->status = status[1];
    if (pipe2(gate, O_CLOEXEC))
        return fri_failed(f, "make a pipe");
    r->gate = gate[1];
    fds->gate = gate[0];
    if (fri_groups_begin(&r->keeper->groups, r->keeper->config, f))
        return -1;
    return clone_run(r, request->language, fds, f);
}

/* One run from request to reaping. Returns whether the library is still there. */
static int serve_run(fri_keeper *k, const fri_keeper_request *request, const int given[3])
{
    run r = {.keeper = k,
             .timeout_ns = request->timeout_ns,
             .deadline_ns = fri_now_ns() + SETUP_DEADLINE_NS,
             .pidfd = -1,
             .status = -1,
             .gate = -1};
    fri_run_fds fds = {given[0], given[1], given[2], -1, -1};
    fri_failure f;
    memset(&f, 0, sizeof(f));
    int failed = begin(&r, request, &fds, &f);
    /* From here only the run holds these, so that its end is the end of its output. */
    const int handed[] = {fds.code, fds.out, fds.err, fds.status, fds.gate};
    close_fds(handed, 5);
    if (failed) {
        set_failure(&r.end, &f);
    } else {
        watch(&r);
        if (r.over)
            send_event(&r, &r.end);
        reap(&r);
    }
    if (failed || !r.over)
        send_event(&r, &r.end);
    const int ours[] = {r.pidfd, r.status, r.gate};
    close_fds(ours, 3);
    fri_groups_end(&k->groups);
    return !r.library_gone;
}

void fri_keeper_serve(fri_keeper *k)
{
    for (;;) {
        fri_keeper_request request;
        int fds[3];
        ssize_t n = fri_receive_fds(FRI_KEEPER_SOCKET_FD, &request, sizeof(request), fds, 3);
        if (n <= 0)
            return;
        /* A kill that crossed the end of its run on the way. */
        if (request.type != FRI_KEEPER_RUN)
            continue;
        if (!serve_run(k, &request, fds))
            return;
    }
}
