/* SPDX-License-Identifier: MIT */
#include "tests/support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plain malloc throughout: reading cases must not disturb a test that counts allocations. */

typedef struct reader {
    const char *path;
    int line;
    case_file file;
    int escaped; /* how the open section is written */
    int open;    /* lines go into the last section */
    int blank;   /* the last of them was blank */
} reader;

static void die(const reader *r, const char *why)
{
    fprintf(stderr, "%s:%d: %s\n", r->path, r->line, why);
    abort();
}

static void *need(void *p)
{
    if (!p) {
        fputs("cases: out of memory\n", stderr);
        abort();
    }
    return p;
}

static test_case *last_case(reader *r)
{
    return &r->file.cases[r->file.count - 1];
}

static case_section *last_section(reader *r)
{
    test_case *c = last_case(r);
    return &c->sections[c->count - 1];
}

static void append(case_section *s, const char *p, size_t n)
{
    s->p = need(realloc(s->p, s->n + n + 1));
    memcpy(s->p + s->n, p, n);
    s->n += n;
    s->p[s->n] = '\0';
}

static int hex(const reader *r, char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    if (!at)
        die(r, "\\x needs two lower case hex digits");
    return (int)(at - digits);
}

static void append_raw(reader *r, const char *p, size_t n)
{
    append(last_section(r), p, n);
    append(last_section(r), "\n", 1);
}

static void append_escaped(reader *r, const char *p, size_t n)
{
    static const char names[] = "nrt0\\", values[] = "\n\r\t\0\\";
    case_section *s = last_section(r);
    for (size_t i = 0; i < n; i++) {
        const char *name = p[i] == '\\' && i + 1 < n ? strchr(names, p[i + 1]) : NULL;
        if (p[i] != '\\') {
            append(s, p + i, 1);
        } else if (i + 1 == n) {
            return;
        } else if (name) {
            append(s, values + (name - names), 1);
            i++;
        } else if (p[i + 1] == 'x' && i + 3 < n) {
            char byte = (char)(hex(r, p[i + 2]) << 4 | hex(r, p[i + 3]));
            append(s, &byte, 1);
            i += 3;
        } else {
            die(r, "unknown escape: use \\n \\r \\t \\0 \\\\ \\xHH or a backslash at the end");
        }
    }
    append(s, "\n", 1);
}

/* The blank line between a section and the next case is there for the eye only. */
static void end_case(reader *r)
{
    if (r->file.count == 0)
        return;
    if (last_case(r)->count == 0)
        die(r, "the case above has no section");
    case_section *s = last_section(r);
    if (r->blank)
        s->p[--s->n] = '\0';
    r->open = r->blank = 0;
}

static void begin_case(reader *r, const char *name, size_t n)
{
    end_case(r);
    if (n == 0)
        die(r, "a case needs a name");
    r->file.cases = need(realloc(r->file.cases, (r->file.count + 1) * sizeof(test_case)));
    r->file.cases[r->file.count++] = (test_case){need(strndup(name, n)), r->line, NULL, 0};
}

static void begin_section(reader *r, const char *head, size_t n)
{
    static const char escaped[] = " (escaped)";
    if (r->file.count == 0)
        die(r, "a section before the first case");
    const char *colon = memchr(head, ':', n);
    size_t tail = sizeof(escaped) - 1;
    r->escaped = !colon && n > tail && memcmp(head + n - tail, escaped, tail) == 0;
    r->open = !colon;
    r->blank = 0;
    size_t key = colon ? (size_t)(colon - head) : r->escaped ? n - tail : n;
    if (key == 0 || memchr(head, ' ', key))
        die(r, "expected \"--- key\", \"--- key: value\" or \"--- key (escaped)\"");

    test_case *c = last_case(r);
    c->sections = need(realloc(c->sections, (c->count + 1) * sizeof(case_section)));
    case_section *s = &c->sections[c->count++];
    *s = (case_section){need(strndup(head, key)), need(calloc(1, 1)), 0};
    if (colon) {
        size_t from = key + 1 < n && head[key + 1] == ' ' ? key + 2 : key + 1;
        append(s, head + from, n - from);
    }
}

static void take_line(reader *r, const char *p, size_t n)
{
    if (n >= 4 && memcmp(p, "=== ", 4) == 0) {
        begin_case(r, p + 4, n - 4);
    } else if (n >= 4 && memcmp(p, "--- ", 4) == 0) {
        begin_section(r, p + 4, n - 4);
    } else if (r->open) {
        r->blank = n == 0;
        (r->escaped ? append_escaped : append_raw)(r, p, n);
    } else if (r->file.count > 0 && n > 0 && p[0] != '#') {
        die(r, "neither a comment (#) nor in a section");
    }
}

case_file cases_read(const char *path)
{
    reader r = {path, 0, {NULL, 0}, 0, 0, 0};
    FILE *f = fopen(path, "re");
    if (!f)
        die(&r, "cannot be opened");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    while ((n = getline(&line, &size, f)) > 0) {
        r.line++;
        if (line[n - 1] != '\n')
            die(&r, "the last line has no newline");
        take_line(&r, line, (size_t)n - 1);
    }
    free(line);
    fclose(f);
    end_case(&r);
    if (r.file.count == 0)
        die(&r, "no case in this file");
    return r.file;
}

void cases_free(case_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        test_case *c = &file->cases[i];
        for (size_t k = 0; k < c->count; k++) {
            free(c->sections[k].key);
            free(c->sections[k].p);
        }
        free(c->sections);
        free(c->name);
    }
    free(file->cases);
    *file = (case_file){NULL, 0};
}

const case_section *case_find(const test_case *c, const char *key)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->sections[i].key, key) == 0)
            return &c->sections[i];
    return NULL;
}

const char *case_text(const test_case *c, const char *key, const char *absent)
{
    const case_section *s = case_find(c, key);
    return s ? s->p : absent;
}
