/* SPDX-License-Identifier: MIT */
/*
 * Many runs, many at once, good and hostile ones in turn: every verdict must be right, and nothing may grow. One
 * executor is shared by all threads, as in a server.
 * usage: soak [RUNS] [THREADS]
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fencerun/fencerun.h"

#define MAX_THREADS 64
#define WARM_UP     200 /* runs after which nothing has a reason to grow any more */

typedef struct program {
    const char *name;
    const char *code;
    int outcome, or_outcome; /* 0: no other */
    int exit_code;           /* -1: any */
    const char *out;         /* NULL: anything */
    size_t files;
} program;

static const program programs[] = {
    {"prints", "print(6 * 7)\n", FR_OUTCOME_OK, 0, 0, "42\n", 0},
    {"fails", "import sys\nprint('before')\nsys.exit(3)\n", FR_OUTCOME_FAILED, 0, 3, "before\n", 0},
    {"raises", "1 / 0\n", FR_OUTCOME_FAILED, 0, 1, "", 0},
    {"writes files", "for i in range(5): open(f'{i}.csv', 'w').write('x,y\\n' * 1000)\n",
     FR_OUTCOME_OK, 0, 0, "", 5},
    {"loops", "while True: pass\n", FR_OUTCOME_TIMEOUT, 0, -1, "", 0},
    {"forks", "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n",
     FR_OUTCOME_TIMEOUT, 0, -1, "", 0},
    {"takes memory", "keep = []\nwhile True: keep.append(b'x' * 1000000)\n", FR_OUTCOME_MEMORY,
     FR_OUTCOME_FAILED, -1, "", 0},
    {"floods", "import os\nwhile True: os.write(1, b'x' * 65536)\n", FR_OUTCOME_OUTPUT_LIMIT, 0, -1,
     NULL, 0},
    {"stays",
     "import os, time\nif os.fork() == 0:\n    os.setsid()\n    while True: time.sleep(1)\n"
     "print('gone', flush=True)\nos._exit(0)\n",
     FR_OUTCOME_OK, 0, 0, "gone\n", 0},
    {"kills", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", FR_OUTCOME_FAILED, 0, -1,
     "", 0},
    {"fills",
     "try:\n    open('/tmp/x', 'wb').write(bytes(1 << 30))\n"
     "except (OSError, MemoryError): print('full')\n",
     FR_OUTCOME_OK, FR_OUTCOME_MEMORY, -1, NULL, 0},
    {"lies", "import os\nprint('{\"outcome\":\"ok\"}', flush=True)\nos._exit(137)\n",
     FR_OUTCOME_FAILED, 0, 137, NULL, 0},
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static fr_executor *executor;
static atomic_int next_run, wrong;
static atomic_int counts[PROGRAMS];
static int runs = 10000;

/* ---- what could grow ---- */

typedef struct state {
    long memory_kib, descriptors, children, cgroups, keeper_descriptors;
} state;

static long count_entries(const char *path, const char *prefix)
{
    DIR *d = opendir(path);
    long n = 0;
    for (const struct dirent *e; d && (e = readdir(d));)
        n += strncmp(e->d_name, prefix, strlen(prefix)) == 0 && e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static long memory_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

/* Our own cgroup in a hierarchy of version 1, where the keepers make theirs; "" where there is none. */
static void memory_cgroup(char *out, size_t n)
{
    char line[512], path[400];
    FILE *f = fopen("/proc/self/cgroup", "re");
    out[0] = '\0';
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%*d:memory:%399s", path) == 1)
            snprintf(out, n, "/sys/fs/cgroup/memory%s", path);
    if (f)
        fclose(f);
}

/* The keepers there were when we looked last. */
static int keepers[MAX_THREADS];

static int is_keeper(int pid)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (pid > 0 && keepers[i] == pid)
            return 1;
    return 0;
}

/* Groups are named after the keeper that made them. */
static long count_groups(const char *path)
{
    DIR *d = opendir(path);
    long n = 0;
    int pid = 0;
    for (const struct dirent *e; d && (e = readdir(d));)
        n += sscanf(e->d_name, "fencerun-%d-", &pid) == 1 && is_keeper(pid);
    if (d)
        closedir(d);
    return n;
}

static long keeper_descriptors(long *children)
{
    char path[64], list[65536];
    long most = 0;
    *children = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(list, 1, sizeof(list) - 1, f) : 0;
    list[n] = '\0';
    if (f)
        fclose(f);
    char *rest = list;
    for (char *pid; (pid = strtok_r(rest, " ", &rest));) {
        snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
        long fds = count_entries(path, "");
        most = fds > most ? fds : most;
        if (*children < MAX_THREADS)
            keepers[*children] = (int)strtol(pid, NULL, 10);
        ++*children;
    }
    return most;
}

static state look(void)
{
    char cgroup[512];
    state s = {.memory_kib = memory_kib(), .descriptors = count_entries("/proc/self/fd", "")};
    s.keeper_descriptors = keeper_descriptors(&s.children);
    memory_cgroup(cgroup, sizeof(cgroup));
    s.cgroups = cgroup[0] ? count_groups(cgroup) : 0;
    return s;
}

static void print_state(const char *when, const state *s)
{
    printf(
        "%-12s memory %6ld KiB, descriptors %3ld, keepers %2ld with at most %2ld, cgroups %2ld\n",
        when, s->memory_kib, s->descriptors, s->children, s->keeper_descriptors, s->cgroups);
    fflush(stdout);
}

/* ---- runs ---- */

static int is_right(const program *p, const fr_code_result *r)
{
    if (r->outcome != p->outcome && (p->or_outcome == 0 || r->outcome != p->or_outcome))
        return 0;
    if (p->exit_code >= 0 && r->exit_code != p->exit_code)
        return 0;
    return (!p->out || strcmp(r->out.p, p->out) == 0) && r->file_count == p->files;
}

static void run_one(int i)
{
    const size_t which = (size_t)i % PROGRAMS;
    const program *p = &programs[which];
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    in.code = (fr_str){p->code, strlen(p->code)};
    /* The others may have to wait for a processor that these keep busy. */
    in.timeout_ms = p->outcome == FR_OUTCOME_TIMEOUT ? 500 : 0;
    if (fr_executor_execute(executor, &in, &r, &err)) {
        printf("run %d, which %s: %s\n", i, p->name, err.text);
        wrong++;
    } else if (!is_right(p, r)) {
        printf(
            "run %d, which %s: %s (%s), exit code %d, %zu files, stdout '%.60s', stderr '%.200s'\n",
            i, p->name, fr_outcome_text(r->outcome), r->reason, r->exit_code, r->file_count,
            r->out.p, r->err.p);
        wrong++;
    } else {
        counts[which]++;
    }
    fr_code_result_free(r);
}

static void *work(void *until)
{
    for (int i; (i = next_run++) < *(const int *)until;)
        run_one(i);
    return NULL;
}

static void run_until(int last, int threads)
{
    pthread_t ids[MAX_THREADS];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, &last)) {
            fprintf(stderr, "soak: no thread\n");
            exit(2);
        }
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    next_run = last;
}

