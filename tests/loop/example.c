/* SPDX-License-Identifier: MIT */
#include "tests/loop/example.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/utf8.h"
#include "fencerun/extract.h"
#include "tests/loop/invariants.h"

static const char mark[] = "§ ";

static const struct {
    const char *name;
    int kind;
    uint32_t flags;
} kinds[] = {{"text", FR_PART_TEXT, 0},
             {"thought", FR_PART_TEXT, FR_PART_THOUGHT},
             {"executable_code", FR_PART_EXECUTABLE_CODE, 0},
             {"code_execution_result", FR_PART_CODE_EXECUTION_RESULT, 0},
             {"function_call", FR_PART_FUNCTION_CALL, 0},
             {"image", FR_PART_INLINE_DATA, 0}};

static const char *const javascript_words[] = {"javascript", "js", NULL};

/* What the options of an example point to. */
typedef struct settings {
    fr_extract_options options;
    fr_language languages[2];
    fr_delimiters delimiters[4];
    char *words;
    int left;
} settings;

static void read_word(settings *s, char *word)
{
    static const char delimiters[] = "delimiters=";
    fr_extract_options *o = &s->options;
    if (strcmp(word, "all") == 0) {
        o->all = 1;
    } else if (strcmp(word, "run_unterminated") == 0) {
        o->run_unterminated = 1;
    } else if (strcmp(word, "run_untagged") == 0) {
        o->run_untagged = 1;
    } else if (strcmp(word, "adk") == 0) {
        o->compat = FR_COMPAT_ADK;
    } else if (strcmp(word, "left") == 0) {
        s->left = 1;
    } else if (strcmp(word, "javascript") == 0) {
        s->languages[0] = *fr_language_python();
        s->languages[1] = (fr_language){"javascript", javascript_words, 0};
        o->languages = s->languages;
        o->language_count = 2;
    } else if (strncmp(word, delimiters, strlen(delimiters)) == 0) {
        char *open = word + strlen(delimiters), *bar = strchr(open, '|');
        assert_non_null(bar);
        *bar = '\0';
        assert_true(o->delimiter_count < 4);
        s->delimiters[o->delimiter_count++] = (fr_delimiters){open, bar + 1};
        o->delimiters = s->delimiters;
    } else {
        fail_msg("unknown option %s", word);
    }
}

static void read_options(settings *s, const char *text)
{
    *s = (settings){.options = FR_EXTRACT_OPTIONS_INIT, .words = strdup(text)};
    char *save = NULL;
    for (char *word = strtok_r(s->words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        read_word(s, word);
}

static int is_mark(fr_str s)
{
    return s.n >= strlen(mark) && memcmp(s.p, mark, strlen(mark)) == 0;
}

/* The next line of s, with its newline. */
static fr_str take_line(fr_str *s)
{
    const char *end = memchr(s->p, '\n', s->n);
    fr_str line = fri_str(s->p, end ? (size_t)(end + 1 - s->p) : s->n);
    *s = fri_str(s->p + line.n, s->n - line.n);
    return line;
}

static void add_part(fr_content *content, fr_str head, fr_str body)
{
    char name[64] = "", *label;
    assert_true(head.n < sizeof(name));
    memcpy(name, head.p, head.n - 1);
    label = strchr(name, ' ');
    if (label)
        *label++ = '\0';
    size_t i = 0;
    while (i < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[i].name, name) != 0)
        i++;
    if (i == sizeof(kinds) / sizeof(kinds[0]))
        fail_msg("unknown kind of part: %s", name);
    size_t n = body.n > 0 ? body.n - 1 : 0;
    assert_int_equal(fr_content_add(content, kinds[i].kind, kinds[i].flags, body.p, n, label, NULL),
                     0);
}

static fr_content *read_reply(fr_str reply)
{
    fr_content *content = NULL;
    assert_int_equal(fr_content_new(&content, NULL), 0);
    if (!is_mark(reply)) {
        assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, reply.p, reply.n, NULL, NULL), 0);
        return content;
    }
    while (reply.n > 0) {
        fr_str head = take_line(&reply);
        head = fri_str(head.p + strlen(mark), head.n - strlen(mark));
        fr_str body = fri_str(reply.p, 0);
        while (reply.n > 0 && !is_mark(reply))
            body.n += take_line(&reply).n;
        add_part(content, head, body);
    }
    return content;
}

static void put_escaped(fri_buf *out, fr_str line)
{
    for (size_t i = 0, n; i < line.n; i += n) {
        const char *p = line.p + i;
        n = fri_utf8_first(p, line.n - i);
        int is_text = fri_utf8_valid_prefix(p, n) == n && (unsigned char)*p >= 0x20 && *p != 0x7f;
        if (*p == '\t')
            fri_buf_puts(out, "→");
        else if (is_text)
            fri_buf_append(out, p, n);
        else
            for (size_t k = 0; k < n; k++)
                fri_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)p[k]);
    }
}

static void put_indented(fri_buf *out, fr_str code)
{
    while (code.n > 0) {
        fr_str line = take_line(&code);
        int ended = line.p[line.n - 1] == '\n';
        line.n -= (size_t)ended;
        fri_buf_puts(out, line.n > 0 ? "    " : "");
        put_escaped(out, line);
        fri_buf_puts(out, ended ? "\n" : " (no newline)\n");
    }
}

static void put_blocks(fri_buf *out, const fr_extraction *x)
{
    const fr_block *b;
    for (size_t i = 0; (b = fr_extraction_block(x, i)); i++) {
        fri_buf_printf(out, "%s:\n", b->language.p);
        put_indented(out, b->code);
    }
    if (!fr_extraction_block(x, 0))
        fri_buf_puts(out, "nothing\n");
    for (size_t i = 0; (b = fr_extraction_skipped(x, i)); i++) {
        fri_buf_puts(out, "skipped: ");
        put_escaped(out, b->info);
        fri_buf_printf(out, "%s(%s)\n", b->info.n > 0 ? " " : "", fr_skip_text(b->skip));
    }
    if (fr_extraction_unterminated(x))
        fri_buf_puts(out, "unterminated\n");
}

static void put_left(fri_buf *out, const fr_content *content)
{
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(content, i)); i++) {
        size_t k = 0;
        while (kinds[k].kind != part->kind || kinds[k].flags != part->flags)
            k++;
        fri_buf_printf(out, "left: %s%s%s\n", kinds[k].name, part->label.n > 0 ? " " : "",
                       part->label.p);
        put_indented(out, part->data);
    }
}

void example_outcome(fr_str reply, const char *options, fri_buf *out)
{
    settings s;
    read_options(&s, options);
    fr_content *content = read_reply(reply);
    fr_extraction *x = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_extract(content, &s.options, &x, &err))
        fail_msg("%s", err.text);
    const char *broken = broken_invariant(content, &s.options, x);
    if (broken)
        fail_msg("%s", broken);
    put_blocks(out, x);
    if (s.left || is_mark(reply))
        put_left(out, fr_extraction_content(x));
    fr_extraction_free(x);
    fr_content_free(content);
    free(s.words);
}
