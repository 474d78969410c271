/* SPDX-License-Identifier: MIT */
#include "tests/loop/invariants.h"

#include <string.h>

#include "base/str.h"

static int is_blank(fr_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!memchr(" \t\n\v\f\r", s.p[i], 6))
            return 0;
    return 1;
}

static int is_terminated(fr_str s)
{
    return s.p && s.p[s.n] == '\0';
}

/* Every line of the code is in the block, in the same order. */
static int is_from(fr_str code, fr_str block)
{
    while (code.n > 0) {
        const char *end = memchr(code.p, '\n', code.n);
        size_t n = end ? (size_t)(end - code.p) : code.n;
        const char *hit = memmem(block.p, block.n, code.p, n);
        if (!hit)
            return 0;
        block = fri_str(hit + n, block.n - (size_t)(hit + n - block.p));
        code = fri_str(code.p + n + (end != NULL), code.n - n - (end != NULL));
    }
    return 1;
}

static const char *check_block(const fr_block *b, fr_str text, int adk)
{
    if (b->start > b->end || b->end > text.n)
        return "offsets of a block";
    if (!is_terminated(b->info) || !is_terminated(b->code) || !is_terminated(b->language))
        return "a string without a NUL behind it";
    if (b->skip != FR_SKIP_NONE)
        return b->code.n > 0 ? "code in a skipped block" : NULL;
    if (b->language.n == 0)
        return "a runnable block without language";
    if (adk ? b->code.n == 0 : is_blank(b->code))
        return "a runnable block without code";
    fr_str block = fri_str(text.p + b->start, b->end - b->start);
    int executable = b->start == b->end;
    return executable || is_from(b->code, block) ? NULL : "code that is not in the text";
}

/* Blocks come in the order of the text and do not overlap. */
static const char *check_order(const fr_extraction *x, fr_str text, int adk)
{
    size_t i = 0, k = 0, end = 0;
    for (;;) {
        const fr_block *run = fr_extraction_block(x, i), *skipped = fr_extraction_skipped(x, k);
        int is_run = run && (!skipped || run->start < skipped->start);
        const fr_block *b = is_run ? run : skipped;
        if (!b)
            return NULL;
        if (b->start < end)
            return "overlapping blocks";
        if (is_run != (b->skip == FR_SKIP_NONE))
            return "a block in the wrong list";
        const char *broken = check_block(b, text, adk);
        if (broken)
            return broken;
        end = b->end;
        i += is_run;
        k += !is_run;
    }
}

static int same_part(const fr_part *a, const fr_part *b)
{
    return a->kind == b->kind && a->flags == b->flags && fri_str_equal(a->data, b->data) &&
           fri_str_equal(a->label, b->label);
}

static int same_content(const fr_content *a, const fr_content *b)
{
    if (fr_content_count(a) != fr_content_count(b))
        return 0;
    for (size_t i = 0; i < fr_content_count(a); i++)
        if (!same_part(fr_content_part(a, i), fr_content_part(b, i)))
            return 0;
    return 1;
}

static const char *check_content(const fr_content *reply, const fr_extraction *x, int adk)
{
    const fr_content *left = fr_extraction_content(x);
    const fr_block *first = fr_extraction_block(x, 0);
    size_t n = fr_content_count(left);
    if (strcmp(fr_content_role(left), fr_content_role(reply)) != 0)
        return "another role than the reply's";
    for (size_t i = 0; i < n; i++)
        if (!is_terminated(fr_content_part(left, i)->data))
            return "data of a part without a NUL behind it";
    if (!first)
        return adk || same_content(left, reply) ? NULL : "content changed without a block";
    const fr_part *last = n > 0 ? fr_content_part(left, n - 1) : NULL;
    if (!last || last->kind != FR_PART_EXECUTABLE_CODE || !fri_str_equal(last->data, first->code))
        return "code is not the last part";
    return NULL;
}

const char *broken_invariant(const fr_content *reply, const fr_extract_options *options,
                             const fr_extraction *x)
{
    int adk = options && options->compat & FR_COMPAT_ADK;
    fr_str text = fr_extraction_text(x), prefix = fr_extraction_prefix(x);
    const fr_block *first = fr_extraction_block(x, 0);
    if (!is_terminated(text) || !is_terminated(prefix))
        return "text or prefix without a NUL behind it";
    if (!fri_str_equal(prefix, fri_str(text.p, first ? first->start : text.n)))
        return "prefix is not the text before the block";
    if (!(options && options->all) && fr_extraction_block(x, 1))
        return "more than one block without being asked";
    const char *broken = check_order(x, text, adk);
    return broken ? broken : check_content(reply, x, adk);
}
