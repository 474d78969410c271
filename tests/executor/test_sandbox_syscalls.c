/* SPDX-License-Identifier: MIT */
/*
 * The system call filter against the kernel: what policy.h refuses is refused, what it does not name
 * does not exist, and no other door leads in. Made both by Python through ctypes and by a static
 * program (syscall_probe.c), which is the only file in a root directory of our own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "executor/sandbox/policy.h"
#include "fencerun/sandbox.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

#define HIGHEST 600 /* beyond any system call there is */

/* ---- the root directory with the probe in it ---- */

static char root[] = "/tmp/fencerun-root-XXXXXX";

static void root_path(char *path, size_t n, const char *name)
{
    snprintf(path, n, "%s%s", root, name);
}

/* `from`: the probe, opened by whoever built it. */
static int make_root(int from)
{
    char path[128];
    struct stat st;
    if (from < 0 || fstat(from, &st) || !mkdtemp(root) || chmod(root, 0755))
        return -1;
    root_path(path, sizeof(path), "/usr");
    if (mkdir(path, 0755))
        return -1;
    root_path(path, sizeof(path), "/usr/bin");
    if (mkdir(path, 0755))
        return -1;
    root_path(path, sizeof(path), "/usr/bin/python3");
    FRI_AUTO(fri_closep) int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    return to >= 0 && sendfile(to, from, NULL, (size_t)st.st_size) == st.st_size ? 0 : -1;
}

static void remove_root(void)
{
    static const char *const names[] = {"/usr/bin/python3", "/usr/bin", "/usr", ""};
    char path[128];
    for (size_t i = 0; i < 4; i++) {
        root_path(path, sizeof(path), names[i]);
        remove(path);
    }
}

static fr_executor *open_probe(void)
{
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    s.root = root;
    o.config = &s;
    return open_executor("sandbox", &o);
}

/* ---- lists of calls and what came of them ---- */

typedef struct errnos {
    int of[HIGHEST + 1]; /* -1: the call was not made */
} errnos;

static void read_errnos(const char *text, errnos *e)
{
    unsigned nr;
    int code, n;
    for (int i = 0; i <= HIGHEST; i++)
        e->of[i] = -1;
    for (; sscanf(text, "%x %d\n%n", &nr, &code, &n) == 2; text += n)
        if (nr <= HIGHEST)
            e->of[nr] = code;
    assert_string_equal(text, "");
}

static void append_call(fri_buf *probe, fri_buf *python, unsigned nr)
{
    fri_buf_printf(probe, "call %x\n", nr);
    fri_buf_printf(python, "%u,", nr);
}

/* Makes every listed call both ways. */
static void make_calls(const fri_buf *probe, const fri_buf *python, errnos *by_probe,
                       errnos *by_python)
{
    fri_buf code;
    fri_buf_init(&code, 1 << 20);
    fri_buf_printf(&code,
                   "import ctypes\n"
                   "libc = ctypes.CDLL(None, use_errno=True)\n"
                   "libc.syscall.restype = ctypes.c_long\n"
                   "for nr in (%s):\n"
                   "    r = libc.syscall(ctypes.c_long(nr), 0, 0, 0, 0, 0, 0)\n"
                   "    print('%%x %%d' %% (nr, ctypes.get_errno() if r == -1 else 0))\n",
                   python->p);
    fr_executor *ex = open_probe();
    char *text = output_of(ex, probe->p);
    read_errnos(text, by_probe);
    free(text);
    fr_executor_close(ex);
    ex = open_executor("sandbox", NULL);
    text = output_of(ex, code.p);
    read_errnos(text, by_python);
    free(text);
    fr_executor_close(ex);
    fri_buf_dispose(&code);
}

static int number_of(const char *name)
{
    int nr = seccomp_syscall_resolve_name(name);
    assert_true(nr <= HIGHEST);
    return nr;
}

static int is_on(const char *const *list, int nr)
{
    for (; *list; list++)
        if (seccomp_syscall_resolve_name(*list) == nr)
            return 1;
    return 0;
}

