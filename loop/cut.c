/* SPDX-License-Identifier: MIT */

#include "base/str.h"
#include "loop/content.h"
#include "loop/search.h"

/* A copy of a part with `text` instead of its own, unless that is empty. A long reply is mostly one
 * text part, and the extraction holds it already: a text as long as all text, or as all text before
 * the block, is that text. */
static int add_text(const fri_search *s, const fr_part *part, fr_str text, fr_error *err)
{
    fr_str whole = fr_extraction_text(s->x), prefix = fr_extraction_prefix(s->x);
    fr_part cut = {part->kind, part->flags, text, part->label};
    if (text.n == 0)
        return 0;
    if (part->label.n > 0 || !fri_part_is_said(part) || (text.n != whole.n && text.n != prefix.n))
        return fri_content_copy(s->x->content, &cut, err);
    cut.data = text.n == whole.n ? whole : prefix;
    cut.label = fri_str("", 0);
    return fri_content_borrow(s->x->content, &cut, err);
}

static int copy_parts(const fri_search *s, size_t to, fr_error *err)
{
    for (size_t i = 0; i < to; i++) {
        const fr_part *part = fr_content_part(s->content, i);
        int rc = part->data.n > 0 ? add_text(s, part, part->data, err)
                                  : fri_content_copy(s->x->content, part, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* ADK writes languages in capitals: PYTHON. */
static int make_label(fr_extraction *x, fr_str language, fr_error *err)
{
    x->label = fri_memdup(language.p, language.n, err);
    if (!x->label)
        return FR_ENOMEM;
    for (char *c = x->label; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return 0;
}

static int add_code(const fri_search *s, fr_error *err)
{
    const fr_block *block = fr_extraction_block(s->x, 0);
    if (make_label(s->x, block->language, err))
        return FR_ENOMEM;
    fr_part part = {FR_PART_EXECUTABLE_CODE, 0, block->code, fri_cstr(s->x->label)};
    return fri_content_borrow(s->x->content, &part, err);
}

/* The part that the code starts in: the one with the text's character at `offset`, whose place in it
 * goes to *within. */
static size_t part_at(const fr_content *content, size_t offset, size_t *within)
{
    size_t i = 0;
    for (const fr_part *part; (part = fr_content_part(content, i)); i++) {
        if (!fri_part_is_said(part))
            continue;
        if (offset < part->data.n)
            break;
        offset -= part->data.n;
    }
    *within = offset;
    return i;
}

/* What is behind the code and neither text nor other code is kept: function calls, images. */
static int copy_others(const fri_search *s, size_t from, fr_error *err)
{
    const fr_part *part;
    for (size_t i = from; (part = fr_content_part(s->content, i)); i++) {
        if (part->kind == FR_PART_TEXT || part->kind == FR_PART_EXECUTABLE_CODE ||
            part->kind == FR_PART_CODE_EXECUTION_RESULT)
            continue;
        int rc = fri_content_copy(s->x->content, part, err);
        if (rc)
            return rc;
    }
    return 0;
}

int fri_cut(const fri_search *s, fr_error *err)
{
    const fr_block *block = fr_extraction_block(s->x, 0);
    if (!block)
        return copy_parts(s, fr_content_count(s->content), err);
    size_t at = s->executable, kept = 0;
    if (at == FRI_NO_PART)
        at = part_at(s->content, block->start, &kept);
    const fr_part *part = fr_content_part(s->content, at);
    int rc = copy_parts(s, at, err);
    if (rc == 0)
        rc = add_text(s, part, fri_str(part->data.p, kept), err);
    if (rc == 0)
        rc = copy_others(s, at + 1, err);
    return rc ? rc : add_code(s, err);
}

static const fr_part *first_text(const fr_content *content)
{
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(content, i)); i++)
        if (part->kind == FR_PART_TEXT && part->data.n > 0)
            return part;
    return NULL;
}

int fri_cut_adk(const fri_search *s, fr_error *err)
{
    if (s->executable != FRI_NO_PART)
        return copy_parts(s, s->executable + 1, err);
    if (!fr_extraction_block(s->x, 0))
        return copy_parts(s, fr_content_count(s->content), err);
    int rc = 0;
    const fr_part *first = first_text(s->content);
    if (first)
        rc = add_text(s, first, fr_extraction_prefix(s->x), err);
    return rc ? rc : add_code(s, err);
}
