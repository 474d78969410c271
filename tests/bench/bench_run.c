/* SPDX-License-Identifier: MIT */
/*
 * What a cold strict run costs beside what a user would type instead. All contenders take turns in one
 * process, so that the machine's moods hit them alike; the table gives medians and ratios.
 * usage: bench_run FENCERUN [ROUNDS]
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fencerun/fencerun.h"

#define MAX_ROUNDS 1000
#define WARM_UPS   3

static const char code[] = "print(1)";
static const char *fencerun;
static fr_executor *executor, *limited; /* with what limits there are by default, and with all */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_run: %s\n", what);
    exit(1);
}

/* Starts a command, reads its output to the end, waits; the time of all that. */
static double command(const char *const *argv)
{
    double began = now_ms();
    int p[2];
    posix_spawn_file_actions_t actions;
    pid_t pid;
    char *const env[] = {(char[]){"PATH=/usr/bin:/bin"}, NULL};
    if (pipe2(p, O_CLOEXEC) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, p[1], 1) ||
        posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, env))
        fail(argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(p[1]);
    char buffer[4096];
    while (read(p[0], buffer, sizeof(buffer)) > 0)
        ;
    close(p[0]);
    int status;
    if (waitpid(pid, &status, 0) != pid || status != 0)
        fail(argv[0]);
    return now_ms() - began;
}

/* What goes on behind the back of whoever was measured last (a keeper preparing its next sandbox, the
 * kernel taking namespaces down) is not to be the next one's burden. */
static void settle(void)
{
    const struct timespec pause = {0, 30 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

static double nothing(void)
{
    static const char *const argv[] = {"/usr/bin/true", NULL};
    return command(argv);
}

static double bare(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "-I", "-S", "-c", code, NULL};
    return command(argv);
}

static double bare_site(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "-I", "-c", code, NULL};
    return command(argv);
}

/* A sandbox as people put it together, around Python without or with site. */
#define IN_BUBBLEWRAP(...)                                                                         \
    {                                                                                              \
        "/usr/bin/bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", \
            "--clearenv", "--setenv", "PATH", "/usr/bin", "--setenv", "HOME", "/tmp", "--uid",     \
            "65534", "--gid", "65534", "--hostname", "box", "--cap-drop", "ALL", "--ro-bind",      \
            "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",        \
            "--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--size",      \
            "67108864", "--tmpfs", "/tmp", "--chdir", "/tmp", "--remount-ro", "/", __VA_ARGS__,    \
            NULL                                                                                   \
    }

static double bubblewrap(void)
{
    static const char *const argv[] = IN_BUBBLEWRAP("/usr/bin/python3", "-I", "-S", "-c", code);
    return command(argv);
}

static double bubblewrap_site(void)
{
    static const char *const argv[] = IN_BUBBLEWRAP("/usr/bin/python3", "-I", "-c", code);
    return command(argv);
}

static double whole_command(void)
{
    const char *const argv[] = {fencerun, "run", "--json", "-c", code, NULL};
    return command(argv);
}

static double run_on(fr_executor *ex)
{
    fr_error err = FR_ERROR_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *result = NULL;
    in.code = (fr_str){code, sizeof(code) - 1};
    double began = now_ms();
    if (fr_executor_execute(ex, &in, &result, &err))
        fail(err.text);
    double took = now_ms() - began;
    if (result->outcome != FR_OUTCOME_OK)
        fail("the run failed");
    fr_code_result_free(result);
    return took;
}

static double library(void)
{
    return run_on(executor);
}

static double all_limits(void)
{
    return run_on(limited);
}

static void open_executors(void)
{
    fr_error err = FR_ERROR_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.cpu_ms = 10000;
    o.memory_bytes = 256 << 20;
    o.tmp_bytes = 16 << 20;
    o.max_processes = 32;
    o.output_max_bytes = 1 << 20;
    if (fr_executor_open("sandbox", NULL, &executor, &err) ||
        fr_executor_open("sandbox", &o, &limited, &err))
        fail(err.text);
}

static const struct {
    const char *name;
    double (*run)(void);
} contenders[] = {
    {"python3 -I -S -c", bare},
    {"python3 -I -c (with site)", bare_site},
    {"fencerun, in the library", library},
    {"fencerun, library, all limits", all_limits},
    {"fencerun run, whole command", whole_command},
    {"bubblewrap + python3 -I -S", bubblewrap},
    {"bubblewrap + python3 -I", bubblewrap_site},
    {"/usr/bin/true, nothing else", nothing},
};

#define CONTENDERS (sizeof(contenders) / sizeof(contenders[0]))

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double times[CONTENDERS][MAX_ROUNDS];
    int rounds = 60;
    if (argc < 2 || (argc > 2 && sscanf(argv[2], "%d", &rounds) != 1) || rounds < 1 ||
        rounds > MAX_ROUNDS)
        fail("usage: bench_run FENCERUN [ROUNDS, at most 1000]");
    fencerun = argv[1];
    open_executors();
    for (int i = -WARM_UPS; i < rounds; i++)
        for (size_t c = 0; c < CONTENDERS; c++) {
            settle();
            double t = contenders[c].run();
            if (i >= 0)
                times[c][i] = t;
        }
    fr_executor_close(executor);
    fr_executor_close(limited);
    for (size_t c = 0; c < CONTENDERS; c++)
        qsort(times[c], (size_t)rounds, sizeof(double), by_value);
    printf("%d rounds, milliseconds; a shared machine is noisy, compare only within one table\n",
           rounds);
    printf("%-30s %8s %8s %8s %14s\n", "", "median", "min", "max", "times bare");
    for (size_t c = 0; c < CONTENDERS; c++)
        printf("%-30s %8.1f %8.1f %8.1f %14.2f\n", contenders[c].name, times[c][rounds / 2],
               times[c][0], times[c][rounds - 1], times[c][rounds / 2] / times[0][rounds / 2]);
    return 0;
}
