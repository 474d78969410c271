/* SPDX-License-Identifier: MIT */
/* The sandbox in host programs of every kind, and its options and receipts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "fencerun/sandbox.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

static void expect(const char *code, const char *out)
{
    fr_executor *ex = open_executor("sandbox", NULL);
    expect_output(ex, code, out);
    fr_executor_close(ex);
}

/* ---- what the host has and the run must not ---- */

static void test_environment_of_the_host(void **state)
{
    (void)state;
    setenv("LC_ALL", "C", 1);
    setenv("PYTHONSTARTUP", "/tmp/planted.py", 1);
    setenv("PYTHONPATH", "/tmp", 1);
    setenv("LD_PRELOAD_FOR_TEST", "/tmp/planted.so", 1);
    setenv("MODEL_API_KEY", "sk-not-for-the-run", 1);
    expect("import os\n"
           "print(sorted(os.environ))\n"
           "print('sk-not' in open('/proc/self/environ').read())\n"
           "print('\xe6\x95\xb0\xe2\x86\x92\xf0\x9f\x98\x80')\n",
           "['HOME', 'LANG', 'PATH', 'TMPDIR', 'USER']\nFalse\n"
           "\xe6\x95\xb0\xe2\x86\x92\xf0\x9f\x98\x80\n");
    unsetenv("LC_ALL");
    unsetenv("PYTHONSTARTUP");
    unsetenv("PYTHONPATH");
    unsetenv("LD_PRELOAD_FOR_TEST");
    unsetenv("MODEL_API_KEY");
}

static void test_descriptors_of_the_host(void **state)
{
    (void)state;
    static const char list[] = "import fcntl\n"
                               "found = []\n"
                               "for fd in range(1024):\n"
                               "    try: fcntl.fcntl(fd, fcntl.F_GETFD); found.append(fd)\n"
                               "    except OSError: pass\n"
                               "print(found)\n";
    const int numbers[] = {3, 5, 10, 63, 64, 255, 512, 1000};
    int held[16];
    int secret = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < 8; i++)
        held[i] = fcntl(secret, F_DUPFD, numbers[i]);
    fr_executor *ex = open_executor("sandbox", NULL);
    expect_output(ex, list, "[0, 1, 2]\n");
    for (size_t i = 0; i < 8; i++)
        held[8 + i] = fcntl(secret, F_DUPFD, 3);
    expect_output(ex, list, "[0, 1, 2]\n");
    fr_executor_close(ex);
    for (size_t i = 0; i < 16; i++)
        close(held[i]);
    close(secret);
}

