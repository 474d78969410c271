/* SPDX-License-Identifier: MIT */
#include "loop/quote.h"

#include <string.h>

#include "base/str.h"

static size_t longest_backticks(fr_str text)
{
    size_t longest = 0, here = 0;
    for (size_t i = 0; i < text.n; i++) {
        here = text.p[i] == '`' ? here + 1 : 0;
        longest = here > longest ? here : longest;
    }
    return longest;
}

static void end_line(fri_buf *out)
{
    if (out->n > 0 && out->p[out->n - 1] != '\n')
        fri_buf_putc(out, '\n');
}

int fri_is_fence(const char *open)
{
    return strncmp(open, "```", 3) == 0;
}

void fri_put_fenced(fri_buf *out, fr_str info, fr_str text)
{
    size_t ticks = longest_backticks(text) + 1;
    ticks = ticks < 3 ? 3 : ticks;
    end_line(out);
    for (size_t i = 0; i < ticks; i++)
        fri_buf_putc(out, '`');
    fri_buf_append(out, info.p, info.n);
    fri_buf_putc(out, '\n');
    fri_buf_append(out, text.p, text.n);
    end_line(out);
    for (size_t i = 0; i < ticks; i++)
        fri_buf_putc(out, '`');
    fri_buf_putc(out, '\n');
}

/* Calls fn for each delimiter of the executor until it returns something else than 0, and returns that. */
static size_t each_delimiter(const fr_executor_options *a, size_t (*fn)(const char *d, fr_str text),
                             fr_str text)
{
    size_t found = fn(a->execution_result_delimiters.open, text);
    if (!found)
        found = fn(a->execution_result_delimiters.close, text);
    for (size_t i = 0; !found && i < a->code_block_delimiter_count; i++) {
        found = fn(a->code_block_delimiters[i].open, text);
        if (!found)
            found = fn(a->code_block_delimiters[i].close, text);
    }
    return found;
}

/* Its length when the text begins with it. */
static size_t length_at(const char *delimiter, fr_str text)
{
    size_t n = strlen(delimiter);
    return n <= text.n && memcmp(text.p, delimiter, n) == 0 ? n : 0;
}

static size_t has_byte(const char *delimiter, fr_str byte)
{
    return strchr(delimiter, byte.p[0]) != NULL;
}

/* What takes a delimiter apart must be no part of one: it could make another. */
static char choose_separator(const fr_executor_options *a)
{
    static const char candidates[] = "\\|^~_ ";
    for (const char *c = candidates; *c; c++)
        if (!each_delimiter(a, has_byte, fri_str(c, 1)))
            return *c;
    return '\\';
}

static size_t character_length(fr_str text)
{
    size_t n = 1;
    while (n < text.n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
        n++;
    return n;
}

void fri_put_quoted(fri_buf *out, const fr_delimiters *pair, const fr_executor_options *attributes,
                    fr_str text)
{
    const char separator = choose_separator(attributes);
    fri_buf_puts(out, pair->open);
    for (size_t i = 0, n; i < text.n; i += n) {
        fr_str rest = fri_str(text.p + i, text.n - i);
        size_t delimiter = each_delimiter(attributes, length_at, rest);
        n = character_length(rest);
        /* One of a single character cannot be taken apart: it goes. */
        if (delimiter == 0 || delimiter > n)
            fri_buf_append(out, rest.p, n);
        if (delimiter > 0)
            fri_buf_putc(out, separator);
    }
    fri_buf_puts(out, pair->close);
}
