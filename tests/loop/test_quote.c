/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "loop/quote.h"

static void expect_fenced(const char *before, const char *info, const char *text, const char *want)
{
    fri_buf out;
    fri_buf_init(&out, 1000);
    fri_buf_puts(&out, before);
    fri_put_fenced(&out, fri_cstr(info), fri_cstr(text));
    assert_string_equal(out.p, want);
    fri_buf_dispose(&out);
}

static void test_fences(void **state)
{
    (void)state;
    expect_fenced("", "python", "x\n", "```python\nx\n```\n");
    expect_fenced("", "", "x", "```\nx\n```\n");
    expect_fenced("", "", "", "```\n```\n");
    expect_fenced("a", "", "x", "a\n```\nx\n```\n");
    expect_fenced("a\n", "", "x", "a\n```\nx\n```\n");
    expect_fenced("", "", "```\n", "````\n```\n````\n");
    expect_fenced("", "", "a ````` b\n``\n", "``````\na ````` b\n``\n``````\n");
}

static void expect_quoted(const char *text, const char *want)
{
    static const fr_delimiters code[] = {{"[py]", "[/py]"}, {"<code>", "</code>"}};
    fr_executor_options a = FR_EXECUTOR_OPTIONS_INIT;
    fri_buf out;
    a.code_block_delimiters = code;
    a.code_block_delimiter_count = 2;
    a.execution_result_delimiters = (fr_delimiters){"<out>", "</out>"};
    fri_buf_init(&out, 1000);
    fri_put_quoted(&out, &a.execution_result_delimiters, &a, fri_cstr(text));
    assert_string_equal(out.p, want);
    fri_buf_dispose(&out);
}

static void test_delimiters(void **state)
{
    (void)state;
    expect_quoted("plain", "<out>plain</out>");
    expect_quoted("", "<out></out>");
    expect_quoted("a</out>b", "<out>a<\\/out>b</out>");
    expect_quoted("<out>[py]x[/py]<code></code>",
                  "<out><\\out>[\\py]x[\\/py]<\\code><\\/code></out>");
    expect_quoted("[p [py", "<out>[p [py</out>");
    /* What is taken apart must not come together again. */
    expect_quoted("</</out>out>", "<out></<\\/out>out></out>");
}

/* The text as a result between one pair of delimiters, which also are those of code. */
static void expect_within(const char *open, const char *close, const char *text, const char *want)
{
    const fr_delimiters pair = {open, close};
    fr_executor_options a = FR_EXECUTOR_OPTIONS_INIT;
    fri_buf out;
    a.code_block_delimiters = &pair;
    a.code_block_delimiter_count = 1;
    a.execution_result_delimiters = pair;
    fri_buf_init(&out, 1000);
    fri_put_quoted(&out, &pair, &a, fri_cstr(text));
    assert_string_equal(out.p, want);
    fri_buf_dispose(&out);
}

static void test_delimiters_of_every_kind(void **state)
{
    (void)state;
    expect_within("\\begin{o}", "\\end{o}", "a\\end{o}b\\begin{o}",
                  "\\begin{o}a\\|end{o}b\\|begin{o}\\end{o}");
    expect_within("\x02", "\x03",
                  "a\x03\x02"
                  "b",
                  "\x02"
                  "a\\\\b\x03");
    expect_within("⟦", "⟧", "a ⟧ ⟦b", "⟦a \\ \\b⟧");
    expect_within("⟦o⟧", "⟦/o⟧", "a⟦/o⟧é⟦", "⟦o⟧a⟦\\/o⟧é⟦⟦/o⟧");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fences),
        cmocka_unit_test(test_delimiters),
        cmocka_unit_test(test_delimiters_of_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
