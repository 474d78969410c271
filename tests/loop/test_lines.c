/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "loop/lines.h"
#include "loop/prefix.h"

static const char text[] = "a\nbc\r\n\rd\n\n\re";

static fri_line naive(const char *p, size_t end, size_t start)
{
    fri_line line = {start, start, end};
    while (line.end < end && p[line.end] != '\n' && p[line.end] != '\r')
        line.end++;
    if (line.end < end)
        line.next = line.end + 1;
    if (line.next < end && p[line.end] == '\r' && p[line.next] == '\n')
        line.next++;
    return line;
}

static void assert_line(fri_lines *lines, size_t start)
{
    fri_line actual = fri_lines_at(lines, start), expected = naive(text, lines->end, start);
    assert_int_equal(actual.start, expected.start);
    assert_int_equal(actual.end, expected.end);
    assert_int_equal(actual.next, expected.next);
}

/* From anywhere to anywhere: what is remembered must not show. */
static void any_order(void **state)
{
    (void)state;
    for (size_t end = 0; end < sizeof(text); end++)
        for (size_t a = 0; a <= end; a++)
            for (size_t b = 0; b <= end; b++)
                for (size_t c = 0; c <= end; c++) {
                    fri_lines lines;
                    fri_lines_init(&lines, text, end);
                    assert_line(&lines, a);
                    assert_line(&lines, b);
                    assert_line(&lines, c);
                }
}

static void line_starts(void **state)
{
    (void)state;
    assert_int_equal(fri_line_start("ab\ncd", 4, 0), 3);
    assert_int_equal(fri_line_start("ab\rcd", 4, 0), 3);
    assert_int_equal(fri_line_start("ab\ncd", 3, 0), 3);
    assert_int_equal(fri_line_start("ab\ncd", 2, 0), 0);
    assert_int_equal(fri_line_start("abcd", 3, 1), 1);
    assert_int_equal(fri_line_start("abcd", 0, 0), 0);
}

static void prefixes(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t at, indent, quotes, slack;
    } rows[] = {
        {"x", 0, 0, 0, 0},
        {"", 0, 0, 0, 0},
        {"  x", 2, 2, 0, 0},
        {"\tx", 1, 4, 0, 0},
        {"  \tx", 3, 4, 0, 0},
        {"- x", 2, 2, 0, 0},
        {"-x", 0, 0, 0, 0},
        {"-\tx", 2, 4, 0, 0},
        {"12) x", 4, 4, 0, 0},
        {"12.x", 0, 0, 0, 0},
        {"1234567890. x", 0, 0, 0, 0},
        {"- * + x", 6, 6, 0, 0},
        {"> x", 2, 0, 1, 0},
        {">x", 1, 0, 1, 0},
        {">  x", 3, 1, 1, 0},
        {">\tx", 2, 2, 1, 0},
        {"> > x", 4, 0, 2, 0},
        {">> x", 3, 0, 2, 0},
        {"> - x", 4, 2, 1, 0},
        {"- > x", 4, 0, 1, 2},
        {"100. > - > x", 11, 0, 2, 5},
        {">", 1, 0, 1, 0},
        {"- ", 2, 2, 0, 0},
        {"-", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fri_line line = {0, strlen(rows[i].line), 0};
        fri_prefix p = fri_prefix_read(rows[i].line, line);
        if (p.at != rows[i].at || p.indent != rows[i].indent || p.quotes != rows[i].quotes ||
            p.slack != rows[i].slack)
            fail_msg("'%s': at %zu, indent %zu, quotes %zu, slack %zu", rows[i].line, p.at,
                     p.indent, p.quotes, p.slack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),
        cmocka_unit_test(line_starts),
        cmocka_unit_test(prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
