/* SPDX-License-Identifier: MIT */
#ifndef FR_KEEPER_SYS_H
#define FR_KEEPER_SYS_H

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* System calls the C library has no wrapper for. All return -1 with errno set. */

static inline pid_t sys_clone3(struct clone_args *args)
{
    return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

static inline int sys_close_range(unsigned first, unsigned last, unsigned flags)
{
    return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int sys_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static inline int sys_pidfd_kill(int pidfd, int sig)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int sys_fsopen(const char *type)
{
    return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static inline int sys_fsconfig_string(int fs, const char *key, const char *value)
{
    return (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0);
}

static inline int sys_fsconfig_create(int fs)
{
    return (int)syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

static inline int sys_fsmount(int fs, unsigned attributes)
{
    return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes);
}

static inline int sys_open_tree(int dir, const char *path, unsigned flags)
{
    return (int)syscall(SYS_open_tree, dir, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
}

static inline int sys_move_mount(int mnt, int dir, const char *path)
{
    return (int)syscall(SYS_move_mount, mnt, "", dir, path, MOVE_MOUNT_F_EMPTY_PATH);
}

static inline int sys_mount_setattr(int mnt, unsigned flags, uint64_t attributes)
{
    struct mount_attr attr = {.attr_set = attributes};
    return (int)syscall(SYS_mount_setattr, mnt, "", flags, &attr, sizeof(attr));
}

#endif
