/* SPDX-License-Identifier: MIT */
#include "tests/support/doc_examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FENCE        "``````````"
#define MAX_EXAMPLES 200

typedef struct example {
    char name[32];
    char options[64];
    fri_buf input;
    fri_buf expected;
} example;

static example examples[MAX_EXAMPLES];
static size_t count;
static doc_outcome_fn outcome_of;

/* If a sign stands here, its length, and in *byte what it stands for; else 0. */
static size_t read_sign(const char *p, char *byte)
{
    static const char tab[] = "→", pictures[] = "\xe2\x90";
    unsigned char last = 0;
    if (strncmp(p, pictures, 2) == 0)
        last = (unsigned char)p[2];
    if (strncmp(p, tab, 3) == 0)
        *byte = '\t';
    else if (last >= 0x80 && last < 0xa0)
        *byte = (char)(last - 0x80);
    else if (last == 0xa1)
        *byte = 0x7f;
    else
        return 0;
    return 3;
}

static void append_input(fri_buf *input, const char *line)
{
    while (*line) {
        char byte = *line;
        size_t n = read_sign(line, &byte);
        fri_buf_putc(input, byte);
        line += n > 0 ? n : 1;
    }
}

static example *begin(const char *line, int number)
{
    static const char head[] = FENCE " example";
    if (strncmp(line, head, strlen(head)) != 0 || count == MAX_EXAMPLES) {
        fprintf(stderr, "line %d: not the start of an example\n", number);
        abort();
    }
    example *e = &examples[count++];
    snprintf(e->name, sizeof(e->name), "line %d", number);
    const char *options = line + strlen(head);
    snprintf(e->options, sizeof(e->options), "%.*s", (int)strcspn(options, "\n"), options);
    fri_buf_init(&e->input, 1 << 20);
    fri_buf_init(&e->expected, 1 << 20);
    return e;
}

static void read_examples(FILE *f)
{
    char *line = NULL;
    size_t size = 0;
    example *open = NULL;
    int behind_dot = 0;
    for (int number = 1; getline(&line, &size, f) > 0; number++) {
        if (strncmp(line, FENCE, strlen(FENCE)) == 0) {
            open = open ? NULL : begin(line, number);
            behind_dot = 0;
        } else if (open && strcmp(line, ".\n") == 0) {
            behind_dot = 1;
        } else if (open && behind_dot) {
            fri_buf_puts(&open->expected, line);
        } else if (open) {
            append_input(&open->input, line);
        }
    }
    free(line);
}

static void run(void **state)
{
    example *e = *state;
    fri_buf out;
    fri_buf_init(&out, 1 << 20);
    outcome_of(fri_buf_str(&e->input), e->options, &out);
    assert_true(e->expected.n > 0);
    assert_string_equal(out.p, e->expected.p);
    fri_buf_dispose(&out);
    fri_buf_dispose(&e->input);
    fri_buf_dispose(&e->expected);
}

int run_doc_examples(const char *document, size_t least, doc_outcome_fn outcome)
{
    struct CMUnitTest tests[MAX_EXAMPLES];
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", FRI_SOURCE_DIR, document);
    FILE *f = fopen(path, "re");
    if (!f)
        abort();
    read_examples(f);
    fclose(f);
    if (count < least)
        abort();
    outcome_of = outcome;
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){examples[i].name, run, NULL, NULL, &examples[i]};
    return _cmocka_run_group_tests(document, tests, count, NULL, NULL);
}
