/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fencerun/memory.h"

static void test_calloc_zeroes(void **state)
{
    (void)state;
    unsigned char *p = fri_calloc(3, 100, NULL);
    assert_non_null(p);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(p[i], 0);
    fri_free(p);
    p = fri_calloc(0, 0, NULL);
    assert_non_null(p);
    fr_free(p);
    fr_free(NULL);
}

static void test_too_much_is_enomem(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    assert_null(fri_calloc(SIZE_MAX, 2, &err));
    assert_int_equal(err.code, FR_ENOMEM);
    err = (fr_error)FR_ERROR_INIT;
    assert_null(fri_memdup("x", SIZE_MAX, &err));
    assert_int_equal(err.code, FR_ENOMEM);
    err = (fr_error)FR_ERROR_INIT;
    char *p = fri_strdup("still good", NULL);
    assert_null(fri_realloc(p, SIZE_MAX / 2, 4, &err));
    assert_int_equal(err.code, FR_ENOMEM);
    assert_string_equal(p, "still good");
    fri_free(p);
}

static void test_copies(void **state)
{
    (void)state;
    char *p = fri_memdup("a\0b", 3, NULL);
    assert_memory_equal(p, "a\0b", 4);
    fri_free(p);
    p = fri_memdup(NULL, 0, NULL);
    assert_string_equal(p, "");
    fri_free(p);
    p = fri_strdup("text", NULL);
    p = fri_realloc(p, 10, 100, NULL);
    assert_string_equal(p, "text");
    fri_free(p);
}

static void test_nth_allocation_fails(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    fri_fail_allocation(2);
    char *a = fri_strdup("a", &err);
    char *b = fri_strdup("b", &err);
    char *c = fri_strdup("c", &err);
    assert_int_equal(fri_fail_allocation(0), 3);
    assert_non_null(a);
    assert_null(b);
    assert_string_equal(c, "c");
    assert_int_equal(err.code, FR_ENOMEM);
    fri_fail_allocation(1);
    assert_null(fri_realloc(a, 100, 1, NULL));
    fri_fail_allocation(0);
    assert_string_equal(a, "a");
    fri_free(a);
    fri_free(c);
}

static void test_counts_what_lives(void **state)
{
    (void)state;
    size_t before = fri_live_allocations();
    char *a = fri_calloc(1, 1, NULL), *b = fri_realloc(NULL, 1, 1, NULL);
    assert_int_equal(fri_live_allocations(), before + 2);
    b = fri_realloc(b, 1000, 1, NULL);
    assert_int_equal(fri_live_allocations(), before + 2);
    fri_free(a);
    fri_free(NULL);
    fr_free(b);
    assert_int_equal(fri_live_allocations(), before);
    fri_fail_allocation(1);
    assert_null(fri_calloc(1, 1, NULL));
    fri_fail_allocation(0);
    assert_int_equal(fri_live_allocations(), before);
}

static char *steal_or_free(int steal)
{
    FRI_AUTO(fri_freep) char *p = fri_strdup("kept", NULL);
    return steal ? fri_steal(&p) : NULL;
}

static void test_cleanup_frees_what_is_not_stolen(void **state)
{
    (void)state;
    size_t before = fri_live_allocations();
    assert_null(steal_or_free(0));
    assert_int_equal(fri_live_allocations(), before);
    char *p = steal_or_free(1);
    assert_string_equal(p, "kept");
    fri_free(p);
    assert_int_equal(fri_live_allocations(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calloc_zeroes),
        cmocka_unit_test(test_too_much_is_enomem),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_nth_allocation_fails),
        cmocka_unit_test(test_counts_what_lives),
        cmocka_unit_test(test_cleanup_frees_what_is_not_stolen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
