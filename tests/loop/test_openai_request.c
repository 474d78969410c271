/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/str.h"
#include "loop/model/openai.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

/* A part of a message; a role begins the next message. */
typedef struct word {
    const char *role;
    int kind;
    uint32_t flags;
    const char *data, *label;
} word;

#define CONTENTS 6

typedef struct conversation {
    fr_content *contents[CONTENTS];
    fr_model_request request;
} conversation;

static void speak(conversation *c, const word *words)
{
    *c = (conversation){.request = FR_MODEL_REQUEST_INIT};
    size_t n = 0;
    for (const word *w = words; w->role || w->kind; w++) {
        if (w->role) {
            assert_true(n < CONTENTS);
            assert_int_equal(fr_content_new(&c->contents[n], NULL), 0);
            assert_int_equal(fr_content_set_role(c->contents[n++], w->role, NULL), 0);
        }
        if (w->kind)
            assert_int_equal(fr_content_add(c->contents[n - 1], w->kind, w->flags, w->data,
                                            strlen(w->data), w->label, NULL),
                             0);
    }
    c->request.contents = (const fr_content *const *)c->contents;
    c->request.content_count = n;
}

static void forget(conversation *c)
{
    for (int i = 0; i < CONTENTS; i++)
        fr_content_free(c->contents[i]);
}

static const fri_openai plain = {.model = (char[]){"m \"1\""}, .parameters = (char[]){""}};

static void expect_body(const fri_openai *o, const fr_model_request *q, const char *body)
{
    fri_buf out;
    fr_error err = FR_ERROR_INIT;
    fri_buf_init(&out, 10000);
    if (fri_openai_body(o, q, &out, &err))
        fail_msg("%s", err.text);
    assert_string_equal(out.p, body);
    fri_buf_dispose(&out);
}

static void expect_messages(const word *words, const char *messages)
{
    conversation c;
    char body[1000];
    speak(&c, words);
    snprintf(body, sizeof(body), "{\"model\":\"m \\\"1\\\"\",\"messages\":[%s]}", messages);
    expect_body(&plain, &c.request, body);
    forget(&c);
}

#define TEXT(text)    FR_PART_TEXT, 0, text, NULL
#define THOUGHT(text) FR_PART_TEXT, FR_PART_THOUGHT, text, NULL
#define IMAGE(bytes)  FR_PART_INLINE_DATA, 0, bytes, "image/png"
#define NOTHING       0, 0, NULL, NULL

static void test_text(void **state)
{
    (void)state;
    expect_messages((const word[]){{"user", TEXT("Hi \"you\"\n")}, {NULL, NOTHING}},
                    "{\"role\":\"user\",\"content\":\"Hi \\\"you\\\"\\n\"}");
    expect_messages((const word[]){{"user", TEXT("a")},
                                   {"model", THOUGHT("hm")},
                                   {NULL, TEXT("b")},
                                   {NULL, TEXT("c")},
                                   {"user", TEXT("d")},
                                   {"user", TEXT("e")},
                                   {NULL, NOTHING}},
                    "{\"role\":\"user\",\"content\":\"a\"},"
                    "{\"role\":\"assistant\",\"content\":\"bc\"},"
                    "{\"role\":\"user\",\"content\":\"d\"},"
                    "{\"role\":\"user\",\"content\":\"e\"}");
    expect_messages((const word[]){{"user", NOTHING}, {NULL, NOTHING}},
                    "{\"role\":\"user\",\"content\":\"\"}");
}

/* What a model has said besides text has no place in a request; it is no reason to give up either. */
static void test_of_the_model_only_text(void **state)
{
    (void)state;
    expect_messages((const word[]){{"user", TEXT("a")},
                                   {"model", TEXT("b")},
                                   {NULL, FR_PART_FUNCTION_CALL, 0, "{}", "f"},
                                   {NULL, FR_PART_OTHER, 0, "{}", "video"},
                                   {NULL, FR_PART_INLINE_DATA, 0, "%PDF", "application/pdf"},
                                   {NULL, IMAGE("\x89PNG")},
                                   {NULL, TEXT("c")},
                                   {"model", THOUGHT("hm")},
                                   {"model", FR_PART_FUNCTION_CALL, 0, "{}", "f"},
                                   {"user", TEXT("d")},
                                   {NULL, NOTHING}},
                    "{\"role\":\"user\",\"content\":\"a\"},"
                    "{\"role\":\"assistant\",\"content\":\"bc\"},"
                    "{\"role\":\"user\",\"content\":\"d\"}");
}

