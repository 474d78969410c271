/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_USER_H
#define TESTS_SUPPORT_USER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * For programs whose tests must hold for root and for ordinary users alike. Run without an argument
 * they run as whoever calls; with "nobody" as uid 65534, which only root can become. Returns 0, or
 * what main() is to exit with: 77, after saying so, when the tests cannot run as that user.
 */
int user_choose(int argc, char **argv);

/* All of main(): chooses the user, then runs a group of tests of executors. */
#define user_run_tests(argc, argv, tests) \
    user_run_group(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]))
int user_run_group(int argc, char **argv, const struct CMUnitTest *tests, size_t count);

#define USER_SKIPPED 77
#define USER_NOBODY  65534

#endif
