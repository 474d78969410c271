/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "fencerun/executor.h"
#include "tests/support/execute.h"

static int succeed(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)err;
    fr_result_exited(call, 0);
    return 0;
}

static fr_executor_class minimal(const char *name)
{
    const fr_executor_class cls = {
        .struct_size = sizeof(cls), .abi = FR_EXECUTOR_ABI, .name = name, .execute = succeed};
    return cls;
}

static void expect_refused(const fr_executor_class *cls, int code, const char *word)
{
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_register(cls, &err), code);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not mention %s", err.text, word);
    assert_int_equal(fr_executor_register(cls, NULL), code);
}

/* First, since this is about the library's own classes coming in. */
static void test_out_of_memory_leaves_nothing_half_done(void **state)
{
    (void)state;
    const fr_executor_class cls = minimal("after-enomem");
    const size_t failing[] = {1, 2, 2}; /* the library's first, its second, and ours */
    for (size_t i = 0; i < 3; i++) {
        fri_fail_allocation(failing[i]);
        int rc = fr_executor_register(&cls, NULL);
        fri_fail_allocation(0);
        assert_int_equal(rc, FR_ENOMEM);
    }
    assert_string_equal(fr_executor_class_at(0)->name, "sandbox");
    assert_string_equal(fr_executor_class_at(1)->name, "scripted");
    assert_string_equal(fr_executor_class_at(2)->name, "guard");
    assert_null(fr_executor_class_at(3));
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    assert_string_equal(fr_executor_class_at(3)->name, "after-enomem");
    assert_null(fr_executor_class_at(4));
    assert_null(fr_executor_class_at(SIZE_MAX));
}

static void test_names(void **state)
{
    (void)state;
    const char *const good[] = {"a", "z9", "my-executor_2", "a234567890123456789012345678901"};
    const char *const bad[] = {
        "",    NULL,  "A",   "9a", "-a",       "_a",  "a b",
        "a:b", "a.b", "a/b", "aB", "\xc3\xa9", "a\n", "a2345678901234567890123456789012"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        fr_executor_class cls = minimal(good[i]);
        assert_int_equal(fr_executor_register(&cls, NULL), 0);
        expect_refused(&cls, FR_EEXISTS, good[i]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fr_executor_class cls = minimal(bad[i]);
        expect_refused(&cls, FR_EINVAL, "name");
    }
}

static void test_names_of_the_library_are_taken(void **state)
{
    (void)state;
    const fr_executor_class sandbox = minimal("sandbox"), scripted = minimal("scripted");
    expect_refused(&sandbox, FR_EEXISTS, "sandbox");
    expect_refused(&scripted, FR_EEXISTS, "scripted");
}

static void test_sizes_and_versions(void **state)
{
    (void)state;
    fr_executor_class cls = minimal("sized");
    cls.struct_size = sizeof(cls) - 1;
    expect_refused(&cls, FR_EABI, "bytes");
    cls.struct_size = 0;
    expect_refused(&cls, FR_EABI, "0 bytes");
    expect_refused(NULL, FR_EABI, "0 bytes");
    cls.struct_size = sizeof(cls);
    cls.abi = FR_EXECUTOR_ABI + 1;
    expect_refused(&cls, FR_EABI, "ABI 2");
    cls.abi = 0;
    expect_refused(&cls, FR_EABI, "ABI 0");
}

/* The first version of the struct ends with `probe`: whoever was built against it must go on to be
 * taken when members are added behind, and these must read as zero. */
static void test_first_version_of_the_struct(void **state)
{
    (void)state;
    const size_t first = offsetof(fr_executor_class, probe) + sizeof(int (*)(void));
    struct {
        fr_executor_class cls;
        unsigned char behind[64];
    } given;
    memset(&given, 0xee, sizeof(given));
    given.cls = minimal("first-version");
    memset((char *)&given.cls + first, 0xee, sizeof(given.cls) - first);
    given.cls.struct_size = first;
    assert_int_equal(fr_executor_register(&given.cls, NULL), 0);
    fr_executor *ex = open_executor("first-version", NULL);
    expect_output(ex, "", "");
    fr_executor_close(ex);
}

static void test_newer_struct_is_taken(void **state)
{
    (void)state;
    struct {
        fr_executor_class cls;
        void *later[4];
    } given = {minimal("newer"), {&given, NULL, &given, NULL}};
    given.cls.struct_size = sizeof(given);
    assert_int_equal(fr_executor_register(&given.cls, NULL), 0);
    fr_executor *ex = open_executor("newer", NULL);
    expect_output(ex, "", "");
    fr_executor_close(ex);
}

static void test_no_execute(void **state)
{
    (void)state;
    fr_executor_class cls = minimal("no-execute");
    cls.execute = NULL;
    expect_refused(&cls, FR_EINVAL, "execute");
}

static void test_languages(void **state)
{
    (void)state;
    static const char *const words[] = {"lua", NULL};
    static const fr_language lua = {"lua", words, 0}, no_name = {NULL, words, 0},
                             no_words = {"lua", NULL, 0};
    static fr_language many[FRI_MAX_LANGUAGES + 1];
    for (size_t i = 0; i <= FRI_MAX_LANGUAGES; i++)
        many[i] = lua;
    fr_executor_class cls = minimal("bad-languages");
    cls.languages = &lua;
    expect_refused(&cls, FR_EINVAL, "0 languages");
    cls.language_count = 1;
    cls.languages = &no_name;
    expect_refused(&cls, FR_EINVAL, "language 0");
    cls.languages = &no_words;
    expect_refused(&cls, FR_EINVAL, "language 0");
    cls.languages = many;
    cls.language_count = FRI_MAX_LANGUAGES + 1;
    expect_refused(&cls, FR_EINVAL, "languages");

    cls.name = "lua-runner";
    cls.languages = &lua;
    cls.language_count = 1;
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    fr_executor *ex = open_executor("lua-runner", NULL);
    size_t count = 0;
    assert_ptr_equal(fr_executor_languages(ex, &count), &lua);
    assert_int_equal(count, 1);
    fr_code_result *r = execute(ex, "");
    assert_string_equal(r->receipt->language, "lua");
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* A count without a table is a table forgotten: the library would read past its own one language. */
static void test_language_count_without_languages(void **state)
{
    (void)state;
    fr_executor_class cls = minimal("count-only");
    cls.language_count = 3;
    expect_refused(&cls, FR_EINVAL, "languages");
}

static void test_optional_slots_have_defaults(void **state)
{
    (void)state;
    fr_executor_class cls = minimal("bare");
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    o.config = &o;
    assert_int_equal(fr_executor_open("bare", &o, &ex, &err), FR_EINVAL);
    assert_null(ex);

    ex = open_executor("bare", NULL);
    assert_null(fr_executor_state(ex));
    assert_string_equal(fr_executor_name(ex), "bare");
    size_t count = 0;
    assert_ptr_equal(fr_executor_languages(ex, &count), fr_language_python());
    assert_int_equal(count, 1);
    assert_int_equal(fr_executor_probe(ex, NULL), 0);
    expect_output(ex, "", "");
    fr_executor_close(ex);
    for (size_t i = 0;; i++) {
        const fr_executor_class *known = fr_executor_class_at(i);
        assert_non_null(known);
        assert_non_null(known->summary);
        if (strcmp(known->name, "bare") == 0)
            break;
    }
}

static int fail_to_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    assert_int_equal(fr_call_input(call)->code.n, 0);
    return fr_fail(err, FR_EUNAVAILABLE, 0, "not today");
}

static void test_default_probe_runs_an_empty_program(void **state)
{
    (void)state;
    fr_executor_class cls = minimal("unwell");
    cls.execute = fail_to_execute;
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    fr_executor *ex = open_executor("unwell", NULL);
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_probe(ex, &err), FR_EUNAVAILABLE);
    assert_string_equal(err.text, "not today");
    fr_executor_close(ex);
}

