/* SPDX-License-Identifier: MIT */
/*
 * Every case of tests/data/result: what an executor says about a run, and the JSON of its result.
 *
 *     --- stdout, --- stderr    what the code wrote
 *     --- end                   exited N, signaled N, or stopped OUTCOME TEXT
 *     --- receipt               words member=N; network=1
 *     --- interpreter           its path
 *     --- limit                 NAME VALUE MECHANISM [degraded]; may stand several times
 *     --- file                  NAME MIME-TYPE TEXT; may stand several times
 *     --- skipped               NAME REASON; may stand several times
 *     --- json                  the one line of JSON
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fencerun/memory.h"
#include "tests/executor/puppet.h"
#include "tests/support/cases.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {"queue_ns", offsetof(fr_receipt, queue_ns)},
    {"collect_ns", offsetof(fr_receipt, collect_ns)},
    {"start_ns", offsetof(fr_receipt, start_ns)},
    {"run_ns", offsetof(fr_receipt, run_ns)},
    {"cpu_user_ns", offsetof(fr_receipt, cpu_user_ns)},
    {"cpu_system_ns", offsetof(fr_receipt, cpu_system_ns)},
    {"peak_memory_bytes", offsetof(fr_receipt, peak_memory_bytes)},
    {"peak_processes", offsetof(fr_receipt, peak_processes)},
    {"oom_events", offsetof(fr_receipt, oom_events)},
};

static void set_member(fr_receipt *receipt, const char *name, int64_t value)
{
    if (strcmp(name, "network") == 0) {
        receipt->network = (int32_t)value;
        return;
    }
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (strcmp(members[i].name, name) == 0) {
            memcpy((char *)receipt + members[i].offset, &value, sizeof(value));
            return;
        }
    fail_msg("a receipt has no member %s", name);
}

/* The clock's numbers are fixed, or there would be no golden. */
static void set_receipt(fr_receipt *receipt, const char *words)
{
    char name[32];
    int64_t value;
    receipt->queue_ns = 500;
    receipt->start_ns = 1000;
    receipt->run_ns = 2000;
    receipt->collect_ns = 3000;
    for (int n; sscanf(words, " %31[a-z_]=%" SCNd64 "%n", name, &value, &n) == 2; words += n)
        set_member(receipt, name, value);
    assert_string_equal(words, "");
}

static int add_limit(fr_call *call, const char *text, fr_error *err)
{
    char name[32], mechanism[32], degraded[16] = "";
    uint64_t value;
    int n = sscanf(text, "%31s %" SCNu64 " %31s %15s", name, &value, mechanism, degraded);
    assert_true(n == 3 || strcmp(degraded, "degraded") == 0);
    return fr_result_limit(call, name, value, mechanism, degraded[0] != '\0', err);
}

static int add_file(fr_call *call, const char *text, fr_error *err)
{
    char name[64], mime[64], content[64];
    assert_int_equal(sscanf(text, "%63s %63s %63[^\n]", name, mime, content), 3);
    const fr_file file = {name, fri_cstr(content), mime, NULL, 0};
    return fr_result_file(call, &file, err);
}

static int add_skipped(fr_call *call, const char *text, fr_error *err)
{
    char name[64], reason[64];
    assert_int_equal(sscanf(text, "%63s %63[^\n]", name, reason), 2);
    return fr_result_skipped(call, name, reason, err);
}

static void end(fr_call *call, const char *text)
{
    int number, n = 0, outcome = FR_OUTCOME_OK;
    char word[32];
    if (sscanf(text, "exited %d", &number) == 1) {
        fr_result_exited(call, number);
    } else if (sscanf(text, "signaled %d", &number) == 1) {
        fr_result_signaled(call, number);
    } else {
        assert_int_equal(sscanf(text, "stopped %31s %n", word, &n), 1);
        while (strcmp(fr_outcome_text(outcome), word) != 0)
            outcome++;
        fr_result_stopped(call, outcome, "%s", text + n);
    }
}

static int play(fr_call *call, void *user, fr_error *err)
{
    const test_case *c = user;
    int rc = 0;
    for (size_t i = 0; i < c->count && rc == 0; i++) {
        const case_section *s = &c->sections[i];
        if (strcmp(s->key, "stdout") == 0)
            rc = fr_result_write(call, FR_STDOUT, s->p, s->n, err);
        else if (strcmp(s->key, "stderr") == 0)
            rc = fr_result_write(call, FR_STDERR, s->p, s->n, err);
        else if (strcmp(s->key, "interpreter") == 0)
            rc = fr_result_interpreter(call, s->p, "1.2", err);
        else if (strcmp(s->key, "limit") == 0)
            rc = add_limit(call, s->p, err);
        else if (strcmp(s->key, "file") == 0)
            rc = add_file(call, s->p, err);
        else if (strcmp(s->key, "skipped") == 0)
            rc = add_skipped(call, s->p, err);
        else if (strcmp(s->key, "end") == 0)
            end(call, s->p);
        else if (strcmp(s->key, "receipt") != 0 && strcmp(s->key, "json") != 0)
            fail_msg("a case has no key %s", s->key);
    }
    set_receipt(fr_result_receipt(call), case_text(c, "receipt", ""));
    return rc;
}

/* One whole use: the run and its JSON. */
static int make_json(const test_case *c, fr_error *err, char **json)
{
    fr_code_result *r = NULL;
    int rc = puppet_execute(play, (void *)(uintptr_t)c, &r, err);
    if (rc == 0)
        rc = fr_code_result_json(r, json, err);
    fr_code_result_free(r);
    return rc;
}

static void run(void **state)
{
    const test_case *c = *state;
    char *json = NULL;
    fr_error err = FR_ERROR_INIT;
    if (make_json(c, &err, &json))
        fail_msg("%s", err.text);
    char *line = strdup(case_text(c, "json", ""));
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(json, line);
    free(line);
    fr_free(json);
}

static case_file cases;

/* puppet_execute() asserts that its executor opens, so the torture begins after that. */
static int run_and_write(void *user, fr_error *err)
{
    fr_executor *ex = user;
    const fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    char *json = NULL;
    int rc = fr_executor_execute(ex, &in, &r, err);
    if (rc == 0)
        rc = fr_code_result_json(r, &json, err);
    fr_free(json);
    fr_code_result_free(r);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < cases.count; i++) {
        puppet p = {.execute = play, .user = &cases.cases[i]};
        fr_executor *ex = puppet_open("puppet", &p);
        assert_true(torture(run_and_write, ex) > 3);
        fr_executor_close(ex);
    }
}

int main(void)
{
    puppet_register();
    cases = cases_read(FRI_SOURCE_DIR "/tests/data/result/json.case");
    struct CMUnitTest *tests = calloc(cases.count + 1, sizeof(*tests));
    if (!tests)
        abort();
    for (size_t i = 0; i < cases.count; i++)
        tests[i] =
            (struct CMUnitTest){cases.cases[i].name, run, leaks_note, leaks_check, &cases.cases[i]};
    tests[cases.count] = (struct CMUnitTest)leaks_test(test_out_of_memory);
    int failed = _cmocka_run_group_tests("result_json", tests, cases.count + 1, NULL, NULL);
    free(tests);
    cases_free(&cases);
    return failed;
}
