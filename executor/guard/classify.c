/* SPDX-License-Identifier: MIT */
#include "executor/guard/classify.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/pattern.h"
#include "base/str.h"
#include "executor/guard/rules.h"
#include "fencerun/code.h"

#define PURPOSE       "classification of stderr"
#define PATTERN_LIMIT (64u * 1024u)

/* Of a longer line only its beginning is looked at. */
#define MAX_LINE 4096

struct fri_classifier {
    pcre2_code *code[FRI_RULE_SETS];
};

static int compile(const fri_rules *rules, pcre2_code **out, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf pattern;
    fri_buf_init(&pattern, PATTERN_LIMIT);
    fri_buf_printf(&pattern, "%s(?:", rules->start);
    for (size_t i = 0; rules->patterns[i]; i++)
        fri_buf_printf(&pattern, "%s(?:%s)", i > 0 ? "|" : "", rules->patterns[i]);
    fri_buf_putc(&pattern, ')');
    int rc = fri_buf_check(&pattern, "a pattern of the " PURPOSE, err);
    return rc ? rc : fri_pattern_compile(fri_buf_str(&pattern), 0, PURPOSE, out, err);
}

int fri_classifier_new(fri_classifier **out, fr_error *err)
{
    fri_classifier *c = fri_calloc(1, sizeof(*c), err);
    int rc = c ? 0 : FR_ENOMEM;
    for (size_t i = 0; rc == 0 && i < FRI_RULE_SETS; i++)
        rc = compile(&fri_stderr_rules[i], &c->code[i], err);
    if (rc)
        fri_classifier_free(c);
    else
        *out = c;
    return rc;
}

void fri_classifier_free(fri_classifier *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < FRI_RULE_SETS; i++)
        pcre2_code_free(c->code[i]);
    fri_free(c);
}

typedef struct judge {
    const fri_classifier *c;
    fri_matcher matcher;
    const fri_rules *previous; /* the set that the line before matched; NULL: none */
} judge;

/* Whether the line belongs to the set: by a pattern, or because it goes with the line before. */
static int belongs(const judge *j, size_t set, fr_str line, int *matches, fr_error *err)
{
    size_t at;
    const fri_rules *rules = &fri_stderr_rules[set];
    *matches = fri_matcher_find(&j->matcher, j->c->code[set], line, 0, &at, err);
    if (*matches < 0)
        return *matches;
    int indented = *line.p == ' ' || *line.p == '\t';
    return *matches || (rules->followed && j->previous == rules && indented);
}

static int judge_line(judge *j, fr_str line, int *class, fr_error *err)
{
    int rc = 0, matches = 0;
    size_t set = 0;
    fr_error of_match = FR_ERROR_INIT;
    line.n = line.n < MAX_LINE ? line.n : MAX_LINE;
    while (set < FRI_RULE_SETS && (rc = belongs(j, set, line, &matches, &of_match)) == 0)
        set++;
    if (rc < 0 && rc != FR_ELIMIT)
        return fr_fail(err, rc, 0, "%s", of_match.text);
    *class = rc > 0 ? fri_stderr_rules[set].class : FR_STDERR_OTHER;
    j->previous = matches > 0 ? &fri_stderr_rules[set] : NULL;
    return 0;
}

static fr_str take_line(fr_str *text)
{
    const char *end = memchr(text->p, '\n', text->n);
    fr_str line = fri_str(text->p, end ? (size_t)(end - text->p) : text->n);
    size_t n = line.n + (end != NULL);
    *text = fri_str(text->p + n, text->n - n);
    return line;
}

static int is_blank(fr_str line)
{
    size_t i = 0;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
        i++;
    return i == line.n;
}

static void judge_disposep(judge *j)
{
    fri_matcher_dispose(&j->matcher);
}

int fri_classify(const fri_classifier *c, fr_str stderr_text, int *class, fr_error *err)
{
    FRI_AUTO(judge_disposep) judge j = {c, FRI_MATCHER_INIT, NULL};
    int worst = FR_STDERR_EMPTY, rc = fri_matcher_init(&j.matcher, PURPOSE, err);
    while (rc == 0 && stderr_text.n > 0 && worst < FR_STDERR_ERROR) {
        fr_str line = take_line(&stderr_text);
        int found = FR_STDERR_EMPTY;
        if (!is_blank(line))
            rc = judge_line(&j, line, &found, err);
        worst = found > worst ? found : worst;
    }
    if (rc == 0)
        *class = worst;
    return rc;
}
