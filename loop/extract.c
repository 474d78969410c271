/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/limits.h"
#include "loop/content.h"
#include "loop/search.h"

static int check_languages(const fr_extract_options *options, fr_error *err)
{
    if (options->language_count == 0 || options->language_count > FRI_MAX_LANGUAGES)
        return fr_fail(err, FR_EINVAL, 0, "extract options: %zu languages; 1 to %d can be given",
                       options->language_count, FRI_MAX_LANGUAGES);
    for (size_t i = 0; i < options->language_count; i++)
        if (!options->languages[i].name || !options->languages[i].words)
            return fr_fail(err, FR_EINVAL, 0, "extract options: language %zu has no name or words",
                           i + 1);
    return 0;
}

static int is_delimiter(const char *s)
{
    return s && *s && strnlen(s, FRI_MAX_DELIMITER_LEN + 1) <= FRI_MAX_DELIMITER_LEN;
}

static int check_delimiters(const fr_extract_options *options, fr_error *err)
{
    if (options->delimiter_count > FRI_MAX_DELIMITERS ||
        (options->delimiter_count > 0 && !options->delimiters))
        return fr_fail(err, FR_EINVAL, 0,
                       "extract options: %zu pairs of delimiters; 0 to %d can be "
                       "given",
                       options->delimiter_count, FRI_MAX_DELIMITERS);
    for (size_t i = 0; i < options->delimiter_count; i++)
        if (!is_delimiter(options->delimiters[i].open) ||
            !is_delimiter(options->delimiters[i].close))
            return fr_fail(err, FR_EINVAL, 0,
                           "extract options: each delimiter of pair %zu must be "
                           "of 1 to %d bytes",
                           i + 1, FRI_MAX_DELIMITER_LEN);
    return 0;
}

/* Reads the caller's options, which may be those of an older or newer header, into ours. */
static int load_options(const fr_extract_options *given, fr_extract_options *options, fr_error *err)
{
    *options = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    if (given && given->struct_size < sizeof(given->struct_size))
        return fr_fail(err, FR_EINVAL, 0,
                       "extract options: struct_size is %zu; use "
                       "FR_EXTRACT_OPTIONS_INIT",
                       given->struct_size);
    if (given)
        memcpy(options, given,
               given->struct_size < sizeof(*options) ? given->struct_size : sizeof(*options));
    if (options->compat & ~FR_COMPAT_ADK)
        return fr_fail(err, FR_EINVAL, 0, "extract options: unknown bits in compat 0x%x",
                       (unsigned)options->compat);
    if (!options->languages && options->language_count == 0) {
        options->languages = fr_language_python();
        options->language_count = 1;
    }
    int rc = options->languages ? check_languages(options, err)
                                : fr_fail(err, FR_EINVAL, 0, "extract options: languages is NULL");
    return rc ? rc : check_delimiters(options, err);
}

static int run_search(fri_search *s, fr_error *err)
{
    int adk = s->options.compat & FR_COMPAT_ADK;
    int rc = adk ? fri_find_adk(s, err) : fri_find(s, err);
    if (rc)
        return rc;
    fr_extraction *x = s->x;
    const fr_block *first = fr_extraction_block(x, 0);
    if (first)
        fri_buf_append(&x->prefix, x->text.p, first->start);
    rc = fri_buf_check(&x->prefix, "the text before a code block", err);
    if (rc == 0)
        rc = fr_content_new(&x->content, err);
    if (rc)
        return rc;
    memcpy(x->content->role, s->content->role, sizeof(x->content->role));
    return adk ? fri_cut_adk(s, err) : fri_cut(s, err);
}

int fr_extract(const fr_content *content, const fr_extract_options *options, fr_extraction **out,
               fr_error *err)
{
    if (!content)
        return fr_fail(err, FR_EINVAL, 0, "extract: no content to search");
    fri_search s = {.content = content, .executable = FRI_NO_PART};
    int rc = load_options(options, &s.options, err);
    if (rc)
        return rc;
    FRI_AUTO(fri_extraction_freep) fr_extraction *x = NULL;
    rc = fri_extraction_new(&s.options, &x, err);
    if (rc)
        return rc;
    s.x = x;
    rc = run_search(&s, err);
    if (rc)
        return rc;
    *out = fri_steal(&x);
    return 0;
}

int fr_extract_text(const char *text, size_t n, const fr_extract_options *options,
                    fr_extraction **out, fr_error *err)
{
    if (!text && n > 0)
        return fr_fail(err, FR_EINVAL, 0, "extract: %zu bytes of text at NULL", n);
    fr_part part = {FR_PART_TEXT, 0, {text, n}, {"", 0}};
    fr_content content = {.parts = &part, .count = 1, .room = 1, .bytes = n};
    return fr_extract(&content, options, out, err);
}