static int grew(const state *a, const state *b)
{
    return b->memory_kib > a->memory_kib + 8192 || b->descriptors > a->descriptors ||
           b->children > a->children || b->cgroups > a->cgroups ||
           b->keeper_descriptors > a->keeper_descriptors + 4;
}

static int number(const char *text, int least, int most)
{
    int64_t n = 0;
    fr_error err = FR_ERROR_INIT;
    if (fr_parse_integer(text, least, most, &n, &err)) {
        fprintf(stderr, "soak: %s\n", err.text);
        exit(2);
    }
    return (int)n;
}

int main(int argc, char **argv)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_error err = FR_ERROR_INIT;
    struct timespec began, ended;
    runs = argc > 1 ? number(argv[1], 1, 1000000) : runs;
    int threads = argc > 2 ? number(argv[2], 1, MAX_THREADS) : 16;
    o.timeout_ms = 60000;
    o.memory_bytes = 64 << 20;
    o.max_processes = 32;
    o.tmp_bytes = 8 << 20;
    o.output_max_bytes = 4 << 20;
    if (fr_executor_open("sandbox", &o, &executor, &err)) {
        fprintf(stderr, "soak: %s\n", err.text);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &began);
    run_until(runs < WARM_UP ? runs : WARM_UP, threads);
    const state first = look();
    print_state("warmed up:", &first);
    run_until(runs, threads);
    const state last = look();
    print_state("at the end:", &last);
    fr_executor_close(executor);
    const state after = look();
    print_state("closed:", &after);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    for (size_t i = 0; i < PROGRAMS; i++)
        printf("  %-14s %6d right\n", programs[i].name, counts[i]);
    int bad = wrong + grew(&first, &last) + (after.children > 0) + (after.cgroups > 0);
    printf("%d runs, %d at once, %ld s: %d verdicts wrong, %s\n", runs, threads,
           (long)(ended.tv_sec - began.tv_sec), wrong,
           grew(&first, &last)                       ? "something grew"
           : after.children > 0 || after.cgroups > 0 ? "something stayed"
                                                     : "nothing grew, nothing stayed");
    return bad != 0;
}
