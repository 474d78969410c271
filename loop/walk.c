/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/limits.h"
#include "loop/block.h"
#include "loop/content.h"
#include "loop/language.h"
#include "loop/prefix.h"
#include "loop/scan.h"
#include "loop/search.h"

/*
 * Theory of operation. Text parts without anything between them are one stretch of text. In a stretch
 * the walk alternates between two states: outside blocks PCRE2 finds the next candidate, and what is
 * no block is passed over; at a block its end is looked for (block.c, or the closing delimiter) and
 * the walk goes on behind it. Positions only ever grow, and what is known about the line a candidate
 * is on, and about the next fence that starts a line, is kept, so that many candidates on one line
 * cost no more than one.
 */

/* How many times the length of the text may be read again in search of the end of a string. */
#define READ_AGAIN 4

/* Behind a fence in the middle of a line there may be no more than this. Each fence on a line looks at
 * the rest of it. */
#define MAX_MIDLINE 256

/* The first line at or behind a place that starts with a fence. */
typedef struct fence_line {
    size_t at; /* the stretch's end: there is none */
    size_t quotes;
    fri_fence fence;
} fence_line;

typedef struct walk {
    fri_search *search;
    const char *text;
    size_t begin; /* the stretch */
    size_t end;
    size_t at;     /* where the search goes on */
    size_t budget; /* for fri_block_read() */
    fri_scan scan;
    fri_lines lines;
    fri_line line; /* the last candidate's */
    fri_prefix prefix;
    size_t span; /* length of the backtick run on it that has opened inline code, or 0 */
    fence_line next_fence;
} walk;

static void walk_dispose(walk *w)
{
    fri_scan_dispose(&w->scan);
}

static void locate(walk *w, size_t at)
{
    if (at >= w->line.start && at < w->line.end)
        return;
    size_t start = fri_line_start(w->text, at, w->begin);
    w->line = fri_lines_at(&w->lines, start);
    w->prefix = fri_prefix_read(w->text, w->line);
    w->span = 0;
}

static void search_fence_line(walk *w, size_t from, fence_line *found)
{
    fri_line line;
    for (found->at = from; found->at < w->end; found->at = line.next) {
        line = fri_lines_at(&w->lines, found->at);
        fri_prefix prefix = fri_prefix_read(w->text, line);
        found->quotes = prefix.quotes;
        if (fri_fence_read(w->text + prefix.at, line.end - prefix.at, &found->fence))
            return;
    }
}

/* A fence behind other text on its line may be a block or words about fences. The next fence that
 * starts a line tells: it is the block's own closing fence, or else something new. */
static int is_genuine(walk *w, const fri_fence *fence)
{
    fence_line *next = &w->next_fence;
    if (next->at < w->line.next)
        search_fence_line(w, w->line.next, next);
    return next->at == w->end ||
           (next->quotes <= w->prefix.quotes && fri_fence_closes(&next->fence, fence));
}

/* Whether the run of fence characters at `at` opens a block. */
static int open_block(walk *w, size_t at, fri_opener *o)
{
    locate(w, at);
    int midline = at != w->prefix.at;
    int escaped = at > w->begin && w->text[at - 1] == '\\';
    if (midline && (escaped || w->line.end - at > MAX_MIDLINE))
        return 0;
    if (!fri_fence_read(w->text + at, w->line.end - at, &o->fence))
        return 0;
    int ends_code = o->fence.mark == '`' && o->fence.length == w->span;
    if (midline && (ends_code || !fri_info_is_plain(o->fence.info) || !is_genuine(w, &o->fence)))
        return 0;
    o->at = at;
    o->indent = w->prefix.indent;
    o->quotes = w->prefix.quotes;
    o->slack = w->prefix.slack;
    o->body = w->line.next;
    return 1;
}

/* A run of fence characters that opens no block. Backticks open or end inline code. */
static void pass_over(walk *w, size_t at)
{
    size_t run = fri_fence_run(w->text + at, w->end - at);
    w->at = at + run;
    if (w->text[at] != '`')
        return;
    if (w->span == 0)
        w->span = run;
    else if (w->span == run)
        w->span = 0;
}

