/* SPDX-License-Identifier: MIT */
/*
 * The first byte chooses options, the second delimiters, the rest is a reply: a byte 0x1e starts a new
 * part, of the kind that the byte behind it says. Whatever the reply, the invariants hold, the first
 * block does not depend on `all`, adjacent text parts are as good as one, and in ADK's mode the code is
 * what its regular expression would match if it were tried in the plainest way.
 */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fencerun/extract.h"
#include "fencerun/memory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/loop/invariants.h"

#define NEW_PART    0x1e
#define MAX_PLAINLY 4096

static const fr_delimiters choices[][2] = {
    {{"[py]", "[/py]"}, {"<code>", "</code>"}},
    {{"```tool_code\n", "\n```"}, {"```python\n", "\n```"}},
    {{"a", "b"}, {"ab", "a"}},
    {{"~~~", "`"}, {"<<ab", "b"}},
};

static void read_options(const uint8_t *data, fr_extract_options *options)
{
    static const char *const words[] = {"js", NULL};
    static fr_language languages[2];
    languages[0] = *fr_language_python();
    languages[1] = (fr_language){"javascript", words, 0};
    *options = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    options->all = data[0] & 1;
    options->run_unterminated = data[0] & 2;
    options->run_untagged = data[0] & 4;
    options->compat = data[0] & 8 ? FR_COMPAT_ADK : 0;
    options->languages = data[0] & 16 ? languages : NULL;
    options->language_count = data[0] & 16 ? 2 : 0;
    options->delimiters = choices[data[1] & 3];
    options->delimiter_count = (data[1] >> 2) % 3;
}

static fr_content *read_reply(const char *p, size_t n)
{
    fr_content *reply = NULL;
    FUZZ_CHECK(fr_content_new(&reply, NULL) == 0);
    FUZZ_CHECK(fr_content_set_role(reply, "model", NULL) == 0);
    int32_t kind = FR_PART_TEXT;
    uint32_t flags = 0;
    for (;;) {
        const char *mark = n > 0 ? memchr(p, NEW_PART, n) : NULL;
        size_t length = mark ? (size_t)(mark - p) : n;
        const char *label = kind == FR_PART_TEXT ? NULL : "js";
        FUZZ_CHECK(fr_content_add(reply, kind, flags, p, length, label, NULL) == 0);
        if (!mark || length + 1 == n)
            return reply;
        uint8_t choice = (uint8_t)mark[1];
        kind = 1 + choice % 7;
        flags = choice & 8 ? FR_PART_THOUGHT : 0;
        p += length + 2;
        n -= length + 2;
    }
}

static int is_at(fr_str text, size_t at, const char *word)
{
    size_t n = strlen(word);
    return n <= text.n - at && memcmp(text.p + at, word, n) == 0;
}

/* Whether a closing delimiter is at or behind `from`; *at gets the first. */
static int close_from(fr_str text, const fr_delimiters *pairs, size_t count, size_t from,
                      size_t *at)
{
    for (*at = from; *at < text.n; ++*at)
        for (size_t i = 0; i < count; i++)
            if (is_at(text, *at, pairs[i].close))
                return 1;
    return 0;
}

static int match_plainly(fr_str text, const fr_delimiters *pairs, size_t count, fr_str *code)
{
    for (size_t open = 0; open < text.n; open++)
        for (size_t i = 0; i < count; i++) {
            size_t from = open + strlen(pairs[i].open), close;
            if (is_at(text, open, pairs[i].open) && close_from(text, pairs, count, from, &close)) {
                *code = fri_str(text.p + from, close - from);
                return 1;
            }
        }
    return 0;
}

static int has_pending_code(const fr_content *reply)
{
    const fr_part *part, *next;
    for (size_t i = 0; (part = fr_content_part(reply, i)); i++) {
        next = fr_content_part(reply, i + 1);
        if (part->kind == FR_PART_EXECUTABLE_CODE &&
            !(next && next->kind == FR_PART_CODE_EXECUTION_RESULT))
            return 1;
    }
    return 0;
}

static void check_adk(const fr_content *reply, const fr_extract_options *options,
                      const fr_extraction *x)
{
    fr_str text = fr_extraction_text(x), code = {"", 0};
    if (has_pending_code(reply) || text.n > MAX_PLAINLY)
        return;
    size_t count = options->delimiter_count ? options->delimiter_count : 2;
    const fr_delimiters *pairs = options->delimiter_count ? options->delimiters : choices[1];
    int matched = match_plainly(text, pairs, count, &code);
    const fr_block *block = fr_extraction_block(x, 0);
    FUZZ_CHECK((block != NULL) == (matched && code.n > 0));
    FUZZ_CHECK(!block || fri_str_equal(block->code, code));
}

static char *to_json(const fr_extraction *x)
{
    char *json = NULL;
    FUZZ_CHECK(fr_extraction_json(x, &json, NULL) == 0);
    return json;
}

/* The same as one text, if the reply is nothing but text. */
static void check_joined(const fr_content *reply, const fr_extract_options *options,
                         const char *json)
{
    const fr_part *part;
    for (size_t i = 0; (part = fr_content_part(reply, i)); i++)
        if (part->kind != FR_PART_TEXT || part->flags)
            return;
    fri_buf text;
    fri_buf_init(&text, 1 << 24);
    for (size_t i = 0; (part = fr_content_part(reply, i)); i++)
        fri_buf_append(&text, part->data.p, part->data.n);
    fr_extraction *x = NULL;
    FUZZ_CHECK(fr_extract_text(text.p, text.n, options, &x, NULL) == 0);
    char *joined = to_json(x);
    FUZZ_CHECK(strcmp(json, joined) == 0);
    fr_free(joined);
    fr_extraction_free(x);
    fri_buf_dispose(&text);
}

static void check_all(const fr_content *reply, const fr_extract_options *options,
                      const fr_extraction *x)
{
    fr_extract_options other = *options;
    other.all = !options->all;
    fr_extraction *y = NULL;
    FUZZ_CHECK(fr_extract(reply, &other, &y, NULL) == 0);
    FUZZ_CHECK(broken_invariant(reply, &other, y) == NULL);
    const fr_block *a = fr_extraction_block(x, 0), *b = fr_extraction_block(y, 0);
    FUZZ_CHECK(!a == !b);
    FUZZ_CHECK(!a || (a->start == b->start && fri_str_equal(a->code, b->code)));
    FUZZ_CHECK(fr_extraction_unterminated(x) == fr_extraction_unterminated(y));
    fr_extraction_free(y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    fr_extract_options options;
    read_options(data, &options);
    fr_content *reply = read_reply((const char *)data + 2, size - 2);
    fr_extraction *x = NULL;
    FUZZ_CHECK(fr_extract(reply, &options, &x, NULL) == 0);
    const char *broken = broken_invariant(reply, &options, x);
    if (broken)
        fprintf(stderr, "%s\n", broken);
    FUZZ_CHECK(!broken);
    char *json = to_json(x);
    if (options.compat)
        check_adk(reply, &options, x);
    else
        check_joined(reply, &options, json);
    check_all(reply, &options, x);
    fr_free(json);
    fr_extraction_free(x);
    fr_content_free(reply);
    return 0;
}
