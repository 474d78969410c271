/* SPDX-License-Identifier: MIT */
/* What happens when caller and library were built from different versions of the headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fencerun/fencerun.h"

static const char script[] = "{\"results\": [{\"stdout\": \"one\"}, {\"stdout\": \"two\"}]}";

/* A struct as an older header declared it: exactly `size` bytes, so that a sanitizer sees a library
 * that reads what was not there yet. */
static void *older(const void *full, size_t size)
{
    void *p = malloc(size);
    assert_non_null(p);
    memcpy(p, full, size);
    memcpy(p, &size, sizeof(size));
    return p;
}

static fr_executor *open_scripted(const fr_executor_options *options)
{
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_executor_open("scripted", options, &ex, &err))
        fail_msg("%s", err.text);
    return ex;
}

static fr_executor_options with_script(const fr_scripted_options *config)
{
    fr_executor_options options = FR_EXECUTOR_OPTIONS_INIT;
    options.config = config;
    return options;
}

static void an_older_caller_gets_defaults(void **state)
{
    const fr_scripted_options config = {sizeof(config), NULL, {script, sizeof(script) - 1}};
    fr_executor_options full = with_script(&config);
    full.error_retry_attempts = 7;
    fr_executor_options *old = older(&full, offsetof(fr_executor_options, stateful));
    fr_executor *ex = open_scripted(old);
    (void)state;

    const fr_executor_options *in_force = fr_executor_get_options(ex);
    assert_int_equal(in_force->error_retry_attempts, 7);
    assert_int_equal(in_force->timeout_ms, 60000);
    assert_int_equal(in_force->output_keep_bytes, 1024 * 1024);
    assert_int_equal(in_force->struct_size, sizeof(*in_force));
    fr_executor_close(ex);
    free(old);
}

static void an_older_input_runs(void **state)
{
    const fr_scripted_options config = {sizeof(config), NULL, {script, sizeof(script) - 1}};
    const fr_executor_options options = with_script(&config);
    fr_code_input full = FR_CODE_INPUT_INIT;
    full.code = (fr_str){"pass\n", 5};
    fr_code_input *old = older(&full, offsetof(fr_code_input, language));
    fr_executor *ex = open_scripted(&options);
    fr_code_result *result = NULL;
    fr_error err = FR_ERROR_INIT;
    (void)state;

    assert_int_equal(fr_executor_execute(ex, old, &result, &err), 0);
    assert_string_equal(result->out.p, "one");
    fr_code_result_free(result);
    fr_executor_close(ex);
    free(old);
}

static void an_older_extraction_works(void **state)
{
    const char reply[] = "```\npass\n```\n";
    fr_extract_options full = FR_EXTRACT_OPTIONS_INIT;
    fr_extract_options *old = older(&full, offsetof(fr_extract_options, run_untagged));
    fr_extraction *found = NULL;
    fr_error err = FR_ERROR_INIT;
    (void)state;

    assert_int_equal(fr_extract_text(reply, sizeof(reply) - 1, old, &found, &err), 0);
    assert_null(fr_extraction_block(found, 0));
    fr_extraction_free(found);
    free(old);
}

/* A newer caller's options may be longer, as long as what we do not know is not asked for. */
static void a_newer_caller_is_served_or_refused(void **state)
{
    const fr_scripted_options config = {sizeof(config), NULL, {script, sizeof(script) - 1}};
    struct {
        fr_executor_options known;
        int64_t unknown;
    } newer = {with_script(&config), 0};
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    (void)state;

    newer.known.struct_size = sizeof(newer);
    fr_executor_close(open_scripted(&newer.known));
    newer.unknown = 1;
    assert_int_equal(fr_executor_open("scripted", &newer.known, &ex, &err), FR_EABI);
    assert_null(ex);
}

static void options_without_a_size_are_refused(void **state)
{
    fr_executor_options options = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    (void)state;

    options.struct_size = 0;
    assert_int_equal(fr_executor_open("scripted", &options, &ex, &err), FR_EINVAL);
    assert_non_null(strstr(err.text, "struct_size"));
    assert_null(ex);
}

static int say_nothing(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)err;
    fr_result_exited(call, 0);
    return 0;
}

static fr_executor_class quiet_class(const char *name)
{
    const fr_executor_class cls = {
        .struct_size = sizeof(cls), .abi = FR_EXECUTOR_ABI, .name = name, .execute = say_nothing};
    return cls;
}

static void refuse(const fr_executor_class *cls)
{
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_register(cls, &err), FR_EABI);
    assert_string_not_equal(err.text, "");
    assert_int_equal(fr_executor_open(cls->name, NULL, &ex, &err), FR_ENOTFOUND);
}

static void foreign_classes_are_refused(void **state)
{
    fr_executor_class cls = quiet_class("foreign");
    (void)state;

    cls.abi = FR_EXECUTOR_ABI + 1;
    refuse(&cls);
    cls.abi = 0;
    refuse(&cls);
    cls.abi = FR_EXECUTOR_ABI;
    cls.struct_size = offsetof(fr_executor_class, probe);
    refuse(&cls);
    cls.struct_size = 0;
    refuse(&cls);
}

/* Its further slots are for versions of the library that know them. */
static void a_newer_class_is_accepted(void **state)
{
    struct {
        fr_executor_class known;
        void (*unknown)(void);
    } newer = {quiet_class("newer"), abort};
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    (void)state;

    newer.known.struct_size = sizeof(newer);
    assert_int_equal(fr_executor_register(&newer.known, &err), 0);
    assert_int_equal(fr_executor_open("newer", NULL, &ex, &err), 0);
    fr_executor_close(ex);
}

static void the_version_is_the_headers(void **state)
{
    char expected[32];
    (void)state;

    snprintf(expected, sizeof(expected), "%d.%d.%d", FR_VERSION_MAJOR, FR_VERSION_MINOR,
             FR_VERSION_PATCH);
    assert_string_equal(fr_version(), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_caller_gets_defaults),
        cmocka_unit_test(an_older_input_runs),
        cmocka_unit_test(an_older_extraction_works),
        cmocka_unit_test(a_newer_caller_is_served_or_refused),
        cmocka_unit_test(options_without_a_size_are_refused),
        cmocka_unit_test(foreign_classes_are_refused),
        cmocka_unit_test(a_newer_class_is_accepted),
        cmocka_unit_test(the_version_is_the_headers),
    };
    return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
