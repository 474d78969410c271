/* SPDX-License-Identifier: MIT */
#include "base/clip.h"

#include <inttypes.h>

#include "base/str.h"

typedef struct source {
    fr_str text;
    fri_gap gap;
} source;

/* What is left out: [head, tail) of the text; nothing while head is not before tail. */
typedef struct cut {
    size_t head;
    size_t tail;
} cut;

/* Whether a character, or a line, begins at offset i. */
typedef int (*begins_fn)(fr_str text, size_t i);

static int character_begins(fr_str text, size_t i)
{
    return ((unsigned char)text.p[i] & 0xc0) != 0x80;
}

static int line_begins(fr_str text, size_t i)
{
    return i == 0 || text.p[i - 1] == '\n';
}

/* i, or where the gap ends that begins there. */
static size_t past_gap(const source *s, size_t i)
{
    return s->gap.n > 0 && i == s->gap.at ? i + s->gap.n : i;
}

static size_t count(const source *s, begins_fn begins)
{
    size_t n = 0;
    for (size_t i = past_gap(s, 0); i < s->text.n; i = past_gap(s, i + 1))
        n += begins(s->text, i) != 0;
    return n;
}

/* Where the one begins that has k before it; the end of the text when there are no more than k. */
static size_t find(const source *s, begins_fn begins, size_t k)
{
    for (size_t i = past_gap(s, 0); i < s->text.n; i = past_gap(s, i + 1))
        if (begins(s->text, i) && k-- == 0)
            return i;
    return s->text.n;
}

static void shorten(cut *c, const source *s, begins_fn begins, size_t max)
{
    size_t total = count(s, begins);
    if (max == 0 || total <= max)
        return;
    size_t head = find(s, begins, max - max / 2), tail = find(s, begins, total - max / 2);
    c->head = head < c->head ? head : c->head;
    c->tail = tail > c->tail ? tail : c->tail;
}

/* Writes the line and makes it the gap. Returns how many characters go, besides the gap before. */
static size_t write_marker(fri_buf *out, const source *s, cut c, fri_gap *gap)
{
    source left = {fri_str(s->text.p + c.head, c.tail - c.head), {0, 0, 0, 0}};
    if (s->gap.n > 0 && s->gap.at >= c.head && s->gap.at < c.tail) {
        left.gap = s->gap;
        left.gap.at -= c.head;
    }
    size_t characters = count(&left, character_begins);
    *gap = (fri_gap){out->n, 0, left.gap.bytes, characters + left.gap.characters};
    if (s->text.p[c.head - 1] != '\n') /* at least one character is kept */
        fri_buf_putc(out, '\n');
    fri_buf_printf(out, "[... %zu characters", gap->characters);
    if (gap->bytes > 0)
        fri_buf_printf(out, " and %" PRIu64 " bytes", gap->bytes);
    fri_buf_puts(out, " left out ...]\n");
    gap->n = out->n - gap->at;
    return characters;
}

size_t fri_clip(fri_buf *out, fr_str text, const fri_clip_limits *limits, fri_gap *gap)
{
    const source s = {text, *gap};
    const size_t start = out->n;
    cut c = {text.n, 0};
    shorten(&c, &s, character_begins, limits->max_chars);
    shorten(&c, &s, line_begins, limits->max_lines);
    if (c.head >= c.tail) {
        fri_buf_append(out, text.p, text.n);
        return 0;
    }
    /* A gap the cut would stand right behind goes with what is left out. */
    if (gap->n > 0 && c.head == gap->at + gap->n)
        c.head = gap->at;
    fri_buf_append(out, text.p, c.head);
    size_t characters = write_marker(out, &s, c, gap);
    gap->at -= start;
    fri_buf_append(out, text.p + c.tail, text.n - c.tail);
    return characters;
}
