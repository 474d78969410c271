/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_FD_MESSAGE_H
#define FR_EXECUTOR_SANDBOX_FD_MESSAGE_H

#include <sys/types.h>

/* Packets with descriptors over a unix socket, for the library and the keeper alike: at most 8.
 * Return the packet's length, 0 at the end, -1 with errno. */
ssize_t fri_send_fds(int socket, const void *p, size_t n, const int *fds, int count);

/* Received descriptors are close-on-exec; what was not sent is -1. */
ssize_t fri_receive_fds(int socket, void *p, size_t n, int *fds, int count);

#endif
