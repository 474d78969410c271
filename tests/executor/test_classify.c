/* SPDX-License-Identifier: MIT */
/* Which line is what is tested by docs/guard.md (test_guard_doc.c); here is how lines make a whole, what a
 * text made to take long gets, and what threads may do. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/pattern.h"
#include "base/str.h"
#include "executor/guard/classify.h"
#include "fencerun/code.h"
#include "tests/support/torture.h"

static fri_classifier *classifier;

/* No line makes our rules fail, so the linker puts this in front of pcre2_match(). */
static int match_fails_with;
int __real_pcre2_match_8(const pcre2_code *code, PCRE2_SPTR text, PCRE2_SIZE n, PCRE2_SIZE from,
                         uint32_t options, pcre2_match_data *data, pcre2_match_context *context);
int __wrap_pcre2_match_8(const pcre2_code *code, PCRE2_SPTR text, PCRE2_SIZE n, PCRE2_SIZE from,
                         uint32_t options, pcre2_match_data *data, pcre2_match_context *context);

int __wrap_pcre2_match_8(const pcre2_code *code, PCRE2_SPTR text, PCRE2_SIZE n, PCRE2_SIZE from,
                         uint32_t options, pcre2_match_data *data, pcre2_match_context *context)
{
    return match_fails_with ? match_fails_with
                            : __real_pcre2_match_8(code, text, n, from, options, data, context);
}

static int make(void **state)
{
    (void)state;
    return fri_classifier_new(&classifier, NULL);
}

static int unmake(void **state)
{
    (void)state;
    fri_classifier_free(classifier);
    fri_classifier_free(NULL);
    return 0;
}

static int class_of(fr_str text)
{
    int class = -1;
    fr_error err = FR_ERROR_INIT;
    if (fri_classify(classifier, text, &class, &err))
        fail_msg("%s", err.text);
    return class;
}

static void expect(const char *text, const char *class)
{
    const char *found = fr_stderr_text(class_of(fri_cstr(text)));
    if (strcmp(found, class) != 0)
        fail_msg("%s instead of %s: %.200s", found, class, text);
}

#define WARNING  "x.py:3: UserWarning: old\n"
#define PROGRESS " 45%|####   | 45/100 [00:01<00:01, 40.00it/s]\n"
#define ERROR    "ValueError: bad\n"

static void test_the_worst_line_decides(void **state)
{
    (void)state;
    expect("", "empty");
    expect("\n \n\t\n", "empty");
    expect(PROGRESS, "progress");
    expect(PROGRESS "\n" PROGRESS, "progress");
    expect(PROGRESS WARNING, "warning");
    expect(WARNING PROGRESS, "warning");
    expect(WARNING "text\n" PROGRESS, "other");
    expect("text", "other");
    expect(WARNING "text\n" PROGRESS ERROR, "error");
    expect(ERROR WARNING, "error");
    expect(WARNING "ValueError: bad", "error");
}

static void test_source_behind_a_warning(void **state)
{
    (void)state;
    expect(WARNING "  raise ValueError(\"Error: none\")\n", "warning");
    expect(WARNING "\traise ValueError\n", "warning");
    expect("x.py:3: SomeWarning: a\n\n  f()\n", "warning");
    expect(WARNING "  f()\n  Error: second line\n", "error");
    expect(WARNING PROGRESS "  Error: x\n", "error");
    expect("WARNING:root:x\n  Error: not a source\n", "error");
    expect("  Error: x\n" WARNING, "error");
    expect(WARNING "  + Exception Group Traceback (most recent call last):\n", "error");
}

/* A line is looked at for its first 4096 bytes. */
static void test_long_lines(void **state)
{
    (void)state;
    fri_buf text;
    fri_buf_init(&text, 1 << 20);
    for (size_t colon = 4095; colon <= 4096; colon++) {
        fri_buf_truncate(&text, 0);
        while (text.n < colon - strlen("Error"))
            fri_buf_putc(&text, '-');
        fri_buf_puts(&text, "Error: x");
        assert_int_equal(class_of(fri_buf_str(&text)),
                         colon == 4095 ? FR_STDERR_ERROR : FR_STDERR_OTHER);
    }
    memset(text.p, ' ', text.n);
    fri_buf_puts(&text, "text");
    assert_int_equal(class_of(fri_buf_str(&text)), FR_STDERR_OTHER);
    fri_buf_dispose(&text);
}

