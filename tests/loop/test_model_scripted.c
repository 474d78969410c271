/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/support/leaks.h"
#include "tests/support/talk.h"
#include "tests/support/torture.h"

static int open_script(const char *json, fr_model **model, fr_error *err)
{
    fr_scripted_model_options o = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    o.json = fri_cstr(json);
    return fr_model_open(fr_model_scripted(), &o, model, err);
}

static fr_model *scripted(const char *json)
{
    fr_model *model = NULL;
    fr_error err = FR_ERROR_INIT;
    if (open_script(json, &model, &err))
        fail_msg("%s", err.text);
    return model;
}

/* The script in the header's comment. */
static void test_documented_script(void **state)
{
    (void)state;
    fr_model *model = scripted(
        "{\"replies\": [\"plain text\", {\"text\": \"...\", \"finish\": \"MAX_TOKENS\", "
        "\"expect\": \"1459.51\"}, {\"parts\": [{\"text\": \"...\", \"thought\": true}, {\"text\": "
        "\"....\"}]}, {\"error\": \"FR_EMODEL\", \"message\": \"out of order\"}]}");
    talk t;
    talk_init(&t, "it is 1459.51 a month");
    assert_string_equal(fr_model_name(model), "scripted");
    fr_model_response r = talk_expect(&t, model, "plain text");
    assert_int_equal(r.finish, FR_FINISH_STOP);
    assert_int_equal(r.requests, 1);
    assert_int_equal(r.prompt_tokens, -1);
    assert_int_equal(r.output_tokens, -1);
    r = talk_expect(&t, model, "...");
    assert_int_equal(r.finish, FR_FINISH_MAX_TOKENS);
    assert_string_equal(t.heard.p, "plain text...");
    talk_expect(&t, model, "(...)|....");
    talk_expect_error(&t, model, FR_EMODEL, "scripted: out of order");
    talk_expect_error(&t, model, FR_ENOTFOUND, "no reply for this request");
    talk_expect_error(&t, model, FR_ENOTFOUND, "no reply for this request");
    assert_string_equal(t.heard.p, "plain text.......");
    fr_model_close(model);
    talk_dispose(&t);
}

static void test_left_out_members(void **state)
{
    (void)state;
    fr_model *model = scripted("{\"replies\": [{}, \"\", {\"parts\":[]}, {\"error\":\"FR_ELIMIT\"},"
                               "{\"parts\":[{\"text\":\"a\\u0000b\",\"thought\":false}]}]}");
    talk t;
    talk_init(&t, "");
    for (int i = 0; i < 3; i++)
        assert_int_equal(talk_expect(&t, model, "").finish, FR_FINISH_STOP);
    talk_expect_error(&t, model, FR_ELIMIT, "a recorded failure");
    talk_expect(&t, model, "a");
    assert_int_equal(t.heard.n, 3);
    fr_model_close(model);
    talk_dispose(&t);
}

/* Across parts, but not in thoughts, and of the last content only. */
static void test_expected_text(void **state)
{
    (void)state;
    fr_model *model = scripted("{\"replies\":[{\"expect\":\"one two\"},{\"expect\":\"three\"},"
                               "{\"expect\":\"zero\"},{\"expect\":\"\"}]}");
    fr_content *first = NULL;
    talk t;
    talk_init(&t, "one ");
    assert_int_equal(fr_content_add(t.content, FR_PART_TEXT, 0, "two", 3, NULL, NULL), 0);
    assert_int_equal(
        fr_content_add(t.content, FR_PART_TEXT, FR_PART_THOUGHT, "three", 5, NULL, NULL), 0);
    assert_int_equal(fr_content_new(&first, NULL), 0);
    assert_int_equal(fr_content_set_role(first, "user", NULL), 0);
    assert_int_equal(fr_content_add(first, FR_PART_TEXT, 0, "zero", 4, NULL, NULL), 0);
    const fr_content *contents[] = {first, t.content};
    t.request.contents = contents;
    t.request.content_count = 2;
    talk_expect(&t, model, "");
    talk_expect_error(
        &t, model, FR_EINVAL,
        "replies[1]: what the model is told last does not say 'three'; it says 'one two'");
    talk_expect_error(&t, model, FR_EINVAL, "does not say 'zero'");
    talk_expect(&t, model, "");
    fr_content_free(first);
    fr_model_close(model);
    talk_dispose(&t);
}

