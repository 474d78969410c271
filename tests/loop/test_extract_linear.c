/* SPDX-License-Identifier: MIT */
/*
 * Inputs made to provoke quadratic time. Each is searched at a size and at eight times that size, on the
 * processor clock: eight times the input may take no more than 24 times as long (and a moment for what
 * does not grow), and no input longer than ten times what the slowest build needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "fencerun/extract.h"

#define LIMIT_S  8.0
#define MOMENT_S 0.1

enum { ALL = 1, ADK = 2, DELIMITERS = 4, UNTAGGED = 8 };

/* `head`, `unit` repeated n times, `tail`; and what is found in that. */
typedef struct input {
    const char *name;
    int options;
    const char *head;
    const char *unit;
    const char *tail;
    size_t n;
    size_t runnable; /* blocks for each n, if ALL; else in all */
    size_t skipped;  /* blocks for each n */
    int once;        /* the two numbers are for the whole text */
    int unterminated;
} input;

static const fr_delimiters brackets = {"[py]", "[/py]"};

#define QUOTES16 "> > > > > > > > > > > > > > > > "
#define LISTS16  "- - - - - - - - - - - - - - - - "
#define BLANKS16 "                "

/* clang-format off */
static const input inputs[] = {
    {"prose", 0, "", "The quick brown fox.\n", "", 20000, 0, 0, 0, 0},
    {"one line", 0, "", "The quick brown fox. ", "\n```py\n1\n```\n", 20000, 1, 0, 1, 0},
    {"one line of backticks", 0, "", "`", "", 400000, 0, 1, 1, 1},
    {"one line of tildes and text", 0, "~~~", "a", "", 400000, 0, 1, 1, 1},
    {"line feeds", 0, "", "\n", "```py\n1\n```\n", 200000, 1, 0, 1, 0},
    {"carriage returns", 0, "", "a\r", "```py\r1\r```\r", 100000, 1, 0, 1, 0},
    {"carriage returns, then line feeds", 0, "", "a\r\n\r", "\n```py\n1\n```\n", 50000, 1, 0, 1, 0},
    {"blocks", ALL, "", "```python\nprint(1)\n```\n", "", 12500, 1, 0, 0, 0},
    {"blocks without all", 0, "", "```python\nprint(1)\n```\n", "", 12500, 1, 0, 1, 0},
    {"blocks with lone CR", ALL, "", "```python\rprint(1)\r```\r", "", 12500, 1, 0, 0, 0},
    {"unclosed openers", ALL, "", "```python\n", "", 40000, 0, 1, 1, 1},
    {"other language first", 0, "```js\n", "```python\n", "", 40000, 0, 1, 1, 1},
    {"openers behind text on one line", ALL, "", "x ```python ", "", 12500, 0, 0, 1, 0},
    {"tildes behind text on one line", ALL, "", "x ~~~python ", "", 12500, 0, 1, 1, 1},
    {"open braces behind text", ALL, "", "x ~~~a {", "", 12500, 0, 0, 0, 0},
    {"blanks behind many tildes", 0, "x ~~~a x ~~~a x ~~~a x ~~~a ", " ", "", 400000, 0, 0, 0, 0},
    {"openers behind text", ALL, "", "x ```python\n", "", 12500, 0, 1, 1, 1},
    {"openers behind text, far from a fence", 0, "", "x ```python\n", "```js\n", 12500, 0, 1, 1, 1},
    {"openers behind text, closed", ALL, "", "x ```python\n1\n```\n", "", 12500, 1, 0, 0, 0},
    {"openers behind text, too short a fence", ALL, "", "x ~~~~python\n```\n~\n```\n", "", 12500, 0, 1, 0, 0},
    {"inline code", 0, "", "```a``` b ", "", 40000, 0, 0, 0, 0},
    {"inline code on lines", 0, "", "```a``` b\n", "", 40000, 0, 0, 0, 0},
    {"backtick and tilde", 0, "", "`~", "", 50000, 0, 0, 0, 0},
    {"block quotes", 0, "", QUOTES16, "```py\nx\n```\n", 6250, 1, 0, 1, 0},
    {"list markers", 0, "", LISTS16, "```py\nx\n```\n", 6250, 1, 0, 1, 0},
    {"openers in ended quotes", ALL, "", "> ```python\n> x\ny\n", "", 12500, 0, 1, 0, 0},
    {"openers in ended items", ALL, "", "  ```python\n1\n", "", 12500, 0, 1, 0, 1},
    {"quotes toggle", ALL, "", "```python\n\"\"\"\n```\n```python\n\"\"\"\n```\n", "", 6250, 1, 0, 0, 0},
    {"strings that never end", ALL, "", "```python\n\\'''\n```\n", "", 6250, 1, 0, 0, 0},
    {"a body of one line", 0, "```py\n", "x = 1;", "\n```\n", 60000, 1, 0, 1, 0},
    {"a body of blank lines", 0, "    ```py\n", "\n", "    ```\n", 100000, 0, 1, 1, 0},
    {"a deeply indented block", 0, "", BLANKS16, "```py\n1\n```\n", 20000, 1, 0, 1, 0},
    {"delimiters", ALL | DELIMITERS, "", "[py]a[/py]", "", 12500, 1, 0, 0, 0},
    {"delimiters and tildes on one line", ALL | DELIMITERS, "", "[py]a[/py] ~~~ ", "", 12500, 1, 0, 0, 0},
    {"delimiters that do not close", ALL | DELIMITERS, "", "[py]a", "", 12500, 0, 1, 1, 1},
    {"untagged", ALL | UNTAGGED, "", "```\na\n```\n", "", 12500, 1, 0, 0, 0},
    {"ADK, nothing", ADK, "", "x", "", 400000, 0, 0, 0, 0},
    {"ADK, no closing delimiter", ADK, "", "```python\nx", "", 40000, 0, 1, 1, 1},
    {"ADK, closing delimiter at the end", ADK, "", "```python\n`", "\n```", 40000, 1, 0, 1, 0},
    {"ADK, one line", ADK, "```python\n", "x", "\n```", 400000, 1, 0, 1, 0},
};
/* clang-format on */

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make(const input *in, size_t n, fri_buf *text)
{
    fri_buf_init(text, 64 << 20);
    fri_buf_puts(text, in->head);
    for (size_t i = 0; i < n; i++)
        fri_buf_puts(text, in->unit);
    fri_buf_puts(text, in->tail);
    assert_int_equal(fri_buf_check(text, "text", NULL), 0);
}

