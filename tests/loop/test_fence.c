/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "loop/fence.h"

static int read_fence(const char *line, fri_fence *fence)
{
    return fri_fence_read(line, strlen(line), fence);
}

static void fences(void **state)
{
    (void)state;
    fri_fence f;
    assert_true(read_fence("```", &f));
    assert_int_equal(f.length, 3);
    assert_int_equal(f.info.n, 0);
    assert_true(read_fence("~~~~~ \t py x\t", &f));
    assert_int_equal(f.mark, '~');
    assert_int_equal(f.length, 5);
    assert_int_equal(f.info.n, 4);
    assert_memory_equal(f.info.p, "py x", 4);
    assert_true(read_fence("~~~ a`b", &f));
    assert_false(read_fence("``` a`b", &f));
    assert_false(read_fence("``", &f));
    assert_false(read_fence("``~", &f));
    assert_false(read_fence("", &f));
    assert_false(read_fence("---", &f));
}

static void closing(void **state)
{
    (void)state;
    fri_fence opener, f;
    assert_true(read_fence("````py", &opener));
    assert_true(read_fence("````", &f));
    assert_true(fri_fence_closes(&f, &opener));
    assert_true(read_fence("`````  ", &f));
    assert_true(fri_fence_closes(&f, &opener));
    assert_true(read_fence("```", &f));
    assert_false(fri_fence_closes(&f, &opener));
    assert_true(read_fence("~~~~", &f));
    assert_false(fri_fence_closes(&f, &opener));
    assert_true(read_fence("````py", &f));
    assert_false(fri_fence_closes(&f, &opener));
}

static void words(void **state)
{
    (void)state;
    static const struct {
        const char *info;
        const char *word;
    } rows[] = {
        {"", ""},
        {"python", "python"},
        {"python x", "python"},
        {"python\tx", "python"},
        {"python:a.py", "python"},
        {"python,ignore", "python"},
        {"python{.x}", "python"},
        {"DISPLAY:python", "DISPLAY"},
        {"python3.11", "python3.11"},
        {"c++", "c++"},
        {"{python}", "python"},
        {"{.python}", "python"},
        {"{ .python .x}", "python"},
        {"{python, echo=FALSE}", "python"},
        {"{#id .python}", "python"},
        {"{#id, python}", "python"},
        {"{python", "python"},
        {"{}", ""},
        {"{#id}", ""},
        {"{", ""},
        {"{ , }python", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fr_str word = fri_info_word(fri_cstr(rows[i].info));
        if (!fri_str_equal(word, fri_cstr(rows[i].word)))
            fail_msg("word of '%s' is '%.*s'", rows[i].info, (int)word.n, word.p);
    }
}

static void plain(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "python",
        "c++",
        "c#",
        "objective-c",
        "python:a/b.py",
        "python,ignore",
        "{python}",
        "{.python .x}",
        "python {.x}",
        "python{.x}",
        "python a=1",
        "python title=\"a b\"",
        "python a='b c' d=e f=1",
        "python3.11",
        "{}",
    };
    static const char *const no[] = {
        "",
        "python.",
        "python:",
        "python,",
        "python)",
        "\"python\"",
        "'python'",
        "python\"",
        "python x",
        "python is",
        "python a=1 x",
        "python =1",
        "python a=",
        "python a=\"b",
        "python a=\"b\"c",
        "{python",
        "{",
        "python {x",
        "python。",
        "-",
        "+",
        "python a b=c",
        "<b>",
    };
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        if (!fri_info_is_plain(fri_cstr(yes[i])))
            fail_msg("'%s' is plain", yes[i]);
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        if (fri_info_is_plain(fri_cstr(no[i])))
            fail_msg("'%s' is not plain", no[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences),
        cmocka_unit_test(closing),
        cmocka_unit_test(words),
        cmocka_unit_test(plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
