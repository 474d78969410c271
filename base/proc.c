/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. The child is made by clone(CLONE_VM | CLONE_VFORK): it borrows our memory and
 * our thread stands still until it has called execveat or _exit, so that the size of the host
 * program costs nothing and no half-copied lock is ever seen. It runs on a stack of its own. Signals
 * are blocked meanwhile, since a handler of the host must not run in the child. A failure in the child
 * is an errno left in memory both share. The end is seen on the pidfd, which stays right even when the
 * host program reaps every child it finds.
 */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

#define STACK_SIZE 65536

typedef struct child {
    const fri_proc_spec *spec;
    int exec_fd;
    int highest; /* the first descriptor above all that the child keeps */
    int failed;  /* errno */
} child;

static int reset_signals(void)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    for (int sig = 1; sig < NSIG; sig++)
        if (sigaction(sig, &dfl, NULL) && errno != EINVAL)
            return -1;
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The spec's descriptors were moved above `highest` by the parent, so no dup2 here hits another. */
static int place_descriptors(const child *c, const int *moved)
{
    for (size_t i = 0; i < c->spec->fd_count; i++)
        if (dup2(moved[i], c->spec->fds[i].as) < 0)
            return -1;
    return 0;
}

typedef struct start {
    child c;
    const int *moved;
} start;

static int child_main(void *arg)
{
    start *s = arg;
    child *c = &s->c;
    if (setsid() < 0 || reset_signals() || place_descriptors(c, s->moved) || chdir("/") ||
        close_range((unsigned)c->highest, ~0U, CLOSE_RANGE_CLOEXEC))
        c->failed = errno;
    else {
        execveat(c->exec_fd, "", c->spec->argv, c->spec->envp, AT_EMPTY_PATH);
        c->failed = errno;
    }
    _exit(127);
}

static void close_all(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static int clone_child(start *s, fri_proc *out, fr_error *err)
{
    void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return fr_fail(err, FR_ENOMEM, errno, "no stack for a child process");
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int pidfd = -1;
    pid_t pid = clone(child_main, (char *)stack + STACK_SIZE,
                      CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, s, &pidfd);
    int clone_errno = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    munmap(stack, STACK_SIZE);
    if (pid < 0)
        return fr_fail(err, FR_ESYSTEM, clone_errno, "cannot start a process");
    *out = (fri_proc){pid, pidfd};
    return 0;
}

int fri_proc_start(const fri_proc_spec *spec, fri_proc *out, fr_error *err)
{
    start s = {.c = {.spec = spec, .exec_fd = -1, .highest = 0}};
    for (size_t i = 0; i < spec->fd_count; i++)
        if (spec->fds[i].as >= s.c.highest)
            s.c.highest = spec->fds[i].as + 1;
    FRI_AUTO(fri_freep) int *moved = fri_calloc(spec->fd_count + 1, sizeof(int), err);
    if (!moved)
        return FR_ENOMEM;
    size_t done = 0;
    for (; done <= spec->fd_count; done++) {
        int fd = done < spec->fd_count ? spec->fds[done].fd : spec->exec_fd;
        moved[done] = fcntl(fd, F_DUPFD_CLOEXEC, s.c.highest);
        if (moved[done] < 0) {
            close_all(moved, done);
            return fr_fail(err, FR_ESYSTEM, errno, "cannot hand descriptor %d to a process", fd);
        }
    }
    s.c.exec_fd = moved[spec->fd_count];
    s.moved = moved;
    fri_proc p = {-1, -1};
    int rc = clone_child(&s, &p, err);
    close_all(moved, done);
    if (rc)
        return rc;
    if (s.c.failed) {
        fri_proc_wait(&p);
        return fr_fail(err, FR_ESYSTEM, s.c.failed, "cannot execute %s", spec->argv[0]);
    }
    *out = p;
    return 0;
}

int fri_proc_wait(fri_proc *p)
{
    if (p->pidfd < 0)
        return -1;
    struct pollfd ended = {.fd = p->pidfd, .events = POLLIN};
    while (poll(&ended, 1, -1) < 0 && errno == EINTR)
        ;
    /* By pidfd: should somebody have reaped it, its number may be another child's by now. */
    siginfo_t info = {.si_pid = 0};
    int rc;
    while ((rc = waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED)) < 0 && errno == EINTR)
        ;
    int status = -1;
    if (rc == 0)
        status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
    close(p->pidfd);
    *p = (fri_proc){-1, -1};
    return status;
}

void fri_proc_kill(const fri_proc *p)
{
    if (p->pidfd >= 0)
        pidfd_send_signal(p->pidfd, SIGKILL, NULL, 0);
}
