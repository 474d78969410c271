/* SPDX-License-Identifier: MIT */
/* The guard around the executor "scripted": what it records, judges, cleans and clips, and when it
 * refuses. Its rules for text are tested in docs/guard.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "fencerun/audit.h"
#include "fencerun/guard.h"
#include "fencerun/memory.h"
#include "fencerun/scripted.h"
#include "tests/executor/puppet.h"
#include "tests/support/execute.h"
#include "tests/support/torture.h"

static char directory[64], log_path[96];

static fr_executor *scripted(const char *json)
{
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    s.json = fri_cstr(json);
    o.config = &s;
    return open_executor("scripted", &o);
}

static fr_executor *guarded(fr_executor *inner, const fr_guard_options *o)
{
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_executor_wrap("guard", o, inner, &ex, &err))
        fail_msg("%s", err.text);
    return ex;
}

static fr_guard_options with_log(void)
{
    fr_guard_options o = FR_GUARD_OPTIONS_INIT;
    unlink(log_path);
    o.audit_path = log_path;
    o.audit_no_sync = 1;
    return o;
}

static fr_audit_summary summary(void)
{
    fr_audit_summary sum;
    fr_error err = FR_ERROR_INIT;
    if (fr_audit_verify(log_path, NULL, &sum, &err))
        fail_msg("%s", err.text);
    assert_string_equal(sum.broken, "");
    return sum;
}

static void test_judgement(void **state)
{
    (void)state;
    static const struct {
        const char *result;
        int stderr_class;
    } cases[] = {
        {"{}", FR_STDERR_EMPTY},
        {"{\"stderr\":\"\\u001b[2K\\r\"}", FR_STDERR_EMPTY},
        {"{\"stderr\":\"/code/main.py:1: DeprecationWarning: old\\n\"}", FR_STDERR_WARNING},
        {"{\"stderr\":\" 50%|#####     | 5/10 [00:01<00:01,  5.0it/s]\\n\"}", FR_STDERR_PROGRESS},
        {"{\"stderr\":\"hello\\n\"}", FR_STDERR_OTHER},
        {"{\"stderr\":\"Traceback (most recent call last):\\n\"}", FR_STDERR_ERROR},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char json[200];
        snprintf(json, sizeof(json), "{\"results\":[%s]}", cases[i].result);
        fr_executor *ex = guarded(scripted(json), NULL);
        fr_code_result *r = execute(ex, "x");
        assert_int_equal(r->outcome, FR_OUTCOME_OK);
        if (r->stderr_class != cases[i].stderr_class)
            fail_msg("%s: %s", cases[i].result, fr_stderr_text(r->stderr_class));
        fr_code_result_free(r);
        fr_executor_close(ex);
    }
}

static int print_text(fr_call *call, void *user, fr_error *err)
{
    const fri_buf *text = user;
    int rc = fr_result_write(call, FR_STDOUT, text->p, text->n, err);
    fr_result_exited(call, 0);
    return rc < 0 ? rc : 0;
}

/* Runs code that prints the text through a guard around an executor that keeps that much. */
static fr_code_result *guard_text(fri_buf *text, uint64_t keep, const fr_guard_options *g)
{
    puppet p = {.execute = print_text, .user = text}, *handed = &p;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    puppet_register();
    o.config = &handed;
    o.output_keep_bytes = keep;
    fr_executor *ex = guarded(open_executor("puppet", &o), g);
    fr_code_result *r = execute(ex, "x");
    fr_executor_close(ex);
    return r;
}