static void test_signals_of_the_host(void **state)
{
    (void)state;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before[_NSIG];
    sigset_t all, mask;
    for (int sig = 1; sig < _NSIG; sig++)
        if (sig != SIGCHLD)
            sigaction(sig, &ignore, &before[sig]);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    fr_executor *ex = open_executor("sandbox", NULL);
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    in.code = fri_cstr("grep -E 'Sig(Blk|Ign|Pnd)|ShdPnd' /proc/self/status\n");
    in.language = "sh";
    assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), 0);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    for (int sig = 1; sig < _NSIG; sig++)
        if (sig != SIGCHLD)
            sigaction(sig, &before[sig], NULL);
    assert_string_equal(r->out.p, "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\n"
                                  "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* Only root can give its groups up; an ordinary user's show as "nogroup" inside. */
static void test_groups_of_root(void **state)
{
    (void)state;
    const gid_t groups[] = {4, 27};
    gid_t before[256];
    if (geteuid() != 0) {
        print_message("SKIPPED: only root has groups to give up\n");
        skip();
    }
    int count = getgroups(256, before);
    assert_true(count >= 0);
    assert_int_equal(setgroups(2, groups), 0);
    fr_executor *ex = open_executor("sandbox", NULL);
    char *out = output_of(ex, "import os\nprint(os.getgroups())\n");
    fr_executor_close(ex);
    assert_int_equal(setgroups((size_t)count, before), 0);
    assert_string_equal(out, "[]\n");
    free(out);
}

/* ---- hosts in odd states; each is a child of its own ---- */

/* Opens, runs and closes; 0 when all went well. Must not assert: it is not the test's own process. */
static int use(void)
{
    fr_executor *ex = NULL;
    fr_code_result *r = NULL;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_error err = FR_ERROR_INIT;
    in.code = fri_cstr("import sys\nprint('out')\nsys.stderr.write('err\\n')\n");
    if (fr_executor_open("sandbox", NULL, &ex, &err) || fr_executor_execute(ex, &in, &r, &err))
        return 1;
    int good = strcmp(r->out.p, "out\n") == 0 && strcmp(r->err.p, "err\n") == 0;
    fr_code_result_free(r);
    fr_executor_close(ex);
    return good ? 0 : 2;
}

static void expect_use_after(void (*prepare)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        prepare();
        _exit(use());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void close_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
}

static void lower_limits(void)
{
    const struct {
        __rlimit_resource_t resource;
        rlim_t limit;
    } limits[] = {{RLIMIT_NOFILE, 200},    {RLIMIT_STACK, 2 << 20}, {RLIMIT_CORE, 0},
                  {RLIMIT_MEMLOCK, 4096},  {RLIMIT_MSGQUEUE, 1000}, {RLIMIT_SIGPENDING, 100},
                  {RLIMIT_FSIZE, 10 << 20}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const struct rlimit both = {limits[i].limit, limits[i].limit};
        setrlimit(limits[i].resource, &both);
    }
}

static void mask_files(void)
{
    umask(0777);
}

static void leave_the_directory(void)
{
    char name[] = "/tmp/fencerun-gone-XXXXXX";
    if (!mkdtemp(name) || chdir(name) || rmdir(name))
        _exit(9);
}

static void become_undumpable(void)
{
    prctl(PR_SET_DUMPABLE, 0);
}

static void ignore_children(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGCHLD, &ignore, NULL);
}

static void open_many(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (fd < 900)
        fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static void give_up_new_privileges(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void test_hosts_in_odd_states(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*prepare)(void);
    } hosts[] = {
        {"no standard streams", close_streams}, {"limits lower than ours", lower_limits},
        {"a umask of 0777", mask_files},        {"a directory that is gone", leave_the_directory},
        {"not dumpable", become_undumpable},    {"SIGCHLD ignored", ignore_children},
        {"900 descriptors open", open_many},    {"no new privileges", give_up_new_privileges},
    };
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        print_message("%s\n", hosts[i].name);
        expect_use_after(hosts[i].prepare);
    }
}

/* ---- much in, much out ---- */

/* The kernel's own count of the most memory this process has used. */
static long peak_kb(void)
{
    char line[128];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "re");
    assert_non_null(f);
    while (kb < 0 && fgets(line, sizeof(line), f))
        if (sscanf(line, "VmHWM: %ld", &kb) != 1)
            kb = -1;
    fclose(f);
    return kb;
}

