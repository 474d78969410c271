/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_KEEPER_CLIENT_H
#define FR_EXECUTOR_SANDBOX_KEEPER_CLIENT_H

#include "base/proc.h"
#include "executor/sandbox/config.h"
#include "executor/sandbox/protocol.h"

/* A keeper process, from the library's side. */
typedef struct fri_keeper_client {
    fri_proc proc;
    int socket;
    int awaited;
    fri_keeper_ready ready;
    struct fri_keeper_client *next; /* in the executor's list of idle ones */
} fri_keeper_client;

/* What the functions below return beside 0 and errors. */
enum {
    FRI_KEEPER_LOST = 1,     /* it was killed before it took what it was to do: another can */
    FRI_KEEPER_CANCELLED = 2 /* the caller's cancel came first */
};

/* Starts a keeper. Errors: FR_ESYSTEM, FR_ENOMEM. */
FR_CHECK int fri_keeper_client_new(const fri_sandbox_plan *plan, fri_keeper_client **out,
                                   fr_error *err);

/* Waits until it has said that it is ready; `ready` is good from then on. FRI_KEEPER_LOST;
 * FRI_KEEPER_CANCELLED when cancel_fd (-1: none) became readable before.
 * Errors: FR_EUNAVAILABLE with what the kernel withholds, FR_ESYSTEM. */
FR_CHECK int fri_keeper_client_await(fri_keeper_client *k, int cancel_fd, fr_error *err);

/* Whether its process still holds its end of the socket. */
int fri_keeper_client_is_alive(const fri_keeper_client *k);

/* Ends the keeper, and what it runs, and waits for both; one that does not answer is killed. NULL is
 * allowed. */
void fri_keeper_client_free(fri_keeper_client *k);

/* Sends a request, RUN with its descriptors. FRI_KEEPER_LOST. Errors: FR_ESYSTEM. */
FR_CHECK int fri_keeper_client_send(const fri_keeper_client *k, const fri_keeper_request *request,
                                    const int *fds, int count, fr_error *err);

/* The next event. FRI_KEEPER_LOST when it never read what it was sent last.
 * Errors: FR_ESYSTEM when it is gone otherwise. */
FR_CHECK int fri_keeper_client_receive(const fri_keeper_client *k, fri_keeper_event *event,
                                       fr_error *err);

/* A step of the keeper that failed during a run; returns FR_ESYSTEM. */
int fri_keeper_failure(const char *step, int sys_errno, fr_error *err);

/* A sealed memfd with these bytes, `tail` behind `head`, or -1 with err filled. */
FR_CHECK int fri_sealed_memfd(const char *name, fr_str head, fr_str tail, fr_error *err);

#endif
