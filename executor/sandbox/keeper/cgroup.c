/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. Four controllers matter: memory, pids, cpu, and the account of processor time.
 * Cgroup 2 is tried first: a group per run, made beside or below our own where that is delegated to us, and entered at birth
 * (CLONE_INTO_CGROUP). What it does not have is looked for in cgroup 1: one group per controller that
 * lives as long as the keeper, and that each init is moved into while it prepares. A move can take
 * milliseconds (an RCU grace period), which is why it goes on beside init's own work and is no part of
 * a run. What neither has is left to rlimits, and the receipt says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "executor/sandbox/keeper/cgroup_path.h"
#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

/* Where cpuacct and cpu are one hierarchy they are one group: whoever sets a limit in it comes last. */
enum { V1_MEMORY, V1_PIDS, V1_CPUACCT, V1_CPU, V1_COUNT };
static const char *const v1_names[V1_COUNT] = {"memory", "pids", "cpuacct", "cpu"};

static int write_value(const char *dir, const char *file, const char *value)
{
    char path[FRI_KEEPER_PATH + 64];
    snprintf(path, sizeof(path), "%s/%s", dir, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int rc = fri_write_all(fd, value, strlen(value));
    int saved = errno;
    close(fd);
    errno = saved;
    return rc;
}

static int write_number(const char *dir, const char *file, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    return write_value(dir, file, text);
}

static int parse_number(const char *text, uint64_t *value)
{
    text += *text == ' ';
    if (*text < '0' || *text > '9')
        return -1;
    for (*value = 0; *text >= '0' && *text <= '9'; text++)
        *value = *value * 10 + (uint64_t)(*text - '0');
    return 0;
}

/* The number behind `key ` at the start of a line, or the whole file's when key is "". */
static int read_number(const char *dir, const char *file, const char *key, uint64_t *value)
{
    char path[FRI_KEEPER_PATH + 64], text[1024];
    snprintf(path, sizeof(path), "%s/%s", dir, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && (length == 0 || line[length] == ' '))
            return parse_number(line + length, value);
    }
    return -1;
}

/* Whether groups made in the directory get a controller. */
static int gives(const char *dir, const char *controller)
{
    char path[FRI_KEEPER_PATH + 64], text[256];
    snprintf(path, sizeof(path), "%s/cgroup.subtree_control", dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    char *rest = text;
    for (const char *word; (word = strsep(&rest, " \n"));)
        if (strcmp(word, controller) == 0)
            return 1;
    return 0;
}

/* The group of the run before may have been busy when it was to be removed. */
static int make_group(const char *dir)
{
    int rc = mkdir(dir, 0755);
    if (rc && errno == EEXIST && rmdir(dir) == 0)
        rc = mkdir(dir, 0755);
    return rc;
}

/* ---- cgroup 2 ---- */

static int set_v2(const char *dir, const fri_keeper_config *c)
{
    char quota[48];
    if (write_number(dir, "memory.max", c->memory_bytes) ||
        write_number(dir, "pids.max", c->processes + 1))
        return -1;
    /* Without swap accounting there is no such file, and then no swap to count. */
    if (write_number(dir, "memory.swap.max", 0) && errno != ENOENT)
        return -1;
    snprintf(quota, sizeof(quota), "%u 100000", c->cpu_millis * 100);
    return c->cpu_millis ? write_value(dir, "cpu.max", quota) : 0;
}

/* Whether a process may be born into the group: the permission depends on more than the group. */
static int can_enter(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    struct clone_args args = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)fd};
    pid_t pid = sys_clone3(&args);
    if (pid == 0)
        _exit(0);
    close(fd);
    if (pid < 0)
        return 0;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return 1;
}

static void v2_group(const fri_groups *g, char *dir, size_t n)
{
    snprintf(dir, n, "%s/%s", g->v2_parent, g->name);
}

static int try_v2(fri_groups *g, const char *parent, const fri_keeper_config *c)
{
    char dir[FRI_KEEPER_PATH + sizeof(g->name)];
    if (!gives(parent, "memory") || !gives(parent, "pids") ||
        (c->cpu_millis && !gives(parent, "cpu")))
        return 0;
    snprintf(g->v2_parent, sizeof(g->v2_parent), "%s", parent);
    v2_group(g, dir, sizeof(dir));
    if (make_group(dir) == 0) {
        int ok = set_v2(dir, c) == 0 && can_enter(dir);
        rmdir(dir);
        if (ok)
            return 1;
    }
    g->v2_parent[0] = '\0';
    return 0;
}

