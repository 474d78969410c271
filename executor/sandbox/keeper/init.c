/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. This is process 1 of a run: it makes the run's world from inside the new
 * namespaces, gives up every privilege, starts the program as process 2 and waits. When the program
 * has ended it kills and reaps whatever else is left, and only then reports, so that at the time of
 * the report nothing of the run is alive but itself. When it dies, the kernel kills all of the pid
 * namespace; it dies with the keeper (PR_SET_PDEATHSIG), or by the keeper's hand at the deadline.
 *
 * The program can neither signal it (the kernel drops signals to process 1 that it does not handle)
 * nor look into it (it is not dumpable). Its report travels on a pipe the program does not have.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

static void report(const fri_launch *l, const fri_init_report *r)
{
    fri_write_all(l->fds.status, r, sizeof(*r)); /* at most PIPE_BUF: whole or not at all */
}

static _Noreturn void report_failure(const fri_launch *l, const fri_failure *f)
{
    fri_init_report r;
    memset(&r, 0, sizeof(r));
    r.type = FRI_INIT_FAILED;
    r.failure = *f;
    report(l, &r);
    _exit(1);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* What was inherited from the keeper or the launcher, its socket to the library above all, is none
 * of the run's affair. */
static int close_others(const fri_run_fds *r, fri_failure *f)
{
    int keep[] = {r->code, r->out, r->err, r->status, r->gate};
    const int n = sizeof(keep) / sizeof(keep[0]);
    qsort(keep, (size_t)n, sizeof(keep[0]), by_value);
    int from = 0;
    for (int i = 0; i < n; i++) {
        if (keep[i] > from && close_range((unsigned)from, (unsigned)keep[i] - 1, 0))
            return fri_failed(f, "close inherited descriptors");
        from = keep[i] + 1;
    }
    if (close_range((unsigned)from, ~0U, 0))
        return fri_failed(f, "close inherited descriptors");
    return 0;
}

static int become_user(fri_failure *f)
{
    if (setresgid(FRI_SANDBOX_UID, FRI_SANDBOX_UID, FRI_SANDBOX_UID) ||
        setresuid(FRI_SANDBOX_UID, FRI_SANDBOX_UID, FRI_SANDBOX_UID))
        return fri_failed(f, "become the run's user");
    return 0;
}

/* Kernel: a change of user clears the parent-death signal, so it comes after; and the keeper may be
 * dead by then, which its closed end of the gate tells. */
static int die_with_keeper(const fri_launch *l, fri_failure *f)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL))
        return fri_failed(f, "arrange to die with the keeper");
    struct pollfd gate = {.fd = l->fds.gate};
    if (poll(&gate, 1, 0) > 0 && gate.revents & POLLHUP)
        _exit(1);
    return 0;
}

/* When memory runs out a run goes first. Best effort: a memory limit of its own is what protects the
 * host, this only helps where there is none. */
static void prefer_for_oom_killer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    fri_write_all(fd, "1000", 4);
    close(fd);
}

static int prepare(const fri_launch *l, fri_failure *f)
{
    char open_gate;
    prefer_for_oom_killer();
    if (close_others(&l->fds, f))
        return -1;
    if (read(l->fds.gate, &open_gate, 1) != 1)
        _exit(1);
    if (become_user(f) || die_with_keeper(l, f))
        return -1;
    if (sethostname("sandbox", 7))
        return fri_failed(f, "set the host name");
    if (!l->config->network && fri_loopback_up(f))
        return -1;
    if (fri_rootfs_enter(l, f) || fri_drop_privileges(f))
        return -1;
    if (prctl(PR_SET_DUMPABLE, 0))
        return fri_failed(f, "become undumpable");
    return fri_set_rlimits(l, f);
}

static int connect_streams(const fri_launch *l, fri_failure *f)
{
    int from[3] = {open("/dev/null", O_RDONLY | O_CLOEXEC), l->fds.out, l->fds.err};
    /* All out of the way of 0, 1 and 2 first, whatever numbers they have: dup2 onto itself would
     * leave a descriptor close-on-exec. */
    for (int i = 0; i < 3; i++)
        if ((from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3)) < 0)
            return fri_failed(f, "move the program's streams");
    for (int i = 0; i < 3; i++)
        if (dup2(from[i], i) < 0)
            return fri_failed(f, "connect the program's streams");
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC))
        return fri_failed(f, "close inherited descriptors");
    return 0;
}

static void split_args(const fri_keeper_language *language, const char *argv[])
{
    const char *at = language->args;
    uint32_t i = 0;
    for (; i < language->argc && i < FRI_KEEPER_MAX_ARGS; i++) {
        argv[i] = at;
        at += strlen(at) + 1;
    }
    argv[i] = NULL;
}

static _Noreturn void program(fri_launch *l)
{
    static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                      "HOME=/work",
                                      "TMPDIR=/tmp",
                                      "USER=nobody",
                                      "LANG=C.UTF-8",
                                      NULL};
    const char *argv[FRI_KEEPER_MAX_ARGS + 1];
    fri_failure f;
    memset(&f, 0, sizeof(f));
    split_args(&l->config->languages[l->language], argv);
    /* The status pipe must survive under a number that the streams do not take. */
    l->fds.status = fcntl(l->fds.status, F_DUPFD_CLOEXEC, 3);
    if (setsid() < 0)
        fri_failed(&f, "start a session");
    else if (connect_streams(l, &f) == 0 && fri_set_filter(l->config, &f) == 0) {
        execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
        fri_failed(&f, "execute %s", argv[0]);
    }
    report_failure(l, &f);
}

static int64_t nanoseconds(struct timeval t)
{
    return (int64_t)t.tv_sec * FRI_NS_PER_S + (int64_t)t.tv_usec * 1000;
}

/* Waits for the program, then ends and reaps what it left behind. */
static void watch(const fri_launch *l, pid_t pid)
{
    fri_init_report r;
    memset(&r, 0, sizeof(r));
    r.type = FRI_INIT_EXITED;
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, __WALL)) != pid;)
        if (ended < 0 && errno != EINTR)
            _exit(1);
    r.wait_status = status;
    r.at_ns = fri_now_ns();
    kill(-1, SIGKILL);
    while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR)
        ;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    r.user_ns = nanoseconds(usage.ru_utime);
    r.system_ns = nanoseconds(usage.ru_stime);
    r.max_rss = (int64_t)usage.ru_maxrss * 1024;
    report(l, &r);
}

void fri_init(const fri_launch *given)
{
    fri_launch l = *given;
    fri_failure f;
    memset(&f, 0, sizeof(f));
    if (prepare(&l, &f))
        report_failure(&l, &f);
    fri_init_report started;
    memset(&started, 0, sizeof(started));
    started.type = FRI_INIT_STARTED;
    started.at_ns = fri_now_ns();
    report(&l, &started);
    pid_t pid = fork();
    if (pid == 0)
        program(&l);
    if (pid < 0) {
        fri_failed(&f, "fork the program");
        report_failure(&l, &f);
    }
    close(l.fds.out);
    close(l.fds.err);
    watch(&l, pid);
    _exit(0);
}
