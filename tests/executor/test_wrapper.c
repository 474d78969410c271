/* SPDX-License-Identifier: MIT */
/* Executors around executors: what they take over, who owns whom, and what may be changed of a result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/executor/puppet.h"
#include "tests/support/execute.h"
#include "tests/support/torture.h"

/* Runs the code in the inner executor and puts "seen: " in front of what it printed. */
static int seen_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    fr_code_result *r = NULL;
    char text[256];
    int rc = fr_executor_execute(fr_executor_inner(self), fr_call_input(call), &r, err);
    if (rc)
        return rc;
    snprintf(text, sizeof(text), "seen: %.200s", r->out.p);
    fr_result_adopt(call, r);
    return fr_result_replace(call, FR_STDOUT, text, strlen(text), err);
}

static int refuse_to_open(fr_executor *self, const void *config, fr_error *err)
{
    assert_non_null(fr_executor_inner(self));
    return fr_fail(err, FR_EUNAVAILABLE, 0, "%s", (const char *)config);
}

static void register_wrappers(void)
{
    static const fr_executor_class seen = {.struct_size = sizeof(fr_executor_class),
                                           .abi = FR_EXECUTOR_ABI,
                                           .flags = FR_EXECUTOR_WRAPPER,
                                           .name = "seen",
                                           .execute = seen_execute};
    static const fr_executor_class shut = {.struct_size = sizeof(fr_executor_class),
                                           .abi = FR_EXECUTOR_ABI,
                                           .flags = FR_EXECUTOR_WRAPPER,
                                           .name = "shut",
                                           .open = refuse_to_open,
                                           .execute = seen_execute};
    int rc = fr_executor_register(&seen, NULL);
    assert_true(rc == 0 || rc == FR_EEXISTS);
    rc = fr_executor_register(&shut, NULL);
    assert_true(rc == 0 || rc == FR_EEXISTS);
}

static fr_executor *wrap(fr_executor *inner)
{
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    register_wrappers();
    if (fr_executor_wrap("seen", NULL, inner, &ex, &err))
        fail_msg("%s", err.text);
    return ex;
}

static int print_much(fr_call *call, void *user, fr_error *err)
{
    const char *text = user;
    int rc = fr_result_write(call, FR_STDOUT, text, strlen(text), err);
    if (rc == 0)
        rc = fr_result_write(call, FR_STDERR, "e", 1, err);
    fr_result_receipt(call)->peak_processes = 7;
    fr_result_exited(call, 3);
    return rc < 0 ? rc : fr_result_limit(call, "wall_ms", 5, "test", 0, err);
}

static void test_result_is_taken_over(void **state)
{
    (void)state;
    puppet p = {.execute = print_much, .user = (void *)(uintptr_t) "one\n"};
    fr_executor *ex = wrap(puppet_open("puppet", &p));
    fr_code_result *r = execute(ex, "");
    assert_int_equal(r->outcome, FR_OUTCOME_FAILED);
    assert_int_equal(r->exit_code, 3);
    assert_string_equal(r->out.p, "seen: one\n");
    assert_int_equal(r->out.n, 10);
    assert_string_equal(r->err.p, "e");
    assert_string_equal(r->receipt->executor, "puppet");
    assert_int_equal(r->receipt->peak_processes, 7);
    assert_int_equal(r->receipt->stdout_written, 4);
    assert_int_equal(r->receipt->stdout_kept, 4);
    assert_int_equal(find_limit(r, "wall_ms")->value, 5);
    fr_code_result_free(r);
    fr_executor_close(ex);
    assert_int_equal(p.closed, 1);
}

