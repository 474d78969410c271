/* SPDX-License-Identifier: MIT */
#include "tests/support/leaks.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

#define MOST 65536

static unsigned char open_before[MOST];
static size_t allocations_before;

/* Calls `found` for every open descriptor; returns how often it said 1. */
static int each_descriptor(int (*found)(int fd))
{
    DIR *dir = opendir("/proc/self/fd");
    if (!dir)
        abort();
    int count = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        int fd;
        if (sscanf(e->d_name, "%d", &fd) == 1 && fd != dirfd(dir) && fd < MOST)
            count += found(fd);
    }
    closedir(dir);
    return count;
}

static int note_one(int fd)
{
    open_before[fd] = 1;
    return 0;
}

static int complain_of_new(int fd)
{
    char link[64], target[256];
    if (open_before[fd])
        return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof(target) - 1);
    target[n > 0 ? n : 0] = '\0';
    print_error("left open: descriptor %d, %s\n", fd, target);
    return 1;
}

int leaks_note(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        open_before[i] = 0;
    each_descriptor(note_one);
    allocations_before = fri_live_allocations();
    return 0;
}

int leaks_check(void **state)
{
    (void)state;
    int leaks = each_descriptor(complain_of_new);
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | __WALL)) >= 0; leaks++) {
        print_error("left behind: a child, %s\n", pid ? "dead and not reaped" : "running");
        if (pid == 0)
            break;
    }
    if (fri_live_allocations() != allocations_before) {
        print_error("left behind: %zd allocations\n",
                    (ssize_t)(fri_live_allocations() - allocations_before));
        leaks++;
    }
    return leaks ? -1 : 0;
}
