/* SPDX-License-Identifier: MIT */
#ifndef FR_KEEPER_SYS_H
#define FR_KEEPER_SYS_H

#include <linux/close_range.h>
#include <linux/sched.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* System calls glibc has no wrapper for. Both return -1 with errno set. */

static inline pid_t sys_clone3(struct clone_args *args)
{
    return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}

#endif
