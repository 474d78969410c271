/* SPDX-License-Identifier: MIT */
/*
 * Every case of tests/data/sandbox: code, and what the sandbox must make of it, whoever calls. Keys:
 *
 *     code, language                               what is run
 *     timeout, memory, tmp, pids, cpu, keep, output-max  options, as on the command line
 *     outcome                                      one of these words; without it: ok
 *     exit, signal                                 of a failure
 *     stdout, stderr                               exactly this
 *     stdout-has, stderr-has, reason-has           this is in it; may stand several times
 *     written                                      bytes written: "stdout N" or "stderr N"
 *     oom                                          at least so many out-of-memory kills
 *     within                                       from call to return, with all kinds of slack
 *
 * A key with "-degraded" behind it holds instead of the bare one where the receipt says that memory
 * is bounded in a weaker way than promised.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fencerun/units.h"
#include "tests/support/cases.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

static const char *const known_keys[] = {
    "code",     "language", "timeout",    "memory",     "tmp",         "pids",    "cpu",
    "cpu-time", "keep",     "output-max", "outcome",    "exit",        "signal",  "stdout",
    "stderr",   "oom",      "stdout-has", "stderr-has", "reason-has",  "written", "within",
    "input",    "output",   "skipped",    "output-any", "skipped-any", NULL};

/* A key that is misspelt would test nothing. */
static void check_keys(const test_case *c)
{
    static const char suffix[] = "-degraded";
    for (size_t i = 0; i < c->count; i++) {
        const char *key = c->sections[i].key, *at = strstr(key, suffix);
        size_t n = at ? (size_t)(at - key) : strlen(key);
        const char *const *k = known_keys;
        while (*k && (strncmp(*k, key, n) != 0 || (*k)[n] != '\0'))
            k++;
        if (!*k)
            fail_msg("a case has no key %s", key);
    }
}

static uint64_t size_of(const test_case *c, const char *key)
{
    const char *text = case_text(c, key, NULL);
    uint64_t n = 0;
    if (text)
        assert_int_equal(fr_parse_size(text, &n, NULL), 0);
    return n;
}

static int64_t milliseconds_of(const test_case *c, const char *key)
{
    const char *text = case_text(c, key, NULL);
    int64_t n = 0;
    if (text)
        assert_int_equal(fr_parse_duration(text, &n, NULL), 0);
    return n;
}

static int64_t number_of(const char *text)
{
    int64_t n = 0;
    fr_error err = FR_ERROR_INIT;
    if (fr_parse_integer(text, 0, INT64_MAX, &n, &err))
        fail_msg("%s", err.text);
    return n;
}

static fr_executor *open_for(const test_case *c)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.timeout_ms = milliseconds_of(c, "timeout");
    o.memory_bytes = size_of(c, "memory");
    o.tmp_bytes = size_of(c, "tmp");
    o.max_processes = (uint32_t)number_of(case_text(c, "pids", "0"));
    o.cpu_millis = (uint32_t)number_of(case_text(c, "cpu", "0"));
    o.cpu_ms = milliseconds_of(c, "cpu-time");
    o.output_keep_bytes = size_of(c, "keep");
    o.output_max_bytes = size_of(c, "output-max");
    return open_executor("sandbox", &o);
}

/* A result and what is expected of it. */
typedef struct check {
    const test_case *c;
    const fr_code_result *r;
    int degraded;
} check;

static const char *expected(const check *k, const char *key)
{
    char degraded[64];
    snprintf(degraded, sizeof(degraded), "%s-degraded", key);
    const char *text = k->degraded ? case_text(k->c, degraded, NULL) : NULL;
    return text ? text : case_text(k->c, key, NULL);
}

static void complain(const check *k, const char *what)
{
    const fr_code_result *r = k->r;
    fail_msg("line %d: %s\noutcome %s (%s), exit code %d, signal %d, run %" PRId64
             " ms, oom %" PRId64 "\nstdout: %.2000s\nstderr: %.2000s",
             k->c->line, what, fr_outcome_text(r->outcome), r->reason, r->exit_code, r->signal,
             r->receipt->run_ns / FRI_NS_PER_MS, r->receipt->oom_events, r->out.p, r->err.p);
}

static int is_word_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return 1;
    return 0;
}

static void check_end(const check *k)
{
    const char *outcome = expected(k, "outcome"), *exit_code = expected(k, "exit"),
               *signal = expected(k, "signal"), *oom = expected(k, "oom");
    if (!is_word_of(fr_outcome_text(k->r->outcome), outcome ? outcome : "ok"))
        complain(k, "another outcome");
    if (exit_code && k->r->exit_code != number_of(exit_code))
        complain(k, "another exit code");
    if (signal && k->r->signal != number_of(signal))
        complain(k, "another signal");
    if (oom && !k->degraded && k->r->receipt->oom_events < number_of(oom))
        complain(k, "too few out-of-memory kills");
}

static void check_parts(const check *k, const char *key, const char *text)
{
    for (size_t i = 0; i < k->c->count; i++) {
        const case_section *s = &k->c->sections[i];
        if (strcmp(s->key, key) == 0 && !strstr(text, s->p))
            complain(k, s->p);
    }
}

static void check_output(const check *k)
{
    const char *out = expected(k, "stdout"), *err = expected(k, "stderr"),
               *written = expected(k, "written");
    if (out && strcmp(out, k->r->out.p) != 0)
        complain(k, "another stdout");
    if (err && strcmp(err, k->r->err.p) != 0)
        complain(k, "another stderr");
    check_parts(k, "stdout-has", k->r->out.p);
    check_parts(k, "stderr-has", k->r->err.p);
    check_parts(k, "reason-has", k->r->reason);
    char stream[8];
    uint64_t n;
    if (!written)
        return;
    assert_int_equal(sscanf(written, "%7s %" SCNu64, stream, &n), 2);
    const fr_receipt *receipt = k->r->receipt;
    if (n != (strcmp(stream, "stdout") == 0 ? receipt->stdout_written : receipt->stderr_written))
        complain(k, "another count of bytes");
}

