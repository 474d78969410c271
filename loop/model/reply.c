/* SPDX-License-Identifier: MIT */
#include "loop/model/reply.h"

#include "base/cleanup.h"
#include "base/limits.h"

/* A response with the content it owns. `pub` comes first: the two share an address. */
typedef struct response {
    fr_model_response pub;
    fr_content *content;
} response;

int fri_reply_init(fr_reply *reply, const fr_model_request *request, fr_error *err)
{
    *reply = (fr_reply){.request = request};
    reply->numbers.prompt_tokens = reply->numbers.output_tokens = -1;
    fri_buf_init(&reply->text, FRI_MAX_REPLY_BYTES);
    int rc = fr_content_new(&reply->content, err);
    return rc ? rc : fr_content_set_role(reply->content, "model", err);
}

void fri_reply_dispose(fr_reply *reply)
{
    fr_content_free(reply->content);
    fri_buf_dispose(&reply->text);
}

/* The part that went on ends here. */
static int end_text(fr_reply *reply, fr_error *err)
{
    if (reply->text.n == 0)
        return 0;
    int rc = fr_content_add(reply->content, FR_PART_TEXT, reply->flags, reply->text.p,
                            reply->text.n, NULL, err);
    fri_buf_truncate(&reply->text, 0);
    return rc;
}

int fr_reply_text(fr_reply *reply, uint32_t flags, const char *p, size_t n, fr_error *err)
{
    if (flags & ~FR_PART_THOUGHT)
        return fr_fail(err, FR_EINVAL, 0, "a reply: unknown flags of text 0x%x", (unsigned)flags);
    if (n == 0)
        return 0;
    int rc = flags == reply->flags ? 0 : end_text(reply, err);
    if (rc)
        return rc;
    reply->flags = flags;
    reply->begun = 1;
    fri_buf_append(&reply->text, p, n);
    rc = fri_buf_check(&reply->text, "the text of a reply", err);
    if (rc == 0 && flags == 0 && reply->request->on_text)
        reply->request->on_text(reply->request->user, p, n);
    return rc;
}

int fr_reply_part(fr_reply *reply, int32_t kind, const char *data, size_t n, const char *label,
                  fr_error *err)
{
    int rc = end_text(reply, err);
    if (rc == 0)
        rc = fr_content_add(reply->content, kind, 0, data, n, label, err);
    if (rc == 0)
        reply->begun = 1;
    return rc;
}

int fr_reply_begun(const fr_reply *reply)
{
    return reply->begun;
}

void fr_reply_finish(fr_reply *reply, int finish)
{
    int known = finish > FR_FINISH_OTHER && finish <= FR_FINISH_SAFETY;
    reply->numbers.finish = known ? finish : FR_FINISH_OTHER;
}

void fr_reply_usage(fr_reply *reply, int64_t prompt_tokens, int64_t output_tokens)
{
    reply->numbers.prompt_tokens = prompt_tokens;
    reply->numbers.output_tokens = output_tokens;
}

void fr_reply_request(fr_reply *reply)
{
    reply->numbers.requests++;
}

int fri_reply_take(fr_reply *reply, fr_model_response **out, fr_error *err)
{
    int rc = end_text(reply, err);
    if (rc)
        return rc;
    response *r = fri_calloc(1, sizeof(*r), err);
    if (!r)
        return FR_ENOMEM;
    r->content = fri_steal(&reply->content);
    r->pub = reply->numbers;
    r->pub.content = r->content;
    *out = &r->pub;
    return 0;
}

void fr_model_response_free(fr_model_response *pub)
{
    if (!pub)
        return;
    response *r = (response *)pub;
    fr_content_free(r->content);
    fri_free(r);
}
