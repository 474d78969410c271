/* SPDX-License-Identifier: MIT */
#include "loop/model/openai_answer.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"
#include "loop/model/openai_error.h"

void fri_openai_answer_init(fri_openai_answer *a, fr_reply *reply, const char *key)
{
    *a = (fri_openai_answer){.reply = reply, .key = key, .finish = -1};
    a->prompt_tokens = a->output_tokens = -1;
    fri_buf_init(&a->thought, FRI_MAX_REPLY_BYTES);
}

void fri_openai_answer_dispose(fri_openai_answer *a)
{
    fri_buf_dispose(&a->thought);
    fri_tool_calls_dispose(&a->calls);
}

/* ---- Words ---- */

static int release_thought(fri_openai_answer *a, fr_error *err)
{
    int rc = fr_reply_text(a->reply, FR_PART_THOUGHT, a->thought.p, a->thought.n, err);
    fri_buf_truncate(&a->thought, 0);
    return rc;
}

static int take_thought(fri_openai_answer *a, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    FRI_AUTO(fri_freep) char *text = NULL;
    size_t n = 0;
    int rc = fri_json_string(doc, v, "reasoning", &text, &n, err);
    if (rc)
        return rc;
    fri_buf_append(&a->thought, text, n);
    return fri_buf_check(&a->thought, "the thoughts of a reply", err);
}

/* Servers that know both names send the same under both. */
static int take_reasoning(fri_openai_answer *a, const fri_json *doc, fri_json_ref message,
                          fr_error *err)
{
    static const char *const keys[] = {"reasoning_content", "reasoning"};
    for (size_t i = 0; i < 2; i++) {
        fri_json_ref v = fri_json_get(doc, message, keys[i]);
        if (fri_json_type(doc, v) == FRI_JSON_STRING && fri_json_raw(doc, v).n > 0)
            return take_thought(a, doc, v, err);
    }
    return 0;
}

static int take_text(fri_openai_answer *a, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    FRI_AUTO(fri_freep) char *text = NULL;
    size_t n = 0;
    int rc = fri_json_string(doc, v, "content", &text, &n, err);
    if (rc == 0 && n > 0)
        rc = release_thought(a, err);
    return rc ? rc : fr_reply_text(a->reply, 0, text, n, err);
}

/* {"type":"text","text":"…"}; what else there may be is kept for whoever knows it. */
static int take_part(fri_openai_answer *a, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    FRI_AUTO(fri_freep) char *type = NULL;
    int rc =
        fri_json_string(doc, fri_json_get(doc, v, "type"), "the type of a part", &type, NULL, err);
    if (rc)
        return rc;
    if (fri_str_equal(fri_cstr(type), fri_cstr("text")))
        return take_text(a, doc, fri_json_get(doc, v, "text"), err);
    rc = release_thought(a, err);
    fr_str raw = fri_json_raw(doc, v);
    return rc ? rc : fr_reply_part(a->reply, FR_PART_OTHER, raw.p, raw.n, type, err);
}

static int take_content(fri_openai_answer *a, const fri_json *doc, fri_json_ref v, fr_error *err)
{
    int rc = 0;
    if (!fri_json_is_given(doc, v))
        return 0;
    if (fri_json_type(doc, v) != FRI_JSON_ARRAY)
        return take_text(a, doc, v, err);
    for (fri_json_ref part = fri_json_first(doc, v); rc == 0 && part != FRI_JSON_NONE;
         part = fri_json_next(doc, part))
        rc = take_part(a, doc, part, err);
    return rc;
}

/* ---- Choices ---- */

static int take_message(fri_openai_answer *a, const fri_json *doc, fri_json_ref message,
                        fr_error *err)
{
    int rc = take_reasoning(a, doc, message, err);
    if (rc == 0)
        rc = take_content(a, doc, fri_json_get(doc, message, "content"), err);
    if (rc == 0)
        rc = take_content(a, doc, fri_json_get(doc, message, "refusal"), err);
    if (rc)
        return rc;
    return fri_tool_calls_take(&a->calls, doc, fri_json_get(doc, message, "tool_calls"), err);
}

static void take_finish(fri_openai_answer *a, const fri_json *doc, fri_json_ref v)
{
    static const struct {
        const char *word;
        int finish;
    } words[] = {
        {"stop", FR_FINISH_STOP},
        {"length", FR_FINISH_MAX_TOKENS},
        {"content_filter", FR_FINISH_SAFETY},
        {"tool_calls", FR_FINISH_STOP},
        {"function_call", FR_FINISH_STOP},
    };
    if (fri_json_type(doc, v) != FRI_JSON_STRING)
        return;
    a->finish = FR_FINISH_OTHER;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (fri_str_equal(fri_json_raw(doc, v), fri_cstr(words[i].word)))
            a->finish = words[i].finish;
}

