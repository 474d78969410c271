/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "loop/triple_quotes.h"

/* Whether a ''' or """ string is open behind some lines, ended by LF. */
static int is_open(const char *code)
{
    fri_triple_quotes q = {0, 0};
    while (*code) {
        size_t n = strcspn(code, "\n");
        fri_triple_quotes_line(&q, code, n);
        code += n + (code[n] == '\n');
    }
    return q.triple;
}

static void open_strings(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "\"\"\"",          "'''",         "x = \"\"\"a",       "'''\"\"\"",
        "\"\"\"'''",       "\"\"\"\"\"",  "\"\"\"\\\"\"\"",    "f'''{x}",
        "r\"\"\"\\\"\"\"", "\"\" \"\"\"", "'a' \"\"\"",        "\"\"\"#\n#",
        "'''\n''' '''",    "'it\n'''",    "\"\"\"a\"\"\" '''", "\"\"\"\\\\\"",
        "'a\\\nb' '''",    "''''",        "\"\"\"\n",          "'\\'' '''",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!is_open(rows[i]))
            fail_msg("a string is open behind %s", rows[i]);
}

static void closed_strings(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "x = 1",
        "\"\"\"a\"\"\"",
        "'''\na\n'''",
        "# \"\"\"",
        "x = 1 # it's '''",
        "'\"\"\"'",
        "\"'''\"",
        "''",
        "\"\"",
        "\"\"\"\"\"\"",
        "'a\\' \"\"\" '",
        "'a\\\n\"\"\"'",
        "\"it's\" # '''",
        "\"\"\"\\\"\"\"\"",
        "'''a''''",
        "\"\"\"a\\\\\"\"\"",
        "'unfinished",
        "\\",
        "'\\",
        "r'\\'' # '''",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (is_open(rows[i]))
            fail_msg("no string is open behind %s", rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_strings),
        cmocka_unit_test(closed_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
