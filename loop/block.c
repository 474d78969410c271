/* SPDX-License-Identifier: MIT */
#include "loop/block.h"

#include "loop/prefix.h"
#include "loop/triple_quotes.h"

/*
 * Theory of operation. A block is read line by line until a fence closes it or what contains it ends:
 * a block quote at a line without its markers; a list item, strictly, at any line that is less
 * indented than its block. Since models indent code wrongly more often than they forget to close it,
 * such a line is taken for code until a fence with an info string shows that the item is over, or no
 * closing fence comes at all. The same goes for code without quote markers right behind a quoted fence.
 *
 * Some fences close the block only if no better one comes. The first of these is kept as a fallback;
 * it counts when the reading ends without a closing fence, and the text behind it is then read a second
 * time. Each byte passed in search of a better one is taken from a budget for the whole reply; when
 * that is used up the fallback counts at once. This keeps time linear. The fences are:
 *
 * - One in a ''' or """ string, which may never end.
 *
 * - One four or more columns deeper than the block, which in CommonMark closes nothing. It may be a
 *   closing fence in the wrong column, or belong to what is quoted in the block. In Python it can only
 *   be the former. Deeper fences with an info string, and those that end them, are quoted for sure.
 */

#define DEEPER 4

/* Less than this is no list item. */
#define ITEM_INDENT 2

typedef struct reader {
    const fri_opener *opener;
    const char *text;
    fri_triple_quotes strings;
    int quoted;      /* lines of the body carry the opener's quote markers */
    int inner;       /* a deeper fence with an info string is open */
    int inside;      /* a line of the body was indented like its list item */
    int outside;     /* strictly, what contains the block has ended */
    size_t item_end; /* … at this line, with code before it; 0: not so */
    size_t *budget;
    fri_extent fallback; /* `end` 0: none yet */
    fri_extent extent;
} reader;

static fri_extent extent_to(const reader *r, size_t body_end, size_t end, int terminated)
{
    return (fri_extent){body_end, end, r->quoted ? r->opener->quotes : 0, terminated};
}

/* No better closing fence comes. */
static int leave(reader *r, size_t end)
{
    size_t body_end = r->item_end > 0 ? r->item_end : end;
    r->extent = r->fallback.end > 0 ? r->fallback : extent_to(r, body_end, end, 0);
    return 1;
}

/* A fence that can close the block; `end` is behind it. */
static int take_closer(reader *r, fri_line line, size_t end, int deeper)
{
    fri_extent extent = extent_to(r, line.start, end, 1);
    if (!r->strings.triple && (!deeper || r->opener->triple_quotes)) {
        r->extent = extent;
        return 1;
    }
    if (r->fallback.end == 0)
        r->fallback = extent;
    return 0;
}

static int take_fence(reader *r, fri_line line, fri_cursor c, const fri_fence *fence)
{
    const fri_opener *o = r->opener;
    int deeper = c.column - c.base >= o->indent + DEEPER;
    if (fri_fence_closes(fence, &o->fence)) {
        if (!deeper || !r->inner)
            return take_closer(r, line, c.at + fence->length, deeper);
        r->inner = 0;
    } else if (fence->info.n > 0 && !r->strings.triple) {
        if (r->outside || (r->fallback.end > 0 && !deeper))
            return leave(r, line.start);
        r->inner |= deeper;
    }
    return 0;
}

/* Moves over the line's quote markers. Returns 0 when the block quote has ended. */
static int take_quotes(reader *r, fri_line line, fri_cursor *c)
{
    const fri_opener *o = r->opener;
    size_t n = fri_skip_quotes(c, o->quotes, o->slack);
    if (!r->quoted || n == o->quotes)
        return 1;
    if (n > 0 || line.start != o->body)
        return 0;
    r->quoted = 0;
    r->outside = 1;
    return 1;
}

static int spend(reader *r, fri_line line)
{
    size_t cost = line.next - line.start;
    int enough = cost <= *r->budget;
    *r->budget -= enough ? cost : *r->budget;
    return enough;
}

static void watch_item(reader *r, fri_line line, fri_cursor c)
{
    if (c.at == c.end || r->opener->indent < ITEM_INDENT)
        return;
    if (c.column - c.base >= r->opener->indent) {
        r->inside = 1;
    } else if (!r->outside) {
        r->outside = 1;
        r->item_end = r->inside ? line.start : 0;
    }
}

/* Returns whether the block ends at this line; `extent` then says how. */
static int take_line(reader *r, fri_line line)
{
    if (r->fallback.end > 0 && !spend(r, line))
        return leave(r, line.start);
    fri_cursor c = fri_cursor_at(r->text, line);
    if (!take_quotes(r, line, &c))
        return leave(r, line.start);
    fri_skip_blanks(&c);
    watch_item(r, line, c);
    fri_fence fence;
    if (fri_fence_read(r->text + c.at, c.end - c.at, &fence) && take_fence(r, line, c, &fence))
        return 1;
    if (r->opener->triple_quotes)
        fri_triple_quotes_line(&r->strings, r->text + c.at, c.end - c.at);
    return 0;
}

fri_extent fri_block_read(fri_lines *lines, const fri_opener *opener, size_t *budget)
{
    reader r = {
        .opener = opener, .text = lines->text, .budget = budget, .quoted = opener->quotes > 0};
    fri_line line;
    for (size_t at = opener->body; at < lines->end; at = line.next) {
        line = fri_lines_at(lines, at);
        if (take_line(&r, line))
            return r.extent;
    }
    leave(&r, lines->end);
    return r.extent;
}
