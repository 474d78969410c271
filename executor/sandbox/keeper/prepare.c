/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "executor/sandbox/keeper/run.h"
#include "executor/sandbox/keeper/sys.h"

static int go_on(const fri_prepared_init *init, fri_failure *f)
{
    return send(init->control, "", 1, MSG_NOSIGNAL) == 1 ? 0 : fri_failed(f, "let a run go on");
}

/* Whatever is done to an init that has failed by itself fails too; its own report says why. */
static void prefer_its_report(const fri_prepared_init *init, fri_failure *f)
{
    fri_init_report report;
    struct pollfd told = {.fd = init->status, .events = POLLIN};
    if (poll(&told, 1, 0) > 0 && read(init->status, &report, sizeof(report)) == sizeof(report) &&
        report.type == FRI_INIT_FAILED)
        *f = report.failure;
}

/* Init makes its root while its groups are made here, and then waits to be in them. */
static int settle(fri_keeper *k, fri_failure *f)
{
    const fri_prepared_init *init = &k->init;
    if (fri_map_user(init->pid, f) || go_on(init, f))
        return -1;
    return fri_groups_enter(&k->groups, k->config, init->pid, f) ? -1 : go_on(init, f);
}

/* Takes the far ends of the channels, which are closed here in any case. */
static int start(fri_keeper *k, int status, int control, fri_failure *f)
{
    fri_prepared_init *init = &k->init;
    const fri_launch l = {k->config, &k->groups, status, control};
    int rc = fri_groups_begin(&k->groups, k->config, f);
    if (rc == 0 && (init->pid = fri_launch_run(&l, f)) < 0)
        rc = -1;
    close(status);
    close(control);
    if (rc)
        return rc;
    init->pidfd = sys_pidfd_open(init->pid);
    if (init->pidfd < 0)
        rc = fri_failed(f, "watch a run");
    if (rc == 0 && (rc = settle(k, f)))
        prefer_its_report(init, f);
    if (rc) {
        kill(init->pid, SIGKILL); /* not reaped yet, so the number is still its own */
        while (waitpid(init->pid, NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
    return rc;
}

int fri_keeper_clone_init(fri_keeper *k, fri_failure *f)
{
    int status[2], control[2];
    k->init = (fri_prepared_init){0, -1, -1, -1};
    if (pipe2(status, O_CLOEXEC))
        return fri_failed(f, "make a pipe");
    k->init.status = status[0];
    int rc = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control);
    if (rc) {
        fri_failed(f, "make a socket pair");
        close(status[1]);
    } else {
        k->init.control = control[0];
        rc = start(k, status[1], control[1], f);
    }
    if (rc)
        fri_keeper_forget_init(k);
    return rc;
}

void fri_keeper_forget_init(fri_keeper *k)
{
    const int fds[] = {k->init.pidfd, k->init.status, k->init.control};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    k->init = (fri_prepared_init){0, -1, -1, -1};
    fri_groups_end(&k->groups);
}
