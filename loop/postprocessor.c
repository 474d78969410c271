/* SPDX-License-Identifier: MIT */
/* Making a post-processor: its options, and what it takes over from the executor. */
#include "loop/postprocessor.h"

#include <string.h>

#include "base/mem.h"
#include "base/sized.h"
#include "base/str.h"
#include "loop/language.h"
#include "loop/quote.h"

#define DEFAULT_MAX_RUNS 20

static int check(const fr_postprocessor_options *o, fr_error *err)
{
    if (o->compat & ~FR_COMPAT_ADK)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: unknown bits in compat 0x%x", o->compat);
    if (o->budget_rule < 0 || o->budget_rule > FR_BUDGET_ADK)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: there is no budget rule %d",
                       o->budget_rule);
    if (o->when_used_up < 0 || o->when_used_up > FR_USED_UP_FAIL)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: when_used_up cannot be %d",
                       o->when_used_up);
    if (o->max_runs < FR_NO_MAXIMUM)
        return fr_fail(err, FR_EINVAL, 0, "post-processor: max_runs is %d", o->max_runs);
    return 0;
}

static void fill_defaults(fr_postprocessor_options *o)
{
    int adk = (o->compat & FR_COMPAT_ADK) != 0;
    if (o->budget_rule == 0)
        o->budget_rule = adk ? FR_BUDGET_ADK : FR_BUDGET_CLASSIFIED;
    if (o->when_used_up == 0)
        o->when_used_up = adk ? FR_USED_UP_PASSTHROUGH : FR_USED_UP_FINAL_TURN;
    if (o->max_runs == 0)
        o->max_runs = adk ? FR_NO_MAXIMUM : DEFAULT_MAX_RUNS;
}

/* The executor's delimiters that the search does not know by itself: by its own rules it finds fences. */
static int choose_delimiters(fr_postprocessor *p, const fr_executor_options *attributes,
                             fr_error *err)
{
    size_t n = attributes->code_block_delimiter_count;
    p->delimiters = fri_calloc(n > 0 ? n : 1, sizeof(*p->delimiters), err);
    if (!p->delimiters)
        return FR_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (p->options.compat || !fri_is_fence(attributes->code_block_delimiters[i].open))
            p->delimiters[p->extract.delimiter_count++] = attributes->code_block_delimiters[i];
    p->extract.delimiters = p->delimiters;
    return 0;
}

/* ---- languages ---- */

/* A copy of the executor's table, in which the first language can be given more words. */
static int copy_languages(fr_postprocessor *p, size_t more, fr_error *err)
{
    size_t count, words = 0;
    const fr_language *table = fr_executor_languages(p->ex, &count);
    while (table[0].words[words])
        words++;
    p->languages = fri_calloc(count, sizeof(*p->languages), err);
    p->words = p->languages ? fri_calloc(words + more + 1, sizeof(*p->words), err) : NULL;
    p->own_words = p->words ? fri_calloc(more + 1, sizeof(*p->own_words), err) : NULL;
    if (!p->own_words)
        return FR_ENOMEM;
    memcpy(p->languages, table, count * sizeof(*table));
    memcpy(p->words, table[0].words, words * sizeof(*p->words));
    p->languages[0].words = p->words;
    p->extract.languages = p->languages;
    p->extract.language_count = count;
    return 0;
}

static int add_word(fr_postprocessor *p, fr_str word, fr_error *err)
{
    size_t words = 0, own = 0;
    if (fri_language_find(p->languages, p->extract.language_count, word))
        return 0;
    while (p->words[words])
        words++;
    while (p->own_words[own])
        own++;
    p->own_words[own] = fri_memdup(word.p, word.n, err);
    p->words[words] = p->own_words[own];
    return p->own_words[own] ? 0 : FR_ENOMEM;
}

/* Fences among the executor's delimiters: what stands behind the backticks is one more word for its first
 * language; nothing there means that a block need not be tagged. */
static int choose_languages(fr_postprocessor *p, const fr_executor_options *attributes,
                            fr_error *err)
{
    size_t n = attributes->code_block_delimiter_count;
    int rc = copy_languages(p, n, err);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const char *open = attributes->code_block_delimiters[i].open;
        if (!fri_is_fence(open))
            continue;
        const char *info = open + strspn(open, "`");
        size_t word = strcspn(info, " \t\r\n");
        if (word == 0)
            p->extract.run_untagged = 1;
        else
            rc = add_word(p, fri_str(info, word), err);
    }
    if (!p->options.all_languages)
        p->extract.language_count = 1;
    return rc;
}

static int prepare(fr_postprocessor *p, fr_error *err)
{
    const fr_executor_options *attributes = fr_executor_get_options(p->ex);
    p->budget = (fri_budget){p->options.budget_rule, p->options.when_used_up,
                             attributes->error_retry_attempts, p->options.max_runs};
    if (p->budget.attempts == FR_NO_ATTEMPTS)
        p->budget.attempts = 0;
    p->extract = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    p->extract.compat = p->options.compat;
    p->extract.run_untagged = p->options.run_untagged;
    p->extract.run_unterminated = p->options.run_unterminated;
    int rc = choose_languages(p, attributes, err);
    return rc ? rc : choose_delimiters(p, attributes, err);
}

int fr_postprocessor_new(fr_executor *ex, const fr_postprocessor_options *options,
                         fr_postprocessor **out, fr_error *err)
{
    fr_postprocessor_options read;
    int rc = fri_read_sized(&read, sizeof(read), options, "fr_postprocessor_options", err);
    if (rc == 0)
        rc = check(&read, err);
    if (rc)
        return rc;
    fr_postprocessor *p = fri_calloc(1, sizeof(*p), err);
    if (!p)
        return FR_ENOMEM;
    fill_defaults(&read);
    p->ex = ex;
    p->options = read;
    rc = ex ? prepare(p, err) : 0;
    if (rc) {
        fr_postprocessor_free(p);
        return rc;
    }
    *out = p;
    return 0;
}

void fr_postprocessor_free(fr_postprocessor *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->own_words && p->own_words[i]; i++)
        fri_free(p->own_words[i]);
    fri_free(p->own_words);
    fri_free(p->words);
    fri_free(p->languages);
    fri_free(p->delimiters);
    fri_free(p);
}