static void test_what_is_refused_is_refused(void **state)
{
    (void)state;
    errnos by_probe, by_python;
    fri_buf probe, python;
    size_t count = 0;
    fri_buf_init(&probe, 1 << 20);
    fri_buf_init(&python, 1 << 20);
    for (const char *const *name = fri_policy_refused; *name; name++)
        if (number_of(*name) >= 0)
            append_call(&probe, &python, (unsigned)number_of(*name));
    make_calls(&probe, &python, &by_probe, &by_python);
    for (const char *const *name = fri_policy_refused; *name; name++) {
        int nr = number_of(*name);
        if (nr < 0)
            continue;
        count++;
        if (by_probe.of[nr] != EPERM || by_python.of[nr] != EPERM)
            fail_msg("%s: errno %d by the probe, %d by Python", *name, by_probe.of[nr],
                     by_python.of[nr]);
    }
    assert_true(count > 50);
    fri_buf_dispose(&probe);
    fri_buf_dispose(&python);
}

/* Calls with rules for their arguments. */
static const char *const special[] = {"clone",
                                      "socket",
                                      "socketpair",
                                      "ioctl",
                                      "fcntl",
                                      "personality",
                                      "prlimit64",
                                      "setrlimit",
                                      "sched_setaffinity",
                                      "setpriority",
                                      "sched_setattr",
                                      "sched_setparam",
                                      "sched_setscheduler",
                                      NULL};

/* Kernel: these two end a process that makes them by itself, before any filter (Linux 6.14). */
enum { URETPROBE = 335, UPROBE = 336 };

static int is_unlisted(int nr)
{
    return nr != URETPROBE && nr != UPROBE && !is_on(fri_policy_allowed, nr) &&
           !is_on(fri_policy_refused, nr) && !is_on(special, nr);
}

static void test_what_is_on_no_list_does_not_exist(void **state)
{
    (void)state;
    errnos by_probe, by_python;
    fri_buf probe, python;
    int count = 0;
    fri_buf_init(&probe, 1 << 20);
    fri_buf_init(&python, 1 << 20);
    for (int nr = 0; nr <= HIGHEST; nr++)
        if (is_unlisted(nr))
            append_call(&probe, &python, (unsigned)nr);
    make_calls(&probe, &python, &by_probe, &by_python);
    for (int nr = 0; nr <= HIGHEST; nr++) {
        if (!is_unlisted(nr))
            continue;
        count++;
        if (by_probe.of[nr] != ENOSYS || by_python.of[nr] != ENOSYS)
            fail_msg("call %d: errno %d by the probe, %d by Python", nr, by_probe.of[nr],
                     by_python.of[nr]);
    }
    assert_true(count > 100);
    fri_buf_dispose(&probe);
    fri_buf_dispose(&python);
}

/* What must never be let in, whatever the lists say one day. */
static void test_the_lists_themselves(void **state)
{
    (void)state;
    static const char *const never[] = {"mount",
                                        "umount2",
                                        "pivot_root",
                                        "chroot",
                                        "unshare",
                                        "setns",
                                        "fsopen",
                                        "move_mount",
                                        "open_tree",
                                        "ptrace",
                                        "process_vm_readv",
                                        "process_vm_writev",
                                        "pidfd_getfd",
                                        "bpf",
                                        "perf_event_open",
                                        "userfaultfd",
                                        "io_uring_setup",
                                        "keyctl",
                                        "add_key",
                                        "request_key",
                                        "open_by_handle_at",
                                        "name_to_handle_at",
                                        "kexec_load",
                                        "kexec_file_load",
                                        "init_module",
                                        "finit_module",
                                        "delete_module",
                                        "reboot",
                                        "swapon",
                                        "swapoff",
                                        "settimeofday",
                                        "clock_settime",
                                        "adjtimex",
                                        "clock_adjtime",
                                        "sethostname",
                                        "setdomainname",
                                        "iopl",
                                        "ioperm",
                                        "acct",
                                        "quotactl",
                                        "syslog",
                                        "vhangup",
                                        "lookup_dcookie",
                                        "memfd_secret",
                                        "modify_ldt",
                                        "fanotify_init",
                                        "clone3",
                                        "mount_setattr",
                                        NULL};
    for (const char *const *name = never; *name; name++)
        if (number_of(*name) >= 0 && is_on(fri_policy_allowed, number_of(*name)))
            fail_msg("%s is allowed", *name);
    for (const char *const *name = fri_policy_refused; *name; name++)
        if (number_of(*name) >= 0 && is_on(fri_policy_allowed, number_of(*name)))
            fail_msg("%s is on both lists", *name);
}