static void test_bad_scripts(void **state)
{
    (void)state;
    static const char *const replies[] = {
        "1",
        "null",
        "[]",
        "{\"text\":1}",
        "{\"txt\":\"1\"}",
        "{\"text\":null}",
        "{\"finish\":\"DONE\"}",
        "{\"finish\":1}",
        "{\"expect\":[]}",
        "{\"message\":{}}",
        "{\"error\":\"FR_EWHATEVER\"}",
        "{\"error\":\"FR_E?\"}",
        "{\"parts\":{}}",
        "{\"parts\":[1]}",
        "{\"parts\":[{\"functionCall\":1}]}",
        "{\"parts\":[{\"text\":\"a\",\"thought\":1}]}",
        "{\"parts\":[{\"text\":\"a\"}],\"text\":\"b\"}",
    };
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        char json[200];
        fr_model *model = NULL;
        fr_error err = FR_ERROR_INIT;
        snprintf(json, sizeof(json), "{\"replies\":[\"good\",%s]}", replies[i]);
        if (open_script(json, &model, &err) != FR_EFORMAT || model || !err.text[0])
            fail_msg("%s: %s", replies[i], err.text);
    }
}

static void test_one_source(void **state)
{
    (void)state;
    fr_scripted_model_options o = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    fr_model *model = NULL;
    const fr_model_class *cls = fr_model_scripted();
    assert_int_equal(fr_model_open(cls, NULL, &model, NULL), FR_EINVAL);
    assert_int_equal(fr_model_open(cls, &o, &model, NULL), FR_EINVAL);
    o.path = "/no/such/script.json";
    assert_int_equal(fr_model_open(cls, &o, &model, NULL), FR_ENOTFOUND);
    o.json = fri_cstr("{\"replies\":[]}");
    assert_int_equal(fr_model_open(cls, &o, &model, NULL), FR_EINVAL);
    o.struct_size = 1;
    assert_int_equal(fr_model_open(cls, &o, &model, NULL), FR_EINVAL);
    assert_null(model);
}

static void test_script_from_a_file(void **state)
{
    (void)state;
    static const char json[] = "{\"replies\":[\"from a file\"]}";
    char path[] = "/tmp/fencerun-script-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, json, sizeof(json) - 1), sizeof(json) - 1);
    close(fd);
    fr_scripted_model_options o = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    fr_model *model = NULL;
    talk t;
    o.path = path;
    assert_int_equal(fr_model_open(fr_model_scripted(), &o, &model, NULL), 0);
    unlink(path);
    talk_init(&t, "hello");
    talk_expect(&t, model, "from a file");
    talk_dispose(&t);
    fr_model_close(model);
}

static int whole_use(void *user, fr_error *err)
{
    fr_model *model = NULL;
    fr_model_response *r = NULL;
    int rc = open_script("{\"replies\":[{\"expect\":\"h\",\"finish\":\"STOP\",\"message\":\"m\","
                         "\"parts\":[{\"text\":\"a\",\"thought\":true},{\"text\":\"b\"}]}]}",
                         &model, err);
    if (rc == 0)
        rc = fr_model_generate(model, user, &r, err);
    fr_model_response_free(r);
    fr_model_close(model);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, "hello");
    t.request.on_text = NULL;
    assert_true(torture(whole_use, &t.request) >= 15);
    talk_dispose(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_documented_script), leaks_test(test_left_out_members),
        leaks_test(test_expected_text),     leaks_test(test_bad_scripts),
        leaks_test(test_one_source),        leaks_test(test_script_from_a_file),
        leaks_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
