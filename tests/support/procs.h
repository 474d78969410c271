/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_PROCS_H
#define TESTS_SUPPORT_PROCS_H

#include <stddef.h>
#include <sys/types.h>

/* The process tree from outside, for tests of what lives and dies with what. */

/* Children of a process that are not dead; returns how many are in `out`. */
size_t procs_children(pid_t parent, pid_t *out, size_t max);

/* The keeper among the children of this process, and the first processes of runs it has; 0 when there
 * is none. */
pid_t procs_keeper(void);

/* Waits until a keeper has a run whose program has started: returns the run's first process. Fails
 * the test when that takes ten seconds. */
pid_t procs_await_program(pid_t keeper);

/* Makes orphans of all descendants our children. Call before all else. */
void procs_adopt_orphans(void);

/* Reaps until there is no child left; returns how many there were. Fails the test when that takes
 * twenty seconds. `pids` gets theirs, at most `max`. */
size_t procs_reap_all(pid_t *pids, size_t max);

/* How many cgroup directories, made since procs_adopt_orphans(), are named after the process. */
int procs_count_cgroups(pid_t pid);

/* The same, and they are removed. */
int procs_take_cgroups(pid_t pid);

#endif
