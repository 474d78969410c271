/* SPDX-License-Identifier: MIT */
#ifndef FR_KEEPER_RUN_H
#define FR_KEEPER_RUN_H

#include "executor/sandbox/keeper/keeper.h"

/* The init that waits for a job, or runs it. */
typedef struct fri_prepared_init {
    pid_t pid; /* 0: there is none */
    int pidfd;
    int status;  /* where it reports */
    int control; /* where it is told; open as long as the keeper lives */
} fri_prepared_init;

typedef struct fri_keeper {
    const fri_keeper_config *config;
    fri_groups groups;
    fri_prepared_init init;
    int swept;
} fri_keeper;

/* ---- prepare.c ---- */

/* Clones an init into k->init and lets it begin. */
int fri_keeper_clone_init(fri_keeper *k, fri_failure *f);

/* After it has been reaped: closes what belonged to it. */
void fri_keeper_forget_init(fri_keeper *k);

/* ---- run.c ---- */

/* Makes sure that there is an init that waits for a job. */
int fri_keeper_ensure_init(fri_keeper *k, fri_failure *f);

/* Runs a job and tells the library of it. Returns not 0 when that is gone. */
int fri_keeper_run(fri_keeper *k, const fri_keeper_request *request, const int fds[FRI_JOB_FDS]);

/* Ends the init that waits. */
void fri_keeper_stop(fri_keeper *k);

/* ---- serve.c ---- */

/* Serves requests until the library closes the socket. */
void fri_keeper_serve(fri_keeper *k);

#endif
