/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

pid_t fri_launch_run(const fri_launch *l, fri_failure *f)
{
    struct clone_args args = {
        .flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS,
        .exit_signal = SIGCHLD,
    };
    if (!l->config->network)
        args.flags |= CLONE_NEWNET;
    if (l->groups->cgroup2 >= 0) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = (uint64_t)l->groups->cgroup2;
    }
    pid_t pid = sys_clone3(&args);
    if (pid == 0)
        fri_init(l);
    if (pid < 0)
        fri_failed(f, "create user, mount, pid, network, ipc and uts namespaces");
    return pid;
}

static int write_file(pid_t pid, const char *name, const char *text, fri_failure *f)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fri_failed(f, "open %s of the new user namespace", name);
    ssize_t n = write(fd, text, strlen(text));
    int saved = errno;
    close(fd);
    errno = saved;
    return n < 0 ? fri_failed(f, "write %s of the new user namespace", name) : 0;
}

int fri_map_user(pid_t pid, fri_failure *f)
{
    /* Host root is never mapped: a process that is kuid 0 may write what root may write, without any
     * capability (/proc/sys/kernel/core_pattern, for one). */
    unsigned uid = geteuid(), gid = getegid();
    char uid_map[64], gid_map[64];
    snprintf(uid_map, sizeof(uid_map), "%d %u 1\n", FRI_SANDBOX_UID, uid ? uid : FRI_SANDBOX_UID);
    snprintf(gid_map, sizeof(gid_map), "%d %u 1\n", FRI_SANDBOX_UID, uid ? gid : FRI_SANDBOX_UID);
    if (write_file(pid, "setgroups", "deny", f) || write_file(pid, "uid_map", uid_map, f))
        return -1;
    return write_file(pid, "gid_map", gid_map, f);
}
