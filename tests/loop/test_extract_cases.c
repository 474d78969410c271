/* SPDX-License-Identifier: MIT */
/* Every case of tests/data/extract: a reply, options, and the outcome as example.h describes it. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/loop/example.h"
#include "tests/support/cases.h"

static void run(void **state)
{
    const test_case *c = *state;
    const case_section *reply = case_find(c, "reply");
    assert_non_null(reply);
    fri_buf out;
    fri_buf_init(&out, 1 << 20);
    example_outcome(fri_str(reply->p, reply->n), case_text(c, "options", ""), &out);
    assert_int_equal(fri_buf_check(&out, "outcome", NULL), 0);
    assert_string_equal(out.p, case_text(c, "expect", ""));
    fri_buf_dispose(&out);
}

static int run_file(const char *path)
{
    case_file file = cases_read(path);
    struct CMUnitTest *tests = calloc(file.count, sizeof(*tests));
    if (!tests)
        abort();
    for (size_t i = 0; i < file.count; i++)
        tests[i] = (struct CMUnitTest){file.cases[i].name, run, NULL, NULL, &file.cases[i]};
    int failed = _cmocka_run_group_tests(path, tests, file.count, NULL, NULL);
    free(tests);
    cases_free(&file);
    return failed;
}

int main(void)
{
    glob_t files;
    int failed = 0;
    if (glob(FRI_SOURCE_DIR "/tests/data/extract/*.case", 0, NULL, &files))
        abort();
    for (size_t i = 0; i < files.gl_pathc; i++)
        failed += run_file(files.gl_pathv[i]);
    globfree(&files);
    return failed != 0;
}
