/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_POLICY_H
#define FR_EXECUTOR_SANDBOX_POLICY_H

/* What a run may ask of the kernel: the lists policy_gen.c makes the filter from. */

/* Work on one's own files, memory, time, processes, signals and sockets. NULL-terminated. Left out,
 * though harmless by intent: memory files and System V shared memory and messages, which would be
 * memory that no limit of a process or file system counts (and memory files would make the missing
 * exec permission of the writable space meaningless); splice and its kin, which have let programs write
 * where they could only read (CVE-2022-0847); the old asynchronous I/O; sync, which is the whole
 * machine's; and inotify, which tells what others do with files both can see, and of which a user has
 * few. Calls with rules for their arguments are in policy_gen.c. */
static const char *const fri_policy_allowed[] = {
    /* files and directories */
    "access", "chdir", "chmod", "chown", "close", "close_range", "copy_file_range", "creat", "dup",
    "dup2", "dup3", "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod",
    "fchmodat", "fchown", "fchownat", "fdatasync", "fgetxattr", "flistxattr", "flock",
    "fremovexattr", "fsetxattr", "fstat", "fstatfs", "fsync", "ftruncate", "futimesat", "getcwd",
    "getdents", "getdents64", "getxattr", "lchown", "lgetxattr", "link", "linkat", "listxattr",
    "llistxattr", "lremovexattr", "lseek", "lsetxattr", "lstat", "mkdir", "mkdirat", "mknod",
    "mknodat", "newfstatat", "open", "openat", "openat2", "pread64", "preadv", "preadv2",
    "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlink", "readlinkat", "readv",
    "removexattr", "rename", "renameat", "renameat2", "rmdir", "sendfile", "setxattr", "stat",
    "statfs", "statx", "symlink", "symlinkat", "sync_file_range", "truncate", "umask", "unlink",
    "unlinkat", "utime", "utimensat", "utimes", "write", "writev",
    /* waiting for many things */
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "pause", "pipe", "pipe2", "poll", "ppoll", "pselect6", "select",
    "signalfd", "signalfd4",
    /* memory */
    "brk", "get_mempolicy", "madvise", "mbind", "membarrier", "mincore", "mlock", "mlock2",
    "mlockall", "mmap", "mprotect", "mremap", "msync", "munlock", "munlockall", "munmap",
    "pkey_alloc", "pkey_free", "pkey_mprotect", "remap_file_pages", "set_mempolicy",
    /* processes and threads */
    "arch_prctl", "execve", "execveat", "exit", "exit_group", "fork", "futex", "futex_waitv",
    "get_robust_list", "get_thread_area", "getcpu", "getegid", "geteuid", "getgid", "getgroups",
    "getpgid", "getpgrp", "getpid", "getppid", "getpriority", "getresgid", "getresuid", "getrlimit",
    "getrusage", "getsid", "gettid", "getuid", "ioprio_get", "kill", "pidfd_open",
    "pidfd_send_signal", "prctl", "restart_syscall", "rseq", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_rr_get_interval", "sched_yield", "set_robust_list",
    "set_thread_area", "set_tid_address", "setfsgid", "setfsuid", "setgid", "setgroups", "setpgid",
    "setregid", "setresgid", "setresuid", "setreuid", "setsid", "setuid", "sysinfo", "tgkill",
    "times", "tkill", "uname", "vfork", "wait4", "waitid",
    /* Landlock and seccomp only ever take rights away */
    "landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self", "seccomp",
    /* signals */
    "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn",
    "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sigaltstack",
    /* time: reading and waiting, never setting */
    "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday",
    "nanosleep", "setitimer", "time", "timer_create", "timer_delete", "timer_getoverrun",
    "timer_gettime", "timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime",
    /* sockets; which families: policy_gen.c */
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen",
    "recvfrom", "recvmmsg", "recvmsg", "sendmmsg", "sendmsg", "sendto", "setsockopt", "shutdown",
    /* System V semaphores and POSIX queues, in the run's own ipc namespace */
    "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend", "mq_unlink",
    "semctl", "semget", "semop", "semtimedop",

    /* random numbers */
    "getrandom", NULL};

/* Refused on purpose: other namespaces, mounts, other processes' memory, the kernel's own machinery,
 * and what has given away kernels before. NULL-terminated. */
static const char *const fri_policy_refused[] = {
    /* namespaces, roots and mounts */
    "chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount",
    "open_tree", "pivot_root", "setns", "umount2", "unshare",
    /* handles that reach around paths (open_by_handle_at: "Shocker") */
    "name_to_handle_at", "open_by_handle_at",
    /* other processes */
    "kcmp", "pidfd_getfd", "process_madvise", "process_mrelease", "process_vm_readv",
    "process_vm_writev", "ptrace",
    /* kernel machinery with a history */
    "add_key", "bpf", "fanotify_init", "fanotify_mark", "io_uring_enter", "io_uring_register",
    "io_uring_setup", "keyctl", "lookup_dcookie", "memfd_secret", "modify_ldt", "move_pages",
    "migrate_pages", "perf_event_open", "request_key", "userfaultfd",
    /* the machine */
    "acct", "adjtimex", "clock_adjtime", "clock_settime", "delete_module", "finit_module",
    "init_module", "ioperm", "iopl", "ioprio_set", "kexec_file_load", "kexec_load", "nfsservctl",
    "quotactl", "quotactl_fd", "reboot", "setdomainname", "sethostname", "settimeofday", "swapoff",
    "swapon", "syslog", "vhangup", "_sysctl", "uselib", "ustat", "sysfs", NULL};

#endif
