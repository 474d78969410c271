/* SPDX-License-Identifier: MIT */
#include "loop/extraction.h"

#include "base/json_write.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/word.h"

static int copy_names(fr_extraction *x, const fr_language *languages, size_t count, fr_error *err)
{
    x->names = fri_calloc(count, sizeof(*x->names), err);
    if (!x->names)
        return FR_ENOMEM;
    x->name_count = count;
    for (size_t i = 0; i < count; i++) {
        x->names[i] = fri_strdup(languages[i].name, err);
        if (!x->names[i])
            return FR_ENOMEM;
    }
    return 0;
}

int fri_extraction_new(const fr_extract_options *options, fr_extraction **out, fr_error *err)
{
    FRI_AUTO(fri_extraction_freep) fr_extraction *x = fri_calloc(1, sizeof(*x), err);
    if (!x)
        return FR_ENOMEM;
    fri_buf_init(&x->text, FRI_MAX_REPLY_BYTES);
    fri_buf_init(&x->prefix, FRI_MAX_REPLY_BYTES);
    x->all = options->all;
    int rc = copy_names(x, options->languages, options->language_count, err);
    if (rc)
        return rc;
    *out = fri_steal(&x);
    return 0;
}

static void free_str(fr_str *s)
{
    union {
        const char *in;
        void *out;
    } bytes = {s->p};
    fri_free(bytes.out);
}

static void list_dispose(fri_block_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free_str(&list->v[i].info);
        free_str(&list->v[i].code);
    }
    fri_free(list->v);
}

void fr_extraction_free(fr_extraction *x)
{
    if (!x)
        return;
    fr_content_free(x->content);
    fri_free(x->label);
    fri_buf_dispose(&x->text);
    fri_buf_dispose(&x->prefix);
    for (size_t i = 0; i < x->name_count; i++)
        fri_free(x->names[i]);
    fri_free(x->names);
    list_dispose(&x->runnable);
    list_dispose(&x->skipped);
    fri_free(x);
}

static int make_room(fri_block_list *list, fr_error *err)
{
    if (list->n < list->room)
        return 0;
    size_t room = list->room ? list->room * 2 : 4;
    fr_block *v = fri_realloc(list->v, room, sizeof(*v), err);
    if (!v)
        return FR_ENOMEM;
    list->v = v;
    list->room = room;
    return 0;
}

int fri_extraction_add(fr_extraction *x, const fr_block *block, int language, fri_buf *code,
                       fr_error *err)
{
    int rc = fri_buf_check(code, "the code of a block", err);
    if (rc)
        return rc;
    fri_block_list *list = block->skip == FR_SKIP_NONE ? &x->runnable : &x->skipped;
    if (make_room(list, err))
        return FR_ENOMEM;
    FRI_AUTO(fri_freep) char *info = fri_memdup(block->info.p, block->info.n, err);
    if (!info)
        return FR_ENOMEM;
    size_t n = code->n;
    char *bytes = fri_buf_steal(code, err);
    if (!bytes)
        return FR_ENOMEM;
    fr_block *added = &list->v[list->n++];
    *added = *block;
    added->language = language < 0 ? fri_str("", 0) : fri_cstr(x->names[language]);
    added->info.p = fri_steal(&info);
    added->code = fri_str(bytes, n);
    return 0;
}

static const fr_block *list_get(const fri_block_list *list, size_t i)
{
    return i < list->n ? &list->v[i] : NULL;
}

const fr_block *fr_extraction_block(const fr_extraction *x, size_t i)
{
    return list_get(&x->runnable, i);
}

const fr_block *fr_extraction_skipped(const fr_extraction *x, size_t i)
{
    return list_get(&x->skipped, i);
}

int fr_extraction_unterminated(const fr_extraction *x)
{
    return x->unterminated;
}

fr_str fr_extraction_text(const fr_extraction *x)
{
    return fri_buf_str(&x->text);
}

fr_str fr_extraction_prefix(const fr_extraction *x)
{
    return fri_buf_str(x->runnable.n > 0 ? &x->prefix : &x->text);
}

const fr_content *fr_extraction_content(const fr_extraction *x)
{
    return x->content;
}

const char *fr_skip_text(int skip)
{
    static const fri_word words[] = {FR_SKIP_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, skip);
}

static void put_first(fri_json_out *w, const fr_extraction *x)
{
    static const fr_block none = {FR_SKIP_NONE, 0, {"", 0}, {"", 0}, {"", 0}, 0, 0};
    const fr_block *first = fr_extraction_block(x, 0);
    fri_json_member_bool(w, "found", first != NULL);
    if (!first)
        first = &none;
    fri_json_member_string(w, "language", first->language);
    fri_json_member_string(w, "info", first->info);
    fri_json_member_string(w, "code", first->code);
    fri_json_member_string(w, "prefix", fr_extraction_prefix(x));
    fri_json_member_uint(w, "start", first->start);
    fri_json_member_uint(w, "end", first->end);
    fri_json_member_bool(w, "unterminated", x->unterminated);
}

static void put_skipped(fri_json_out *w, const fri_block_list *list)
{
    fri_json_key(w, "skipped");
    fri_json_begin_array(w);
    for (size_t i = 0; i < list->n; i++) {
        fri_json_begin_object(w);
        fri_json_member_string(w, "info", list->v[i].info);
        fri_json_member_string(w, "reason", fri_cstr(fr_skip_text(list->v[i].skip)));
        fri_json_member_uint(w, "start", list->v[i].start);
        fri_json_end_object(w);
    }
    fri_json_end_array(w);
}

static void put_blocks(fri_json_out *w, const fri_block_list *list)
{
    fri_json_key(w, "blocks");
    fri_json_begin_array(w);
    for (size_t i = 0; i < list->n; i++) {
        fri_json_begin_object(w);
        fri_json_member_string(w, "language", list->v[i].language);
        fri_json_member_string(w, "info", list->v[i].info);
        fri_json_member_string(w, "code", list->v[i].code);
        fri_json_member_uint(w, "start", list->v[i].start);
        fri_json_member_uint(w, "end", list->v[i].end);
        fri_json_end_object(w);
    }
    fri_json_end_array(w);
}

int fr_extraction_json(const fr_extraction *x, char **json, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf buf;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out w;
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    put_first(&w, x);
    put_skipped(&w, &x->skipped);
    if (x->all)
        put_blocks(&w, &x->runnable);
    fri_json_end_object(&w);
    return fri_json_out_steal(&w, "the extraction as JSON", json, err);
}
