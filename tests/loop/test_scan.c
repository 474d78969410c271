/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <seccomp.h>

#include "fencerun/extract.h"
#include "loop/scan.h"

static const char text[] = "``a\0```b ~~~ [py] (.*) `~`";

static size_t find(const fri_scan *s, size_t from, size_t end)
{
    size_t at = 0;
    int rc = fri_scan_next(s, text, from, end, &at, NULL);
    assert_true(rc >= 0);
    return rc ? at : SIZE_MAX;
}

static void fences_only(void **state)
{
    (void)state;
    fri_scan s;
    size_t n = sizeof(text) - 1;
    assert_int_equal(fri_scan_init(&s, 1, NULL, 0, NULL), 0);
    assert_int_equal(find(&s, 0, n), 4);
    assert_int_equal(find(&s, 4, n), 4);
    assert_int_equal(find(&s, 5, n), 9);
    assert_int_equal(find(&s, 4, 6), SIZE_MAX);
    assert_int_equal(find(&s, 10, 20), SIZE_MAX);
    assert_int_equal(find(&s, n, n), SIZE_MAX);
    fri_scan_dispose(&s);
}

static void literals(void **state)
{
    (void)state;
    static const char *const words[] = {"(.*)", "[py]"};
    fri_scan s;
    size_t n = sizeof(text) - 1;
    assert_int_equal(fri_scan_init(&s, 0, words, 2, NULL), 0);
    assert_int_equal(find(&s, 0, n), 13);
    assert_int_equal(find(&s, 14, n), 18);
    assert_int_equal(find(&s, 19, n), SIZE_MAX);
    fri_scan_dispose(&s);

    assert_int_equal(fri_scan_init(&s, 1, words, 2, NULL), 0);
    assert_int_equal(find(&s, 0, n), 4);
    assert_int_equal(find(&s, 10, n), 13);
    fri_scan_dispose(&s);
}

/* Scans of fences share their pattern, in all threads. */
static void *scan_in_thread(void *done)
{
    fr_extraction *x = NULL;
    for (int i = 0; i < 200; i++) {
        if (fr_extract_text("```py\n1\n```\n", 12, NULL, &x, NULL))
            return NULL;
        fr_extraction_free(x);
    }
    *(int *)done = 1;
    return NULL;
}

static void shared_pattern(void **state)
{
    (void)state;
    pthread_t threads[4];
    int done[4] = {0, 0, 0, 0};
    fri_scan a, b;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, scan_in_thread, &done[i]), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(done[i]);
    }
    assert_int_equal(fri_scan_init(&a, 1, NULL, 0, NULL), 0);
    assert_int_equal(fri_scan_init(&b, 1, NULL, 0, NULL), 0);
    assert_ptr_equal(a.code, b.code);
    assert_ptr_not_equal(a.matcher.data, b.matcher.data);
    fri_scan_dispose(&a);
    fri_scan_dispose(&b);
}

static int forbid_executable_memory(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    struct scmp_arg_cmp executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC);
    if (!filter ||
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mmap), 1, &executable) ||
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mprotect), 1,
                               &executable) ||
        seccomp_load(filter))
        return -1;
    seccomp_release(filter);
    return 0;
}

/* In a process that has compiled nothing yet: 0 if the search works although nothing can be made
 * executable, and indeed was not. */
static int search_without_jit(void)
{
    static const char reply[] = "a\n```py\n1\n```\n";
    fr_extraction *x = NULL;
    fri_scan s;
    size_t size = 1;
    if (forbid_executable_memory() || fri_scan_init(&s, 1, NULL, 0, NULL))
        return 1;
    if (pcre2_pattern_info(s.code, PCRE2_INFO_JITSIZE, &size) || size != 0)
        return 2;
    fri_scan_dispose(&s);
    if (fr_extract_text(reply, strlen(reply), NULL, &x, NULL))
        return 3;
    const fr_block *block = fr_extraction_block(x, 0);
    int found = block && strcmp(block->code.p, "1\n") == 0;
    fr_extraction_free(x);
    return found ? 0 : 4;
}

static void without_jit(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(search_without_jit());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    /* The first: later ones leave a compiled pattern in the process. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_jit),
        cmocka_unit_test(fences_only),
        cmocka_unit_test(literals),
        cmocka_unit_test(shared_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
