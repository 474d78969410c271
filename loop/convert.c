/* SPDX-License-Identifier: MIT */
/* Code and its results as text for a model. */
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"
#include "fencerun/postprocess.h"
#include "loop/content.h"
#include "loop/quote.h"

static int is_code(const fr_part *part)
{
    return part->kind == FR_PART_EXECUTABLE_CODE;
}

static int is_result(const fr_part *part)
{
    return part->kind == FR_PART_CODE_EXECUTION_RESULT;
}

static const fr_part *last_part(const fr_content *content)
{
    size_t n = fr_content_count(content);
    return n > 0 ? fr_content_part(content, n - 1) : NULL;
}

/* ADK's text of a part: between delimiters, whatever is in it. */
static void put_literal(fri_buf *out, const fr_part *part, const fr_executor_options *a)
{
    const fr_delimiters none = {"", ""};
    const fr_delimiters *code =
        a->code_block_delimiter_count > 0 ? a->code_block_delimiters : &none;
    const fr_delimiters *pair = is_code(part) ? code : &a->execution_result_delimiters;
    fri_buf_puts(out, pair->open);
    fri_buf_append(out, part->data.p, part->data.n);
    fri_buf_puts(out, pair->close);
}

/* Labels are ADK's: PYTHON. What no language's name has in it would not stay in the info string. */
static void put_code(fri_buf *out, const fr_part *part, const fr_executor_options *a)
{
    char word[32];
    size_t n = 0;
    if (a->code_block_delimiter_count > 0 && !fri_is_fence(a->code_block_delimiters[0].open)) {
        put_literal(out, part, a);
        return;
    }
    for (; n < part->label.n && n < sizeof(word); n++) {
        char c = part->label.p[n];
        if (!fri_is_alnum(c) && !memchr("_+#-", c, 4))
            break;
        word[n] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    fri_put_fenced(out, fri_str(word, n), part->data);
}

static void put_result(fri_buf *out, const fr_part *part, const fr_executor_options *a)
{
    const fr_delimiters *pair = &a->execution_result_delimiters;
    if (!fri_is_fence(pair->open)) {
        fri_put_quoted(out, pair, a, part->data);
        return;
    }
    const char *info = pair->open + strspn(pair->open, "`");
    fri_put_fenced(out, fri_str(info, strcspn(info, "\n")), part->data);
}

/* Whether ADK turns this part into text: code that comes last, a result that is alone. */
static int adk_converts(const fr_content *content, const fr_part *part)
{
    return (is_code(part) && part == last_part(content)) ||
           (is_result(part) && fr_content_count(content) == 1);
}

static int add_part(const fr_content *content, const fr_part *part, const fr_executor_options *a,
                    uint32_t compat, fr_content *out, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    int adk = (compat & FR_COMPAT_ADK) != 0;
    if (adk ? !adk_converts(content, part) : !is_code(part) && !is_result(part))
        return fri_content_copy(out, part, err);
    const fr_part *before = last_part(out);
    if (adk)
        put_literal(&text, part, a);
    else if (before && before->kind == FR_PART_TEXT && before->data.n > 0 &&
             before->data.p[before->data.n - 1] != '\n')
        fri_buf_putc(&text, '\n'); /* a fence begins on a line of its own */
    if (!adk)
        (is_code(part) ? put_code : put_result)(&text, part, a);
    int rc = fri_buf_check(&text, "code and results as text", err);
    return rc ? rc
              : fr_content_add(out, FR_PART_TEXT, adk ? 0 : part->flags, text.p, text.n, NULL, err);
}

/* Where there is no executor any more, a conversation may still hold what one did. */
static const fr_delimiters adk_code = {"```tool_code\n", "\n```"};
static const fr_executor_options adk = {
    .code_block_delimiters = &adk_code,
    .code_block_delimiter_count = 1,
    .execution_result_delimiters = {"```tool_output\n", "\n```"}};

int fr_convert_code_execution_parts(const fr_content *content,
                                    const fr_executor_options *attributes, uint32_t compat,
                                    fr_content **out, fr_error *err)
{
    FRI_AUTO(fri_content_freep) fr_content *converted = NULL;
    const fr_part *part;
    const char *role = fr_content_role(content);
    if (fr_content_count(content) == 1 && is_result(fr_content_part(content, 0)))
        role = "user";
    int rc = fr_content_new(&converted, err);
    if (rc == 0 && role[0])
        rc = fr_content_set_role(converted, role, err);
    for (size_t i = 0; rc == 0 && (part = fr_content_part(content, i)); i++)
        rc = add_part(content, part, attributes ? attributes : &adk, compat, converted, err);
    if (rc)
        return rc;
    *out = fri_steal(&converted);
    return 0;
}
