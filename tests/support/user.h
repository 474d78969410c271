/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_USER_H
#define TESTS_SUPPORT_USER_H

/*
 * For programs whose tests must hold for root and for ordinary users alike. Run without an argument
 * they run as whoever calls; with "nobody" as uid 65534, which only root can become. Returns 0, or
 * what main() is to exit with: 77, after saying so, when the tests cannot run as that user.
 */
int user_choose(int argc, char **argv);

#define USER_SKIPPED 77
#define USER_NOBODY  65534

#endif
