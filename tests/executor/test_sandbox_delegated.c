/* SPDX-License-Identifier: MIT */
/*
 * An ordinary user to whom cgroups are delegated gets limits as good as root's. Needs root, to delegate
 * some, on a machine that has the controllers memory and pids in cgroup 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "executor/sandbox/keeper/cgroup_path.h"
#include "fencerun/executor.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

static const char *const controllers[] = {"memory", "pids"};

/* The group of `pid` for a controller; 0, or -1 where there is no such hierarchy. */
static int group_path(const char *controller, pid_t pid, char *path, size_t n)
{
    char own[512];
    if (fri_cgroup_path(controller, own, sizeof(own)))
        return -1;
    return snprintf(path, n, "%s/fencerun-test-%d", own, (int)pid) < (int)n ? 0 : -1;
}

/* Makes this process's own groups, gives them to the user and moves there. */
static int delegate(void)
{
    for (size_t i = 0; i < 2; i++) {
        char dir[600], procs[640];
        if (group_path(controllers[i], getpid(), dir, sizeof(dir)))
            return -1;
        snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
        if (mkdir(dir, 0755) || chown(dir, USER_NOBODY, USER_NOBODY) ||
            chown(procs, USER_NOBODY, USER_NOBODY))
            return -1;
        FRI_AUTO(fri_closep) int fd = open(procs, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || write(fd, "0", 1) != 1)
            return -1;
    }
    return 0;
}

static int become_user(void)
{
    return setgroups(0, NULL) || setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY) ||
           setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY) || prctl(PR_SET_DUMPABLE, 1);
}

/* In a child, so without asserting: 0 when the limits are there and hold. */
static int run_as_user(void)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_executor *ex = NULL;
    fr_code_result *r = NULL;
    o.memory_bytes = 64 << 20;
    in.code = fri_cstr("k = []\nwhile True: k.append(b'x' * 65536)\n");
    if (delegate())
        return 11;
    if (become_user())
        return 12;
    if (fr_executor_open("sandbox", &o, &ex, NULL))
        return 13;
    if (fr_executor_execute(ex, &in, &r, NULL))
        return 14;
    const fr_limit *memory = find_limit(r, "memory_bytes");
    int good = r->outcome == FR_OUTCOME_MEMORY && r->receipt->oom_events > 0 && memory &&
               !memory->degraded;
    fr_code_result_free(r);
    fr_executor_close(ex);
    return good ? 0 : 15;
}

static void test_delegated_groups_are_used(void **state)
{
    (void)state;
    char dir[600];
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(run_as_user());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    /* Empty of the keeper's groups, or they cannot be removed. */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(group_path(controllers[i], pid, dir, sizeof(dir)), 0);
        assert_int_equal(rmdir(dir), 0);
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    char path[600];
    if (geteuid() != 0) {
        printf("SKIPPED: only root can delegate cgroups\n");
        return USER_SKIPPED;
    }
    for (size_t i = 0; i < 2; i++)
        if (group_path(controllers[i], getpid(), path, sizeof(path))) {
            printf("SKIPPED: there is no cgroup-1 controller %s\n", controllers[i]);
            return USER_SKIPPED;
        }
    fr_executor_class_at(0);
    const struct CMUnitTest tests[] = {leaks_test(test_delegated_groups_are_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
