/* SPDX-License-Identifier: MIT */
/* The model "scripted": hands out recorded replies, see fencerun/model.h. */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/script.h"
#include "base/sized.h"
#include "base/str.h"
#include "fencerun/model.h"
#include "loop/content.h"
#include "loop/content_json.h"

/* One recorded reply, checked. */
typedef struct step {
    char *text, *expect, *message;
    size_t text_n, expect_n;
    fr_content *content; /* in place of `text`; NULL: that is all */
    int finish;
    int error; /* 0, or what the call fails with */
} step;

static void step_dispose(step *s)
{
    fri_free(s->text);
    fri_free(s->expect);
    fri_free(s->message);
    fr_content_free(s->content);
}

/* ---- Reading ---- */

static int read_finish(const char *name, int *finish, fr_error *err)
{
    *finish = FR_FINISH_STOP;
    if (!name)
        return 0;
    for (*finish = 0; strcmp(fr_finish_text(*finish), name) != 0; ++*finish)
        if (*finish == FR_FINISH_SAFETY)
            return fr_fail(err, FR_EFORMAT, 0, "there is no finish '%.40s'", name);
    return 0;
}

static int read_object(const fri_json *doc, fri_json_ref v, step *s, fr_error *err)
{
    FRI_AUTO(fri_freep) char *error = NULL;
    FRI_AUTO(fri_freep) char *finish = NULL;
    int rc = fri_json_optional_string(doc, v, "text", &s->text, &s->text_n, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "expect", &s->expect, &s->expect_n, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "finish", &finish, NULL, err);
    if (rc == 0)
        rc = read_finish(finish, &s->finish, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "error", &error, NULL, err);
    if (rc == 0)
        rc = fri_script_error(error, &s->error, err);
    if (rc == 0)
        rc = fri_json_optional_string(doc, v, "message", &s->message, NULL, err);
    if (rc || fri_json_get(doc, v, "parts") == FRI_JSON_NONE)
        return rc;
    if (s->text)
        return fr_fail(err, FR_EFORMAT, 0, "a reply has a text or parts, not both");
    return fri_content_read(doc, v, &s->content, err);
}

static int read_step(const fri_json *doc, fri_json_ref v, step *s, fr_error *err)
{
    *s = (step){.finish = FR_FINISH_STOP};
    if (fri_json_type(doc, v) == FRI_JSON_STRING)
        return fri_json_string(doc, v, "a reply", &s->text, &s->text_n, err);
    if (fri_json_type(doc, v) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "a reply is neither a string nor an object");
    return read_object(doc, v, s, err);
}

static int check_step(const fri_json *doc, fri_json_ref v, fr_error *err)
{
    step s;
    int rc = read_step(doc, v, &s, err);
    step_dispose(&s);
    return rc;
}

/* ---- Playing ---- */

static int check_expected(const step *s, const fr_content *last, fr_error *err)
{
    if (!s->expect)
        return 0;
    fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    fri_content_text(last, &text);
    int rc = fri_buf_check(&text, "the text of a content", err);
    if (rc == 0 && !memmem(text.p, text.n, s->expect, s->expect_n))
        rc = fr_fail(err, FR_EINVAL, 0,
                     "what the model is told last does not say '%.*s'; it says '%.*s'",
                     fri_script_shown(fri_str(s->expect, s->expect_n)), s->expect,
                     fri_script_shown(fri_buf_str(&text)), text.p);
    fri_buf_dispose(&text);
    return rc;
}

static int play_parts(const step *s, fr_reply *reply, fr_error *err)
{
    const fr_part *part;
    int rc = fr_reply_text(reply, 0, s->text, s->text_n, err);
    for (size_t i = 0; rc == 0 && (part = fr_content_part(s->content, i)); i++)
        rc = part->kind == FR_PART_TEXT
                 ? fr_reply_text(reply, part->flags, part->data.p, part->data.n, err)
                 : fr_reply_part(reply, part->kind, part->data.p, part->data.n, part->label.p, err);
    return rc;
}

static int play(const step *s, fr_reply *reply, fr_error *err)
{
    if (s->error)
        return fr_fail(err, s->error, 0, "scripted: %s",
                       s->message ? s->message : "a recorded failure");
    fr_reply_finish(reply, s->finish);
    return play_parts(s, reply, err);
}

static int scripted_generate(fr_model *self, const fr_model_request *q, fr_reply *reply,
                             fr_error *err)
{
    fri_script *script = fr_model_state(self);
    size_t place;
    fri_json_ref now = fri_script_next(script, &place);
    if (now == FRI_JSON_NONE)
        return fr_fail(err, FR_ENOTFOUND, 0, "scripted: the script has no reply for this request");
    fr_reply_request(reply);
    step s;
    fr_error why = FR_ERROR_INIT;
    int rc = read_step(script->doc, now, &s, &why);
    if (rc == 0)
        rc = check_expected(&s, q->contents[q->content_count - 1], &why);
    rc = rc ? fri_script_fail(script, place, rc, why.text, err) : play(&s, reply, err);
    step_dispose(&s);
    return rc;
}

static const char *const members[] = {"text",  "parts",   "expect", "finish",
                                      "error", "message", NULL};
static const fri_script_form form = {"replies", members, check_step};

static int scripted_open(fr_model *self, const void *config, fr_error *err)
{
    fr_scripted_model_options o;
    int rc = fri_read_sized(&o, sizeof(o), config, "fr_scripted_model_options", err);
    return rc ? rc : fri_script_open(fr_model_state(self), o.path, o.json, &form, err);
}

static void scripted_close(fr_model *self)
{
    fri_script_dispose(fr_model_state(self));
}

const fr_model_class *fr_model_scripted(void)
{
    static const fr_model_class cls = {
        .struct_size = sizeof(fr_model_class),
        .abi = FR_MODEL_ABI,
        .name = "scripted",
        .state_size = sizeof(fri_script),
        .open = scripted_open,
        .generate = scripted_generate,
        .close = scripted_close,
    };
    return &cls;
}
