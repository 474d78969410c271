/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/script.h"
#include "base/str.h"
#include "tests/support/torture.h"

/* A step is any number but 13. */
static int check(const fri_json *doc, fri_json_ref step, fr_error *err)
{
    int64_t n = 0;
    int rc = fri_json_integer(doc, step, "a step", 0, 100, &n, err);
    return rc == 0 && n == 13 ? fr_fail(err, FR_EFORMAT, 0, "no luck") : rc;
}

static const char *const members[] = {"n", NULL};
static const fri_script_form form = {"steps", members, check};

static int open_json(fri_script *s, const char *json, fr_error *err)
{
    return fri_script_open(s, NULL, fri_cstr(json), &form, err);
}

static void expect_next(fri_script *s, const char *raw)
{
    size_t place, expected = s->played;
    fri_json_ref step = fri_script_next(s, &place);
    assert_int_equal(place, expected);
    assert_true(step != FRI_JSON_NONE);
    assert_true(fri_str_equal(fri_json_raw(s->doc, step), fri_cstr(raw)));
}

static void test_steps_in_turn(void **state)
{
    (void)state;
    fri_script s;
    size_t place;
    assert_int_equal(open_json(&s, "{\"x\": [9], \"steps\": [1, 2]}", NULL), 0);
    expect_next(&s, "1");
    expect_next(&s, "2");
    assert_int_equal(fri_script_next(&s, &place), FRI_JSON_NONE);
    assert_int_equal(fri_script_next(&s, &place), FRI_JSON_NONE);
    fri_script_dispose(&s);
}

static void test_bad_scripts(void **state)
{
    (void)state;
    static const char *const scripts[] = {"",
                                          "{",
                                          "[]",
                                          "{}",
                                          "{\"steps\":1}",
                                          "{\"steps\":[1,13]}",
                                          "{\"steps\":[1,\"2\"]}",
                                          "{\"steps\":[{\"m\":1}]}"};
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        fri_script s;
        fr_error err = FR_ERROR_INIT;
        int rc = open_json(&s, scripts[i], &err);
        fri_script_dispose(&s);
        if (rc != FR_EFORMAT || !err.text[0])
            fail_msg("%s: %s %s", scripts[i], fr_error_name(rc), err.text);
    }
}

static int open_path(const char *path, fr_str json)
{
    fri_script s;
    fr_error err = FR_ERROR_INIT;
    int rc = fri_script_open(&s, path, json, &form, &err);
    assert_true(rc == 0 || err.text[0]);
    fri_script_dispose(&s);
    return rc;
}

static void test_one_source(void **state)
{
    (void)state;
    const fr_str none = {NULL, 0};
    char path[] = "/tmp/fencerun-script-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "{\"steps\":[]}", 12), 12);
    close(fd);
    assert_int_equal(open_path(path, none), 0);
    assert_int_equal(open_path(path, fri_cstr("{\"steps\":[]}")), FR_EINVAL);
    unlink(path);
    assert_int_equal(open_path(path, none), FR_ENOTFOUND);
    assert_int_equal(open_path("/usr", none), FR_ESYSTEM);
    assert_int_equal(open_path(NULL, none), FR_EINVAL);
}

static void test_errors_by_name(void **state)
{
    (void)state;
    int code = 1;
    assert_int_equal(fri_script_error(NULL, &code, NULL), 0);
    assert_int_equal(code, 0);
    assert_int_equal(fri_script_error("FR_EMODEL", &code, NULL), 0);
    assert_int_equal(code, FR_EMODEL);
    assert_int_equal(fri_script_error("FR_E?", &code, NULL), FR_EFORMAT);
    assert_int_equal(fri_script_error("EMODEL", &code, NULL), FR_EFORMAT);
}

static int whole_use(void *user, fr_error *err)
{
    fri_script s;
    int rc = open_json(&s, user, err);
    fri_script_dispose(&s);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    char json[] = "{\"steps\":[1,2,3]}";
    assert_int_equal(torture(whole_use, json), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_in_turn), cmocka_unit_test(test_bad_scripts),
        cmocka_unit_test(test_one_source),    cmocka_unit_test(test_errors_by_name),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
