/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/sized.h"

/* A struct as this library knows it, as an older caller and as a newer one do. */
typedef struct options {
    size_t struct_size;
    const char *name;
    int64_t count;
} options;

typedef struct old_options {
    size_t struct_size;
    const char *name;
} old_options;

typedef struct new_options {
    options known;
    int64_t later;
    unsigned char last;
} new_options;

static options read_it(const void *given)
{
    options o;
    memset(&o, 0xee, sizeof(o));
    assert_int_equal(fri_read_sized(&o, sizeof(o), given, "options", NULL), 0);
    assert_int_equal(o.struct_size, sizeof(o));
    return o;
}

static void test_same_size(void **state)
{
    (void)state;
    const options given = {sizeof(given), "x", 7};
    options o = read_it(&given);
    assert_string_equal(o.name, "x");
    assert_int_equal(o.count, 7);
}

static void test_none_is_all_defaults(void **state)
{
    (void)state;
    options o = read_it(NULL);
    assert_null(o.name);
    assert_int_equal(o.count, 0);
}

/* What lies behind an older caller's struct is not the library's to read. */
static void test_short_leaves_the_rest_default(void **state)
{
    (void)state;
    struct {
        old_options options;
        int64_t behind;
    } given = {{sizeof(old_options), "old"}, 99};
    options o = read_it(&given);
    assert_string_equal(o.name, "old");
    assert_int_equal(o.count, 0);
    const size_t only_size = sizeof(size_t);
    assert_null(read_it(&only_size).name);
}

static void test_long_is_fine_while_zero(void **state)
{
    (void)state;
    new_options given;
    memset(&given, 0, sizeof(given));
    given.known = (options){sizeof(given), "new", 3};
    options o = read_it(&given);
    assert_string_equal(o.name, "new");
    assert_int_equal(o.count, 3);
}

/* Something this library does not know is asked for: it must not be ignored. */
static void test_long_and_set_is_refused(void **state)
{
    (void)state;
    new_options given;
    memset(&given, 0, sizeof(given));
    given.known.struct_size = sizeof(given);
    unsigned char *bytes = (unsigned char *)&given;
    for (size_t i = sizeof(options); i < sizeof(given); i++) {
        options o;
        fr_error err = FR_ERROR_INIT;
        bytes[i] = 1;
        assert_int_equal(fri_read_sized(&o, sizeof(o), &given, "the_options", &err), FR_EABI);
        assert_int_equal(err.code, FR_EABI);
        assert_non_null(strstr(err.text, "the_options"));
        bytes[i] = 0;
    }
}

static void test_size_that_cannot_be(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 1 << 20, SIZE_MAX};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        options o, given = {sizes[i], NULL, 0};
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fri_read_sized(&o, sizeof(o), &given, "options", &err), FR_EINVAL);
        assert_non_null(strstr(err.text, "_INIT"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_size),
        cmocka_unit_test(test_none_is_all_defaults),
        cmocka_unit_test(test_short_leaves_the_rest_default),
        cmocka_unit_test(test_long_is_fine_while_zero),
        cmocka_unit_test(test_long_and_set_is_refused),
        cmocka_unit_test(test_size_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
