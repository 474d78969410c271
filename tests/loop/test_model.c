/* SPDX-License-Identifier: MIT */
/* The class and the building of replies, with a model that does as a test tells it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "loop/model/reply.h"
#include "tests/support/leaks.h"
#include "tests/support/talk.h"
#include "tests/support/torture.h"

/* What the model is told: its methods note that they were called. */
typedef struct orders {
    int (*answer)(const fr_model_request *q, fr_reply *reply, fr_error *err);
    int open_rc;
    int opened, closed, asked;
} orders;

typedef struct state {
    orders *told;
    char zeroed[100];
} state;

static int puppet_open(fr_model *self, const void *config, fr_error *err)
{
    static const char zeros[sizeof(((state *)0)->zeroed)];
    state *s = fr_model_state(self);
    union {
        const void *in;
        orders *out;
    } told = {config};
    s->told = told.out;
    assert_memory_equal(s->zeroed, zeros, sizeof(zeros));
    s->told->opened++;
    return s->told->open_rc ? fr_fail(err, s->told->open_rc, 0, "not today") : 0;
}

static int puppet_generate(fr_model *self, const fr_model_request *q, fr_reply *reply,
                           fr_error *err)
{
    const state *s = fr_model_state(self);
    s->told->asked++;
    return s->told->answer(q, reply, err);
}

static void puppet_close(fr_model *self)
{
    const state *s = fr_model_state(self);
    s->told->closed++;
}

static fr_model_class puppet_class(void)
{
    const fr_model_class cls = {.struct_size = sizeof(cls),
                                .abi = FR_MODEL_ABI,
                                .name = "puppet",
                                .state_size = sizeof(state),
                                .open = puppet_open,
                                .generate = puppet_generate,
                                .close = puppet_close};
    return cls;
}

static const fr_model_class *puppet(void)
{
    static fr_model_class cls;
    cls = puppet_class();
    return &cls;
}

static fr_model *open_puppet(orders *told)
{
    fr_model *model = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_model_open(puppet(), told, &model, &err))
        fail_msg("%s", err.text);
    return model;
}

/* ---- Opening ---- */

static void test_open_and_close(void **unused)
{
    (void)unused;
    orders told = {0};
    fr_model *model = open_puppet(&told);
    assert_string_equal(fr_model_name(model), "puppet");
    fr_model_close(model);
    fr_model_close(NULL);
    assert_int_equal(told.opened, 1);
    assert_int_equal(told.closed, 1);
}

static void test_failed_open_is_closed(void **unused)
{
    (void)unused;
    orders told = {.open_rc = FR_ENOTFOUND};
    fr_model *model = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_model_open(puppet(), &told, &model, &err), FR_ENOTFOUND);
    assert_string_equal(err.text, "not today");
    assert_null(model);
    assert_int_equal(told.closed, 1);
}

static void refuse_class(const fr_model_class *cls, int code)
{
    orders told = {0};
    fr_model *model = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_model_open(cls, &told, &model, &err), code);
    assert_true(err.text[0]);
    assert_null(model);
    assert_int_equal(told.opened, 0);
}

static void test_bad_classes(void **unused)
{
    (void)unused;
    refuse_class(NULL, FR_EINVAL);
    fr_model_class cls = puppet_class();
    cls.struct_size--;
    refuse_class(&cls, FR_EABI);
    cls = puppet_class();
    cls.abi++;
    refuse_class(&cls, FR_EABI);
    cls = puppet_class();
    cls.name = NULL;
    refuse_class(&cls, FR_EINVAL);
    cls.name = "";
    refuse_class(&cls, FR_EINVAL);
    cls = puppet_class();
    cls.generate = NULL;
    refuse_class(&cls, FR_EINVAL);
}

static int say_state(fr_model *self, const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)q;
    const char *text = fr_model_state(self) ? "state" : "no state";
    return fr_reply_text(reply, 0, text, strlen(text), err);
}

static void test_optional_slots(void **unused)
{
    (void)unused;
    const fr_model_class cls = {
        .struct_size = sizeof(cls), .abi = FR_MODEL_ABI, .name = "least", .generate = say_state};
    fr_model *model = NULL;
    talk t;
    talk_init(&t, "hello");
    assert_int_equal(fr_model_open(&cls, NULL, &model, NULL), 0);
    talk_expect(&t, model, "no state");
    fr_model_close(model);
    talk_dispose(&t);
}

/* ---- Asking ---- */

