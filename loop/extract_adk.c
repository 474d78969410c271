/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "loop/scan.h"
#include "loop/search.h"

/*
 * Theory of operation. ADK searches with the regular expression
 *
 *     (?P<prefix>.*?)(OPEN1|OPEN2)(?P<code>.*?)(CLOSE1|CLOSE2)(?P<suffix>.*?)$
 *
 * that is: the first opening delimiter that has a closing one behind it, then the first of these. Tried
 * as it stands this takes quadratic time. Here a search for a closing delimiter that finds none says
 * that all of them start before `bound`; openers can then only match in the few bytes between their
 * own place and the bound, and no search goes further than that.
 */

static const fr_delimiters adk_delimiters[] = {{"```tool_code\n", "\n```"},
                                               {"```python\n", "\n```"}};

typedef struct finder {
    fr_str text;
    const fr_delimiters *pairs;
    size_t count;
    fri_scan open;
    fri_scan close;
    size_t bound; /* closing delimiters start before this */
} finder;

typedef struct match {
    size_t open;
    size_t code;
    size_t close;
    size_t end;
} match;

static void finder_dispose(finder *f)
{
    fri_scan_dispose(&f->open);
    fri_scan_dispose(&f->close);
}

/* Which of the delimiters is at `at`, from `i` on; `count` when there is none. */
static size_t delimiter_at(const finder *f, size_t at, size_t i, int closing)
{
    for (; i < f->count; i++) {
        fr_str d = fri_cstr(closing ? f->pairs[i].close : f->pairs[i].open);
        if (d.n <= f->text.n - at && memcmp(f->text.p + at, d.p, d.n) == 0)
            break;
    }
    return i;
}

/* 1: there is a closing delimiter at or behind m->code, and m is complete. */
static int find_close(finder *f, match *m, fr_error *err)
{
    if (m->code >= f->bound)
        return 0;
    size_t limit = f->bound + FRI_MAX_DELIMITER_LEN;
    if (limit > f->text.n)
        limit = f->text.n;
    int rc = fri_scan_next(&f->close, f->text.p, m->code, limit, &m->close, err);
    if (rc == 0)
        f->bound = m->code;
    if (rc > 0)
        m->end = m->close + strlen(f->pairs[delimiter_at(f, m->close, 0, 1)].close);
    return rc;
}

/* Tries the opening delimiters at m->open in their order. */
static int try_open(finder *f, match *m, fr_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && (i = delimiter_at(f, m->open, i, 0)) < f->count; i++) {
        m->code = m->open + strlen(f->pairs[i].open);
        rc = find_close(f, m, err);
    }
    return rc;
}

/* 1: m is what ADK's expression matches. 0: nothing; m->open is then the first opening delimiter, or
 * the text's end. */
static int find_match(finder *f, match *m, fr_error *err)
{
    size_t first = f->text.n;
    int rc;
    m->open = 0;
    while ((rc = fri_scan_next(&f->open, f->text.p, m->open, f->text.n, &m->open, err)) > 0) {
        if (m->open < first)
            first = m->open;
        rc = try_open(f, m, err);
        if (rc)
            return rc;
        m->open++;
        if (m->open >= f->bound)
            break;
    }
    m->open = first;
    return rc < 0 ? rc : 0;
}

static int scans_init(finder *f, fr_error *err)
{
    const char *open[FRI_MAX_DELIMITERS], *close[FRI_MAX_DELIMITERS];
    for (size_t i = 0; i < f->count; i++) {
        open[i] = f->pairs[i].open;
        close[i] = f->pairs[i].close;
    }
    int rc = fri_scan_init(&f->open, 0, open, f->count, err);
    return rc ? rc : fri_scan_init(&f->close, 0, close, f->count, err);
}

static int add_block(fri_search *s, fr_block *block, fr_str code, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf copy;
    fri_buf_init(&copy, code.n);
    fri_buf_append(&copy, code.p, code.n);
    block->info = fri_str("", 0);
    return fri_extraction_add(s->x, block, 0, &copy, err);
}

static int record(fri_search *s, const finder *f, const match *m, int matched, fr_error *err)
{
    if (matched) {
        fr_str code = fri_str(f->text.p + m->code, m->close - m->code);
        fr_block block = {.skip = code.n > 0 ? FR_SKIP_NONE : FR_SKIP_EMPTY,
                          .terminated = 1,
                          .start = m->open,
                          .end = m->end};
        return add_block(s, &block, code, err);
    }
    if (m->open == f->text.n)
        return 0;
    s->x->unterminated = 1;
    fr_block block = {.skip = FR_SKIP_UNTERMINATED, .start = m->open, .end = f->text.n};
    return add_block(s, &block, fri_str("", 0), err);
}

static int search_text(fri_search *s, fr_error *err)
{
    const fr_extract_options *o = &s->options;
    FRI_AUTO(finder_dispose)
    finder f = {
        fri_buf_str(&s->x->text), o->delimiters, o->delimiter_count, FRI_SCAN_INIT, FRI_SCAN_INIT,
        s->x->text.n + 1};
    if (f.count == 0) {
        f.pairs = adk_delimiters;
        f.count = sizeof(adk_delimiters) / sizeof(adk_delimiters[0]);
    }
    int rc = scans_init(&f, err);
    if (rc)
        return rc;
    match m = {0, 0, 0, 0};
    rc = find_match(&f, &m, err);
    return rc < 0 ? rc : record(s, &f, &m, rc, err);
}

/* ADK puts a newline between text parts, and thoughts among them. */
static int join_text(fri_search *s, fr_error *err)
{
    fri_buf *text = &s->x->text;
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(s->content, i)); i++) {
        if (part->kind != FR_PART_TEXT || part->data.n == 0)
            continue;
        fri_buf_puts(text, text->n > 0 ? "\n" : "");
        fri_buf_append(text, part->data.p, part->data.n);
    }
    return fri_buf_check(text, "the text of a reply", err);
}

int fri_find_adk(fri_search *s, fr_error *err)
{
    int rc = join_text(s, err);
    if (rc)
        return rc;
    size_t count = fr_content_count(s->content);
    for (size_t i = 0; i < count; i++) {
        if (!fri_is_pending(s->content, i))
            continue;
        s->executable = i;
        fr_str code = fr_content_part(s->content, i)->data;
        fr_block block = {.skip = FR_SKIP_NONE, .terminated = 1};
        return code.n > 0 ? add_block(s, &block, code, err) : 0;
    }
    return search_text(s, err);
}