/* ---- calls with arguments ---- */

/* Runs lines of the probe; all must fail with this errno. */
static void expect_errno(const char *lines, int code)
{
    fr_executor *ex = open_probe();
    char *text = output_of(ex, lines);
    fr_executor_close(ex);
    int got, n, count = 0;
    for (const char *at = text; sscanf(at, "%*x %d\n%n", &got, &n) == 1; at += n, count++)
        if (got != code)
            fail_msg("errno %d instead of %d in:\n%s", got, code, text);
    for (const char *at = lines; (at = strchr(at, '\n')); at++)
        count--;
    assert_int_equal(count, 0);
    free(text);
}

static void test_clone_into_namespaces(void **state)
{
    (void)state;
    static const uint64_t flags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                     CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, CLONE_NEWTIME};
    char clone[1024] = "", clone3[1024] = "";
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        size_t n = strlen(clone), m = strlen(clone3);
        all |= flags[i];
        /* CLONE_NEWTIME shares its bits with the exit signal of clone(2), where it means nothing. */
        uint64_t signal = flags[i] == CLONE_NEWTIME ? 0 : SIGCHLD;
        snprintf(clone + n, sizeof(clone) - n,
                 "call %x %" PRIx64 "\ncall %x %" PRIx64 "\ncall %x %" PRIx64 "\n", SYS_clone,
                 flags[i] | signal, SYS_clone, (UINT64_C(0xdead) << 32) | flags[i] | signal,
                 SYS_clone, all | signal);
        snprintf(clone3 + m, sizeof(clone3) - m, "clone3 %" PRIx64 "\n", flags[i]);
    }
    expect_errno(clone, EPERM);
    expect_errno(clone3, ENOSYS);
    expect_errno("clone3 0\n", ENOSYS);
}

static void test_socket_families(void **state)
{
    (void)state;
    char lines[8192] = "", few[256];
    for (unsigned family = 0; family < 64; family++) {
        size_t n = strlen(lines);
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family >= AF_MAX)
            continue;
        for (unsigned type = 1; type <= 3; type++, n = strlen(lines))
            snprintf(lines + n, sizeof(lines) - n, "call %x %x %x 0\n", SYS_socket, family, type);
    }
    expect_errno(lines, EAFNOSUPPORT);
    /* Past AF_MAX, and with bits the kernel does not look at. */
    snprintf(few, sizeof(few), "call %x ff 1 0\ncall %x 100000010 3 0\n", SYS_socket, SYS_socket);
    fr_executor *ex = open_probe();
    fr_code_result *r = execute(ex, few);
    assert_null(strstr(r->out.p, " 0\n"));
    fr_code_result_free(r);
    fr_executor_close(ex);
    /* Raw sockets need a capability. */
    snprintf(few, sizeof(few), "call %x 2 3 1\ncall %x a 3 3a\n", SYS_socket, SYS_socket);
    expect_errno(few, EPERM);
}

static void test_sockets_that_may_be(void **state)
{
    (void)state;
    char lines[256];
    snprintf(lines, sizeof(lines), "call %x 1 1 0\ncall %x 2 1 0\ncall %x 2 2 0\ncall %x a 1 0\n",
             SYS_socket, SYS_socket, SYS_socket, SYS_socket);
    expect_errno(lines, 0);
}

/* The kernel reads 32 bits of the request, so bits above must not hide it. */
static void test_terminals(void **state)
{
    (void)state;
    static const unsigned requests[] = {TIOCSTI, TIOCLINUX, TIOCSCTTY, TIOCSETD, TCSETS, TIOCCONS};
    char lines[1024] = "";
    for (unsigned fd = 0; fd < 2; fd++)
        for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
            size_t n = strlen(lines);
            snprintf(lines + n, sizeof(lines) - n, "call %x %x %x 0\ncall %x %x dead%08x 0\n",
                     SYS_ioctl, fd, requests[i], SYS_ioctl, fd, requests[i]);
        }
    expect_errno(lines, ENOSYS);
}

