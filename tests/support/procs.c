/* SPDX-License-Identifier: MIT */
#include "tests/support/procs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "executor/sandbox/keeper/cgroup_path.h"

typedef struct about {
    char comm[32];
    char state;
    int parent;
} about;

/* proc(5): "pid (comm) state ppid ...", where comm may hold anything. 0, or -1 when it is gone. */
static int look_at(int pid, about *a)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    char *open_paren = strchr(text, '('), *close_paren = strrchr(text, ')');
    if (!open_paren || !close_paren)
        return -1;
    *close_paren = '\0';
    snprintf(a->comm, sizeof(a->comm), "%.31s", open_paren + 1);
    return sscanf(close_paren + 1, " %c %d", &a->state, &a->parent) == 2 ? 0 : -1;
}

size_t procs_children(pid_t parent, pid_t *out, size_t max)
{
    DIR *dir = opendir("/proc");
    if (!dir)
        abort();
    size_t n = 0;
    for (const struct dirent *e; (e = readdir(dir)) && n < max;) {
        int pid;
        about a;
        if (sscanf(e->d_name, "%d", &pid) == 1 && look_at(pid, &a) == 0 && a.parent == parent &&
            a.state != 'Z' && a.state != 'X')
            out[n++] = pid;
    }
    closedir(dir);
    return n;
}

pid_t procs_keeper(void)
{
    pid_t children[64];
    size_t n = procs_children(getpid(), children, 64);
    about a;
    for (size_t i = 0; i < n; i++)
        if (look_at(children[i], &a) == 0 && strncmp(a.comm, "fencerun-keeper", 15) == 0)
            return children[i];
    return 0;
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

pid_t procs_await_program(pid_t keeper)
{
    int64_t deadline = fri_now_ns() + 10 * FRI_NS_PER_S;
    pid_t inits[16], program;
    for (; fri_now_ns() < deadline; pause_ms(1)) {
        size_t n = procs_children(keeper, inits, 16);
        for (size_t i = 0; i < n; i++)
            if (procs_children(inits[i], &program, 1) > 0)
                return inits[i];
    }
    fail_msg("no program started within ten seconds");
    return 0;
}

/* When procs_adopt_orphans() was called: what is older is somebody else's, as numbers come again. */
static int64_t began_ns;

void procs_adopt_orphans(void)
{
    began_ns = fri_now_ns();
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

size_t procs_reap_all(pid_t *pids, size_t max)
{
    int64_t deadline = fri_now_ns() + 20 * FRI_NS_PER_S;
    size_t n = 0;
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG | __WALL)) >= 0 || errno == EINTR;) {
        if (pid > 0 && n < max)
            pids[n] = pid;
        n += pid > 0;
        if (pid == 0) {
            if (fri_now_ns() > deadline)
                fail_msg("a process is alive after twenty seconds");
            pause_ms(1);
        }
    }
    return n;
}

/* Groups are named fencerun-PID-NAMESPACE-TIME, the latter two in hex. */
static int visit(const char *parent, pid_t pid, int remove_it)
{
    char prefix[32], path[1024];
    int count = 0;
    size_t n = (size_t)snprintf(prefix, sizeof(prefix), "fencerun-%d-", (int)pid);
    DIR *dir = opendir(parent);
    if (!dir)
        return 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        uint64_t made_ns;
        if (strncmp(e->d_name, prefix, n) != 0 ||
            sscanf(e->d_name + n, "%*x-%" SCNx64, &made_ns) != 1 || (int64_t)made_ns < began_ns)
            continue;
        count++;
        snprintf(path, sizeof(path), "%s/%s", parent, e->d_name);
        if (remove_it && rmdir(path))
            print_error("%s cannot be removed: %s\n", path, strerror(errno));
    }
    closedir(dir);
    return count;
}

static int visit_all(pid_t pid, int remove_them)
{
    static const char *const controllers[] = {"", "memory", "pids", "cpu"};
    int count = 0;
    for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
        char dir[512];
        if (fri_cgroup_path(controllers[i], dir, sizeof(dir)))
            continue;
        count += visit(dir, pid, remove_them);
        char *slash = strrchr(dir, '/');
        if (i > 0 || !slash)
            continue;
        *slash = '\0';
        count += visit(dir, pid, remove_them);
    }
    return count;
}

int procs_count_cgroups(pid_t pid)
{
    return visit_all(pid, 0);
}

int procs_take_cgroups(pid_t pid)
{
    return visit_all(pid, 1);
}
