/* SPDX-License-Identifier: MIT */
/* How a model is told to write code, from what the executor can do. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "fencerun/postprocess.h"
#include "loop/quote.h"

/* A block as the executor's delimiters or, where these are fences, its language have it. */
static void put_example(fri_buf *out, const fr_language *language, const fr_executor_options *a,
                        uint32_t compat)
{
    const char *code = language->flags & FR_LANGUAGE_TRIPLE_QUOTES ? "print(6 * 7)" : "...";
    const fr_delimiters *pair = a->code_block_delimiters;
    if (a->code_block_delimiter_count > 0 && (compat || !fri_is_fence(pair->open)))
        fri_buf_printf(out, "%s%s%s\n", pair->open, code, pair->close);
    else
        fri_put_fenced(out, fri_cstr(language->name), fri_cstr(code));
}

static void put_limits(fri_buf *out, const fr_executor *ex)
{
    const fr_executor_options *a = fr_executor_get_options(ex);
    int64_t seconds = a->timeout_ms / 1000, rest = a->timeout_ms % 1000;
    fri_buf_printf(out, "- The code may take %" PRId64, seconds);
    if (rest > 0)
        fri_buf_printf(out, ".%03d", (int)rest);
    fri_buf_puts(out, " seconds");
    if (fr_executor_flags(ex) & FR_EXECUTOR_LIMITS)
        fri_buf_printf(out, " and %" PRIu64 " MiB of memory", a->memory_bytes / FRI_MIB);
    fri_buf_puts(out, ". It cannot ask for input");
    fri_buf_puts(out, a->network ? ".\n" : ", and it has no network.\n");
}

static void put_persistence(fri_buf *out, const fr_executor *ex)
{
    if (fr_executor_get_options(ex)->stateful)
        fri_buf_puts(out, "- Variables stay from one block to the next.\n");
    else
        fri_buf_puts(out, "- Each block runs alone: nothing of earlier ones is there any more.\n");
    if (fr_executor_flags(ex) & FR_EXECUTOR_FILES)
        fri_buf_puts(out, "- Files it writes into the working directory are listed to you; the "
                          "next block does not find them.\n");
    else
        fri_buf_puts(out, "- Files it writes are gone when it ends.\n");
}

static void put_rules(fri_buf *out, const fr_language *language, const fr_executor *ex)
{
    int attempts = fr_executor_get_options(ex)->error_retry_attempts;
    fri_buf_puts(out,
                 "\n"
                 "- Write one block, then stop: only the first of a message is run, and what you "
                 "write behind it is dropped. You are then told what it printed.\n");
    fri_buf_puts(out, language->flags & FR_LANGUAGE_TRIPLE_QUOTES
                          ? "- Print every result you need. Only what is printed comes back; the "
                            "value of an expression on the last line is lost.\n"
                          : "- Only what is printed comes back.\n");
    put_persistence(out, ex);
    put_limits(out, ex);
    if (attempts > 0)
        fri_buf_printf(out, "- After %d failure%s in a row no more code is run.\n", attempts,
                       attempts == 1 ? "" : "s");
    fri_buf_puts(out, "- Never state a computed number that the code did not print.\n");
}

int fr_instruction(const fr_executor *ex, uint32_t compat, char **text, fr_error *err)
{
    fri_buf out;
    size_t count;
    const fr_executor_options *a = fr_executor_get_options(ex);
    const fr_language *language = fr_executor_languages(ex, &count);
    fri_buf_init(&out, FRI_MAX_INSTRUCTION_BYTES);
    if (a->error_retry_attempts != FR_NO_ATTEMPTS) {
        fri_buf_printf(&out, "You can have %s code run by writing it like this:\n\n",
                       language->name);
        put_example(&out, language, a, compat);
        put_rules(&out, language, ex);
    }
    int rc = fri_buf_check(&out, "an instruction", err);
    char *made = rc ? NULL : fri_buf_steal(&out, err);
    fri_buf_dispose(&out);
    if (!made)
        return rc ? rc : FR_ENOMEM;
    *text = made;
    return 0;
}
