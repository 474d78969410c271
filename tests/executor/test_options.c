/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tests/executor/puppet.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"

/* Puppets that are opened with given options. */
static puppet strings;
static puppet *const strings_p = &strings;

static fr_executor_options with_puppet(void)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &strings_p;
    return o;
}

static void expect_refused_by(const char *name, const fr_executor_options *o, int code)
{
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    const int opened = strings.opened;
    int rc = fr_executor_open(name, o, &ex, &err);
    fr_executor_close(ex);
    assert_int_equal(rc, code);
    assert_null(ex);
    assert_int_equal(err.code, code);
    assert_string_not_equal(err.text, "");
    assert_int_equal(strings.opened, opened);
}

static void expect_refused(const fr_executor_options *o, int code)
{
    expect_refused_by("puppet", o, code);
}

static void expect_taken(const fr_executor_options *o)
{
    fr_executor_close(open_executor("puppet", o));
}

static void expect_defaults(const fr_executor *ex)
{
    const fr_executor_options *o = fr_executor_get_options(ex);
    assert_int_equal(o->struct_size, sizeof(*o));
    assert_null(o->config);
    assert_int_equal(o->code_block_delimiter_count, 2);
    assert_string_equal(o->code_block_delimiters[0].open, "```tool_code\n");
    assert_string_equal(o->code_block_delimiters[0].close, "\n```");
    assert_string_equal(o->code_block_delimiters[1].open, "```python\n");
    assert_string_equal(o->code_block_delimiters[1].close, "\n```");
    assert_string_equal(o->execution_result_delimiters.open, "```tool_output\n");
    assert_string_equal(o->execution_result_delimiters.close, "\n```");
    assert_int_equal(o->error_retry_attempts, 2);
    assert_false(o->stateful);
    assert_false(o->optimize_data_file);
    assert_false(o->network);
    assert_int_equal(o->timeout_ms, 60000);
    assert_int_equal(o->memory_bytes, 512 * FRI_MIB);
    assert_int_equal(o->tmp_bytes, 64 * FRI_MIB);
    assert_int_equal(o->max_processes, 128);
    assert_int_equal(o->cpu_millis, 0);
    assert_int_equal(o->cpu_ms, 0);
    assert_int_equal(o->output_keep_bytes, FRI_MIB);
    assert_int_equal(o->output_max_bytes, 0);
    assert_int_equal(o->output_files, 100);
    assert_int_equal(o->output_file_bytes, 16 * FRI_MIB);
    assert_int_equal(o->output_files_bytes, 64 * FRI_MIB);
}

static void test_defaults_are_those_of_adk(void **state)
{
    (void)state;
    const fr_executor_options o = with_puppet();
    fr_executor *ex = open_executor("puppet", &o);
    expect_defaults(ex);
    fr_executor_close(ex);
}

static int succeed(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)err;
    fr_result_exited(call, 0);
    return 0;
}

static void test_no_options_are_the_defaults(void **state)
{
    (void)state;
    const fr_executor_class cls = {
        .struct_size = sizeof(cls), .abi = FR_EXECUTOR_ABI, .name = "default", .execute = succeed};
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    fr_executor *ex = open_executor("default", NULL);
    expect_defaults(ex);
    fr_executor_close(ex);
}

static void test_what_was_given_holds(void **state)
{
    (void)state;
    fr_executor_options o = with_puppet();
    o.error_retry_attempts = 7;
    o.stateful = o.optimize_data_file = o.network = 1;
    o.timeout_ms = 1;
    o.memory_bytes = 16 * FRI_MIB;
    o.tmp_bytes = 1;
    o.max_processes = 1;
    o.cpu_millis = 1500;
    o.cpu_ms = 1;
    o.output_keep_bytes = 1;
    o.output_max_bytes = UINT64_MAX;
    fr_executor *ex = open_executor("puppet", &o);
    const fr_executor_options *got = fr_executor_get_options(ex);
    assert_int_equal(got->error_retry_attempts, 7);
    assert_true(got->stateful && got->optimize_data_file && got->network);
    assert_int_equal(got->timeout_ms, 1);
    assert_int_equal(got->memory_bytes, 16 * FRI_MIB);
    assert_int_equal(got->tmp_bytes, 1);
    assert_int_equal(got->max_processes, 1);
    assert_int_equal(got->cpu_millis, 1500);
    assert_int_equal(got->cpu_ms, 1);
    assert_int_equal(got->output_keep_bytes, 1);
    assert_true(got->output_max_bytes == UINT64_MAX);
    fr_executor_close(ex);
}

static void test_no_attempts_is_not_the_default(void **state)
{
    (void)state;
    fr_executor_options o = with_puppet();
    o.error_retry_attempts = FR_NO_ATTEMPTS;
    fr_executor *ex = open_executor("puppet", &o);
    assert_int_equal(fr_executor_get_options(ex)->error_retry_attempts, FR_NO_ATTEMPTS);
    fr_executor_close(ex);
}

static void test_copies_are_ours(void **state)
{
    (void)state;
    fr_executor_options o = with_puppet();
    fr_delimiters *pairs = calloc(2, sizeof(*pairs));
    char *text = strdup("[py]");
    assert_non_null(pairs);
    pairs[0] = pairs[1] = (fr_delimiters){text, text + 1};
    o.code_block_delimiters = pairs;
    o.code_block_delimiter_count = 2;
    o.execution_result_delimiters = (fr_delimiters){text, text + 2};
    fr_executor *ex = open_executor("puppet", &o);
    memset(text, 'x', 4);
    memset(pairs, 0, 2 * sizeof(*pairs));
    free(text);
    free(pairs);
    const fr_executor_options *got = fr_executor_get_options(ex);
    assert_int_equal(got->code_block_delimiter_count, 2);
    assert_string_equal(got->code_block_delimiters[1].open, "[py]");
    assert_string_equal(got->code_block_delimiters[1].close, "py]");
    assert_string_equal(got->execution_result_delimiters.open, "[py]");
    assert_string_equal(got->execution_result_delimiters.close, "y]");
    fr_executor_close(ex);
}