/* The answer is printed last, behind a lot: it must be seen. */
static void test_clip(void **state)
{
    (void)state;
    fri_buf text;
    fri_buf_init(&text, 10000000);
    for (int i = 0; i < 100000; i++)
        fri_buf_puts(&text, "noise line\n");
    fri_buf_puts(&text, "ANSWER=42\n");
    fr_code_result *r = guard_text(&text, 0, NULL);
    assert_non_null(strstr(r->out.p, "ANSWER=42\n"));
    assert_int_equal(strncmp(r->out.p, "noise line\n", 11), 0);
    /* 1,100,010 bytes written, 1,048,576 kept by the executor, 4,000 by the guard. */
    assert_non_null(strstr(r->out.p, "\n[... 1044576 characters and 51434 bytes left out ...]\n"));
    assert_true(r->out.n < 4100);
    assert_int_equal(r->receipt->stdout_written, 1100010);
    assert_int_equal(r->receipt->stdout_kept, 1048576);
    assert_int_equal(r->receipt->stdout_clipped, 1044576);
    fr_code_result_free(r);
    fri_buf_dispose(&text);
}

/* Cleaning moves the place where the executor left something out. */
static void test_clip_behind_cleaning(void **state)
{
    (void)state;
    fri_buf text;
    fri_buf_init(&text, 100000);
    for (int i = 0; i < 1000; i++)
        fri_buf_puts(&text, "\x1b[1mab\n");
    fr_guard_options o = FR_GUARD_OPTIONS_INIT;
    o.max_characters = 100;
    fr_code_result *r = guard_text(&text, 5000, &o);
    const char *says = strstr(r->out.p, "[... ");
    unsigned long characters = 0, bytes = 0;
    assert_non_null(says);
    assert_int_equal(
        sscanf(says, "[... %lu characters and %lu bytes left out ...]", &characters, &bytes), 2);
    assert_int_equal(bytes, r->receipt->stdout_written - r->receipt->stdout_kept);
    assert_int_equal(characters, r->receipt->stdout_clipped);
    /* Each seven bytes were three characters; what a cut splits adds some. */
    assert_in_range(characters + 100, 5000 / 7 * 3 - 8, 5000 / 7 * 3 + 8);
    fr_code_result_free(r);
    fri_buf_dispose(&text);
}

/* What the executor left out already is no text of the program's. */
static void test_small_keep_stays(void **state)
{
    (void)state;
    fri_buf text;
    fri_buf_init(&text, 10000);
    for (int i = 0; i < 100; i++)
        fri_buf_puts(&text, "0123456789\r0123456\n");
    fr_code_result *r = guard_text(&text, 100, NULL);
    assert_non_null(strstr(r->out.p, "bytes left out ...]\n"));
    assert_null(strstr(r->out.p, "characters"));
    assert_int_equal(r->receipt->stdout_clipped, 0);
    assert_true(r->receipt->stdout_cleaned > 0);
    fr_code_result_free(r);
    fri_buf_dispose(&text);
}

static void test_limits_are_options(void **state)
{
    (void)state;
    fr_guard_options o = FR_GUARD_OPTIONS_INIT;
    fri_buf text;
    fri_buf_init(&text, 100000);
    for (int i = 0; i < 5000; i++)
        fri_buf_puts(&text, "x\n");
    o.max_lines = 10;
    fr_code_result *r = guard_text(&text, 0, &o);
    assert_string_equal(r->out.p,
                        "x\nx\nx\nx\nx\n[... 9980 characters left out ...]\nx\nx\nx\nx\nx\n");
    fr_code_result_free(r);
    o.max_lines = 0;
    o.max_characters = FR_NO_CLIP;
    r = guard_text(&text, 0, &o);
    assert_int_equal(r->out.n, 10000);
    fr_code_result_free(r);
    fri_buf_truncate(&text, 0);
    fri_buf_puts(&text, "\x1b[1mbold\x1b[0m\n");
    r = guard_text(&text, 0, &o);
    assert_string_equal(r->out.p, "bold\n");
    assert_int_equal(r->receipt->stdout_cleaned, 2);
    fr_code_result_free(r);
    o.keep_controls = 1;
    r = guard_text(&text, 0, &o);
    assert_string_equal(r->out.p, "\x1b[1mbold\x1b[0m\n");
    fr_code_result_free(r);
    fri_buf_dispose(&text);
}

