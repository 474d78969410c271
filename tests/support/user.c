/* SPDX-License-Identifier: MIT */
#include "tests/support/user.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fencerun/executor.h"

static void must(int failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

int user_choose(int argc, char **argv)
{
    if (argc < 2)
        return 0;
    if (strcmp(argv[1], "nobody") != 0) {
        fprintf(stderr, "usage: %s [nobody]\n", argv[0]);
        return 2;
    }
    if (geteuid() != 0) {
        printf("SKIPPED: %s as uid %d: only root can become another user. The tests have run as "
               "uid %d without an argument.\n",
               argv[0], USER_NOBODY, (int)geteuid());
        return USER_SKIPPED;
    }
    must(setgroups(0, NULL), "setgroups");
    must(setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY), "setresgid");
    must(setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY), "setresuid");
    /* The change of user took it away, and with it /proc/self from its owner. */
    must(prctl(PR_SET_DUMPABLE, 1), "prctl");
    must(chdir("/"), "chdir");
    return 0;
}

int user_run_group(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    int rc = user_choose(argc, argv);
    if (rc)
        return rc;
    fr_executor_class_at(0); /* the library's classes come in with the first look, and stay */
    return _cmocka_run_group_tests(argv[0], tests, count, NULL, NULL);
}
