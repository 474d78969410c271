/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/pattern.h"
#include "base/str.h"
#include "tests/support/torture.h"

/* Compiles, looks for the first match behind `from`, and frees all of it. */
static int find_as(int jit, const char *pattern, fr_str text, size_t from, size_t *at,
                   fr_error *err)
{
    FRI_AUTO(fri_matcher_dispose) fri_matcher m = FRI_MATCHER_INIT;
    pcre2_code *code = NULL;
    int rc = fri_pattern_compile(fri_cstr(pattern), jit, "trial", &code, err);
    if (rc == 0)
        rc = fri_matcher_init(&m, "trial", err);
    if (rc == 0)
        rc = fri_matcher_find(&m, code, text, from, at, err);
    pcre2_code_free(code);
    return rc;
}

/* The same with machine code and without, but for memory. */
static int find(const char *pattern, fr_str text, size_t from, size_t *at, fr_error *err)
{
    size_t other = *at;
    int rc = find_as(0, pattern, text, from, &other, err);
    assert_int_equal(find_as(1, pattern, text, from, at, err), rc);
    assert_int_equal(*at, other);
    return rc;
}

static void test_first_match(void **state)
{
    (void)state;
    fr_str text = {"a\0ab\xff", 5};
    size_t at = 99;
    assert_int_equal(find("a", text, 0, &at, NULL), 1);
    assert_int_equal(at, 0);
    assert_int_equal(find("a", text, 1, &at, NULL), 1);
    assert_int_equal(at, 2);
    assert_int_equal(find("\\xff", text, 0, &at, NULL), 1);
    assert_int_equal(at, 4);
    assert_int_equal(find("^a", text, 1, &at, NULL), 0);
    assert_int_equal(at, 4);
}

static void test_no_pattern(void **state)
{
    (void)state;
    size_t at = 0;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(find("a(", fri_cstr("a"), 0, &at, &err), FR_EINTERNAL);
    assert_non_null(strstr(err.text, "trial: PCRE2: "));
}

/* Exponential for whoever tries every way to split the letters. */
static void test_too_much_work(void **state)
{
    (void)state;
    size_t at = 0;
    fr_error err = FR_ERROR_INIT;
    fr_str text = fri_cstr("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac");
    assert_int_equal(find("^(a+)+(b|c)?$(?<=b)", text, 0, &at, &err), FR_ELIMIT);
    assert_non_null(strstr(err.text, "trial: PCRE2: "));
}

static int use(void *jit, fr_error *err)
{
    size_t at = 0;
    int rc = find_as(*(int *)jit, "^(a|b)+c", fri_cstr("ababc"), 0, &at, err);
    return rc == 1 ? 0 : rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    int jit = 0;
    size_t without = torture(use, &jit);
    jit = 1;
    assert_true(torture(use, &jit) > without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_match),
        cmocka_unit_test(test_no_pattern),
        cmocka_unit_test(test_too_much_work),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