static int answer_at_length(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    assert_int_equal(q->struct_size, sizeof(*q));
    assert_false(fr_reply_begun(reply));
    int rc = fr_reply_text(reply, FR_PART_THOUGHT, "", 0, err);
    assert_false(fr_reply_begun(reply));
    if (rc == 0)
        rc = fr_reply_text(reply, FR_PART_THOUGHT, "so ", 3, err);
    assert_true(rc || fr_reply_begun(reply));
    if (rc == 0)
        rc = fr_reply_text(reply, FR_PART_THOUGHT, "so", 2, err);
    if (rc == 0)
        rc = fr_reply_text(reply, 0, "Good ", 5, err);
    if (rc == 0)
        rc = fr_reply_text(reply, 0, "day", 3, err);
    if (rc == 0)
        rc = fr_reply_part(reply, FR_PART_FUNCTION_CALL, "{}", 2, "f", err);
    if (rc == 0)
        rc = fr_reply_text(reply, 0, "bye", 3, err);
    fr_reply_finish(reply, FR_FINISH_MAX_TOKENS);
    fr_reply_usage(reply, 5, 7);
    fr_reply_request(reply);
    fr_reply_request(reply);
    return rc;
}

static void test_a_whole_reply(void **unused)
{
    (void)unused;
    orders told = {.answer = answer_at_length};
    fr_model *model = open_puppet(&told);
    talk t;
    talk_init(&t, "hello");
    fr_model_response r = talk_expect(&t, model, "(so so)|Good day|[5 f]{}|bye");
    assert_int_equal(r.finish, FR_FINISH_MAX_TOKENS);
    assert_int_equal(r.requests, 2);
    assert_int_equal(r.prompt_tokens, 5);
    assert_int_equal(r.output_tokens, 7);
    assert_string_equal(t.heard.p, "Good daybye");
    assert_int_equal(t.pieces, 3);
    t.request.on_text = NULL;
    talk_expect(&t, model, "(so so)|Good day|[5 f]{}|bye");
    talk_dispose(&t);
    fr_model_close(model);
}

static int say_nothing(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)q;
    (void)err;
    fr_reply_finish(reply, 99);
    return 0;
}

static void test_an_empty_reply(void **unused)
{
    (void)unused;
    orders told = {.answer = say_nothing};
    fr_model *model = open_puppet(&told);
    talk t;
    talk_init(&t, "hello");
    fr_model_response r = talk_expect(&t, model, "");
    assert_int_equal(r.finish, FR_FINISH_OTHER);
    assert_int_equal(r.requests, 0);
    assert_int_equal(r.prompt_tokens, -1);
    assert_int_equal(r.output_tokens, -1);
    talk_dispose(&t);
    fr_model_close(model);
}

static int misuse(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)q;
    assert_int_equal(fr_reply_text(reply, 2, "x", 1, NULL), FR_EINVAL);
    assert_int_equal(fr_reply_part(reply, 99, "x", 1, NULL, NULL), FR_EINVAL);
    assert_false(fr_reply_begun(reply));
    return fr_reply_text(reply, 0, "fine", 4, err);
}

static void test_misuse_of_the_builder(void **unused)
{
    (void)unused;
    orders told = {.answer = misuse};
    fr_model *model = open_puppet(&told);
    talk t;
    talk_init(&t, "hello");
    talk_expect(&t, model, "fine");
    talk_dispose(&t);
    fr_model_close(model);
}

static int fail_silently(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)q;
    (void)err;
    int rc = fr_reply_text(reply, 0, "half", 4, NULL);
    return rc ? rc : FR_EMODEL;
}

static int fail_oddly(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)q;
    (void)reply;
    fr_fail(err, -1000, 0, "whatever");
    return -1000;
}

static int recover(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)q;
    fr_fail(err, FR_EMODEL, 0, "at first");
    return fr_reply_text(reply, 0, "but then", 8, err);
}

static void test_failures_are_ours(void **unused)
{
    (void)unused;
    orders told = {.answer = fail_silently};
    fr_model *model = open_puppet(&told);
    talk t;
    talk_init(&t, "hello");
    talk_expect_error(&t, model, FR_EMODEL, "model puppet: model failed");
    told.answer = fail_oddly;
    talk_expect_error(&t, model, FR_EINTERNAL, "-1000");
    told.answer = recover;
    talk_expect(&t, model, "but then"); /* and nothing is left in the error */
    talk_dispose(&t);
    fr_model_close(model);
}

static void test_bad_requests(void **unused)
{
    (void)unused;
    orders told = {.answer = say_nothing};
    fr_model *model = open_puppet(&told);
    fr_content *nobodys = NULL;
    talk t;
    talk_init(&t, "hello");
    assert_int_equal(fr_content_new(&nobodys, NULL), 0);
    t.request.content_count = 0;
    talk_expect_error(&t, model, FR_EINVAL, "no contents");
    t.request.content_count = 1;
    t.contents[0] = nobodys;
    talk_expect_error(&t, model, FR_EINVAL, "no role");
    t.contents[0] = NULL;
    talk_expect_error(&t, model, FR_EINVAL, "no role");
    t.request.contents = NULL;
    talk_expect_error(&t, model, FR_EINVAL, "no contents");
    t.request.struct_size = 0;
    talk_expect_error(&t, model, FR_EINVAL, "struct_size");
    assert_int_equal(told.asked, 0);
    fr_content_free(nobodys);
    talk_dispose(&t);
    fr_model_close(model);
}