/* A choice that says nothing is no fault in a stream: its last may only give the reason for the end. */
static int take_choice(fri_openai_answer *a, const fri_json *doc, fri_json_ref choice,
                       const char *name, fr_error *err)
{
    fri_json_ref message = fri_json_get(doc, choice, name);
    take_finish(a, doc, fri_json_get(doc, choice, "finish_reason"));
    if (!fri_json_is_given(doc, message))
        return 0;
    if (fri_json_type(doc, message) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "its %s is no object", name);
    a->begun = 1;
    return take_message(a, doc, message, err);
}

/* The first choice, if it is there: who asks for more than one, by a parameter, gets one nevertheless. */
static int take_choices(fri_openai_answer *a, const fri_json *doc, const char *name, fr_error *err)
{
    int64_t index = 0;
    fri_json_ref choices = fri_json_get(doc, 0, "choices"), choice = fri_json_first(doc, choices);
    if (!fri_json_is_given(doc, choices))
        return 0;
    if (fri_json_type(doc, choices) != FRI_JSON_ARRAY)
        return fr_fail(err, FR_EFORMAT, 0, "its choices are no array");
    int rc = fri_json_optional_integer(doc, choice, "index", 0, INT32_MAX, &index, err);
    return rc || index != 0 ? rc : take_choice(a, doc, choice, name, err);
}

/* Counts that are no counts are not worth an answer. */
static void take_usage(fri_openai_answer *a, const fri_json *doc)
{
    fri_json_ref usage = fri_json_get(doc, 0, "usage");
    int unread = fri_json_optional_integer(doc, usage, "prompt_tokens", 0, INT64_MAX,
                                           &a->prompt_tokens, NULL);
    unread |= fri_json_optional_integer(doc, usage, "completion_tokens", 0, INT64_MAX,
                                        &a->output_tokens, NULL);
    (void)unread;
}

/* ---- Documents ---- */

static int take_error(const fri_openai_answer *a, const fri_json *doc, fr_error *err)
{
    fri_openai_reason reason;
    if (!fri_json_is_given(doc, fri_json_get(doc, 0, "error")))
        return 0;
    int rc = fri_openai_json_reason(doc, a->key, &reason, err);
    return rc ? rc
              : fr_fail(err, FR_EMODEL, 0, "openai: an error instead of an answer: %s",
                        reason.text);
}

static int take_document(fri_openai_answer *a, const fri_json *doc, const char *name, fr_error *err)
{
    if (fri_json_type(doc, 0) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "it is no JSON object");
    int rc = take_error(a, doc, err);
    if (rc)
        return rc;
    take_usage(a, doc);
    return take_choices(a, doc, name, err);
}

/* What is malformed here is the provider's fault, not that of a caller's file. */
static int take_json(fri_openai_answer *a, fr_str text, const char *name, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    fr_error why = FR_ERROR_INIT;
    int rc = fri_json_parse(text.p, text.n, FRI_JSON_REPAIR, &doc, &why);
    if (rc == 0)
        rc = take_document(a, doc, name, &why);
    if (rc == FR_EFORMAT)
        return fr_fail(err, FR_EMODEL, 0, "openai: the answer is malformed: %s", why.text);
    if (rc && err)
        *err = why;
    return rc;
}

int fri_openai_answer_whole(fri_openai_answer *a, fr_str body, fr_error *err)
{
    int rc = take_json(a, body, "message", err);
    if (rc == 0 && !a->begun)
        rc = fr_fail(err, FR_EMODEL, 0, "openai: the answer has no message in it");
    a->done = 1;
    return rc;
}

int fri_openai_answer_chunk(fri_openai_answer *a, fr_str data, fr_error *err)
{
    if (fri_str_equal(data, fri_cstr("[DONE]"))) {
        a->done = 1;
        return 0;
    }
    /* An event without data is there to keep a connection alive. */
    return data.n > 0 ? take_json(a, data, "delta", err) : 0;
}

int fri_openai_answer_is_complete(const fri_openai_answer *a)
{
    return a->begun && (a->done || a->finish >= 0);
}

int fri_openai_answer_end(fri_openai_answer *a, fr_error *err)
{
    int rc = release_thought(a, err);
    if (rc == 0)
        rc = fri_tool_calls_add(&a->calls, a->reply, err);
    fr_reply_finish(a->reply, a->finish);
    fr_reply_usage(a->reply, a->prompt_tokens, a->output_tokens);
    return rc;
}