/* A guard around a guard: what the inner one has shortened the outer one leaves. */
static void test_stacked(void **state)
{
    (void)state;
    fri_buf text;
    fri_buf_init(&text, 10000000);
    for (int i = 0; i < 200000; i++)
        fri_buf_puts(&text, "noise line\n");
    puppet p = {.execute = print_text, .user = &text};
    fr_executor *ex = guarded(guarded(puppet_open("puppet", &p), NULL), NULL);
    fr_code_result *r = execute(ex, "x");
    assert_non_null(strstr(r->out.p, "left out ...]\n"));
    assert_true(r->out.n < 4200);
    assert_int_equal(r->receipt->stdout_clipped, 1044576);
    fr_code_result_free(r);
    fr_executor_close(ex);
    fri_buf_dispose(&text);
}

/* What both have done is counted together, and the class is that of the one that saw all of it. */
static void test_stacked_receipts(void **state)
{
    (void)state;
    fr_guard_options inside = FR_GUARD_OPTIONS_INIT, outside = FR_GUARD_OPTIONS_INIT;
    inside.max_characters = 100;
    outside.max_characters = 20;
    fri_buf text;
    char *json = NULL;
    fri_buf_init(&text, 100000);
    fri_buf_puts(&text, "\\u001b[1mfine\\u001b[0m\\n");
    for (int i = 0; i < 200; i++)
        fri_buf_puts(&text, "all is well here\\n");
    fri_buf_puts(&text, "Traceback (most recent call last):\\n  File 1\\nValueError: x\\n");
    /* So that the error is among what the inner one leaves out. */
    for (int i = 0; i < 200; i++)
        fri_buf_puts(&text, "all is well here\\n");
    assert_true(asprintf(&json, "{\"results\":[{\"stderr\":\"%s\"}]}", text.p) > 0);
    fr_executor *one = guarded(scripted(json), &inside);
    fr_executor *two = guarded(guarded(scripted(json), &inside), &outside);
    fr_code_result *a = execute(one, "x"), *b = execute(two, "x");
    assert_int_equal(a->stderr_class, FR_STDERR_ERROR);
    assert_int_equal(b->stderr_class, FR_STDERR_ERROR);
    assert_int_equal(a->receipt->stderr_cleaned, 2);
    assert_int_equal(b->receipt->stderr_cleaned, 2);
    assert_true(b->receipt->stderr_clipped > a->receipt->stderr_clipped);
    fr_code_result_free(a);
    fr_code_result_free(b);
    fr_executor_close(one);
    fr_executor_close(two);
    free(json);
    fri_buf_dispose(&text);
}

/* What is kept for whoever looks at it is judged as if it were not: colours hide no error. */
static void test_controls_that_are_kept_hide_nothing(void **state)
{
    (void)state;
    static const char json[] =
        "{\"results\":[{\"stderr\":\"\\u001b[31mTraceback\\u001b[0m (most recent call "
        "last):\\n  File 1\\n\\u001b[1mValueError\\u001b[0m: x\\n\"}]}";
    for (int keep = 0; keep < 2; keep++) {
        fr_guard_options o = FR_GUARD_OPTIONS_INIT;
        o.keep_controls = keep;
        fr_executor *ex = guarded(scripted(json), &o);
        fr_code_result *r = execute(ex, "x");
        assert_int_equal(r->stderr_class, FR_STDERR_ERROR);
        assert_int_equal(strchr(r->err.p, '\x1b') != NULL, keep);
        assert_int_equal(r->receipt->stderr_cleaned == 0, keep);
        fr_code_result_free(r);
        fr_executor_close(ex);
    }
}

