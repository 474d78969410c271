/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation
 *
 * The stream fills `head` up to its limit, then the ring. The ring starts as a plain array that grows
 * with what is fed, so that a short output costs little; only once it has its full length does it turn
 * round and overwrite its oldest bytes. Bytes that are overwritten are what is left out, together with
 * the ends of characters that the cuts on either side would have split.
 */
#include "base/capture.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

#define MIN_RING 1024

void fri_capture_init(fri_capture *c, size_t keep)
{
    *c = (fri_capture){.tail_max = keep / 2};
    fri_buf_init(&c->head, keep - keep / 2);
}

void fri_capture_dispose(fri_capture *c)
{
    fri_buf_dispose(&c->head);
    fri_free(c->ring);
    fri_capture_init(c, 0);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Room in the ring for n more bytes, or for all it may ever hold. */
static int grow_ring(fri_capture *c, size_t n, fr_error *err)
{
    size_t need = n < c->tail_max - c->ring_len ? c->ring_len + n : c->tail_max;
    if (need <= c->ring_cap)
        return 0;
    size_t cap = need < MIN_RING ? MIN_RING : need < c->ring_cap * 2 ? c->ring_cap * 2 : need;
    cap = smaller(cap, c->tail_max);
    char *p = fri_realloc(c->ring, cap, 1, err);
    if (!p)
        return FR_ENOMEM;
    c->ring = p;
    c->ring_cap = cap;
    return 0;
}

/* The ring has room: grow_ring() was there before. */
static void fill_ring(fri_capture *c, const char *p, size_t n)
{
    if (n > c->tail_max) {
        p += n - c->tail_max;
        n = c->tail_max;
    }
    c->ring_len = smaller(c->ring_len + n, c->tail_max);
    while (n > 0) {
        size_t run = smaller(n, c->tail_max - c->ring_at);
        memcpy(c->ring + c->ring_at, p, run);
        c->ring_at = (c->ring_at + run) % c->tail_max;
        p += run;
        n -= run;
    }
}

int fri_capture_feed(fri_capture *c, const void *bytes, size_t n, fr_error *err)
{
    if (n == 0) /* of nothing, `bytes` may be NULL */
        return 0;
    const char *p = bytes;
    size_t to_head = smaller(n, c->head.limit - c->head.n);
    int rc = grow_ring(c, n - to_head, err);
    if (rc)
        return rc;
    fri_buf_append(&c->head, p, to_head);
    rc = fri_buf_check(&c->head, "the head of an output", err);
    if (rc)
        return rc;
    fill_ring(c, p + to_head, n - to_head);
    c->written += n;
    return 0;
}

/* ---- Text ---- */

static fr_str behind(fr_str s, size_t n)
{
    return fri_str(s.p + n, s.n - n);
}

/* The ring's bytes in their order, in two pieces. */
static void ring_pieces(const fri_capture *c, fr_str piece[2])
{
    piece[0] = piece[1] = fri_str("", 0);
    if (c->ring_len == 0)
        return;
    size_t start = c->ring_len == c->tail_max ? c->ring_at : 0;
    piece[0] = fri_str(c->ring + start, c->ring_len - start);
    piece[1] = fri_str(c->ring, start);
}

/* Takes the rest of a character off the front of a text in two pieces. */
static void skip_partial(fr_str piece[2])
{
    size_t n = fri_utf8_skip_tail(piece[0].p, piece[0].n);
    if (n == piece[0].n) {
        size_t more = fri_utf8_skip_tail(piece[1].p, piece[1].n);
        piece[1] = behind(piece[1], smaller(more, 3 - n));
    }
    piece[0] = behind(piece[0], n);
}

/* Repairs a and b as the one text they are: a character may begin in a and end in b. */
static uint64_t repair_joined(fri_buf *out, fr_str a, fr_str b)
{
    size_t whole = fri_utf8_clip(a.p, a.n);
    uint64_t invalid = fri_utf8_repair(out, a.p, whole);
    a = behind(a, whole);
    if (a.n > 0) {
        char seam[6];
        size_t more = smaller(b.n, 3);
        memcpy(seam, a.p, a.n);
        memcpy(seam + a.n, b.p, more);
        size_t first = fri_utf8_first(seam, a.n + more);
        invalid += fri_utf8_repair(out, seam, first);
        b = behind(b, first - a.n);
    }
    return invalid + fri_utf8_repair(out, b.p, b.n);
}

/* The text of a stream that was longer than what is kept of it. */
static void cut_text(const fri_capture *c, fri_buf *out, fr_str tail[2], fri_captured *info)
{
    fr_str head = fri_str(c->head.p, fri_utf8_clip(c->head.p, c->head.n));
    skip_partial(tail);
    size_t start = out->n;
    info->kept = head.n + tail[0].n + tail[1].n;
    info->invalid = fri_utf8_repair(out, head.p, head.n);
    info->gap = out->n - start;
    if (out->n > 0 && out->p[out->n - 1] != '\n')
        fri_buf_putc(out, '\n');
    fri_buf_printf(out, "[... %" PRIu64 " bytes left out ...]\n", c->written - info->kept);
    info->invalid += repair_joined(out, tail[0], tail[1]);
}

void fri_capture_text(const fri_capture *c, fri_buf *out, fri_captured *info)
{
    fr_str ring[2];
    ring_pieces(c, ring);
    info->gap = UINT64_MAX;
    info->kept = c->head.n + c->ring_len;
    if (info->kept < c->written)
        cut_text(c, out, ring, info);
    else
        info->invalid = repair_joined(out, fri_buf_str(&c->head), ring[0]);
}
