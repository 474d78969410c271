/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/dynlib.h"

static double (*cosine)(double);
static const fri_dynlib_symbol good[] = {FRI_DYNLIB_SYMBOL("cos", cosine)};

static void test_loads(void **state)
{
    (void)state;
    fri_dynlib library = {"libm.so.6", "angles", "libc6", good, 1, 0};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fri_dynlib_load(&library, NULL), 0);
        assert_true(cosine(0) == 1);
    }
}

static void test_missing_library(void **state)
{
    (void)state;
    fri_dynlib library = {"libno-such.so.9", "angles", "libnosuch9", good, 1, 0};
    for (int i = 0; i < 2; i++) {
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fri_dynlib_load(&library, &err), FR_EUNAVAILABLE);
        assert_non_null(strstr(err.text, "angles: libno-such.so.9 cannot be loaded"));
        assert_non_null(strstr(err.text, "install libnosuch9"));
    }
}

static void test_library_that_is_too_old(void **state)
{
    (void)state;
    void (*slot)(void) = NULL;
    const fri_dynlib_symbol symbols[] = {FRI_DYNLIB_SYMBOL("cosine_of_tomorrow", slot)};
    fri_dynlib library = {"libm.so.6", "angles", "libc6", symbols, 1, 0};
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fri_dynlib_load(&library, &err), FR_EUNAVAILABLE);
    assert_non_null(strstr(err.text, "lacks cosine_of_tomorrow; a newer libc6 is needed"));
    assert_null(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_missing_library),
        cmocka_unit_test(test_library_that_is_too_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