/* A request as an older header declared it, with nothing behind. */
static void test_an_older_caller(void **unused)
{
    (void)unused;
    orders told = {.answer = say_nothing};
    fr_model *model = open_puppet(&told);
    fr_model_response *r = NULL;
    talk t;
    talk_init(&t, "hello");
    size_t size = offsetof(fr_model_request, cancel);
    fr_model_request *old = malloc(size);
    assert_non_null(old);
    memcpy((void *)old, &t.request, size);
    memcpy((void *)old, &size, sizeof(size));
    assert_int_equal(fr_model_generate(model, old, &r, NULL), 0);
    fr_model_response_free(r);
    fr_model_response_free(NULL);
    free(old);
    talk_dispose(&t);
    fr_model_close(model);
}

/* ---- Cancelling ---- */

static int raise_and_answer(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    fr_cancel_raise(q->cancel);
    return fr_reply_text(reply, 0, "too late", 8, err);
}

static int raise_and_fail(const fr_model_request *q, fr_reply *reply, fr_error *err)
{
    (void)reply;
    fr_cancel_raise(q->cancel);
    return fr_fail(err, FR_EUNAVAILABLE, 0, "gone");
}

static void test_cancel(void **unused)
{
    (void)unused;
    static int (*const ways[])(const fr_model_request *, fr_reply *,
                               fr_error *) = {raise_and_answer, raise_and_fail};
    for (size_t i = 0; i < 2; i++) {
        orders told = {.answer = ways[i]};
        fr_model *model = open_puppet(&told);
        talk t;
        talk_init(&t, "hello");
        assert_int_equal(fr_cancel_new(&t.request.cancel, NULL), 0);
        talk_expect_error(&t, model, FR_ECANCELLED, "cancelled");
        assert_int_equal(told.asked, 1);
        talk_expect_error(&t, model, FR_ECANCELLED, "cancelled");
        assert_int_equal(told.asked, 1);
        fr_cancel_free(t.request.cancel);
        talk_dispose(&t);
        fr_model_close(model);
    }
}

/* ---- Words and memory ---- */

static void test_finish_texts(void **unused)
{
    (void)unused;
    assert_string_equal(fr_finish_text(FR_FINISH_OTHER), "OTHER");
    assert_string_equal(fr_finish_text(FR_FINISH_STOP), "STOP");
    assert_string_equal(fr_finish_text(FR_FINISH_MAX_TOKENS), "MAX_TOKENS");
    assert_string_equal(fr_finish_text(FR_FINISH_SAFETY), "SAFETY");
    assert_string_equal(fr_finish_text(-1), "unknown");
    assert_string_equal(fr_finish_text(FR_FINISH_SAFETY + 1), "unknown");
}

static void test_text_has_a_limit(void **unused)
{
    (void)unused;
    talk t;
    fr_reply reply;
    talk_init(&t, "hello");
    assert_int_equal(fri_reply_init(&reply, &t.request, NULL), 0);
    reply.text.limit = 5;
    assert_int_equal(fr_reply_text(&reply, 0, "12345", 5, NULL), 0);
    assert_int_equal(fr_reply_text(&reply, 0, "6", 1, NULL), FR_ELIMIT);
    assert_string_equal(t.heard.p, "12345");
    fri_reply_dispose(&reply);
    talk_dispose(&t);
}

static int whole_use(void *user, fr_error *err)
{
    orders told = {.answer = answer_at_length};
    fr_model *model = NULL;
    fr_model_response *response = NULL;
    int rc = fr_model_open(puppet(), &told, &model, err);
    if (rc == 0)
        rc = fr_model_generate(model, user, &response, err);
    fr_model_response_free(response);
    fr_model_close(model);
    return rc;
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    talk t;
    talk_init(&t, "hello");
    t.request.on_text = NULL;
    assert_true(torture(whole_use, &t.request) >= 10);
    talk_dispose(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_open_and_close),
        leaks_test(test_failed_open_is_closed),
        leaks_test(test_bad_classes),
        leaks_test(test_optional_slots),
        leaks_test(test_a_whole_reply),
        leaks_test(test_an_empty_reply),
        leaks_test(test_misuse_of_the_builder),
        leaks_test(test_failures_are_ours),
        leaks_test(test_bad_requests),
        leaks_test(test_an_older_caller),
        leaks_test(test_cancel),
        leaks_test(test_finish_texts),
        leaks_test(test_text_has_a_limit),
        leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