static void find_v2(fri_groups *g, const fri_keeper_config *c)
{
    char own[FRI_KEEPER_PATH];
    if (fri_cgroup_path("", own, sizeof(own)))
        return;
    char *slash;
    if (!try_v2(g, own, c)) {
        if (!(slash = strrchr(own, '/')) || slash == own)
            return;
        *slash = '\0';
        if (!try_v2(g, own, c))
            return;
    }
    g->memory_by = g->accounting_by = FRI_BY_CGROUP2;
    if (c->cpu_millis)
        g->cpu_by = FRI_BY_CGROUP2;
}

/* ---- cgroup 1 ---- */

static int set_v1(int which, const char *dir, const fri_keeper_config *c)
{
    switch (which) {
    case V1_MEMORY:
        if (write_number(dir, "memory.limit_in_bytes", c->memory_bytes))
            return -1;
        /* Without swap accounting there is no such file. */
        if (write_number(dir, "memory.memsw.limit_in_bytes", c->memory_bytes) && errno != ENOENT)
            return -1;
        /* TCP's buffers are counted apart, where the kernel does (SECURITY.md); UDP's are not. */
        write_number(dir, "memory.kmem.tcp.limit_in_bytes", c->memory_bytes);
        return 0;
    case V1_PIDS:
        return write_number(dir, "pids.max", c->processes + 1); /* init */
    case V1_CPUACCT:
        return 0;
    default:
        if (write_number(dir, "cpu.cfs_period_us", 100000))
            return -1;
        return write_number(dir, "cpu.cfs_quota_us", (uint64_t)c->cpu_millis * 100);
    }
}

static int make_v1(fri_groups *g, int which, const fri_keeper_config *c)
{
    char own[FRI_KEEPER_PATH];
    char *dir = g->v1[which];
    if (fri_cgroup_path(v1_names[which], own, sizeof(own)))
        return 0;
    int n = snprintf(dir, FRI_KEEPER_PATH, "%s/%s", own, g->name);
    if (n < FRI_KEEPER_PATH && make_group(dir) == 0) {
        if (set_v1(which, dir, c) == 0)
            return 1;
        rmdir(dir);
    }
    dir[0] = '\0';
    return 0;
}

void fri_groups_open(fri_groups *g, const fri_keeper_config *c)
{
    memset(g, 0, sizeof(*g));
    g->cgroup2 = -1;
    struct stat st;
    if (stat("/proc/self/ns/pid", &st) == 0)
        g->pid_namespace = (unsigned)st.st_ino;
    /* Process numbers alone are not unique: containers may share a cgroup. */
    snprintf(g->name, sizeof(g->name), "fencerun-%d-%x-%" PRIx64, (int)getpid(), g->pid_namespace,
             (uint64_t)fri_now_ns());
    find_v2(g, c);
}

static void open_v1(fri_groups *g, const fri_keeper_config *c)
{
    if (make_v1(g, V1_MEMORY, c))
        g->memory_by = FRI_BY_CGROUP1;
    /* Processes are bounded by an rlimit already, exactly; this is the second lock. */
    make_v1(g, V1_PIDS, c);
    if (make_v1(g, V1_CPUACCT, c))
        g->accounting_by = FRI_BY_CGROUP1;
    if (c->cpu_millis && make_v1(g, V1_CPU, c))
        g->cpu_by = FRI_BY_CGROUP1;
}

void fri_groups_close(fri_groups *g)
{
    for (int i = 0; i < V1_COUNT; i++)
        if (g->v1[i][0])
            rmdir(g->v1[i]);
}

/* The peak of processes cannot be set back, so each init has a new group where that can be had. */
static void renew_pids(const fri_groups *g, const fri_keeper_config *c)
{
    const char *dir = g->v1[V1_PIDS];
    if (dir[0] && make_group(dir) == 0)
        set_v1(V1_PIDS, dir, c);
}

