/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. This is process 1 of a run. Before there is anything to run it makes the run's
 * world from inside the new namespaces; then it waits for the job. With that it puts the code in place,
 * gives up every privilege, starts the program as process 2 and waits. When the program has ended it
 * kills and reaps whatever else is left, and only then reports, so that at the time of the report
 * nothing of the run is alive but itself; last it collects the files. When it dies, the kernel kills all of the pid namespace; it
 * dies with the keeper (PR_SET_PDEATHSIG), or by the keeper's hand at the deadline.
 *
 * The program cannot end it (the kernel drops signals to process 1 that it does not handle; all it
 * can do is to wake it with SIGCHLD), nor look into it (it is not dumpable). Its report travels on a
 * pipe the program does not have.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/sandbox/fd_message.h"
#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

/* The program's descriptors: stdin, stdout, stderr, and the one it says its version on. */
#define STREAMS 4

/* What init has besides its orders. */
typedef struct init {
    fri_launch l;
    int oom_score_adj; /* open for writing, from the host's /proc, or -1 */
    int child_ended;   /* readable when one has */
    int code_mount;
    int fds[FRI_JOB_FDS]; /* of the job */
    fri_job job;
    fri_placed_files placed;
    int work; /* the working directory */
} init;

static void report(const init *in, const fri_init_report *r)
{
    fri_write_all(in->l.status, r, sizeof(*r)); /* at most PIPE_BUF: whole or not at all */
}

static void report_type(const init *in, int type)
{
    fri_init_report r;
    memset(&r, 0, sizeof(r));
    r.type = type;
    r.at_ns = fri_now_ns();
    report(in, &r);
}

static _Noreturn void report_failure(const init *in, const fri_failure *f)
{
    fri_init_report r;
    memset(&r, 0, sizeof(r));
    r.type = FRI_INIT_FAILED;
    r.failure = *f;
    report(in, &r);
    _exit(1);
}

/* What was inherited from the keeper or the launcher, its socket to the library above all, is none
 * of the run's affair. */
static int close_others(const fri_launch *l, fri_failure *f)
{
    unsigned low = (unsigned)(l->status < l->control ? l->status : l->control);
    unsigned high = (unsigned)(l->status < l->control ? l->control : l->status);
    if ((low > 0 && sys_close_range(0, low - 1, 0)) ||
        (high > low + 1 && sys_close_range(low + 1, high - 1, 0)) ||
        sys_close_range(high + 1, ~0U, 0))
        return fri_failed(f, "close inherited descriptors");
    return 0;
}

static int watch_children(init *in, fri_failure *f)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    in->child_ended = signalfd(-1, &ended, SFD_CLOEXEC);
    return in->child_ended < 0 ? fri_failed(f, "watch the run's processes") : 0;
}

static int become_user(fri_failure *f)
{
    if (setresgid(FRI_SANDBOX_UID, FRI_SANDBOX_UID, FRI_SANDBOX_UID) ||
        setresuid(FRI_SANDBOX_UID, FRI_SANDBOX_UID, FRI_SANDBOX_UID))
        return fri_failed(f, "become the run's user");
    return 0;
}

/* Kernel: a change of user clears the parent-death signal, so it comes after; and the keeper may be
 * dead by then, which its closed end of the socket tells. */
static int die_with_keeper(const fri_launch *l, fri_failure *f)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL))
        return fri_failed(f, "arrange to die with the keeper");
    struct pollfd keeper = {.fd = l->control};
    if (poll(&keeper, 1, 0) > 0 && keeper.revents & POLLHUP)
        _exit(1);
    return 0;
}

