/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/fd_message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_FDS 8

ssize_t fri_send_fds(int socket, const void *p, size_t n, const int *fds, int count)
{
    union {
        char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    memset(&control, 0, sizeof(control));
    struct iovec data = {(void *)(uintptr_t)p, n};
    struct msghdr msg = {.msg_iov = &data, .msg_iovlen = 1};
    if (count > 0) {
        size_t bytes = (size_t)count * sizeof(int);
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(bytes);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(bytes);
        memcpy(CMSG_DATA(c), fds, bytes);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &msg, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t fri_receive_fds(int socket, void *p, size_t n, int *fds, int count)
{
    union {
        char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec data = {p, n};
    struct msghdr msg = {.msg_iov = &data,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    for (int i = 0; i < count; i++)
        fds[i] = -1;
    ssize_t got;
    do
        got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        size_t bytes = c->cmsg_len - CMSG_LEN(0);
        size_t room = (size_t)count * sizeof(int);
        memcpy(fds, CMSG_DATA(c), bytes < room ? bytes : room);
    }
    return got;
}
