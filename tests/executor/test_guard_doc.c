/* SPDX-License-Identifier: MIT */
/*
 * Runs the examples of docs/guard.md. In an input, {40 text} is the text forty times. The first option says
 * what is done: `clean`; `clip`, with chars=N and lines=N; `classify`, the whole; `each`, every line as a
 * stderr of its own, where the outcome is one word if it is the same for all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clip.h"
#include "base/str.h"
#include "executor/guard/classify.h"
#include "executor/guard/clean.h"
#include "fencerun/code.h"
#include "tests/support/doc_examples.h"

static fri_classifier *classifier;

/* Where "{40 text}" stands, its length, and what it is short for; else 0. */
static size_t read_repetition(const char *p, long *times, fr_str *text)
{
    char *behind;
    const char *end = strchr(p, '}');
    *times = *p == '{' ? strtol(p + 1, &behind, 10) : 0;
    if (*times <= 0 || *behind != ' ' || !end)
        return 0;
    *text = fri_str(behind + 1, (size_t)(end - behind) - 1);
    return (size_t)(end - p) + 1;
}

static void write_out(fri_buf *text, fr_str input)
{
    long times = 0;
    fr_str repeated;
    for (size_t i = 0; i < input.n; i++) {
        size_t n = read_repetition(input.p + i, &times, &repeated);
        for (long k = 0; n > 0 && k < times; k++)
            fri_buf_append(text, repeated.p, repeated.n);
        if (n > 0)
            i += n - 1;
        else
            fri_buf_putc(text, input.p[i]);
    }
    assert_int_equal(fri_buf_check(text, "input", NULL), 0);
}

static void put_with_tabs(fri_buf *out, fr_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\t')
            fri_buf_puts(out, "→");
        else
            fri_buf_putc(out, text.p[i]);
}

static void clean(fr_str text, fri_buf *out)
{
    FRI_AUTO(fri_buf_dispose) fri_buf cleaned;
    fri_buf_init(&cleaned, 1 << 20);
    uint64_t n = fri_clean(&cleaned, text);
    put_with_tabs(out, fri_buf_str(&cleaned));
    fri_buf_printf(out, "(%d taken away)\n", (int)n);
}

static fri_gap find_gap(fr_str text)
{
    static const char tail[] = " bytes left out ...]\n";
    const char *end = strstr(text.p, tail);
    if (!end)
        return (fri_gap){0, 0, 0, 0};
    const char *p = end;
    while (p > text.p && p[-1] != '\n')
        p--;
    size_t at = (size_t)(p - text.p), n = (size_t)(end - p) + strlen(tail);
    return (fri_gap){at, n, strtoull(p + strlen("[... "), NULL, 10), 0};
}

static size_t number(const char *options, const char *name)
{
    const char *p = strstr(options, name);
    return p ? strtoul(p + strlen(name), NULL, 10) : 0;
}

static void clip(fr_str text, const char *options, fri_buf *out)
{
    const fri_clip_limits limits = {number(options, "chars="), number(options, "lines=")};
    fri_gap gap = find_gap(text);
    fri_clip(out, text, &limits, &gap);
}

static const char *class_of(fr_str text)
{
    int class = -1;
    assert_int_equal(fri_classify(classifier, text, &class, NULL), 0);
    return fr_stderr_text(class);
}

static void classify_each(fr_str text, fri_buf *out)
{
    FRI_AUTO(fri_buf_dispose) fri_buf list;
    const char *first = NULL;
    int same = 1;
    fri_buf_init(&list, 1 << 20);
    for (size_t n; text.n > 0; text = fri_str(text.p + n, text.n - n)) {
        n = (size_t)((const char *)memchr(text.p, '\n', text.n) - text.p) + 1;
        const char *class = class_of(fri_str(text.p, n));
        first = first ? first : class;
        same = same && strcmp(class, first) == 0;
        fri_buf_printf(&list, "%s: %.*s", class, (int)n, text.p);
    }
    fri_buf_puts(out, same ? first : list.p);
    fri_buf_puts(out, same ? "\n" : "");
}

static void outcome(fr_str input, const char *options, fri_buf *out)
{
    FRI_AUTO(fri_buf_dispose) fri_buf text;
    fri_buf_init(&text, 16 << 20);
    write_out(&text, input);
    if (strstr(options, "clean"))
        clean(fri_buf_str(&text), out);
    else if (strstr(options, "clip"))
        clip(fri_buf_str(&text), options, out);
    else if (strstr(options, "each"))
        classify_each(fri_buf_str(&text), out);
    else if (strstr(options, "classify"))
        fri_buf_printf(out, "%s\n", class_of(fri_buf_str(&text)));
    else
        fail_msg("unknown option:%s", options);
}

int main(void)
{
    if (fri_classifier_new(&classifier, NULL))
        return 1;
    int failed = run_doc_examples("docs/guard.md", 30, outcome);
    fri_classifier_free(classifier);
    return failed;
}