static int await_go(const fri_launch *l)
{
    char go;
    ssize_t n;
    do
        n = recv(l->control, &go, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 1 ? 0 : -1;
}

/* Everything that does not depend on the code. */
static int prepare(init *in, fri_failure *f)
{
    const fri_launch *l = &in->l;
    if (close_others(l, f))
        return -1;
    if (watch_children(in, f))
        return -1;
    /* Before the change of user, after which /proc/self is root's. */
    in->oom_score_adj = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (await_go(l))
        _exit(1);
    if (become_user(f) || die_with_keeper(l, f))
        return -1;
    if (prctl(PR_SET_DUMPABLE, 0))
        return fri_failed(f, "become undumpable");
    if (sethostname("sandbox", 7))
        return fri_failed(f, "set the host name");
    if (!l->config->network && fri_loopback_up(f))
        return -1;
    if (fri_rootfs_enter(l, &in->code_mount, f) || fri_lock_privileges(f))
        return -1;
    if (await_go(l))
        _exit(1);
    /* From inside its group, so that this is the root it sees and no name of ours shows. */
    if (unshare(CLONE_NEWCGROUP))
        return fri_failed(f, "create a cgroup namespace");
    return 0;
}

static int await_job(init *in)
{
    ssize_t n = fri_receive_fds(in->l.control, &in->job, sizeof(in->job), in->fds, FRI_JOB_FDS);
    return n == sizeof(in->job) ? 0 : -1;
}

/* When memory runs out a run goes first. Best effort: a memory limit of its own is what protects the
 * host, this only helps where there is none. */
static void prefer_for_oom_killer(init *in)
{
    if (in->oom_score_adj < 0)
        return;
    fri_write_all(in->oom_score_adj, "1000", 4);
    close(in->oom_score_adj);
}

static int take_job(init *in, fri_failure *f)
{
    const fri_keeper_config *c = in->l.config;
    const char *file = fri_keeper_text(c, c->languages[in->job.language].file);
    prefer_for_oom_killer(in);
    if (fri_rootfs_put_code(in->code_mount, file, in->fds[FRI_JOB_CODE], f) ||
        fri_drop_privileges(f))
        return -1;
    if (in->fds[FRI_JOB_INPUTS] >= 0 && fri_place_inputs(in->fds[FRI_JOB_INPUTS], &in->placed, f))
        return -1;
    in->work = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (in->work < 0)
        return fri_failed(f, "open the working directory");
    return fri_set_rlimits(c, &in->job, f);
}

static int connect_streams(const init *in, fri_failure *f)
{
    int from[STREAMS] = {open("/dev/null", O_RDONLY | O_CLOEXEC), in->fds[FRI_JOB_OUT],
                         in->fds[FRI_JOB_ERR], in->fds[FRI_JOB_VERSION]};
    unsigned count = in->l.config->languages[in->job.language].says_version ? STREAMS : STREAMS - 1;
    if (from[0] < 0)
        return fri_failed(f, "open /dev/null");
    /* All out of the way of their places first, whatever numbers they have: dup2 onto itself would
     * leave a descriptor close-on-exec. */
    for (unsigned i = 0; i < count; i++)
        if ((from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, STREAMS)) < 0)
            return fri_failed(f, "move the program's streams");
    for (unsigned i = 0; i < count; i++)
        if (dup2(from[i], (int)i) < 0)
            return fri_failed(f, "connect the program's streams");
    if (sys_close_range(count, ~0U, CLOSE_RANGE_CLOEXEC))
        return fri_failed(f, "close inherited descriptors");
    return 0;
}

/* Strings that stand one behind the other. */
static void split_args(const char *at, uint32_t argc, const char *argv[])
{
    for (uint32_t i = 0; i < argc; i++) {
        argv[i] = at;
        at += strlen(at) + 1;
    }
    argv[argc] = NULL;
}

/* Runs in init's memory, on a stack of its own, so it changes no variable there. Init stands still until
 * this has become the program, and is deaf to the keeper for so long. */