static void test_any_bytes(void **state)
{
    (void)state;
    assert_int_equal(class_of(fri_str("\0\xff\xfe", 3)), FR_STDERR_OTHER);
    assert_int_equal(class_of(fri_str("\0Error:\0", 8)), FR_STDERR_ERROR);
}

static double seconds_for(const char *unit, size_t n)
{
    struct timespec a, b;
    fri_buf text;
    fri_buf_init(&text, 64 << 20);
    while (text.n < n)
        fri_buf_puts(&text, unit);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    int class = class_of(fri_buf_str(&text));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    assert_int_not_equal(class, FR_STDERR_ERROR);
    fri_buf_dispose(&text);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

#define HOSTILE                                                                               \
    "a", " ", "a ", "a:", "a: ", "a.", ":1", "0", "0:", "0 ", "-", "[", "|", "%|", "[=", "━", \
        "━a", "a warning", "12:00 [a] ", "it [0", "1/", "- ", "(node:", "/", "WARN"

/* What the rules are made of, over and over: on one line and on many. */
static void test_hostile_texts(void **state)
{
    (void)state;
    static const char *const units[] = {HOSTILE, "\tx", "w\n", "\n", "a: \n", "12:00 [a] \n"};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        double took = seconds_for(units[i], 1 << 18);
        if (took > 10)
            fail_msg("unit %zu: %.3f s", i, took);
    }
}

/* None of them takes a rule beyond its limits, where the line would be OTHER. */
static void test_an_error_at_the_end_of_a_hostile_line(void **state)
{
    (void)state;
    static const char *const units[] = {HOSTILE};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        fri_buf text;
        fri_buf_init(&text, 1 << 20);
        while (text.n < 4000)
            fri_buf_puts(&text, units[i]);
        fri_buf_puts(&text, " Error: x");
        int class = class_of(fri_buf_str(&text));
        if (class != FR_STDERR_ERROR)
            fail_msg("unit %zu: %s", i, fr_stderr_text(class));
        fri_buf_dispose(&text);
    }
}

static void test_matches_that_fail(void **state)
{
    (void)state;
    static const int limits[] = {PCRE2_ERROR_MATCHLIMIT, PCRE2_ERROR_DEPTHLIMIT,
                                 PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_JIT_STACKLIMIT};
    for (size_t i = 0; i < 4; i++) {
        match_fails_with = limits[i];
        expect("Error: x\n", "other");
    }
    static const int others[][2] = {{PCRE2_ERROR_NOMEMORY, FR_ENOMEM},
                                    {PCRE2_ERROR_INTERNAL, FR_EINTERNAL}};
    for (size_t i = 0; i < 2; i++) {
        int class = -1;
        fr_error err = FR_ERROR_INIT;
        match_fails_with = others[i][0];
        assert_int_equal(fri_classify(classifier, fri_cstr("x"), &class, &err), others[i][1]);
        assert_int_equal(err.code, others[i][1]);
        assert_non_null(strstr(err.text, "classification of stderr"));
        assert_int_equal(class, -1);
    }
    match_fails_with = 0;
}

static void *classify_in_thread(void *done)
{
    int class = -1;
    for (int i = 0; i < 200; i++)
        if (fri_classify(classifier, fri_cstr(PROGRESS WARNING), &class, NULL) ||
            class != FR_STDERR_WARNING)
            return NULL;
    *(int *)done = 1;
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    int done[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, classify_in_thread, &done[i]), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(done[i]);
    }
}

static int use(void *unused, fr_error *err)
{
    fri_classifier *c = NULL;
    int class = -1;
    (void)unused;
    int rc = fri_classifier_new(&c, err);
    if (rc == 0)
        rc = fri_classify(c, fri_cstr(WARNING ERROR), &class, err);
    assert_true(rc == 0 ? class == FR_STDERR_ERROR : class == -1);
    fri_classifier_free(c);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(use, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_worst_line_decides),
        cmocka_unit_test(test_source_behind_a_warning),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_an_error_at_the_end_of_a_hostile_line),
        cmocka_unit_test(test_matches_that_fail),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