static void test_a_flood_takes_constant_memory(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.output_keep_bytes = 64 << 10;
    fr_executor *ex = open_executor("sandbox", &o);
    expect_output(ex, "print(1)\n", "1\n");
    long before = peak_kb();
    fr_code_result *r = execute(ex, "import sys\n"
                                    "block = b'x' * 1000000\n"
                                    "for i in range(200):\n"
                                    "    sys.stdout.buffer.write(block)\n"
                                    "    sys.stderr.buffer.write(block)\n");
    assert_int_equal(r->outcome, FR_OUTCOME_OK);
    assert_true(r->receipt->stdout_written == 200000000);
    assert_true(r->receipt->stderr_written == 200000000);
    assert_true(r->receipt->stdout_kept <= 64 << 10);
    assert_true(peak_kb() - before < 20 << 10);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void expect_long_code(size_t n)
{
    static const char head[] = "text = '", tail[] = "'\nprint(len(text))\n";
    char *code = malloc(n + 64), out[32];
    assert_non_null(code);
    int at = snprintf(code, 64, "%s", head);
    memset(code + at, 'x', n);
    snprintf(code + at + n, 32, "%s", tail);
    snprintf(out, sizeof(out), "%zu\n", n);
    expect(code, out);
    free(code);
}

static void test_long_code(void **state)
{
    (void)state;
    expect_long_code(140000); /* more than an argument may have */
    expect_long_code(200000);
    expect_long_code(10000000);
}

/* ---- options ---- */

static void test_cpu_limit_holds_or_is_refused(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    o.cpu_millis = 200;
    int rc = fr_executor_open("sandbox", &o, &ex, &err);
    if (rc) {
        print_message("refused: %s\n", err.text);
        assert_int_equal(rc, FR_EUNAVAILABLE);
        assert_non_null(strstr(err.text, "cpu"));
        assert_int_not_equal(geteuid(), 0);
        return;
    }
    fr_code_result *r = execute(ex, "import time\n"
                                    "began, used = time.monotonic(), time.process_time()\n"
                                    "while time.process_time() - used < 0.4: pass\n"
                                    "print(time.monotonic() - began)\n");
    double took = 0;
    assert_int_equal(sscanf(r->out.p, "%lf", &took), 1);
    assert_true(took > 1.2); /* 2 s are due; without a limit it is 0.4 */
    assert_int_equal(find_limit(r, "cpu_millis")->value, 200);
    assert_non_null(strstr(find_limit(r, "cpu_millis")->mechanism, "cgroup"));
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void expect_root_refused(const char *root, int code, const char *word)
{
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    s.root = root;
    o.config = &s;
    int rc = fr_executor_open("sandbox", &o, &ex, &err);
    fr_executor_close(ex);
    if (rc != code || !strstr(err.text, word))
        fail_msg("root '%s': %s %s", root, fr_error_name(rc), err.text);
}

static void test_roots_that_cannot_be(void **state)
{
    (void)state;
    expect_root_refused("/", FR_EINVAL, "host");
    expect_root_refused("/usr/..", FR_EINVAL, "host");
    expect_root_refused("/no/such/root", FR_EINVAL, "/no/such/root");
    expect_root_refused("", FR_EINVAL, "root");
    expect_root_refused("/bin/sh", FR_EINVAL, "Not a directory");
}

static void test_root_without_an_interpreter(void **state)
{
    (void)state;
    char root[] = "/tmp/fencerun-empty-XXXXXX";
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_error err = FR_ERROR_INIT;
    assert_non_null(mkdtemp(root));
    s.root = root;
    o.config = &s;
    fr_executor *ex = open_executor("sandbox", &o);
    fr_code_result *r = NULL;
    const fr_code_input in = FR_CODE_INPUT_INIT;
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_EUNAVAILABLE);
    assert_non_null(strstr(err.text, "python3"));
    assert_int_equal(fr_executor_probe(ex, NULL), FR_EUNAVAILABLE);
    fr_executor_close(ex);
    assert_int_equal(rmdir(root), 0);
}

static void test_options_of_a_newer_program(void **state)
{
    (void)state;
    struct {
        fr_sandbox_options s;
        int64_t later;
    } newer = {.s.struct_size = sizeof(newer)};
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    o.config = &newer;
    assert_int_equal(fr_executor_open("sandbox", &o, &ex, NULL), 0);
    fr_executor_close(ex);
    newer.later = 1;
    ex = NULL;
    assert_int_equal(fr_executor_open("sandbox", &o, &ex, NULL), FR_EABI);
    assert_null(ex);
}

/* ---- receipts ---- */

static void expect_limit(const fr_code_result *r, const char *name, uint64_t value)
{
    const fr_limit *limit = find_limit(r, name);
    if (!limit) {
        fail_msg("no limit %s", name);
        return;
    }
    assert_true(limit->value == value);
    assert_string_not_equal(limit->mechanism, "");
}

static void test_receipt(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.timeout_ms = 30000;
    o.memory_bytes = 256 << 20;
    o.tmp_bytes = 8 << 20;
    o.max_processes = 17;
    o.output_max_bytes = 12345;
    fr_executor *ex = open_executor("sandbox", &o);
    fr_code_result *r = execute(ex, "import time\n"
                                    "b = bytearray(50 << 20)\n"
                                    "end = time.process_time() + 0.2\n"
                                    "while time.process_time() < end: pass\n"
                                    "time.sleep(0.2)\n"
                                    "print('12345')\n");
    const fr_receipt *receipt = r->receipt;
    assert_int_equal(r->outcome, FR_OUTCOME_OK);
    assert_string_equal(receipt->executor, "sandbox");
    assert_string_equal(receipt->language, "python");
    assert_non_null(strstr(receipt->interpreter, "/python3"));
    assert_false(receipt->network);
    expect_limit(r, "wall_ms", 30000);
    expect_limit(r, "memory_bytes", 256 << 20);
    expect_limit(r, "tmp_bytes", 8 << 20);
    expect_limit(r, "processes", 17);
    expect_limit(r, "output_bytes", 12345);
    assert_false(find_limit(r, "processes")->degraded);
    assert_true(receipt->start_ns > 0 && receipt->start_ns < INT64_C(20000000000));
    assert_true(receipt->run_ns > 400000000 && receipt->run_ns < INT64_C(20000000000));
    assert_true(receipt->cpu_user_ns + receipt->cpu_system_ns >= 200000000);
    assert_true(receipt->cpu_user_ns + receipt->cpu_system_ns <= receipt->run_ns + 100000000);
    assert_true(receipt->peak_memory_bytes > 50 << 20);
    assert_true(receipt->peak_memory_bytes < 200 << 20);
    assert_int_equal(receipt->stdout_written, 6);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void test_memory_limit_says_what_it_is(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    fr_code_result *r = execute(ex, "pass\n");
    const fr_limit *limit = find_limit(r, "memory_bytes");
    assert_non_null(limit);
    print_message("uid %d: memory by %s%s\n", (int)geteuid(), limit->mechanism,
                  limit->degraded ? ", degraded" : "");
    assert_int_equal(limit->degraded != 0, strcmp(limit->mechanism, "rlimit") == 0);
    assert_int_equal(r->receipt->oom_events, limit->degraded ? -1 : 0);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void test_languages(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    static const struct {
        const char *language, *code, *out, *interpreter;
    } runs[] = {{"python", "print('p')\n", "p\n", "python3"},
                {"bash", "a=(1 2); echo ${a[1]}\n", "2\n", "bash"},
                {"sh", "echo s\n", "s\n", "sh"}};
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        fr_code_input in = FR_CODE_INPUT_INIT;
        fr_code_result *r = NULL;
        in.language = runs[i].language;
        in.code = fri_cstr(runs[i].code);
        assert_int_equal(fr_executor_execute(ex, &in, &r, NULL), 0);
        assert_string_equal(r->out.p, runs[i].out);
        assert_string_equal(r->receipt->language, runs[i].language);
        assert_non_null(strstr(r->receipt->interpreter,
                               strcmp(runs[i].language, "sh") == 0 ? "/" : runs[i].interpreter));
        fr_code_result_free(r);
    }
    fr_executor_close(ex);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_environment_of_the_host),
        leaks_test(test_descriptors_of_the_host),
        leaks_test(test_signals_of_the_host),
        leaks_test(test_groups_of_root),
        leaks_test(test_hosts_in_odd_states),
        leaks_test(test_a_flood_takes_constant_memory),
        leaks_test(test_long_code),
        leaks_test(test_cpu_limit_holds_or_is_refused),
        leaks_test(test_roots_that_cannot_be),
        leaks_test(test_root_without_an_interpreter),
        leaks_test(test_options_of_a_newer_program),
        leaks_test(test_receipt),
        leaks_test(test_memory_limit_says_what_it_is),
        leaks_test(test_languages),
    };
    return user_run_tests(argc, argv, tests);
}
