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

/* Where unit number k (from 0) begins, not counting the gap's; the end of the text when there are not as
 * many. *passed: how many begin before. */
static size_t seek(const source *s, begins_fn begins, size_t k, size_t *passed)
{
    *passed = 0;
    for (size_t i = 0; i < s->text.n; i++) {
        if (s->gap.n > 0 && i == s->gap.at)
            i += s->gap.n - 1;
        else if (begins(s->text, i) && (*passed)++ == k)
            return i;
    }
    return s->text.n;
}

static void shorten(cut *c, const source *s, begins_fn begins, size_t max)
{
    size_t total, passed;
    (void)seek(s, begins, SIZE_MAX, &total);
    if (max == 0 || total <= max)
        return;
    size_t head = seek(s, begins, max - max / 2, &passed);
    size_t tail = seek(s, begins, total - max / 2, &passed);
    c->head = head < c->head ? head : c->head;
    c->tail = tail > c->tail ? tail : c->tail;
}

static void write_marker(fri_buf *out, const source *s, cut c, size_t begin, fri_clipped *info)
{
    source left = {fri_str(s->text.p + c.head, c.tail - c.head), {0, 0, 0}};
    if (s->gap.n > 0 && s->gap.at >= c.head && s->gap.at < c.tail)
        left.gap = (fri_gap){s->gap.at - c.head, s->gap.n, s->gap.bytes};
    (void)seek(&left, character_begins, SIZE_MAX, &info->characters);
    if (out->n > begin && out->p[out->n - 1] != '\n')
        fri_buf_putc(out, '\n');
    fri_buf_printf(out, "[... %zu characters", info->characters);
    if (left.gap.n > 0)
        fri_buf_printf(out, " and %" PRIu64 " bytes", left.gap.bytes);
    fri_buf_puts(out, " left out ...]\n");
}

void fri_clip(fri_buf *out, fr_str text, const fri_clip_limits *limits, fri_gap gap,
              fri_clipped *info)
{
    const source s = {text, gap};
    cut c = {text.n, 0};
    *info = (fri_clipped){0};
    shorten(&c, &s, character_begins, limits->max_chars);
    shorten(&c, &s, line_begins, limits->max_lines);
    if (c.head >= c.tail) {
        fri_buf_append(out, text.p, text.n);
        return;
    }
    /* A gap the cut would stand right behind goes with what is left out. */
    if (gap.n > 0 && c.head == gap.at + gap.n)
        c.head = gap.at;
    size_t begin = out->n;
    fri_buf_append(out, text.p, c.head);
    write_marker(out, &s, c, begin, info);
    fri_buf_append(out, text.p + c.tail, text.n - c.tail);
}