static int program(void *arg)
{
    const init *parent = arg;
    init own = *parent, *in = &own;
    static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                      "HOME=/work",
                                      "TMPDIR=/tmp",
                                      "USER=nobody",
                                      "LANG=C.UTF-8",
                                      NULL};
    const char *argv[FRI_KEEPER_MAX_ARGS + 1];
    fri_failure f;
    memset(&f, 0, sizeof(f));
    const fri_keeper_config *config = in->l.config;
    const fri_keeper_language *language = &config->languages[in->job.language];
    const char *path = fri_keeper_text(config, language->args);
    split_args(path, language->argc, argv);
    umask(022);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* The status pipe must survive under a number that the streams do not take. */
    in->l.status = fcntl(in->l.status, F_DUPFD_CLOEXEC, STREAMS);
    if (in->l.status < 0) {
        fri_failed(&f, "keep the way to report");
        report_failure(parent, &f);
    }
    if (setsid() < 0)
        fri_failed(&f, "start a session");
    else if (connect_streams(in, &f) == 0 && fri_restrict_paths(&f) == 0 &&
             fri_set_filter(&f) == 0) {
        execve(path, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
        fri_failed(&f, "execute %s", path);
    }
    report_failure(in, &f);
}

/* Takes in every process that has ended; 1 when the program, with *status, is among them. */
static int reap_ended(pid_t program, int *status)
{
    int found = 0, ended_status;
    for (pid_t ended; (ended = waitpid(-1, &ended_status, __WALL | WNOHANG)) > 0;)
        if (ended == program) {
            *status = ended_status;
            found = 1;
        }
    return found;
}

/* Until the program has ended, by itself or because the keeper says so. */
static int await_program(const init *in, pid_t program)
{
    int status = 0;
    struct signalfd_siginfo seen;
    struct pollfd fds[] = {{.fd = in->child_ended, .events = POLLIN},
                           {.fd = in->l.control, .events = POLLIN}};
    while (!reap_ended(program, &status)) {
        if (poll(fds, 2, -1) < 0)
            continue;
        if (fds[1].revents) {
            fds[1].fd = -1;
            kill(-1, SIGKILL);
        }
        if (fds[0].revents)
            read(in->child_ended, &seen, sizeof(seen));
    }
    return status;
}

/* Watches the program, then ends and reaps what it left behind. */
static void watch(const init *in, pid_t program)
{
    fri_init_report r;
    memset(&r, 0, sizeof(r));
    r.type = FRI_INIT_EXITED;
    r.wait_status = await_program(in, program);
    r.at_ns = fri_now_ns();
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
        ;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    r.user_ns = fri_timeval_ns(usage.ru_utime);
    r.system_ns = fri_timeval_ns(usage.ru_stime);
    r.max_rss = (int64_t)usage.ru_maxrss * 1024;
    report(in, &r);
}

static void collect(const init *in)
{
    fri_init_report r;
    memset(&r, 0, sizeof(r));
    r.type = FRI_INIT_COLLECTED;
    r.all_collected = fri_collect_outputs(in->fds[FRI_JOB_OUTPUTS], in->work, &in->placed);
    report(in, &r);
}

void fri_init(const fri_launch *l)
{
    init in = {.l = *l, .oom_score_adj = -1, .child_ended = -1, .code_mount = -1};
    fri_failure f;
    memset(&f, 0, sizeof(f));
    if (prepare(&in, &f))
        report_failure(&in, &f);
    report_type(&in, FRI_INIT_PREPARED);
    if (await_job(&in))
        _exit(0);
    if (take_job(&in, &f))
        report_failure(&in, &f);
    report_type(&in, FRI_INIT_STARTED);
    static char stack[32768] __attribute__((aligned(16)));
    pid_t pid = clone(program, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &in);
    if (pid < 0) {
        fri_failed(&f, "start the program");
        report_failure(&in, &f);
    }
    for (int i = 0; i < FRI_JOB_FDS; i++)
        if (i != FRI_JOB_OUTPUTS && in.fds[i] >= 0)
            close(in.fds[i]);
    watch(&in, pid);
    collect(&in);
    _exit(0);
}