static const fr_language *language_of(const walk *w, fr_str info)
{
    const fr_extract_options *options = &w->search->options;
    if (info.n == 0)
        return options->run_untagged ? options->languages : NULL;
    return fri_language_find(options->languages, options->language_count, fri_info_word(info));
}

/* Records a block and goes on behind it. */
static int take(walk *w, const fri_found *found, fr_error *err)
{
    w->at = found->end;
    if (!found->terminated && found->end == w->end)
        w->search->x->unterminated = 1;
    return fri_search_record(w->search, found, err);
}

static int take_fenced(walk *w, fri_opener *o, fr_error *err)
{
    const fr_language *language = language_of(w, o->fence.info);
    o->triple_quotes = language && (language->flags & FR_LANGUAGE_TRIPLE_QUOTES);
    fri_extent extent = fri_block_read(&w->lines, o, &w->budget);
    fri_body body = {o->body, extent.body_end, o->indent, extent.quotes, o->slack, 0};
    fri_found found = {o->at, extent.end, o->fence.info, language, extent.terminated, body};
    return take(w, &found, err);
}

/* The pair whose opening delimiter is at `at`, or NULL. */
static const fr_delimiters *delimiters_at(const walk *w, size_t at)
{
    const fr_extract_options *options = &w->search->options;
    for (size_t i = 0; i < options->delimiter_count; i++) {
        const char *open = options->delimiters[i].open;
        size_t n = strlen(open);
        if (n <= w->end - at && memcmp(w->text + at, open, n) == 0)
            return &options->delimiters[i];
    }
    return NULL;
}

static int take_delimited(walk *w, size_t at, const fr_delimiters *pair, fr_error *err)
{
    size_t start = at + strlen(pair->open), n = strlen(pair->close);
    const char *close = memmem(w->text + start, w->end - start, pair->close, n);
    size_t body_end = close ? (size_t)(close - w->text) : w->end;
    fri_body body = {start, body_end, 0, 0, 0, 1};
    fri_found found = {
        at,  close ? body_end + n : w->end, {"", 0}, w->search->options.languages, close != NULL,
        body};
    return take(w, &found, err);
}

static int take_candidate(walk *w, size_t at, fr_error *err)
{
    const fr_delimiters *pair = delimiters_at(w, at);
    if (pair)
        return take_delimited(w, at, pair, err);
    fri_opener opener;
    if (open_block(w, at, &opener))
        return take_fenced(w, &opener, err);
    pass_over(w, at);
    return 0;
}

static int walk_stretch(walk *w, size_t begin, size_t end, fr_error *err)
{
    static const char bom[] = "\xef\xbb\xbf";
    if (end - begin >= 3 && memcmp(w->text + begin, bom, 3) == 0)
        begin += 3;
    w->begin = w->at = w->next_fence.at = begin;
    w->end = end;
    w->line = (fri_line){begin, begin, begin};
    fri_lines_init(&w->lines, w->text, end);
    size_t at;
    int rc;
    while ((rc = fri_scan_next(&w->scan, w->text, w->at, end, &at, err)) > 0) {
        rc = take_candidate(w, at, err);
        if (rc)
            return rc;
    }
    return rc;
}

static int walk_text(walk *w, fr_error *err)
{
    size_t begin = 0, end = 0;
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(w->search->content, i)); i++) {
        if (fri_part_is_said(part)) {
            end += part->data.n;
            continue;
        }
        int rc = walk_stretch(w, begin, end, err);
        if (rc)
            return rc;
        begin = end;
    }
    return walk_stretch(w, begin, end, err);
}

int fri_walk(fri_search *s, fr_error *err)
{
    const char *open[FRI_MAX_DELIMITERS];
    for (size_t i = 0; i < s->options.delimiter_count; i++)
        open[i] = s->options.delimiters[i].open;
    fr_str text = fri_buf_str(&s->x->text);
    FRI_AUTO(walk_dispose)
    walk w = {.search = s, .text = text.p, .budget = text.n * READ_AGAIN, .scan = FRI_SCAN_INIT};
    int rc = fri_scan_init(&w.scan, 1, open, s->options.delimiter_count, err);
    return rc ? rc : walk_text(&w, err);
}
