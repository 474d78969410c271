/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/keeper_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/str.h"
#include "executor/sandbox/embedded.h"
#include "executor/sandbox/fd_message.h"

/* Longer than the keeper gives itself, so that it can still say what took too long. */
#define READY_DEADLINE_NS (45 * FRI_NS_PER_S)
/* How long it may take to end what runs and tidy up. */
#define END_DEADLINE_NS (10 * FRI_NS_PER_S)

int fri_sealed_memfd(const char *name, fr_str head, fr_str tail, fr_error *err)
{
    FRI_AUTO(fri_closep) int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: make a memory file");
    if (fri_write_all(fd, head.p, head.n) || fri_write_all(fd, tail.p, tail.n))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: fill a memory file");
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: seal a memory file");
    return fri_steal_fd(&fd);
}

static int sysctl_is(const char *path, char value)
{
    char c = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, &c, 1);
    close(fd);
    return n == 1 && c == value;
}

/* Why namespaces are commonly not to be had, and what to do about it. */
static const char *advice(int sys_errno)
{
    if (sysctl_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
        return "AppArmor restricts user namespaces "
               "(kernel.apparmor_restrict_unprivileged_userns=1): give the program a profile with "
               "'userns,' or run it as root";
    if (sysctl_is("/proc/sys/user/max_user_namespaces", '0'))
        return "user namespaces are off (user.max_user_namespaces=0)";
    if (sysctl_is("/proc/sys/kernel/unprivileged_userns_clone", '0'))
        return "unprivileged user namespaces are off (kernel.unprivileged_userns_clone=0)";
    if (sys_errno == ENOSYS)
        return "the kernel is too old; Linux 5.14 or newer is needed";
    if (sys_errno == EPERM || sys_errno == EACCES)
        return "not permitted here; inside a container its own seccomp profile or masked /proc "
               "forbids this";
    return NULL;
}

/* What it means that the keeper could not make a sandbox. */
static int withheld(const char *step, int sys_errno, fr_error *err)
{
    const char *what = NULL;
    if (sys_errno == EPERM || sys_errno == EACCES || sys_errno == ENOSYS || sys_errno == ENOSPC ||
        sys_errno == EINVAL)
        what = advice(sys_errno);
    if (what)
        return fr_fail(err, FR_EUNAVAILABLE, 0, "sandbox: cannot %s (%s): %s", step,
                       strerrorname_np(sys_errno), what);
    return fri_keeper_failure(step, sys_errno, err);
}

int fri_keeper_failure(const char *step, int sys_errno, fr_error *err)
{
    return fr_fail(err, FR_ESYSTEM, sys_errno, "sandbox: cannot %s", step);
}

int fri_keeper_client_is_alive(const fri_keeper_client *k)
{
    struct pollfd fd = {.fd = k->socket};
    return poll(&fd, 1, 0) == 0;
}

int fri_keeper_client_await(fri_keeper_client *k, int cancel_fd, fr_error *err)
{
    if (k->awaited)
        return 0;
    struct pollfd fds[] = {{.fd = k->socket, .events = POLLIN},
                           {.fd = cancel_fd, .events = POLLIN}};
    int64_t deadline = fri_now_ns() + READY_DEADLINE_NS;
    int n;
    while ((n = poll(fds, 2, fri_poll_timeout(deadline))) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        return fr_fail(err, FR_ESYSTEM, n < 0 ? errno : ETIMEDOUT,
                       "sandbox: the keeper does not answer");
    if (fds[1].revents)
        return FRI_KEEPER_CANCELLED;
    if (recv(k->socket, &k->ready, sizeof(k->ready), MSG_DONTWAIT) != sizeof(k->ready))
        return FRI_KEEPER_LOST;
    if (k->ready.failed)
        return withheld(k->ready.step, k->ready.sys_errno, err);
    k->awaited = 1;
    return 0;
}

static int start(fri_keeper_client *k, const fri_sandbox_plan *plan, int theirs, fr_error *err)
{
    FRI_AUTO(fri_closep)
    int image = fri_sealed_memfd(
        "fencerun-keeper",
        fri_str(fri_keeper_image, (size_t)(fri_keeper_image_end - fri_keeper_image)),
        fri_str("", 0), err);
    if (image < 0)
        return FR_ESYSTEM;
    FRI_AUTO(fri_closep)
    int config_fd = fri_sealed_memfd("fencerun-config",
                                     fri_str((const char *)&plan->config, sizeof(plan->config)),
                                     fri_buf_str(&plan->text), err);
    if (config_fd < 0)
        return FR_ESYSTEM;
    FRI_AUTO(fri_closep) int host = pidfd_open(getpid(), 0);
    if (host < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: open a pidfd of this process");
    FRI_AUTO(fri_closep) int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: open /dev/null");
    char name[] = "fencerun-keeper";
    char *const argv[] = {name, NULL};
    char *const envp[] = {NULL};
    const fri_proc_fd fds[] = {{null, 0},
                               {null, 1},
                               {null, 2},
                               {theirs, FRI_KEEPER_SOCKET_FD},
                               {config_fd, FRI_KEEPER_CONFIG_FD},
                               {host, FRI_KEEPER_HOST_FD}};
    const fri_proc_spec spec = {image, argv, envp, fds, sizeof(fds) / sizeof(fds[0])};
    return fri_proc_start(&spec, &k->proc, err);
}

int fri_keeper_client_new(const fri_sandbox_plan *plan, fri_keeper_client **out, fr_error *err)
{
    fri_keeper_client *k = fri_calloc(1, sizeof(*k), err);
    if (!k)
        return FR_ENOMEM;
    k->proc = (fri_proc){-1, -1};
    k->socket = -1;
    int pair[2];
    int rc;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
        rc = fr_fail(err, FR_ESYSTEM, errno, "sandbox: make a socket pair");
    } else {
        k->socket = pair[0];
        rc = start(k, plan, pair[1], err);
        close(pair[1]);
    }
    if (rc) {
        fri_keeper_client_free(k);
        return rc;
    }
    *out = k;
    return 0;
}

void fri_keeper_client_free(fri_keeper_client *k)
{
    if (!k)
        return;
    /* Not only closed: a child of the host program may hold a copy. */
    if (k->socket >= 0)
        shutdown(k->socket, SHUT_RDWR);
    fri_closep(&k->socket);
    if (k->proc.pidfd < 0) {
        fri_free(k);
        return;
    }
    struct pollfd ended = {.fd = k->proc.pidfd, .events = POLLIN};
    int64_t deadline = fri_now_ns() + END_DEADLINE_NS;
    int n;
    while ((n = poll(&ended, 1, fri_poll_timeout(deadline))) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        fri_proc_kill(&k->proc);
    fri_proc_wait(&k->proc);
    fri_free(k);
}

int fri_keeper_client_send(const fri_keeper_client *k, const fri_keeper_request *request,
                           const int *fds, int count, fr_error *err)
{
    if (fri_send_fds(k->socket, request, sizeof(*request), fds, count) >= 0)
        return 0;
    if (errno == EPIPE || errno == ECONNRESET)
        return FRI_KEEPER_LOST;
    return fr_fail(err, FR_ESYSTEM, errno, "sandbox: speak to the keeper");
}

int fri_keeper_client_receive(const fri_keeper_client *k, fri_keeper_event *event, fr_error *err)
{
    ssize_t n;
    do
        n = recv(k->socket, event, sizeof(*event), 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == ECONNRESET) /* unix(7) sockets: closed with unread data */
        return FRI_KEEPER_LOST;
    if (n != sizeof(*event))
        return fr_fail(err, FR_ESYSTEM, n < 0 ? errno : 0,
                       "sandbox: the keeper ended during a run; what the code did is not known");
    return 0;
}