static void test_audit(void **state)
{
    (void)state;
    fr_guard_options o = with_log();
    fr_executor *ex =
        guarded(scripted("{\"results\":[{\"stdout\":\"\\u001b[1mhi\\n\",\"exit_code\":3},"
                         "{\"error\":\"FR_EUNAVAILABLE\",\"message\":\"gone\"}]}"),
                &o);
    fr_code_result *r = execute(ex, "print('hi')");
    fr_audit_summary sum = summary();
    assert_int_equal(sum.records, 2);
    assert_int_equal(sum.runs_without_end, 0);
    assert_int_equal(r->receipt->audit_sequence, 2);
    assert_string_equal(r->receipt->audit_hash, sum.head.hash);
    assert_string_equal(r->out.p, "hi\n");
    char *json = NULL;
    assert_int_equal(fr_code_result_json(r, &json, NULL), 0);
    assert_non_null(
        strstr(json, "\"guard\":{\"stderr_class\":\"empty\",\"stdout\":{\"controls_removed\":1,"
                     "\"characters_left_out\":0},"));
    assert_non_null(strstr(json, "\"audit\":{\"seq\":2,\"hash\":\""));
    fr_free(json);
    fr_code_result_free(r);

    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_error err = FR_ERROR_INIT;
    r = NULL;
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_EUNAVAILABLE);
    assert_string_equal(err.text, "scripted: gone");
    assert_null(r);
    sum = summary();
    assert_int_equal(sum.records, 4);
    assert_int_equal(sum.runs_without_end, 0);
    fr_executor_close(ex);
}

typedef struct seen {
    int records;
    char executor[20];
    char out[20];
} seen;

static int note_record(void *user, const fr_audit_record *r)
{
    seen *s = user;
    s->records++;
    if (strcmp(r->event, "started") == 0)
        snprintf(s->executor, sizeof(s->executor), "%s", r->executor);
    if (strcmp(r->event, "ended") == 0)
        snprintf(s->out, sizeof(s->out), "%s", r->out.p);
    return 0;
}

/* The log has what the executor returned, not what is left of it for a model, and who really ran it. */
static void test_audit_is_of_what_came_out(void **state)
{
    (void)state;
    fr_guard_options o = with_log();
    seen s = {0};
    fr_executor *ex =
        guarded(guarded(scripted("{\"results\":[{\"stdout\":\"\\u001b[1mhi\\n\"}]}"), NULL), &o);
    fr_code_result_free(execute(ex, "x"));
    fr_executor_close(ex);
    assert_int_equal(fr_audit_each(log_path, note_record, &s, NULL), 0);
    assert_int_equal(s.records, 2);
    assert_string_equal(s.executor, "scripted");
    assert_string_equal(s.out, "hi\n"); /* the inner guard's doing */
    o = with_log();
    ex = guarded(scripted("{\"results\":[{\"stdout\":\"\\u001b[1mhi\\n\"}]}"), &o);
    fr_code_result_free(execute(ex, "x"));
    fr_executor_close(ex);
    assert_int_equal(fr_audit_each(log_path, note_record, &s, NULL), 0);
    assert_string_equal(s.out, "\x1b[1mhi\n");
}

static int count_run(fr_call *call, void *user, fr_error *err)
{
    (void)err;
    ++*(int *)user;
    fr_result_exited(call, 0);
    return 0;
}

/* Without a record nothing is run. */
static void test_no_record_no_run(void **state)
{
    (void)state;
    int runs = 0;
    puppet p = {.execute = count_run, .user = &runs};
    fr_guard_options o = with_log();
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    fr_executor *ex = guarded(puppet_open("puppet", &p), &o);
    fr_code_result_free(execute(ex, "x"));
    assert_int_equal(runs, 1);
    unlink(log_path);
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_ESYSTEM);
    assert_int_equal(runs, 1);
    assert_null(r);
    fr_executor_close(ex);
}

static int delete_log(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    (void)err;
    unlink(log_path);
    fr_result_exited(call, 0);
    return 0;
}

static void test_no_record_no_result(void **state)
{
    (void)state;
    puppet p = {.execute = delete_log};
    fr_guard_options o = with_log();
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    fr_executor *ex = guarded(puppet_open("puppet", &p), &o);
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_ESYSTEM);
    assert_non_null(strstr(err.text, "the code ran, but what came of it is not recorded"));
    assert_null(r);
    fr_executor_close(ex);
}

