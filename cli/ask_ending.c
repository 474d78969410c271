/* SPDX-License-Identifier: MIT */
/* How a question ended, for people. */
#include "cli/cli.h"

static const char *meaning(int status)
{
    switch (status) {
    case FR_ANSWER_BUDGET_EXHAUSTED:
        return " (the answer is code that was not run any more)";
    case FR_ANSWER_FAILED:
        return " (the code failed as often as it may, and there is no answer)";
    case FR_ANSWER_MODEL_CALLS:
        return " (no answer within --max-model-calls)";
    case FR_ANSWER_TRUNCATED:
        return " (the answer was cut off, or it ends inside a block)";
    case FR_ANSWER_EMPTY:
        return " (the model said nothing)";
    case FR_ANSWER_WITHHELD:
        return " (by the filter of the model's provider)";
    default:
        return "";
    }
}

/* Code in the answer that was not run because of what it is, or how it is marked. */
static void say_passed_over(const fr_answer *a, const fr_extract_options *extract,
                            const fr_executor *ex, int all_languages)
{
    fr_extraction *x = NULL;
    size_t count;
    fr_extract_options o = *extract;
    o.languages = fr_executor_languages(ex, &count);
    o.language_count = all_languages ? count : 1;
    if (fr_extract_text(a->text.p, a->text.n, &o, &x, NULL) == 0)
        cli_say_skipped("ask", x, extract, ex, "--all-languages");
    fr_extraction_free(x);
}

void cli_say_ending(const fr_answer *a, const fr_extract_options *extract, const fr_executor *ex,
                    int all_languages)
{
    if (extract)
        say_passed_over(a, extract, ex, all_languages);
    cli_say("%s%s: %d model call%s, %d run%s", fr_answer_status_text(a->status), meaning(a->status),
            a->model_calls, a->model_calls == 1 ? "" : "s", a->runs, a->runs == 1 ? "" : "s");
}