/* ---- files ---- */

#define MOST_INPUTS 8

/* "input" sections: a line with the name, behind it the content. */
static size_t inputs_of(const test_case *c, fr_file inputs[MOST_INPUTS],
                        char names[MOST_INPUTS][64])
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        const case_section *s = &c->sections[i];
        if (strcmp(s->key, "input") != 0)
            continue;
        size_t line = strcspn(s->p, "\n");
        assert_true(n < MOST_INPUTS && line < sizeof(names[0]));
        snprintf(names[n], sizeof(names[0]), "%.*s", (int)line, s->p);
        size_t content = line + (s->p[line] == '\n');
        inputs[n] = (fr_file){.name = names[n], .content = {s->p + content, s->n - content}};
        n++;
    }
    return n;
}

static size_t count_sections(const check *k, const char *key)
{
    size_t n = 0;
    for (size_t i = 0; i < k->c->count; i++)
        n += strcmp(k->c->sections[i].key, key) == 0;
    return n;
}

static int has_line(const check *k, const char *key, const char *line)
{
    for (size_t i = 0; i < k->c->count; i++)
        if (strcmp(k->c->sections[i].key, key) == 0 && strcmp(k->c->sections[i].p, line) == 0)
            return 1;
    return 0;
}

/* As many as a case has, unless it says only how many there are. */
static void check_number(const check *k, const char *key, size_t n)
{
    char any[32];
    snprintf(any, sizeof(any), "%s-any", key);
    const char *number = case_text(k->c, any, NULL);
    if (n != (number ? (size_t)number_of(number) : count_sections(k, key)))
        complain(k, "another number of files");
}

static void check_line(const check *k, const char *key, const char *line)
{
    char any[32];
    snprintf(any, sizeof(any), "%s-any", key);
    if (!has_line(k, key, line) && (!case_find(k->c, any) || count_sections(k, key) > 0))
        complain(k, line);
}

/* "output: NAME MIME-TYPE BYTES [partial]" and "skipped: NAME REASON": these and no others. */
static void check_files(const check *k)
{
    const fr_code_result *r = k->r;
    char line[8192];
    for (size_t i = 0; i < r->file_count; i++) {
        const fr_file *f = &r->files[i];
        snprintf(line, sizeof(line), "%s %s %zu%s", f->name, f->mime_type, f->content.n,
                 f->flags & FR_FILE_PARTIAL ? " partial" : "");
        check_line(k, "output", line);
    }
    for (size_t i = 0; i < r->skipped_count; i++) {
        snprintf(line, sizeof(line), "%s %s", r->skipped[i].name, r->skipped[i].reason);
        check_line(k, "skipped", line);
    }
    check_number(k, "output", r->file_count);
    check_number(k, "skipped", r->skipped_count);
}

/* Of the last case; a check that fails does not come back. */
static fr_code_result *result;

static int free_result(void **state)
{
    fr_code_result_free(result);
    result = NULL;
    return leaks_check(state);
}

static void run(void **state)
{
    const test_case *c = *state;
    const case_section *code = case_find(c, "code");
    check_keys(c);
    assert_non_null(code);
    fr_executor *ex = open_for(c);
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_str(code->p, code->n);
    in.language = case_text(c, "language", NULL);
    fr_file inputs[MOST_INPUTS];
    char names[MOST_INPUTS][64];
    in.files = inputs;
    in.file_count = inputs_of(c, inputs, names);
    fr_error err = FR_ERROR_INIT;
    int64_t began = fri_now_ns();
    int rc = fr_executor_execute(ex, &in, &result, &err);
    int64_t took = (fri_now_ns() - began) / FRI_NS_PER_MS;
    fr_executor_close(ex);
    if (rc)
        fail_msg("line %d: %s", c->line, err.text);
    const fr_limit *memory = find_limit(result, "memory_bytes");
    const check k = {c, result, memory && memory->degraded};
    check_end(&k);
    check_output(&k);
    check_files(&k);
    if (case_find(c, "within") && took > milliseconds_of(c, "within"))
        complain(&k, "too late");
}

static int run_file(const char *path, case_file *file)
{
    struct CMUnitTest *tests = calloc(file->count, sizeof(*tests));
    if (!tests)
        abort();
    for (size_t i = 0; i < file->count; i++)
        tests[i] =
            (struct CMUnitTest){file->cases[i].name, run, leaks_note, free_result, &file->cases[i]};
    int failed = _cmocka_run_group_tests(path, tests, file->count, NULL, NULL);
    free(tests);
    return failed;
}

#define MOST_FILES 32

int main(int argc, char **argv)
{
    glob_t files;
    case_file read[MOST_FILES];
    int failed = 0;
    if (glob(FRI_SOURCE_DIR "/tests/data/sandbox/*.case", 0, NULL, &files) ||
        files.gl_pathc > MOST_FILES)
        abort();
    /* While we are still who can read them. */
    for (size_t i = 0; i < files.gl_pathc; i++)
        read[i] = cases_read(files.gl_pathv[i]);
    int rc = user_choose(argc, argv);
    fr_executor_class_at(0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        failed += rc == 0 && run_file(files.gl_pathv[i], &read[i]);
        cases_free(&read[i]);
    }
    globfree(&files);
    return rc ? rc : failed != 0;
}
