/* SPDX-License-Identifier: MIT */
#include "loop/search.h"

#include "base/limits.h"
#include "base/str.h"
#include "loop/content.h"
#include "loop/language.h"

int fri_is_pending(const fr_content *content, size_t i)
{
    const fr_part *part = fr_content_part(content, i), *behind = fr_content_part(content, i + 1);
    return part->kind == FR_PART_EXECUTABLE_CODE &&
           !(behind && behind->kind == FR_PART_CODE_EXECUTION_RESULT);
}

static int gather_text(fri_search *s, fr_error *err)
{
    fri_content_text(s->content, &s->x->text);
    return fri_buf_check(&s->x->text, "the text of a reply", err);
}

/* Offset in the text of where part `last` is. */
static size_t offset_of(const fr_content *content, size_t last)
{
    size_t offset = 0;
    for (size_t i = 0; i < last; i++) {
        const fr_part *part = fr_content_part(content, i);
        offset += fri_part_is_said(part) ? part->data.n : 0;
    }
    return offset;
}

static int record_executable(fri_search *s, fr_error *err)
{
    const fr_part *part = fr_content_part(s->content, s->executable);
    const fr_language *table = s->options.languages;
    const fr_language *language = fri_language_find(table, s->options.language_count, part->label);
    size_t offset = offset_of(s->content, s->executable);
    fr_block block = {.terminated = 1, .info = {"", 0}, .start = offset, .end = offset};
    FRI_AUTO(fri_buf_dispose) fri_buf code;
    fri_buf_init(&code, part->data.n);
    fri_buf_append(&code, part->data.p, part->data.n);
    return fri_extraction_add(s->x, &block, language ? (int)(language - table) : 0, &code, err);
}

int fri_find(fri_search *s, fr_error *err)
{
    int rc = gather_text(s, err);
    if (rc)
        return rc;
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(s->content, i)); i++) {
        if (!fri_is_pending(s->content, i) || (part->flags & FR_PART_THOUGHT) ||
            fri_is_blank(part->data))
            continue;
        s->executable = i;
        return record_executable(s, err);
    }
    return fri_walk(s, err);
}

/* Why a block cannot run, as far as that can be told without its code. */
static int skip_reason(const fri_search *s, const fri_found *found)
{
    if (!found->terminated && (!s->options.run_unterminated || !found->language))
        return FR_SKIP_UNTERMINATED;
    if (!found->language)
        return found->info.n > 0 ? FR_SKIP_LANGUAGE : FR_SKIP_UNTAGGED;
    return FR_SKIP_NONE;
}

int fri_search_record(fri_search *s, const fri_found *found, fr_error *err)
{
    fr_extraction *x = s->x;
    if (x->runnable.n > 0 && !s->options.all)
        return 0;
    FRI_AUTO(fri_buf_dispose) fri_buf code;
    fri_buf_init(&code, FRI_MAX_REPLY_BYTES);
    int skip = skip_reason(s, found);
    if (skip == FR_SKIP_NONE) {
        fri_body_read(fri_buf_str(&x->text).p, &found->body, &code);
        if (!code.code && fri_is_blank(fri_buf_str(&code))) {
            skip = found->terminated ? FR_SKIP_EMPTY : FR_SKIP_UNTERMINATED;
            fri_buf_truncate(&code, 0);
        }
    }
    fr_block block = {.skip = skip,
                      .terminated = found->terminated,
                      .info = found->info,
                      .start = found->start,
                      .end = found->end};
    int language = found->language ? (int)(found->language - s->options.languages) : -1;
    return fri_extraction_add(x, &block, language, &code, err);
}
