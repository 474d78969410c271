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

static int begins_with(fr_str text, const char *delimiter)
{
    size_t n = strlen(delimiter);
    return n <= text.n && memcmp(text.p, delimiter, n) == 0;
}

static int is_delimiter(const fr_executor_options *a, fr_str text)
{
    if (begins_with(text, a->execution_result_delimiters.open) ||
        begins_with(text, a->execution_result_delimiters.close))
        return 1;
    for (size_t i = 0; i < a->code_block_delimiter_count; i++)
        if (begins_with(text, a->code_block_delimiters[i].open) ||
            begins_with(text, a->code_block_delimiters[i].close))
            return 1;
    return 0;
}

void fri_put_quoted(fri_buf *out, const fr_delimiters *pair, const fr_executor_options *attributes,
                    fr_str text)
{
    fri_buf_puts(out, pair->open);
    for (size_t i = 0; i < text.n; i++) {
        fri_buf_putc(out, text.p[i]);
        if (is_delimiter(attributes, fri_str(text.p + i, text.n - i)))
            fri_buf_putc(out, '\\');
    }
    fri_buf_puts(out, pair->close);
}
