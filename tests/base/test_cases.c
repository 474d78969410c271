/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/support/cases.h"

static case_file read_sample(void)
{
    return cases_read(FRI_SOURCE_DIR "/tests/base/cases_sample.case");
}

/* A string literal as bytes and their number. */
#define BYTES(s) (s), sizeof(s) - 1

static void expect_section(const case_section *s, const char *key, const char *bytes, size_t n)
{
    assert_string_equal(s->key, key);
    assert_int_equal(s->n, n);
    assert_memory_equal(s->p, bytes, n);
    assert_int_equal(s->p[n], 0);
}

static void test_sections(void **state)
{
    (void)state;
    case_file file = read_sample();
    assert_int_equal(file.count, 3);
    const test_case *c = &file.cases[0];
    assert_string_equal(c->name, "every way to write a section");
    assert_int_equal(c->line, 3);
    assert_int_equal(c->count, 6);
    expect_section(&c->sections[0], "raw", BYTES("```py\n\n  # not a comment\n```\n\n"));
    expect_section(&c->sections[1], "escaped", BYTES("a\r\n=== \\ \0\xff\tno newline"));
    expect_section(&c->sections[2], "inline", BYTES("one: line"));
    expect_section(&c->sections[3], "empty", BYTES(""));
    expect_section(&c->sections[4], "part", BYTES("1"));
    expect_section(&c->sections[5], "part", BYTES("2"));
    cases_free(&file);
    assert_int_equal(file.count, 0);
}

static void test_blank_line_before_a_case_is_for_the_eye(void **state)
{
    (void)state;
    case_file file = read_sample();
    expect_section(case_find(&file.cases[1], "input"), "input", BYTES("x\n\n"));
    expect_section(case_find(&file.cases[2], "input"), "input", BYTES("y\n\n"));
    cases_free(&file);
}

static void test_find(void **state)
{
    (void)state;
    case_file file = read_sample();
    const test_case *c = &file.cases[0];
    assert_ptr_equal(case_find(c, "part"), &c->sections[4]);
    assert_null(case_find(c, "parts"));
    assert_string_equal(case_text(c, "inline", "none"), "one: line");
    assert_string_equal(case_text(c, "other", "none"), "none");
    assert_null(case_text(c, "other", NULL));
    cases_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_blank_line_before_a_case_is_for_the_eye),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
