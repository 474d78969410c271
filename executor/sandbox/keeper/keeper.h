/* SPDX-License-Identifier: MIT */
#ifndef FR_KEEPER_KEEPER_H
#define FR_KEEPER_KEEPER_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/io.h"
#include "executor/sandbox/protocol.h"

/* What the keeper's files share. Failures are a step in words and an errno. */
typedef struct fri_failure {
    int sys_errno;
    char step[FRI_KEEPER_STEP];
} fri_failure;

/* Fills `f` from errno and returns -1: `return fri_failed(f, "mount %s", name)`. */
int fri_failed(fri_failure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- cgroup.c: limits that are shared by all processes of a run ---- */

typedef struct fri_groups {
    int32_t memory_by, cpu_by, accounting_by; /* fri_keeper_mechanism */
    int cgroup2;                              /* directory descriptor of this run's group, or -1 */
    /* What the groups had counted before the run. */
    uint64_t oom_before;
    uint64_t cpu_before_ns;
    int v1_made;
    unsigned pid_namespace;          /* its inode number; 0: not known */
    char name[64];                   /* of our groups, in every hierarchy */
    char v2_parent[FRI_KEEPER_PATH]; /* "" when there is none */
    char v1[4][FRI_KEEPER_PATH]; /* our groups for memory, pids, cpuacct, cpu; "" when not had */
} fri_groups;

/* What the groups have counted of a run; -1: not known. */
typedef struct fri_usage {
    int64_t peak_memory;
    int64_t oom_events;
    int64_t peak_processes; /* init left out */
    int64_t cpu_ns;
} fri_usage;

/* Finds out what cgroup 2 has for us. */
void fri_groups_open(fri_groups *g, const fri_keeper_config *config);
void fri_groups_close(fri_groups *g);

/* Moves a process into the cgroup-1 groups, which the first call makes; what it forks inherits
 * them. After it the mechanisms are known. */
int fri_groups_enter(fri_groups *g, const fri_keeper_config *config, pid_t pid, fri_failure *f);

/* Removes the groups of keepers that were killed and could not. Returns how many. */
int fri_groups_sweep(const fri_groups *g);

/* Around one run: before its init is cloned, before its code starts, when it has ended, and when
 * its init is reaped. */
int fri_groups_begin(fri_groups *g, const fri_keeper_config *config, fri_failure *f);
void fri_groups_mark(fri_groups *g);
void fri_groups_measure(const fri_groups *g, fri_usage *usage);
/* The processor time of the run so far; -1: not known. */
int64_t fri_groups_cpu_ns(const fri_groups *g);
void fri_groups_end(fri_groups *g);

/* ---- launch.c: a new process that is alone in new namespaces ---- */

typedef struct fri_launch {
    const fri_keeper_config *config;
    const fri_groups *groups;
    int status;  /* the run's init writes fri_init_report here */
    int control; /* and is told here, see fri_job */
} fri_launch;

/* Clones the init of a run, which goes on in fri_init(). Returns its pid, or -1. */
pid_t fri_launch_run(const fri_launch *l, fri_failure *f);

/* Maps the run's one user to FRI_SANDBOX_UID, or to ours when we may not choose. */
int fri_map_user(pid_t pid, fri_failure *f);

/* ---- init.c: the first process of a run ---- */

/* What init is told: one byte once its user is mapped, another once it is in its groups, then, when
 * there is something to run, a job with the descriptors of fri_job_fd. Anything behind the job
 * means to end the run. */
typedef struct fri_job {
    uint32_t language;
    int32_t memory_by, accounting_by; /* fri_keeper_mechanism */
} fri_job;

enum fri_init_report_type {
    FRI_INIT_PREPARED = 1, /* only the job is missing */
    FRI_INIT_STARTED = 2,
    FRI_INIT_EXITED = 3, /* nothing else is alive */
    FRI_INIT_COLLECTED = 4,
    FRI_INIT_FAILED = 5
};

typedef struct fri_init_report {
    int32_t type;
    int32_t wait_status;
    int64_t at_ns;
    int64_t user_ns;
    int64_t system_ns;
    int64_t max_rss; /* of the largest process, in bytes */
    int32_t all_collected;
    fri_failure failure;
} fri_init_report;

void fri_init(const fri_launch *l) __attribute__((noreturn));

/* ---- rootfs.c, confine.c: what init does before the code ---- */

/* Makes the run's root and moves there; leaves the working directory at /work and in *code_mount
 * the mount that is at /code, still empty and writable. */
int fri_rootfs_enter(const fri_launch *l, int *code_mount, fri_failure *f);

/* Copies the code there and makes it read-only. Closes the mount. */
int fri_rootfs_put_code(int code_mount, const char *name, int code, fri_failure *f);

/* No privilege can be gained any more: bounding set, secure bits, no_new_privs. */
int fri_lock_privileges(fri_failure *f);

/* Nothing of the keeper's privileges is left. */
int fri_drop_privileges(fri_failure *f);

/* Resource limits of the program; they stand in for what the job's groups do not do. */
int fri_set_rlimits(const fri_keeper_config *config, const fri_job *job, fri_failure *f);

/* The system call filter; from here only what the policy allows. */
int fri_set_filter(fri_failure *f);

int fri_loopback_up(fri_failure *f);

/* ---- landlock.c ---- */

/* From here the process reads below / and writes in /work, /tmp, /dev/shm only, where the kernel can do that. */
int fri_restrict_paths(fri_failure *f);

/* ---- files.c, collect.c: what goes into the working directory, and what comes out ---- */

/* Files that were put in, as they were then. */
typedef struct fri_placed {
    ino_t inode;
    struct timespec changed; /* the kernel's own time, which no program can set */
} fri_placed;

typedef struct fri_placed_files {
    fri_placed *files;
    size_t n;
} fri_placed_files;

/* Puts the files of a packed memory file into the working directory. */
int fri_place_inputs(int packed, fri_placed_files *placed, fri_failure *f);

/* Sends what is there beside or other than that. `work` is the working directory, open since before the code could
 * take its own way there; it is closed. Returns whether it came to the end. */
int fri_collect_outputs(int socket, int work, const fri_placed_files *placed);

#endif