int fri_groups_enter(fri_groups *g, const fri_keeper_config *c, pid_t pid, fri_failure *f)
{
    if (g->v1_made)
        renew_pids(g, c);
    else if (g->memory_by != FRI_BY_CGROUP2)
        open_v1(g, c);
    g->v1_made = 1;
    for (int i = 0; i < V1_COUNT; i++)
        if (g->v1[i][0] && write_number(g->v1[i], "cgroup.procs", (uint64_t)pid))
            return fri_failed(f, "enter the %s cgroup", v1_names[i]);
    return 0;
}

/* ---- around one run ---- */

int fri_groups_begin(fri_groups *g, const fri_keeper_config *c, fri_failure *f)
{
    if (!g->v2_parent[0])
        return 0;
    char dir[FRI_KEEPER_PATH + sizeof(g->name)];
    v2_group(g, dir, sizeof(dir));
    if (make_group(dir) || set_v2(dir, c))
        return fri_failed(f, "make a cgroup for the run");
    g->cgroup2 = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return g->cgroup2 < 0 ? fri_failed(f, "open the run's cgroup") : 0;
}

static int64_t measure(const char *dir, const char *file, const char *key)
{
    uint64_t value;
    return read_number(dir, file, key, &value) || value > INT64_MAX ? -1 : (int64_t)value;
}

/* All that the group has used, also of what was there before the run. */
static int64_t cpu_ns(const fri_groups *g)
{
    char dir[FRI_KEEPER_PATH + sizeof(g->name)];
    if (!g->v2_parent[0])
        return g->v1[V1_CPUACCT][0] ? measure(g->v1[V1_CPUACCT], "cpuacct.usage", "") : -1;
    v2_group(g, dir, sizeof(dir));
    int64_t us = measure(dir, "cpu.stat", "usage_usec");
    return us < 0 ? -1 : us * 1000;
}

int64_t fri_groups_cpu_ns(const fri_groups *g)
{
    int64_t ns = cpu_ns(g);
    return ns < 0 ? -1 : ns - (int64_t)g->cpu_before_ns;
}

/* A group of cgroup 1 has had other runs in it, and one of cgroup 2 the making of this one. A peak of
 * memory that cannot be reset is too high, no more. */
void fri_groups_mark(fri_groups *g)
{
    const char *memory = g->v1[V1_MEMORY];
    int64_t ns = cpu_ns(g);
    g->cpu_before_ns = ns < 0 ? 0 : (uint64_t)ns;
    if (!memory[0])
        return;
    write_value(memory, "memory.max_usage_in_bytes", "0");
    if (read_number(memory, "memory.oom_control", "oom_kill", &g->oom_before))
        g->oom_before = 0;
}

static int64_t without_init(int64_t processes)
{
    return processes > 0 ? processes - 1 : processes;
}

void fri_groups_measure(const fri_groups *g, fri_usage *u)
{
    char dir[FRI_KEEPER_PATH + sizeof(g->name)];
    *u = (fri_usage){-1, -1, -1, fri_groups_cpu_ns(g)};
    if (g->v2_parent[0]) {
        v2_group(g, dir, sizeof(dir));
        u->peak_memory = measure(dir, "memory.peak", "");
        u->oom_events = measure(dir, "memory.events", "oom_kill");
        u->peak_processes = without_init(measure(dir, "pids.peak", ""));
        return;
    }
    if (g->v1[V1_MEMORY][0]) {
        u->peak_memory = measure(g->v1[V1_MEMORY], "memory.max_usage_in_bytes", "");
        u->oom_events = measure(g->v1[V1_MEMORY], "memory.oom_control", "oom_kill");
        if (u->oom_events >= 0)
            u->oom_events -= (int64_t)g->oom_before;
    }
    if (g->v1[V1_PIDS][0])
        u->peak_processes = without_init(measure(g->v1[V1_PIDS], "pids.peak", ""));
}

void fri_groups_end(fri_groups *g)
{
    if (!g->v2_parent[0])
        return;
    char dir[FRI_KEEPER_PATH + sizeof(g->name)];
    v2_group(g, dir, sizeof(dir));
    if (g->cgroup2 >= 0)
        close(g->cgroup2);
    g->cgroup2 = -1;
    rmdir(dir);
}
