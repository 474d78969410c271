/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_PROTOCOL_H
#define FR_EXECUTOR_SANDBOX_PROTOCOL_H

#include <stdint.h>
#include <sys/types.h>

/*
 * What the library and the keeper say to each other. Both are built from this header at once and the
 * keeper travels inside the library, so the structs are plain memory and need no version.
 *
 * The keeper is started with three descriptors: a SOCK_SEQPACKET socket, one struct per packet; a sealed
 * memfd with one fri_keeper_config and its text; and a pidfd of the host program, since a child that
 * has forked may hold the socket open long after its death. It answers fri_keeper_ready, then any number of times
 *     library: FRI_KEEPER_RUN with the descriptors of fri_job_fd
 *     keeper:  FRI_KEEPER_STARTED once the code has, then one of FRI_KEEPER_ENDED and
 *              FRI_KEEPER_FAILED; either also comes alone when the code never started
 * where the library may send FRI_KEEPER_KILL in between. A closed socket, or the host's death, ends the
 * keeper and with it whatever runs.
 */
#define FRI_KEEPER_SOCKET_FD 3
#define FRI_KEEPER_CONFIG_FD 4
#define FRI_KEEPER_HOST_FD   5

#define FRI_KEEPER_MAX_MOUNTS    64
#define FRI_KEEPER_MAX_LANGUAGES 32
#define FRI_KEEPER_MAX_ARGS      16
#define FRI_KEEPER_PATH          512
#define FRI_KEEPER_STEP          200
#define FRI_KEEPER_MAX_TEXT      65536

/* The user every run is, outside and inside where the keeper may choose it; 65534 is "nobody". */
#define FRI_SANDBOX_UID 65534

/* A string of the configuration: where it begins in the text behind the struct. */
typedef uint32_t fri_keeper_string;

/* One name in the run's root: what is bound there read-only, or where a symbolic link points. */
typedef struct fri_keeper_mount {
    int32_t symlink;
    fri_keeper_string name;
    fri_keeper_string source;
} fri_keeper_mount;

/* How code in one language is run. */
typedef struct fri_keeper_language {
    fri_keeper_string file; /* name of the code's file below /code */
    fri_keeper_string args; /* argv, one string behind the other; argv[0] is "" if it is missing */
    uint32_t argc;
    int32_t says_version; /* its start writes that to descriptor 3 and closes it */
} fri_keeper_language;

/* Followed by its text: strings with their NULs. */
typedef struct fri_keeper_config {
    uint64_t memory_bytes;
    uint64_t tmp_bytes;
    uint64_t file_bytes; /* RLIMIT_FSIZE */
    uint64_t code_bytes; /* the longest code there may be */
    uint32_t tmp_inodes;
    uint32_t processes;
    uint32_t open_files;
    uint32_t cpu_millis; /* thousandths of a CPU; 0: no limit */
    int64_t cpu_ns;      /* of processor time; 0: no limit */
    int32_t network;
    uint32_t mount_count;
    fri_keeper_mount mounts[FRI_KEEPER_MAX_MOUNTS];
    uint32_t language_count;
    fri_keeper_language languages[FRI_KEEPER_MAX_LANGUAGES];
} fri_keeper_config;

static inline const char *fri_keeper_text(const fri_keeper_config *c, fri_keeper_string at)
{
    return (const char *)(c + 1) + at;
}

enum fri_keeper_mechanism {
    FRI_BY_RLIMIT = 0, /* nothing better was to be had */
    FRI_BY_CGROUP1 = 1,
    FRI_BY_CGROUP2 = 2
};

typedef struct fri_keeper_ready {
    int32_t failed; /* not 0: the keeper cannot run anything; step and sys_errno say why */
    int32_t sys_errno;
    char step[FRI_KEEPER_STEP];
    int32_t memory_by; /* fri_keeper_mechanism */
    int32_t cpu_by;
    int32_t accounting_by; /* of processor time */
} fri_keeper_ready;

/* What comes along with a run. */
enum fri_job_fd {
    FRI_JOB_CODE, /* a memory file */
    FRI_JOB_OUT,  /* the program's stdout and stderr */
    FRI_JOB_ERR,
    FRI_JOB_VERSION, /* what the interpreter says of its version before it reads the code */
    FRI_JOB_OUTPUTS, /* a SOCK_SEQPACKET socket that takes fri_output when the code is dead */
    FRI_JOB_INPUTS,  /* a memory file, may be missing */
    FRI_JOB_FDS
};

/* How the memory file of the inputs goes, file after file: this, the name with its NUL, the content. */
typedef struct fri_input_head {
    uint64_t size;
    uint32_t name_size;
    uint32_t mode;
} fri_input_head;

#define FRI_OUTPUT_NAME 4096

/* Something in the working directory that is new or changed: with a descriptor a regular file, open for
 * reading; without one it is skipped. */
typedef struct fri_output {
    char reason[64];
    char name
        [FRI_OUTPUT_NAME]; /* below the working directory; only as much of it is sent as there is */
} fri_output;

enum fri_keeper_request_type {
    FRI_KEEPER_RUN = 1,
    FRI_KEEPER_KILL = 2,
    FRI_KEEPER_SWEEP = 3 /* alone, with no run going on; answered by FRI_KEEPER_SWEPT */
};

typedef struct fri_keeper_request {
    int32_t type;
    uint32_t language;
    int64_t timeout_ns;
} fri_keeper_request;

enum fri_keeper_event_type {
    FRI_KEEPER_STARTED = 1, /* at_ns: the moment the code started */
    FRI_KEEPER_ENDED = 2,
    FRI_KEEPER_FAILED = 3, /* the code did not run: step, sys_errno */
    FRI_KEEPER_SWEPT = 4   /* swept: how many groups were removed */
};

typedef struct fri_keeper_event {
    int32_t type;
    int32_t sys_errno;
    int64_t at_ns;       /* CLOCK_MONOTONIC */
    int32_t timed_out;   /* the keeper killed it at its deadline */
    int32_t cpu_used_up; /* the keeper killed it at its limit of processor time */
    int32_t killed;      /* the keeper killed it on FRI_KEEPER_KILL */
    int32_t wait_status; /* of the program, unless the keeper killed it */
    int32_t swept;
    int32_t lost;        /* everything died without a word: wait_status means nothing */
    int32_t uncollected; /* what is in the working directory was not, or not all, sent */
    int64_t user_ns;
    int64_t system_ns;
    int64_t peak_memory;    /* -1: not known */
    int64_t oom_events;     /* -1: not known */
    int64_t peak_processes; /* -1: not known */
    char step[FRI_KEEPER_STEP];
} fri_keeper_event;

#endif
