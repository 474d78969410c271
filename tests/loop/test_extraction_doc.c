/* SPDX-License-Identifier: MIT */
/* Runs the examples of docs/extraction.md: fences of ten backticks with the info string "example" and
 * options, in them a reply, a line with a dot, and the outcome as example.h describes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/loop/example.h"

#define FENCE        "``````````"
#define MAX_EXAMPLES 200

typedef struct example {
    char name[32];
    char options[64];
    fri_buf reply;
    fri_buf expected;
} example;

static example examples[MAX_EXAMPLES];
static size_t count;

/* What an editor would hide or change is written as a sign of its own. */
static const struct {
    const char *sign;
    char byte;
} signs[] = {{"→", '\t'}, {"␍", '\r'}};

static void append_reply(fri_buf *reply, const char *line)
{
    while (*line) {
        size_t i = 0;
        while (i < 2 && strncmp(line, signs[i].sign, strlen(signs[i].sign)) != 0)
            i++;
        fri_buf_putc(reply, i < 2 ? signs[i].byte : *line);
        line += i < 2 ? strlen(signs[i].sign) : 1;
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
    fri_buf_init(&e->reply, 1 << 20);
    fri_buf_init(&e->expected, 1 << 20);
    return e;
}

static void read_examples(const char *path)
{
    FILE *f = fopen(path, "re");
    if (!f)
        abort();
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
            append_reply(&open->reply, line);
        }
    }
    free(line);
    fclose(f);
}

static void run(void **state)
{
    example *e = *state;
    fri_buf out;
    fri_buf_init(&out, 1 << 20);
    example_outcome(fri_buf_str(&e->reply), e->options, &out);
    assert_true(e->expected.n > 0);
    assert_string_equal(out.p, e->expected.p);
    fri_buf_dispose(&out);
    fri_buf_dispose(&e->reply);
    fri_buf_dispose(&e->expected);
}

int main(void)
{
    struct CMUnitTest tests[MAX_EXAMPLES];
    read_examples(FRI_SOURCE_DIR "/docs/extraction.md");
    if (count < 20)
        abort();
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){examples[i].name, run, NULL, NULL, &examples[i]};
    return _cmocka_run_group_tests("docs/extraction.md", tests, count, NULL, NULL);
}
