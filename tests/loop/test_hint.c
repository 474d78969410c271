/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "loop/hint.h"

static void expect(const char *code, const char *expression)
{
    fr_str found = fri_bare_expression(fri_cstr(code));
    if (!fri_str_equal(found, fri_cstr(expression)))
        fail_msg("%s: '%.*s', not '%s'", code, (int)found.n, found.p, expression);
}

static void test_expressions(void **state)
{
    (void)state;
    expect("pay = 1\npay * n - P\n", "pay * n - P");
    expect("total / len(xs)", "total / len(xs)");
    expect("df.describe()\n\n  \n", "df.describe()");
    expect("x = 1\nx\n# done\n", "x");
    expect("a == b", "a == b");
    expect("a <= b", "a <= b");
    expect("f(key=1, other={'a': 2})", "f(key=1, other={'a': 2})");
    expect("'a = b; c'.split('=')", "'a = b; c'.split('=')");
    expect("\"don't\"", "\"don't\"");
    expect("[i for i in xs if i != 3]", "[i for i in xs if i != 3]");
    expect("printer", "printer");
    expect("(y := 5)", "(y := 5)");
    expect("\"a\\\"=\"", "\"a\\\"=\"");
}

static void test_others(void **state)
{
    (void)state;
    static const char *const codes[] = {
        "",
        "\n \n",
        "# only a comment",
        "print(x)",
        "x = 5",
        "x += 5",
        "x: int = 5",
        "a; b",
        "import math",
        "from a import b",
        "return x",
        "for i in x:",
        "    indented",
        "if True:\n    x",
        "raise ValueError('no')",
        "del x",
        "assert x",
        "pass",
        "@decorator",
        ")",
        "f(",
        "f(1,\n  2)",
        "x, y,",
        "a + \\",
        "lambda_ = 1",
        "x  # the result",
        "f(x)  # -> prints)",
        "x: int",
        "'''a\nb'''",
        "\"\"\"a\n\"\"\"",
        "x\\\n+ 1",
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        expect(codes[i], "");
}

static void test_long_and_strange(void **state)
{
    (void)state;
    char line[400];
    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    expect(line, "");
    fr_str nul = fri_bare_expression(fri_str("a\0=", 3));
    assert_int_equal(nul.n, 0);
    fr_str unclosed = fri_bare_expression(fri_str("'a\\", 3));
    assert_int_equal(unclosed.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_long_and_strange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
