/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_PEER_H
#define TESTS_SUPPORT_PEER_H

#include <sys/types.h>

/* A server that a test speaks to: a script of this folder, as a process. */
typedef struct peer {
    pid_t pid;
    int hold; /* it ends when this is closed */
    int port; /* 0: it listens on a unix socket */
} peer;

/* Starts one on a free port, or on the unix socket; fails the test where that fails. */
peer peer_start(const char *script, const char *unix_socket);
void peer_stop(peer *p);

#endif
