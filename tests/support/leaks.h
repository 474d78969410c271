/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_LEAKS_H
#define TESTS_SUPPORT_LEAKS_H

/*
 * Setup and teardown of a test that may leave nothing behind: no open descriptor, no child (running,
 * or dead and not reaped), no allocation of the library. *state is not touched.
 */
int leaks_note(void **state);
int leaks_check(void **state);

#define leaks_test(f) cmocka_unit_test_setup_teardown(f, leaks_note, leaks_check)

#endif
