/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_CASES_H
#define TESTS_SUPPORT_CASES_H

#include <stddef.h>

/*
 * Test cases in a text file, so that a new case needs no C:
 *
 *     Text before the first case is comment.
 *     === name of the case
 *     # Comments and blank lines may stand here, before the first section.
 *     --- key
 *     raw lines, each with its newline
 *     --- key: value on one line, without a newline
 *     --- key (escaped)
 *     lines with \n \r \t \0 \\ \xHH, where a backslash at the end \
 *     takes the line's newline away
 *
 * A section reaches to the next line that starts with "--- " or "=== "; the one blank line that may
 * stand before "=== " or at the end of the file is not part of it. Content with such a line in it is
 * written escaped (\x3d== heading). A key may stand several times in a case, in an order that counts.
 *
 * A file that breaks these rules aborts the test program with its name and line.
 */
typedef struct case_section {
    char *key;
    char *p; /* the bytes; a NUL that n does not count follows them */
    size_t n;
} case_section;

typedef struct test_case {
    char *name;
    int line; /* of its "=== " */
    case_section *sections;
    size_t count;
} test_case;

typedef struct case_file {
    test_case *cases;
    size_t count;
} case_file;

/* FRI_SOURCE_DIR "/tests/data/…" is how a test names its file. Free with cases_free(). */
case_file cases_read(const char *path);
void cases_free(case_file *file);

/* The first section with that key, or NULL. */
const case_section *case_find(const test_case *c, const char *key);

/* The bytes of that section as a string; `absent` when there is none. */
const char *case_text(const test_case *c, const char *key, const char *absent);

#endif
