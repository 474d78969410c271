/* SPDX-License-Identifier: MIT */
#include "fencerun/model.h"

#include "base/failure.h"
#include "base/mem.h"
#include "base/sized.h"
#include "base/word.h"
#include "loop/model/reply.h"

struct fr_model {
    const fr_model_class *cls;
    void *state;
};

const char *fr_finish_text(int finish)
{
    static const fri_word words[] = {FR_FINISH_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, finish);
}

const char *fr_model_name(const fr_model *model)
{
    return model->cls->name;
}

void *fr_model_state(fr_model *self)
{
    return self->state;
}

/* ---- Opening ---- */

static int check_class(const fr_model_class *cls, fr_error *err)
{
    const size_t first_version = offsetof(fr_model_class, close) + sizeof(cls->close);
    if (!cls)
        return fr_fail(err, FR_EINVAL, 0, "model: no class to open one of");
    if (cls->struct_size < first_version)
        return fr_fail(err, FR_EABI, 0, "a model class of %zu bytes; the first version has %zu",
                       cls->struct_size, first_version);
    if (cls->abi != FR_MODEL_ABI)
        return fr_fail(err, FR_EABI, 0, "a model class of ABI %u; this library has %u", cls->abi,
                       FR_MODEL_ABI);
    if (!cls->name || !cls->name[0] || !cls->generate)
        return fr_fail(err, FR_EINVAL, 0, "model class '%.40s' has no %s",
                       cls->name ? cls->name : "", cls->generate ? "name" : "generate");
    return 0;
}

static fr_model *new_model(const fr_model_class *cls, fr_error *err)
{
    fr_model *model = fri_calloc(1, sizeof(*model), err);
    if (!model)
        return NULL;
    model->cls = cls;
    if (cls->state_size == 0)
        return model;
    model->state = fri_calloc(1, cls->state_size, err);
    if (model->state)
        return model;
    fri_free(model);
    return NULL;
}

int fr_model_open(const fr_model_class *cls, const void *config, fr_model **out, fr_error *err)
{
    int rc = check_class(cls, err);
    if (rc)
        return rc;
    fr_model *model = new_model(cls, err);
    if (!model)
        return FR_ENOMEM;
    rc = cls->open ? cls->open(model, config, err) : 0;
    if (rc) {
        fr_model_close(model);
        return rc;
    }
    *out = model;
    return 0;
}

void fr_model_close(fr_model *model)
{
    if (!model)
        return;
    if (model->cls->close)
        model->cls->close(model);
    fri_free(model->state);
    fri_free(model);
}

/* ---- Asking ---- */

static int read_request(const fr_model *model, const fr_model_request *given, fr_model_request *q,
                        fr_error *err)
{
    int rc = fri_read_sized(q, sizeof(*q), given, "fr_model_request", err);
    if (rc)
        return rc;
    if (!q->contents || q->content_count == 0)
        return fr_fail(err, FR_EINVAL, 0, "model %s: the request has no contents to answer",
                       fr_model_name(model));
    for (size_t i = 0; i < q->content_count; i++)
        if (!fr_content_role(q->contents[i])[0])
            return fr_fail(err, FR_EINVAL, 0,
                           "model %s: content %zu has no role; give it one with "
                           "fr_content_set_role()",
                           fr_model_name(model), i);
    return 0;
}

static int cancelled(const fr_model *model, fr_error *err)
{
    return fr_fail(err, FR_ECANCELLED, 0, "model %s: the request was cancelled",
                   fr_model_name(model));
}

/* Whatever an author's generate returns, callers see 0 or one of our codes, with a text. */
static int call_generate(fr_model *model, const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    fr_error why = FR_ERROR_INIT;
    int rc = model->cls->generate(model, q, reply, &why);
    return fri_failure_of("model", fr_model_name(model), rc, &why, err);
}

/* The end of a cancelled call is the same whether its class has noticed or not. */
static int answer(fr_model *model, const fr_model_request *q, fr_reply *reply,
                  fr_model_response **out, fr_error *err)
{
    if (fr_cancel_raised(q->cancel))
        return cancelled(model, err);
    int rc = call_generate(model, q, reply, err);
    if (fr_cancel_raised(q->cancel))
        return cancelled(model, err);
    return rc ? rc : fri_reply_take(reply, out, err);
}

int fr_model_generate(fr_model *model, const fr_model_request *request, fr_model_response **out,
                      fr_error *err)
{
    fr_model_request q;
    int rc = read_request(model, request, &q, err);
    if (rc)
        return rc;
    fr_reply reply;
    rc = fri_reply_init(&reply, &q, err);
    if (rc == 0)
        rc = answer(model, &q, &reply, out, err);
    fri_reply_dispose(&reply);
    return rc;
}
