/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "fencerun/content.h"
#include "loop/content.h"

static fr_content *make(void)
{
    fr_content *content = NULL;
    assert_int_equal(fr_content_new(&content, NULL), 0);
    assert_int_equal(fr_content_count(content), 0);
    assert_null(fr_content_part(content, 0));
    return content;
}

static void parts_are_copied(void **state)
{
    (void)state;
    fr_content *content = make();
    char data[] = "a\0b", label[] = "image/png";
    assert_int_equal(fr_content_add(content, FR_PART_INLINE_DATA, 0, data, 3, label, NULL), 0);
    data[0] = label[0] = 'x';
    const fr_part *part = fr_content_part(content, 0);
    assert_int_equal(part->kind, FR_PART_INLINE_DATA);
    assert_int_equal(part->flags, 0);
    assert_int_equal(part->data.n, 3);
    assert_memory_equal(part->data.p, "a\0b", 4);
    assert_string_equal(part->label.p, "image/png");
    assert_int_equal(part->label.n, 9);
    fr_content_free(content);
}

static void empty_parts_have_strings(void **state)
{
    (void)state;
    fr_content *content = make();
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, FR_PART_THOUGHT, NULL, 0, NULL, NULL),
                     0);
    const fr_part *part = fr_content_part(content, 0);
    assert_int_equal(part->flags, FR_PART_THOUGHT);
    assert_string_equal(part->data.p, "");
    assert_string_equal(part->label.p, "");
    assert_int_equal(part->label.n, 0);
    fr_content_free(content);
}

static void refuse(fr_content *content, int32_t kind, uint32_t flags, const char *data, size_t n,
                   int code)
{
    fr_error err = FR_ERROR_INIT;
    size_t count = fr_content_count(content);
    assert_int_equal(fr_content_add(content, kind, flags, data, n, NULL, &err), code);
    assert_int_equal(err.code, code);
    assert_int_equal(fr_content_count(content), count);
}

static void bad_parts(void **state)
{
    (void)state;
    fr_content *content = make();
    refuse(content, 0, 0, "x", 1, FR_EINVAL);
    refuse(content, FR_PART_OTHER + 1, 0, "x", 1, FR_EINVAL);
    refuse(content, FR_PART_TEXT, 2, "x", 1, FR_EINVAL);
    refuse(content, FR_PART_TEXT, 0, NULL, 1, FR_EINVAL);
    refuse(NULL, FR_PART_TEXT, 0, "x", 1, FR_EINVAL);
    refuse(content, FR_PART_TEXT, 0, "x", FRI_MAX_REPLY_BYTES + 1, FR_ELIMIT);
    fr_content_free(content);
    fr_content_free(NULL);
    assert_int_equal(fr_content_count(NULL), 0);
}

static void bytes_add_up(void **state)
{
    (void)state;
    fr_content *content = make();
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, "abc", 3, NULL, NULL), 0);
    /* Only the sum is over the limit. */
    content->bytes = FRI_MAX_REPLY_BYTES - 2;
    refuse(content, FR_PART_TEXT, 0, "abc", 3, FR_ELIMIT);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, "ab", 2, NULL, NULL), 0);
    refuse(content, FR_PART_TEXT, 0, "a", 1, FR_ELIMIT);
    fr_content_free(content);
}

static void most_parts(void **state)
{
    (void)state;
    fr_content *content = make();
    for (int i = 0; i < FRI_MAX_PARTS; i++)
        assert_int_equal(fr_content_add(content, FR_PART_OTHER, 0, "{}", 2, "x", NULL), 0);
    refuse(content, FR_PART_TEXT, 0, "", 0, FR_ELIMIT);
    assert_int_equal(fr_content_count(content), FRI_MAX_PARTS);
    fr_content_free(content);
}

static void expect_role(fr_content *content, const char *role, int code, const char *after)
{
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_content_set_role(content, role, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(fr_content_role(content), after);
}

static void role_is_copied(void **state)
{
    (void)state;
    static const char most[] = "abcdefghijklmnopqrstuvwxyz_abcd";
    char role[] = "user";
    fr_content *content = make();
    assert_string_equal(fr_content_role(content), "");
    expect_role(content, role, 0, "user");
    role[0] = 'x';
    assert_string_equal(fr_content_role(content), "user");
    expect_role(content, "model", 0, "model");
    expect_role(content, most, 0, most);
    expect_role(content, fr_content_role(content), 0, most);
    fr_content_free(content);
}

static void bad_roles(void **state)
{
    (void)state;
    fr_content *content = make();
    expect_role(content, "model", 0, "model");
    const char *const roles[] = {NULL, "",    "Model", "a b",
                                 "a1", "a-b", "a\n",   "abcdefghijklmnopqrstuvwxyz_abcde"};
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        expect_role(content, roles[i], FR_EINVAL, "model");
    fr_content_free(content);
    expect_role(NULL, "user", FR_EINVAL, "");
}

/* What is handed to a model and searched for code alike. */
static void text_is_what_is_said(void **state)
{
    (void)state;
    fr_content *content = make();
    fri_buf text;
    fri_buf_init(&text, 100);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, "a", 1, NULL, NULL), 0);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, FR_PART_THOUGHT, "b", 1, NULL, NULL), 0);
    assert_int_equal(fr_content_add(content, FR_PART_OTHER, 0, "c", 1, NULL, NULL), 0);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, "d", 1, NULL, NULL), 0);
    fri_content_text(content, &text);
    assert_string_equal(text.p, "ad");
    fri_buf_dispose(&text);
    fr_content_free(content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_copied), cmocka_unit_test(empty_parts_have_strings),
        cmocka_unit_test(bad_parts),        cmocka_unit_test(bytes_add_up),
        cmocka_unit_test(most_parts),       cmocka_unit_test(role_is_copied),
        cmocka_unit_test(bad_roles),        cmocka_unit_test(text_is_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