/* A character that parts cut in two is one again; what is none is replaced. */
static void test_utf8(void **state)
{
    (void)state;
    expect_messages((const word[]){{"user", TEXT("\xf0\x9f")},
                                   {NULL, TEXT("\x98\x80 \xff\xed\xa0\x80")},
                                   {NULL, NOTHING}},
                    "{\"role\":\"user\",\"content\":\"\xf0\x9f\x98\x80 "
                    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}");
}

static void test_images(void **state)
{
    (void)state;
    expect_messages(
        (const word[]){{"user", TEXT("a")},
                       {NULL, TEXT("b")},
                       {NULL, IMAGE("\x89PNG")},
                       {NULL, FR_PART_INLINE_DATA, 0, "", "image/svg+xml"},
                       {NULL, THOUGHT("hm")},
                       {NULL, TEXT("c")},
                       {NULL, NOTHING}},
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"ab\"},"
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBORw==\"}},"
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/svg+xml;base64,\"}},"
        "{\"type\":\"text\",\"text\":\"c\"}]}");
}

static void test_everything_else(void **state)
{
    (void)state;
    fri_openai o = plain;
    conversation c;
    speak(&c, (const word[]){{"user", TEXT("a")}, {NULL, NOTHING}});
    c.request.instruction = "Be brief.";
    o.stream = 1;
    o.parameters = (char[]){" \"temperature\" : 0 "};
    expect_body(&o, &c.request,
                "{\"model\":\"m \\\"1\\\"\",\"messages\":[{\"role\":\"system\",\"content\":"
                "\"Be brief.\"},{\"role\":\"user\",\"content\":\"a\"}],\"stream\":true,"
                " \"temperature\" : 0 }");
    c.request.instruction = "";
    o.stream = 0;
    expect_body(&o, &c.request,
                "{\"model\":\"m \\\"1\\\"\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],"
                " \"temperature\" : 0 }");
    forget(&c);
}

static void test_what_cannot_be_sent(void **state)
{
    (void)state;
    static const struct {
        word word;
        int code;
        const char *text;
    } cases[] = {
        {{"user", FR_PART_EXECUTABLE_CODE, 0, "1", "PYTHON"}, FR_EINVAL, "executable_code"},
        {{"model", FR_PART_CODE_EXECUTION_RESULT, 0, "1", "OUTCOME_OK"},
         FR_EINVAL,
         "code_execution_result"},
        {{"user", FR_PART_FUNCTION_CALL, 0, "{}", "f"}, FR_EUNSUPPORTED, "part function_call"},
        {{"user", FR_PART_FUNCTION_RESPONSE, 0, "{}", "f"}, FR_EUNSUPPORTED, "function_response"},
        {{"user", FR_PART_OTHER, 0, "{}", "video"}, FR_EUNSUPPORTED, "another kind"},
        {{"user", FR_PART_INLINE_DATA, 0, "%PDF", "application/pdf"},
         FR_EUNSUPPORTED,
         "'application/pdf'"},
        {{"user", FR_PART_INLINE_DATA, 0, "x", "image/"}, FR_EUNSUPPORTED, "'image/'"},
        {{"user", FR_PART_INLINE_DATA, 0, "x", "image/png;base64,AA"},
         FR_EUNSUPPORTED,
         "'image/png;"},
        {{"user", FR_PART_INLINE_DATA, 0, "x", NULL}, FR_EUNSUPPORTED, "''"},
        {{"system", TEXT("a")}, FR_EINVAL, "'system'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        conversation c;
        fri_buf out;
        fr_error err = FR_ERROR_INIT;
        fri_buf_init(&out, 10000);
        speak(&c, (const word[]){{"user", TEXT("a")}, cases[i].word, {NULL, NOTHING}});
        assert_int_equal(fri_openai_body(&plain, &c.request, &out, &err), cases[i].code);
        assert_non_null(strstr(err.text, "content 1"));
        if (!strstr(err.text, cases[i].text))
            fail_msg("%s", err.text);
        fri_buf_dispose(&out);
        forget(&c);
    }
}

static int whole_use(void *user, fr_error *err)
{
    fri_buf out;
    fri_openai o = plain;
    o.parameters = (char[]){"\"parameters\":\"that are long enough to need room of their own\""};
    fri_buf_init(&out, 10000);
    int rc = fri_openai_body(&o, user, &out, err);
    fri_buf_dispose(&out);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    conversation c;
    speak(&c, (const word[]){{"user", TEXT("a")},
                             {NULL, IMAGE("\x89PNG")},
                             {"model", TEXT("b")},
                             {NULL, NOTHING}});
    c.request.instruction = "Be brief.";
    assert_true(torture(whole_use, &c.request) >= 5);
    forget(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_text),
        leaks_test(test_of_the_model_only_text),
        leaks_test(test_utf8),
        leaks_test(test_images),
        leaks_test(test_everything_else),
        leaks_test(test_what_cannot_be_sent),
        leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
