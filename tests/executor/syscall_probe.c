/* SPDX-License-Identifier: MIT */
/*
 * Stands in for Python in a root directory of the tests' own: a static program that makes the system
 * calls its code lists, without a C library between them and the kernel. Lines of the code are
 *
 *     call NR [ARG]...      by the syscall instruction
 *     clone3 FLAGS          with a struct clone_args
 *     int80 NR              by the 32-bit gate
 *
 * all numbers in hex. It prints for each: NR and the errno, 0 for success. A call that ends the process
 * prints nothing, so what was printed says how far it came.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(uint64_t nr, long result)
{
    printf("%" PRIx64 " %d\n", nr, result == -1 ? errno : 0);
    fflush(stdout);
}

static void make_call(const char *text)
{
    uint64_t a[7] = {0};
    int n = 0;
    for (int used; n < 7 && sscanf(text, " %" SCNx64 "%n", &a[n], &used) == 1; n++)
        text += used;
    say(a[0], syscall((long)a[0], a[1], a[2], a[3], a[4], a[5], a[6]));
}

static void make_clone3(const char *text)
{
    struct clone_args args = {.exit_signal = SIGCHLD};
    uint64_t flags = 0;
    sscanf(text, " %" SCNx64, &flags);
    args.flags = flags;
    long pid = syscall(SYS_clone3, &args, sizeof(args));
    if (pid == 0)
        _exit(0);
    say(SYS_clone3, pid);
    if (pid > 0)
        waitpid((pid_t)pid, NULL, 0);
}

static void make_int80(const char *text)
{
#ifdef __x86_64__
    uint64_t nr = 0;
    int32_t result;
    sscanf(text, " %" SCNx64, &nr);
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"((uint32_t)nr), "b"(0), "c"(0), "d"(0)
                     : "memory");
    printf("%" PRIx64 " %d\n", nr, result < 0 ? -result : 0);
    fflush(stdout);
#else
    (void)text;
#endif
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*make)(const char *text);
    } makers[] = {{"call", make_call}, {"clone3", make_clone3}, {"int80", make_int80}};
    FILE *f = fopen(argv[argc - 1], "re");
    char line[256];
    if (!f)
        return 2;
    while (fgets(line, sizeof(line), f)) {
        size_t i = 0, n = strcspn(line, " \n");
        while (i < 3 && (strlen(makers[i].word) != n || strncmp(makers[i].word, line, n) != 0))
            i++;
        if (i == 3)
            return 3;
        makers[i].make(line + n);
    }
    return 0;
}
