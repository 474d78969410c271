/* SPDX-License-Identifier: MIT */
#include "tests/support/talk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void hear(void *user, const char *p, size_t n)
{
    talk *t = user;
    assert_true(n > 0);
    fri_buf_append(&t->heard, p, n);
    if (++t->pieces == t->cancel_at)
        fr_cancel_raise(t->request.cancel);
}

void talk_init(talk *t, const char *text)
{
    *t = (talk){.request = FR_MODEL_REQUEST_INIT};
    fri_buf_init(&t->heard, SIZE_MAX);
    assert_int_equal(fr_content_new(&t->content, NULL), 0);
    assert_int_equal(fr_content_set_role(t->content, "user", NULL), 0);
    assert_int_equal(fr_content_add(t->content, FR_PART_TEXT, 0, text, strlen(text), NULL, NULL),
                     0);
    t->contents[0] = t->content;
    t->request.contents = t->contents;
    t->request.content_count = 1;
    t->request.on_text = hear;
    t->request.user = t;
}

void talk_dispose(talk *t)
{
    fr_content_free(t->content);
    fri_buf_dispose(&t->heard);
}

void talk_describe(const fr_content *content, fri_buf *out)
{
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(content, i)); i++) {
        fri_buf_puts(out, i > 0 ? "|" : "");
        if (part->kind != FR_PART_TEXT)
            fri_buf_printf(out, "[%d %s]", (int)part->kind, part->label.p);
        fri_buf_puts(out, part->flags & FR_PART_THOUGHT ? "(" : "");
        fri_buf_append(out, part->data.p, part->data.n);
        fri_buf_puts(out, part->flags & FR_PART_THOUGHT ? ")" : "");
    }
}

fr_model_response talk_expect(talk *t, fr_model *model, const char *parts)
{
    fr_model_response *response = NULL;
    fr_error err = FR_ERROR_INIT;
    fri_buf is;
    if (fr_model_generate(model, &t->request, &response, &err))
        fail_msg("%s: %s", fr_error_name(err.code), err.text);
    assert_int_equal(err.code, 0);
    fri_buf_init(&is, SIZE_MAX);
    talk_describe(response->content, &is);
    assert_string_equal(is.p, parts);
    assert_string_equal(fr_content_role(response->content), "model");
    fri_buf_dispose(&is);
    fr_model_response besides = *response;
    besides.content = NULL;
    fr_model_response_free(response);
    return besides;
}

fr_error talk_expect_error(talk *t, fr_model *model, int code, const char *text)
{
    fr_model_response *response = NULL;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_model_generate(model, &t->request, &response, &err);
    assert_null(response);
    if (rc != code || err.code != code || !strstr(err.text, text))
        fail_msg("%s: %s", fr_error_name(rc), err.text);
    return err;
}