static void test_refused_at_open(void **state)
{
    (void)state;
    fr_executor *inner = scripted("{\"results\":[]}"), *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    fr_guard_options o = FR_GUARD_OPTIONS_INIT;
    o.audit_path = directory;
    assert_int_equal(fr_executor_wrap("guard", &o, inner, &ex, &err), FR_EINVAL);
    o.audit_path = "/no/such/directory/log";
    assert_int_equal(fr_executor_wrap("guard", &o, inner, &ex, &err), FR_ESYSTEM);
    o.audit_path = NULL;
    o.max_characters = -2;
    assert_int_equal(fr_executor_wrap("guard", &o, inner, &ex, &err), FR_EINVAL);
    o.max_characters = 0;
    o.max_lines = -1;
    assert_int_equal(fr_executor_wrap("guard", &o, inner, &ex, &err), FR_EINVAL);
    assert_null(ex);
    fr_executor_close(inner);
}

static int print_and_warn(fr_call *call, void *user, fr_error *err)
{
    (void)user;
    int rc = fr_result_write(call, FR_STDERR, "Warning: x\n", 11, err);
    fr_result_exited(call, 0);
    return rc;
}

static void *run_many(void *arg)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    size_t well = 0;
    for (int i = 0; i < 25; i++) {
        fr_code_result *r = NULL;
        if (fr_executor_execute(arg, &in, &r, NULL) == 0)
            well += r->stderr_class == FR_STDERR_WARNING && r->receipt->audit_sequence > 0;
        fr_code_result_free(r);
    }
    return (void *)well;
}

/* One guard, one log, several threads. */
static void test_threads(void **state)
{
    (void)state;
    puppet p = {.execute = print_and_warn};
    fr_guard_options o = with_log();
    pthread_t threads[4];
    size_t well = 0;
    fr_executor *ex = guarded(puppet_open("puppet", &p), &o);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, ex), 0);
    for (size_t i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        well += (size_t)result;
    }
    assert_int_equal(well, 100);
    assert_int_equal(summary().records, 200);
    assert_int_equal(summary().runs_without_end, 0);
    fr_executor_close(ex);
}

/* It is not recorded as a run, and uses up nothing. */
static void test_probe(void **state)
{
    (void)state;
    fr_guard_options o = with_log();
    fr_executor *ex = guarded(scripted("{\"results\":[{}]}"), &o);
    assert_int_equal(fr_executor_probe(ex, NULL), 0);
    assert_int_equal(summary().records, 0);
    fr_code_result_free(execute(ex, "x"));
    fr_executor_close(ex);
}

static int use_guard(void *user, fr_error *err)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = user;
    return use_wrapped("guard", "scripted", &o, "x", err);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fr_scripted_options s = FR_SCRIPTED_OPTIONS_INIT;
    s.json = fri_cstr("{\"results\":[{\"stdout\":\"a\\n\",\"stderr\":\"b\\n\"}]}");
    assert_true(torture(use_guard, &s) > 15);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(directory, sizeof(directory), "/tmp/fencerun-guard-XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    snprintf(log_path, sizeof(log_path), "%s/audit.log", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(log_path);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judgement),
        cmocka_unit_test(test_clip),
        cmocka_unit_test(test_clip_behind_cleaning),
        cmocka_unit_test(test_small_keep_stays),
        cmocka_unit_test(test_limits_are_options),
        cmocka_unit_test(test_stacked),
        cmocka_unit_test(test_stacked_receipts),
        cmocka_unit_test(test_controls_that_are_kept_hide_nothing),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_audit_is_of_what_came_out),
        cmocka_unit_test(test_no_record_no_run),
        cmocka_unit_test(test_no_record_no_result),
        cmocka_unit_test(test_refused_at_open),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
