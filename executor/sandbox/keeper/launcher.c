/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. In cgroup 1 a process cannot be born into a group, and moving one there can
 * take milliseconds (an RCU grace period). So the keeper, which stays outside the limits, forks one
 * launcher that moves once; each run is cloned by the launcher, inherits its groups, and becomes the
 * keeper's child by CLONE_PARENT, so that it dies with the keeper and is reaped by it. The launcher
 * does nothing else and is tiny beside any run, so that the OOM killer never prefers it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/sandbox/fd_message.h"
#include "executor/sandbox/keeper/keeper.h"

typedef struct reply {
    pid_t pid;
    fri_failure failure;
} reply;

static void serve(int socket, fri_launch *l)
{
    for (;;) {
        char nothing;
        int fds[2];
        if (fri_receive_fds(socket, &nothing, sizeof(nothing), fds, 2) <= 0)
            return;
        l->status = fds[0];
        l->control = fds[1];
        reply r;
        memset(&r, 0, sizeof(r));
        r.pid = fri_launch_run(l, 1, &r.failure);
        close(fds[0]);
        close(fds[1]);
        if (send(socket, &r, sizeof(r), MSG_NOSIGNAL) < 0)
            return;
    }
}

static void launcher_main(int socket, pid_t keeper, fri_launch *l)
{
    reply ready;
    memset(&ready, 0, sizeof(ready));
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != keeper)
        _exit(1);
    if (fri_groups_enter(l->groups, &ready.failure))
        ready.pid = -1;
    if (send(socket, &ready, sizeof(ready), MSG_NOSIGNAL) == sizeof(ready) && ready.pid == 0)
        serve(socket, l);
    _exit(0);
}

static pid_t read_reply(int socket, fri_failure *f)
{
    reply r;
    ssize_t n;
    do
        n = recv(socket, &r, sizeof(r), 0);
    while (n < 0 && errno == EINTR);
    if (n != sizeof(r)) {
        errno = n < 0 ? errno : ECHILD;
        return fri_failed(f, "hear from the process in the cgroups");
    }
    if (r.pid < 0)
        *f = r.failure;
    return r.pid;
}

int fri_launcher_start(fri_launcher *l, const fri_keeper_config *config, const fri_groups *groups,
                       fri_failure *f)
{
    int pair[2];
    pid_t keeper = getpid();
    l->socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return fri_failed(f, "make a socket pair");
    l->pid = fork();
    if (l->pid == 0) {
        close(pair[0]);
        close(FRI_KEEPER_SOCKET_FD);
        fri_launch launch = {.config = config, .groups = groups};
        launcher_main(pair[1], keeper, &launch);
    }
    close(pair[1]);
    l->socket = pair[0];
    if (l->pid < 0)
        return fri_failed(f, "fork");
    return read_reply(l->socket, f);
}

pid_t fri_launcher_clone(const fri_launcher *l, int status, int control, fri_failure *f)
{
    const int fds[] = {status, control};
    if (fri_send_fds(l->socket, "", 1, fds, 2) < 0)
        return fri_failed(f, "reach the process in the cgroups");
    return read_reply(l->socket, f);
}

void fri_launcher_stop(fri_launcher *l)
{
    if (l->socket < 0)
        return;
    close(l->socket);
    l->socket = -1;
    while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
