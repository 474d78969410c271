/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tests/support/torture.h"

static void test_empty_is_a_string(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, 10);
    assert_string_equal(b.p, "");
    assert_int_equal(b.n, 0);
    fri_buf_append(&b, NULL, 0);
    assert_string_equal(b.p, "");
    assert_int_equal(fri_buf_check(&b, "text", NULL), 0);
    fri_buf_dispose(&b);
}

static void test_appends(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, 1000);
    fri_buf_puts(&b, "one");
    fri_buf_putc(&b, ' ');
    fri_buf_append(&b, "t\0o", 3);
    fri_buf_printf(&b, "%s%d", " ", 3);
    assert_int_equal(b.n, 9);
    assert_memory_equal(b.p, "one t\0o 3", 10);
    assert_int_equal(fri_buf_str(&b).n, 9);

    fri_buf_truncate(&b, 3);
    assert_string_equal(b.p, "one");
    fri_buf_truncate(&b, 5);
    assert_int_equal(b.n, 3);
    fri_buf_dispose(&b);
    assert_string_equal(b.p, "");
}

static void test_holds_exactly_its_limit(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 200; limit++) {
        fri_buf b;
        fri_buf_init(&b, limit);
        for (size_t i = 0; i < limit; i++) {
            fri_buf_putc(&b, (char)('a' + i % 26));
            assert_int_equal(b.p[b.n], 0);
        }
        assert_int_equal(b.n, limit);
        assert_int_equal(fri_buf_check(&b, "text", NULL), 0);
        fri_buf_putc(&b, '!');
        assert_int_equal(b.n, limit);
        assert_int_equal(fri_buf_check(&b, "text", NULL), FR_ELIMIT);
        fri_buf_dispose(&b);
    }
}

static void test_first_failure_sticks(void **state)
{
    (void)state;
    fri_buf b;
    fr_error err;
    fri_buf_init(&b, 4);
    fri_buf_puts(&b, "abc");
    fri_buf_puts(&b, "de");
    fri_buf_puts(&b, "f");
    fri_buf_printf(&b, "%d", 7);
    assert_null(fri_buf_reserve(&b, 1));
    assert_string_equal(b.p, "abc");
    assert_int_equal(fri_buf_check(&b, "the reply", &err), FR_ELIMIT);
    assert_string_equal(err.text, "the reply is longer than 4 bytes");
    fri_buf_dispose(&b);
    assert_int_equal(fri_buf_check(&b, "the reply", &err), 0);
}

static void test_reserve_and_grow(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, 1000);
    assert_non_null(fri_buf_reserve(&b, 10));
    assert_string_equal(b.p, ""); /* also while the reader has filled nothing */
    fri_buf_puts(&b, "head:");
    char *room = fri_buf_reserve(&b, 500);
    assert_non_null(room);
    memset(room, 'x', 500);
    fri_buf_grow(&b, 3);
    assert_string_equal(b.p, "head:xxx");
    assert_null(fri_buf_reserve(&b, 993));
    fri_buf_dispose(&b);
}

static void test_sizes_do_not_wrap(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, SIZE_MAX);
    fri_buf_puts(&b, "x");
    assert_null(fri_buf_reserve(&b, SIZE_MAX - 1));
    assert_int_equal(fri_buf_check(&b, "text", NULL), FR_ELIMIT);
    fri_buf_dispose(&b);
}

/* A wide character that the C locale lacks is the quickest text that printf refuses. */
static void test_unformattable_text(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, 100);
    fri_buf_printf(&b, "%ls", L"\x100");
    assert_string_equal(b.p, "");
    assert_int_equal(fri_buf_check(&b, "text", NULL), FR_ELIMIT);
    fri_buf_dispose(&b);
}

static void test_steal(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, 100);
    char *p = fri_buf_steal(&b, NULL);
    assert_string_equal(p, "");
    fri_free(p);

    fri_buf_puts(&b, "mine");
    p = fri_buf_steal(&b, NULL);
    assert_string_equal(p, "mine");
    assert_string_equal(b.p, "");
    fri_buf_puts(&b, "new");
    assert_string_equal(b.p, "new");
    assert_string_equal(p, "mine");
    fri_free(p);
    fri_buf_dispose(&b);
}

static int fill(void *user, fr_error *err)
{
    fri_buf b;
    (void)user;
    fri_buf_init(&b, 10000);
    for (int i = 0; i < 1000; i++)
        fri_buf_printf(&b, "%d ", i);
    int rc = fri_buf_check(&b, "text", err);
    fri_buf_dispose(&b);
    if (rc)
        return rc;
    char *p = fri_buf_steal(&b, err);
    if (!p)
        return FR_ENOMEM;
    fri_free(p);
    return 0;
}

static void test_torture(void **state)
{
    (void)state;
    assert_in_range(torture(fill, NULL), 5, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_is_a_string),
        cmocka_unit_test(test_appends),
        cmocka_unit_test(test_holds_exactly_its_limit),
        cmocka_unit_test(test_first_failure_sticks),
        cmocka_unit_test(test_reserve_and_grow),
        cmocka_unit_test(test_sizes_do_not_wrap),
        cmocka_unit_test(test_unformattable_text),
        cmocka_unit_test(test_steal),
        cmocka_unit_test(test_torture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