static void test_the_class_is_copied(void **state)
{
    (void)state;
    fr_executor_class cls = minimal("copied");
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    memset(&cls, 0xee, sizeof(cls));
    fr_executor *ex = open_executor("copied", NULL);
    expect_output(ex, "", "");
    fr_executor_close(ex);
}

static void test_unknown_names(void **state)
{
    (void)state;
    const char *const names[] = {"nobody-registered-this", "", NULL, "Sandbox", "sandbox "};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        fr_executor *ex = NULL;
        fr_error err = FR_ERROR_INIT;
        assert_int_equal(fr_executor_open(names[i], NULL, &ex, &err), FR_ENOTFOUND);
        assert_null(ex);
    }
}

enum { THREADS = 8, EACH = 16 };

typedef struct registrar {
    int number;
    int won;   /* how often it was the one to register a name all want */
    int wrong; /* the thread itself must not assert */
} registrar;

static char own_names[THREADS][EACH][32], shared_names[EACH][32];

static void *register_many(void *arg)
{
    registrar *it = arg;
    for (int i = 0; i < EACH; i++) {
        fr_executor_class own = minimal(own_names[it->number][i]),
                          shared = minimal(shared_names[i]);
        it->wrong += fr_executor_register(&own, NULL) != 0;
        int rc = fr_executor_register(&shared, NULL);
        it->wrong += rc != 0 && rc != FR_EEXISTS;
        it->won += rc == 0;
        it->wrong += fr_executor_class_at((size_t)i) == NULL;
        fr_executor *ex = NULL;
        it->wrong += fr_executor_open(shared_names[i], NULL, &ex, NULL) != 0;
        fr_executor_close(ex);
    }
    return NULL;
}

static void test_registering_from_eight_threads(void **state)
{
    (void)state;
    registrar registrars[THREADS];
    pthread_t threads[THREADS];
    int won = 0;
    for (int i = 0; i < EACH; i++)
        snprintf(shared_names[i], sizeof(shared_names[i]), "shared-%d", i);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < EACH; i++)
            snprintf(own_names[t][i], sizeof(own_names[t][i]), "own-%d-%d", t, i);
    for (int t = 0; t < THREADS; t++) {
        registrars[t] = (registrar){t, 0, 0};
        assert_int_equal(pthread_create(&threads[t], NULL, register_many, &registrars[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        won += registrars[t].won;
        assert_int_equal(registrars[t].wrong, 0);
    }
    assert_int_equal(won, EACH);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < EACH; i++)
            fr_executor_close(open_executor(own_names[t][i], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_memory_leaves_nothing_half_done),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_of_the_library_are_taken),
        cmocka_unit_test(test_sizes_and_versions),
        cmocka_unit_test(test_first_version_of_the_struct),
        cmocka_unit_test(test_newer_struct_is_taken),
        cmocka_unit_test(test_no_execute),
        cmocka_unit_test(test_languages),
        cmocka_unit_test(test_optional_slots_have_defaults),
        cmocka_unit_test(test_default_probe_runs_an_empty_program),
        cmocka_unit_test(test_the_class_is_copied),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_registering_from_eight_threads),
        cmocka_unit_test(test_language_count_without_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
