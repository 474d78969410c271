/* SPDX-License-Identifier: MIT */
#include "loop/content.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"

int fr_content_new(fr_content **out, fr_error *err)
{
    fr_content *content = fri_calloc(1, sizeof(*content), err);
    if (!content)
        return FR_ENOMEM;
    *out = content;
    return 0;
}

/* The bytes of a part are one allocation: the data, a NUL, the label, a NUL. */
static void free_bytes(const fr_content *content, const fr_part *part)
{
    union {
        const char *in;
        void *out;
    } bytes = {part->data.p};
    if (bytes.in != content->borrowed[0] && bytes.in != content->borrowed[1])
        fri_free(bytes.out);
}

void fr_content_free(fr_content *content)
{
    if (!content)
        return;
    for (size_t i = 0; i < content->count; i++)
        free_bytes(content, &content->parts[i]);
    fri_free(content->parts);
    fri_free(content);
}

static int make_room(fr_content *content, fr_error *err)
{
    if (content->count < content->room)
        return 0;
    size_t room = content->room ? content->room * 2 : 4;
    fr_part *parts = fri_realloc(content->parts, room, sizeof(*parts), err);
    if (!parts)
        return FR_ENOMEM;
    content->parts = parts;
    content->room = room;
    return 0;
}

int fri_content_copy(fr_content *content, const fr_part *part, fr_error *err)
{
    fr_str data = part->data, label = part->label;
    if (make_room(content, err))
        return FR_ENOMEM;
    char *bytes = fri_calloc(data.n + 1 + label.n + 1, 1, err);
    if (!bytes)
        return FR_ENOMEM;
    char *label_at = bytes + data.n + 1;
    if (data.n > 0)
        memcpy(bytes, data.p, data.n);
    if (label.n > 0)
        memcpy(label_at, label.p, label.n);
    content->parts[content->count++] =
        (fr_part){part->kind, part->flags, fri_str(bytes, data.n), fri_str(label_at, label.n)};
    content->bytes += data.n + label.n;
    return 0;
}

int fri_content_borrow(fr_content *content, const fr_part *part, fr_error *err)
{
    if (make_room(content, err))
        return FR_ENOMEM;
    content->borrowed[content->borrowed[0] ? 1 : 0] = part->data.p;
    content->parts[content->count++] = *part;
    content->bytes += part->data.n + part->label.n;
    return 0;
}

int fri_content_clone(const fr_content *content, fr_content **out, fr_error *err)
{
    FRI_AUTO(fri_content_freep) fr_content *copy = NULL;
    const fr_part *part;
    int rc = fr_content_new(&copy, err);
    if (rc == 0 && fr_content_role(content)[0])
        rc = fr_content_set_role(copy, fr_content_role(content), err);
    for (size_t i = 0; rc == 0 && (part = fr_content_part(content, i)); i++)
        rc = fri_content_copy(copy, part, err);
    if (rc)
        return rc;
    *out = fri_steal(&copy);
    return 0;
}

static int check_limits(const fr_content *content, fr_str data, fr_str label, fr_error *err)
{
    if (content->count >= FRI_MAX_PARTS)
        return fr_fail(err, FR_ELIMIT, 0, "a content holds at most %d parts", FRI_MAX_PARTS);
    size_t left = FRI_MAX_REPLY_BYTES - content->bytes;
    if (data.n > left || label.n > left - data.n)
        return fr_fail(err, FR_ELIMIT, 0, "a content holds at most %lu bytes", FRI_MAX_REPLY_BYTES);
    return 0;
}

int fr_content_add(fr_content *content, int32_t kind, uint32_t flags, const char *data, size_t n,
                   const char *label, fr_error *err)
{
    if (!content)
        return fr_fail(err, FR_EINVAL, 0, "content: no content to add a part to");
    if (kind < FR_PART_TEXT || kind > FR_PART_OTHER)
        return fr_fail(err, FR_EINVAL, 0, "content: %d is no kind of part", (int)kind);
    if (flags & ~FR_PART_THOUGHT)
        return fr_fail(err, FR_EINVAL, 0, "content: unknown part flags 0x%x", (unsigned)flags);
    if (!data && n > 0)
        return fr_fail(err, FR_EINVAL, 0, "content: %zu bytes of data at NULL", n);
    fr_part part = {kind, flags, {data, n}, label ? fri_cstr(label) : fri_str("", 0)};
    int rc = check_limits(content, part.data, part.label, err);
    return rc ? rc : fri_content_copy(content, &part, err);
}

int fr_content_set_role(fr_content *content, const char *role, fr_error *err)
{
    size_t n = role ? strlen(role) : 0;
    if (!content)
        return fr_fail(err, FR_EINVAL, 0, "content: no content to give a role");
    if (n < 1 || n >= sizeof(content->role) || strspn(role, "abcdefghijklmnopqrstuvwxyz_") != n)
        return fr_fail(err, FR_EINVAL, 0,
                       "content: '%.40s' is no role; one has 1 to 31 characters of a-z and _",
                       role ? role : "");
    memmove(content->role, role, n + 1);
    return 0;
}

const char *fr_content_role(const fr_content *content)
{
    return content ? content->role : "";
}

int fri_part_is_said(const fr_part *part)
{
    return part->kind == FR_PART_TEXT && !(part->flags & FR_PART_THOUGHT);
}

void fri_content_text(const fr_content *content, fri_buf *out)
{
    size_t n = 0;
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(content, i)); i++)
        n += fri_part_is_said(part) ? part->data.n : 0;
    /* All room at once: a long text is then never moved. */
    fri_buf_reserve(out, n);
    for (size_t i = 0; (part = fr_content_part(content, i)); i++)
        if (fri_part_is_said(part))
            fri_buf_append(out, part->data.p, part->data.n);
}

size_t fr_content_count(const fr_content *content)
{
    return content ? content->count : 0;
}

const fr_part *fr_content_part(const fr_content *content, size_t i)
{
    return i < fr_content_count(content) ? &content->parts[i] : NULL;
}