static void check(const input *in, size_t n, const fr_extraction *x)
{
    size_t runnable = 0, skipped = 0, times = in->once ? 1 : n;
    while (fr_extraction_block(x, runnable))
        runnable++;
    while (fr_extraction_skipped(x, skipped))
        skipped++;
    assert_int_equal(runnable, in->runnable * times);
    assert_int_equal(skipped, in->skipped * times);
    assert_int_equal(fr_extraction_unterminated(x), in->unterminated);
}

static double search(const input *in, size_t n)
{
    fri_buf text;
    fr_extraction *x = NULL;
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    options.all = in->options & ALL;
    options.run_untagged = in->options & UNTAGGED;
    options.compat = in->options & ADK ? FR_COMPAT_ADK : 0;
    options.delimiters = &brackets;
    options.delimiter_count = in->options & DELIMITERS ? 1 : 0;
    make(in, n, &text);
    double start = processor_s();
    int rc = fr_extract_text(text.p, text.n, &options, &x, NULL);
    double took = processor_s() - start;
    assert_int_equal(rc, 0);
    check(in, n, x);
    fr_extraction_free(x);
    fri_buf_dispose(&text);
    return took;
}

static void run(void **state)
{
    const input *in = *state;
    double small = search(in, in->n), large = search(in, 8 * in->n);
    if (large > LIMIT_S || large > 24 * small + MOMENT_S)
        fail_msg("%.3f s, and %.3f s for eight times as much", small, large);
}

int main(void)
{
    enum { COUNT = sizeof(inputs) / sizeof(inputs[0]) };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        union {
            const input *in;
            void *out;
        } state = {&inputs[i]};
        tests[i] = (struct CMUnitTest){inputs[i].name, run, NULL, NULL, state.out};
    }
    return _cmocka_run_group_tests("linear", tests, COUNT, NULL, NULL);
}