/* Where the executor's line about what it left out was, another text has something else. */
static void test_a_replaced_text_has_no_gap(void **state)
{
    (void)state;
    puppet p = {.execute = print_much, .user = (void *)(uintptr_t) "a long line of output\n"};
    puppet *config = &p;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &config;
    o.output_keep_bytes = 8;
    fr_executor *bare = open_executor("puppet", &o);
    fr_code_result *r = execute(bare, "");
    assert_int_equal(r->receipt->stdout_gap, 4);
    fr_code_result_free(r);
    fr_executor *ex = wrap(bare);
    r = execute(ex, "");
    assert_true(r->receipt->stdout_gap == UINT64_MAX);
    assert_int_equal(r->receipt->stdout_kept, 8);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

static void test_attributes_are_the_inner_ones(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_delimiters pair = {"[py]", "[/py]"};
    puppet p = {0};
    puppet_register();
    puppet *handed = &p;
    o.config = &handed;
    o.code_block_delimiters = &pair;
    o.code_block_delimiter_count = 1;
    o.error_retry_attempts = 5;
    o.memory_bytes = 20 << 20;
    fr_executor *inner = open_executor("puppet", &o), *ex = wrap(inner);
    const fr_executor_options *have = fr_executor_get_options(ex);
    assert_string_equal(have->code_block_delimiters[0].open, "[py]");
    assert_ptr_not_equal(have->code_block_delimiters,
                         fr_executor_get_options(inner)->code_block_delimiters);
    assert_int_equal(have->error_retry_attempts, 5);
    assert_int_equal(have->memory_bytes, 20 << 20);
    assert_string_equal(fr_executor_name(ex), "seen");
    assert_ptr_equal(fr_executor_inner(ex), inner);
    assert_null(fr_executor_inner(inner));
    size_t n, m;
    assert_ptr_equal(fr_executor_languages(ex, &n), fr_executor_languages(inner, &m));
    assert_int_equal(n, m);
    fr_executor_close(ex);
}

/* Whether code with an input file and an execution id is run. */
static int run_with_everything(fr_executor *ex, fr_error *err)
{
    const fr_file file = {"a.txt", {"a", 1}, NULL, NULL, 0};
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.files = &file;
    in.file_count = 1;
    in.execution_id = "e";
    fr_code_result *r = NULL;
    int rc = fr_executor_execute(ex, &in, &r, err);
    fr_code_result_free(r);
    return rc;
}

static void test_abilities_are_the_inner_ones(void **state)
{
    (void)state;
    puppet able = {0}, plain = {0};
    fr_executor *ex = wrap(puppet_open("puppet", &able));
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(run_with_everything(ex, &err), 0);
    fr_executor_close(ex);
    ex = wrap(puppet_open("plain-puppet", &plain));
    assert_int_equal(run_with_everything(ex, &err), FR_EUNSUPPORTED);
    assert_string_equal(err.text, "executor plain-puppet takes no input files");
    fr_executor_close(ex);
}

static void test_stacked(void **state)
{
    (void)state;
    puppet p = {.execute = print_much, .user = (void *)(uintptr_t) "one"};
    fr_executor *ex = wrap(wrap(puppet_open("puppet", &p)));
    fr_code_result *r = execute(ex, "");
    assert_string_equal(r->out.p, "seen: seen: one");
    fr_code_result_free(r);
    fr_executor_close(ex);
    assert_int_equal(p.closed, 1);
}

static int engine_is_down(fr_call *call, void *user, fr_error *err)
{
    (void)call;
    (void)user;
    return fr_fail(err, FR_EUNAVAILABLE, 0, "engine is down");
}

static void test_failed_call_passes_through(void **state)
{
    (void)state;
    puppet p = {.execute = engine_is_down};
    fr_executor *ex = wrap(puppet_open("puppet", &p));
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_EUNAVAILABLE);
    assert_string_equal(err.text, "engine is down");
    assert_null(r);
    fr_executor_close(ex);
}

static void test_refusals(void **state)
{
    (void)state;
    puppet p = {0};
    fr_executor *inner = puppet_open("puppet", &p), *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    register_wrappers();
    assert_int_equal(fr_executor_open("seen", NULL, &ex, &err), FR_EINVAL);
    assert_string_equal(err.text,
                        "executor seen needs one to wrap; open it with fr_executor_wrap()");
    assert_int_equal(fr_executor_wrap("puppet", NULL, inner, &ex, &err), FR_EINVAL);
    assert_int_equal(fr_executor_wrap("no-such", NULL, inner, &ex, &err), FR_ENOTFOUND);
    assert_int_equal(fr_executor_wrap("seen", NULL, NULL, &ex, &err), FR_EINVAL);
    assert_int_equal(fr_executor_wrap("shut", "not today", inner, &ex, &err), FR_EUNAVAILABLE);
    assert_string_equal(err.text, "not today");
    assert_null(ex);
    /* After all that it is still ours, and open. */
    assert_int_equal(p.closed, 0);
    fr_code_result_free(execute(inner, ""));
    fr_executor_close(inner);
    assert_int_equal(p.closed, 1);
}

/* Only an adopted result has text to replace. */
static int replace_unadopted(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    fr_result_exited(call, 0);
    return fr_result_replace(call, FR_STDOUT, "x", 1, err);
}

static void test_replace_needs_an_adopted_result(void **state)
{
    (void)state;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(puppet_execute(replace_unadopted, NULL, &r, &err), FR_EINVAL);
    assert_null(r);
}

static int use_seen(void *user, fr_error *err)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = &user;
    return use_wrapped("seen", "puppet", &o, "x", err);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    puppet p = {.execute = print_much, .user = (void *)(uintptr_t) "one\n"};
    puppet_register();
    register_wrappers();
    assert_true(torture(use_seen, &p) > 8);
    assert_int_equal(p.opened, p.closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_is_taken_over),
        cmocka_unit_test(test_a_replaced_text_has_no_gap),
        cmocka_unit_test(test_attributes_are_the_inner_ones),
        cmocka_unit_test(test_abilities_are_the_inner_ones),
        cmocka_unit_test(test_stacked),
        cmocka_unit_test(test_failed_call_passes_through),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_replace_needs_an_adopted_result),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
