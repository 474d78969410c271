/* SPDX-License-Identifier: MIT */
/* What the library asks for, one request after the other. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/sandbox/fd_message.h"
#include "executor/sandbox/keeper/run.h"

#define IDLE_MS 5

/* Returns not 0 when the library is gone. */
static int serve_run(fri_keeper *k, const fri_keeper_request *request, const int fds[FRI_JOB_FDS])
{
    int gone = fri_keeper_run(k, request, fds);
    for (int i = 0; i < FRI_JOB_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (!k->swept)
        fri_groups_sweep(&k->groups);
    k->swept = 1;
    return gone;
}

/* Prepares the next init while nobody waits. Not at once: a library that is about to close, or has
 * the next run ready, would have to wait for it. What fails here is told when there is a request. */
static void prepare_when_idle(fri_keeper *k)
{
    struct pollfd library = {.fd = FRI_KEEPER_SOCKET_FD, .events = POLLIN};
    fri_failure f;
    if (poll(&library, 1, IDLE_MS) == 0)
        fri_keeper_ensure_init(k, &f);
}

/* Until there is a request, or nobody who could make one. */
static int await_request(void)
{
    struct pollfd fds[] = {{.fd = FRI_KEEPER_SOCKET_FD, .events = POLLIN},
                           {.fd = FRI_KEEPER_HOST_FD, .events = POLLIN}};
    while (poll(fds, 2, -1) < 0)
        ;
    return fds[1].revents ? -1 : 0;
}

/* Returns not 0 when the library is gone. */
static int sweep_for_library(fri_keeper *k)
{
    fri_keeper_event event;
    memset(&event, 0, sizeof(event));
    event.type = FRI_KEEPER_SWEPT;
    event.swept = fri_groups_sweep(&k->groups);
    k->swept = 1;
    return send(FRI_KEEPER_SOCKET_FD, &event, sizeof(event), MSG_NOSIGNAL) < 0;
}

void fri_keeper_serve(fri_keeper *k)
{
    while (await_request() == 0) {
        fri_keeper_request request;
        int fds[FRI_JOB_FDS];
        ssize_t n =
            fri_receive_fds(FRI_KEEPER_SOCKET_FD, &request, sizeof(request), fds, FRI_JOB_FDS);
        if (n <= 0)
            return;
        if (request.type == FRI_KEEPER_SWEEP && sweep_for_library(k))
            return;
        /* A kill that crossed the end of its run on the way. */
        if (request.type != FRI_KEEPER_RUN)
            continue;
        if (serve_run(k, &request, fds))
            return;
        prepare_when_idle(k);
    }
}
