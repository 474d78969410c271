/* SPDX-License-Identifier: MIT */
#include "tests/support/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_server(int in, int out, const char *script, const char *unix_socket)
{
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
        _exit(126);
    /* Nothing of the user's, but the script's folder, in which it finds what servers share. */
    execl("/usr/bin/python3", "python3", "-B", "-E", "-s", "-S", script, unix_socket, (char *)NULL);
    _exit(127);
}

peer peer_start(const char *script, const char *unix_socket)
{
    int in[2], out[2];
    char text[16] = "", path[512];
    peer p = {-1, -1, -1};
    snprintf(path, sizeof(path), "%s/tests/support/%s", FRI_SOURCE_DIR, script);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    p.pid = fork();
    if (p.pid == 0)
        become_server(in[0], out[1], path, unix_socket);
    assert_true(p.pid > 0);
    close(in[0]);
    close(out[1]);
    p.hold = in[1];
    assert_true(read(out[0], text, sizeof(text) - 1) > 0);
    close(out[0]);
    assert_int_equal(sscanf(text, "%d", &p.port), 1);
    return p;
}

void peer_stop(peer *p)
{
    close(p->hold);
    assert_int_equal(waitpid(p->pid, NULL, 0), p->pid);
}