static void test_numbers_out_of_range(void **state)
{
    (void)state;
    const fr_executor_options good = with_puppet();
    fr_executor_options o = good;
    o.timeout_ms = -1;
    expect_refused(&o, FR_EINVAL);
    o.timeout_ms = INT64_MIN;
    expect_refused(&o, FR_EINVAL);
    o.timeout_ms = INT64_C(24) * 3600 * 1000;
    expect_taken(&o);
    o.timeout_ms++;
    expect_refused(&o, FR_EINVAL);
    o.timeout_ms = INT64_MAX;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.error_retry_attempts = -2;
    expect_refused(&o, FR_EINVAL);
    o.error_retry_attempts = INT32_MIN;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.memory_bytes = 16 * FRI_MIB - 1;
    expect_refused(&o, FR_EINVAL);
    o.memory_bytes = UINT64_MAX;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.tmp_bytes = UINT64_MAX;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.max_processes = 32768;
    expect_taken(&o);
    o.max_processes = 32769;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.cpu_millis = 1000001;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.cpu_ms = -1;
    expect_refused(&o, FR_EINVAL);
    o.cpu_ms = INT64_C(24) * 3600 * 1000 * 1000;
    expect_taken(&o);
    o.cpu_ms++;
    expect_refused(&o, FR_EINVAL);
    o.cpu_ms = INT64_MAX;
    expect_refused(&o, FR_EINVAL);

    o = good;
    o.output_files = FRI_MAX_OUTPUT_FILES;
    o.output_files_bytes = FRI_MAX_OUTPUT_FILE_BYTES;
    expect_taken(&o);
    o.output_files++;
    expect_refused(&o, FR_ELIMIT);
    o.output_files = 0;
    o.output_files_bytes++;
    expect_refused(&o, FR_ELIMIT);

    o = good;
    o.output_keep_bytes = FRI_MAX_OUTPUT_KEEP_BYTES;
    expect_taken(&o);
    o.output_keep_bytes++;
    expect_refused(&o, FR_ELIMIT);
}

static void test_abilities_the_class_lacks(void **state)
{
    (void)state;
    const fr_executor_options good = with_puppet();
    fr_executor_options o = good;
    fr_executor_close(open_executor("plain-puppet", &o));
    o.stateful = 1;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
    o = good;
    o.network = 1;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
    o = good;
    o.memory_bytes = 64 * FRI_MIB;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
    o = good;
    o.tmp_bytes = 64 * FRI_MIB;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
    o = good;
    o.max_processes = 10;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
    o = good;
    o.cpu_millis = 1000;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
    o = good;
    o.cpu_ms = 1000;
    expect_refused_by("plain-puppet", &o, FR_EUNSUPPORTED);
}

static void test_struct_sizes(void **state)
{
    (void)state;
    struct {
        fr_executor_options o;
        unsigned char later[16];
    } newer = {.o = with_puppet()};
    fr_executor_options o = with_puppet();
    o.struct_size = 0;
    expect_refused(&o, FR_EINVAL);
    o.struct_size = offsetof(fr_executor_options, code_block_delimiters);
    o.timeout_ms = -5; /* behind what an older caller has */
    expect_taken(&o);
    newer.o.struct_size = sizeof(newer);
    expect_taken(&newer.o);
    newer.later[15] = 1;
    expect_refused(&newer.o, FR_EABI);
}

static void test_delimiters(void **state)
{
    (void)state;
    const fr_executor_options good = with_puppet();
    static fr_delimiters many[FRI_MAX_DELIMITERS + 1];
    const fr_delimiters bad[] = {{"x", NULL}, {NULL, "x"}, {"", "x"}, {"x", ""}};
    for (size_t i = 0; i <= FRI_MAX_DELIMITERS; i++)
        many[i] = (fr_delimiters){"<<", ">>"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fr_executor_options o = good;
        const fr_delimiters pairs[] = {{"<<", ">>"}, bad[i]};
        o.code_block_delimiters = pairs;
        o.code_block_delimiter_count = 2;
        expect_refused(&o, FR_EINVAL);
    }
    fr_executor_options o = good;
    o.code_block_delimiters = many;
    o.code_block_delimiter_count = FRI_MAX_DELIMITERS;
    expect_taken(&o);
    o.code_block_delimiter_count++;
    expect_refused(&o, FR_ELIMIT);
    o.code_block_delimiter_count = SIZE_MAX;
    expect_refused(&o, FR_ELIMIT);
}

/* Half a pair is a mistake, not a wish for the default. */
static void test_half_a_pair_around_results(void **state)
{
    (void)state;
    const fr_delimiters bad[] = {{"x", NULL}, {"", "x"}, {"x", ""}, {NULL, "x"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fr_executor_options o = with_puppet();
        o.execution_result_delimiters = bad[i];
        expect_refused(&o, FR_EINVAL);
    }
}

int main(void)
{
    puppet_register();
    const struct CMUnitTest tests[] = {
        leaks_test(test_defaults_are_those_of_adk),
        cmocka_unit_test(test_no_options_are_the_defaults),
        leaks_test(test_what_was_given_holds),
        leaks_test(test_no_attempts_is_not_the_default),
        leaks_test(test_copies_are_ours),
        leaks_test(test_numbers_out_of_range),
        leaks_test(test_abilities_the_class_lacks),
        leaks_test(test_struct_sizes),
        leaks_test(test_delimiters),
        leaks_test(test_half_a_pair_around_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
