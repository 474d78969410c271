/* SPDX-License-Identifier: MIT */
/* Every case of tests/data/cgroup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/sandbox/keeper/cgroup_path.h"
#include "tests/support/cases.h"

static int find(const test_case *c, const char *controller, char *path, size_t n)
{
    char *cgroups = strdup(case_text(c, "cgroup", "")),
         *mounts = strdup(case_text(c, "mountinfo", ""));
    if (!cgroups || !mounts)
        abort();
    int rc = fri_cgroup_path_from(cgroups, mounts, controller, path, n);
    free(cgroups);
    free(mounts);
    return rc;
}

static void expect_path(const test_case *c, const char *controller, const char *expected)
{
    char path[512] = "untouched";
    const char *name = strcmp(controller, "2") == 0 ? "" : controller;
    int rc = find(c, name, path, sizeof(path));
    if (strcmp(expected, "-") == 0) {
        if (rc != -1)
            fail_msg("%s: %s instead of none", controller, path);
        return;
    }
    if (rc != 0 || strcmp(path, expected) != 0)
        fail_msg("%s: %d, %s instead of %s", controller, rc, path, expected);
    /* It must fit with its NUL, and a path cut short is none. */
    size_t n = strlen(expected);
    assert_int_equal(find(c, name, path, n + 1), 0);
    assert_int_equal(find(c, name, path, n), -1);
    assert_int_equal(find(c, name, path, 1), -1);
}

static void run(void **state)
{
    const test_case *c = *state;
    int paths = 0;
    for (size_t i = 0; i < c->count; i++) {
        char controller[32];
        int n;
        if (strcmp(c->sections[i].key, "path") != 0)
            continue;
        assert_int_equal(sscanf(c->sections[i].p, "%31s %n", controller, &n), 1);
        expect_path(c, controller, c->sections[i].p + n);
        paths++;
    }
    assert_true(paths > 0);
}

/* On the machine at hand, whatever it has: a path that is given exists. */
static void test_here(void **state)
{
    (void)state;
    const char *const controllers[] = {"", "memory", "pids", "cpu"};
    for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
        char path[512], file[600];
        if (fri_cgroup_path(controllers[i], path, sizeof(path)))
            continue;
        snprintf(file, sizeof(file), "%s/cgroup.procs", path);
        if (access(file, R_OK))
            fail_msg("%s cannot be read", file);
    }
    char path[512];
    assert_int_equal(fri_cgroup_path("no-such-controller", path, sizeof(path)), -1);
}

int main(void)
{
    case_file file = cases_read(FRI_SOURCE_DIR "/tests/data/cgroup/paths.case");
    struct CMUnitTest *tests = calloc(file.count + 1, sizeof(*tests));
    if (!tests)
        abort();
    for (size_t i = 0; i < file.count; i++)
        tests[i] = (struct CMUnitTest){file.cases[i].name, run, NULL, NULL, &file.cases[i]};
    tests[file.count] = (struct CMUnitTest)cmocka_unit_test(test_here);
    int failed = _cmocka_run_group_tests("cgroup_path", tests, file.count + 1, NULL, NULL);
    free(tests);
    cases_free(&file);
    return failed;
}