static void test_personality(void **state)
{
    (void)state;
    char lines[256];
    snprintf(lines, sizeof(lines), "call %x 40000\ncall %x 8\ncall %x 400000\n", SYS_personality,
             SYS_personality, SYS_personality);
    expect_errno(lines, ENOSYS);
    snprintf(lines, sizeof(lines), "call %x ffffffff\n", SYS_personality);
    expect_errno(lines, 0);
}

/* ---- other doors to the kernel ---- */

/* The line's call ends the program, by one of two signals. */
static void expect_death(const char *line, int sig, int or_sig)
{
    fr_executor *ex = open_probe();
    char lines[256];
    snprintf(lines, sizeof(lines), "call %x\n%scall %x\n", SYS_getpid, line, SYS_getpid);
    fr_code_result *r = execute(ex, lines);
    assert_int_equal(r->outcome, FR_OUTCOME_FAILED);
    assert_true(r->signal == sig || r->signal == or_sig);
    assert_non_null(strchr(r->out.p, '\n'));
    assert_string_equal(strchr(r->out.p, '\n'), "\n"); /* the first call came back, no other */
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void test_x32_numbers(void **state)
{
    (void)state;
#ifndef __x86_64__
    skip();
#endif
    const unsigned numbers[] = {0, 1, 39, 56, 101, 165, 512, 520, 547};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char line[64];
        snprintf(line, sizeof(line), "call %x\n", numbers[i] | 0x40000000);
        expect_death(line, SIGSYS, SIGSYS);
    }
}

static void test_the_32_bit_gate(void **state)
{
    (void)state;
#ifndef __x86_64__
    skip();
#endif
    /* SIGSEGV where the kernel has no 32-bit calls at all. */
    expect_death("int80 14\n", SIGSYS, SIGSEGV); /* getpid */
    expect_death("int80 1a\n", SIGSYS, SIGSEGV); /* ptrace */
    expect_death("int80 15\n", SIGSYS, SIGSEGV); /* mount */
}

static void test_negative_and_huge_numbers(void **state)
{
    (void)state;
    fr_executor *ex = open_probe();
    fr_code_result *r =
        execute(ex, "call 3e7\ncall 3fffffff\ncall ffffffffffffffff\ncall 100000027\n");
    assert_int_equal(r->outcome, FR_OUTCOME_OK);
    assert_string_equal(r->out.p, "3e7 38\n3fffffff 38\nffffffffffffffff 38\n100000027 0\n");
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* A child of a thread, an executed program and a filter of its own: none of them gets rid of ours. */
static void test_the_filter_is_inherited_and_only_grows(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    expect_output(
        ex,
        "import ctypes, os, subprocess, sys, threading\n"
        "again = 'import ctypes; l = ctypes.CDLL(None, use_errno=True); print(l.unshare(0x10000000), "
        "ctypes.get_errno())'\n"
        "print(subprocess.run([sys.executable, '-c', again], capture_output=True, "
        "text=True).stdout, end='')\n"
        "t = threading.Thread(target=exec, args=(again,)); t.start(); t.join()\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.prctl(21, 0, 0, 0, 0), libc.prctl(22, 0, 0), libc.prctl(38, 0, 0, 0, 0))\n",
        "-1 1\n-1 1\n2 -1 -1\n");
    fr_executor_close(ex);
}

int main(int argc, char **argv)
{
    FRI_AUTO(fri_closep) int probe = open(FRI_SYSCALL_PROBE, O_RDONLY | O_CLOEXEC);
    int rc = user_choose(argc, argv);
    if (rc)
        return rc;
    if (make_root(probe)) {
        perror(root);
        return 1;
    }
    fr_executor_class_at(0);
    const struct CMUnitTest tests[] = {
        leaks_test(test_what_is_refused_is_refused),
        leaks_test(test_what_is_on_no_list_does_not_exist),
        cmocka_unit_test(test_the_lists_themselves),
        leaks_test(test_clone_into_namespaces),
        leaks_test(test_socket_families),
        leaks_test(test_sockets_that_may_be),
        leaks_test(test_terminals),
        leaks_test(test_personality),
        leaks_test(test_x32_numbers),
        leaks_test(test_the_32_bit_gate),
        leaks_test(test_negative_and_huge_numbers),
        leaks_test(test_the_filter_is_inherited_and_only_grows),
    };
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    remove_root();
    return rc;
}
