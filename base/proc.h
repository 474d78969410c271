/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_PROC_H
#define FR_BASE_PROC_H

#include <sys/types.h>

#include "fencerun/error.h"

/* A descriptor a child gets, and the number it gets it under. */
typedef struct fri_proc_fd {
    int fd;
    int as;
} fri_proc_fd;

/* What to start. All of it is borrowed until fri_proc_start() returns. */
typedef struct fri_proc_spec {
    int exec_fd;            /* the program, opened with O_CLOEXEC: a file or a sealed memfd */
    char *const *argv;      /* NULL-terminated */
    char *const *envp;      /* NULL-terminated; the whole environment */
    const fri_proc_fd *fds; /* everything else is closed in the child */
    size_t fd_count;
} fri_proc_spec;

typedef struct fri_proc {
    pid_t pid;
    int pidfd; /* close-on-exec */
} fri_proc;

/*
 * Starts a program in a new session, with default signal dispositions and an empty signal mask, in
 * directory "/". Safe in a process with many threads: nothing between clone and exec allocates,
 * locks or runs on copied memory. The host program sees an ordinary child (SIGCHLD, wait); should it
 * reap that itself, fri_proc_wait() still returns when the child has ended.
 * Errors: FR_ESYSTEM, with the child's errno when it could not exec; FR_ENOMEM.
 */
FR_CHECK int fri_proc_start(const fri_proc_spec *spec, fri_proc *out, fr_error *err);

/* Waits for the end and reaps. Returns the wait status, or -1 when somebody else has reaped it.
 * Closes the pidfd. */
int fri_proc_wait(fri_proc *p);

/* SIGKILL, whatever state it is in. */
void fri_proc_kill(const fri_proc *p);

#endif
