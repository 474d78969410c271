/* SPDX-License-Identifier: MIT */
/* An executor of our own. Its language, "sum", is a column of whole numbers; to run it is to add
 * them up. */
#include <fencerun/fencerun.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A line that is no number is the code's failure: an exit code and words on stderr. `err` is for what
 * would keep us from running any code. */
static int sum_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    fr_str rest = fr_call_input(call)->code;
    fr_error wrong = FR_ERROR_INIT;
    int64_t number = 0, sum = 0;
    char text[32];
    int rc = 0;

    (void)self;
    while (rest.n > 0) {
        const char *stop = memchr(rest.p, '\n', rest.n);
        size_t n = stop ? (size_t)(stop - rest.p) : rest.n;
        snprintf(text, sizeof(text), n < 20 ? "%.*s" : "%.*s...", n < 20 ? (int)n : 20, rest.p);
        if (fr_parse_integer(text, -1000000000, 1000000000, &number, &wrong)) {
            rc = fr_result_write(call, FR_STDERR, wrong.text, strlen(wrong.text), err);
            fr_result_exited(call, 1);
            return rc < 0 ? rc : 0;
        }
        sum += number;
        rest = (fr_str){rest.p + n + (stop != NULL), rest.n - n - (stop != NULL)};
    }
    snprintf(text, sizeof(text), "%" PRId64, sum);
    rc = fr_result_write(call, FR_STDOUT, text, strlen(text), err);
    fr_result_exited(call, 0);
    return rc < 0 ? rc : 0;
}

static const char *const words[] = {"sum", "sums", NULL};
static const fr_language sum_language = {"sum", words, 0};
static const fr_executor_class sum_class = {
    .struct_size = sizeof(fr_executor_class),
    .abi = FR_EXECUTOR_ABI,
    .name = "sum",
    .summary = "adds up a column of whole numbers",
    .languages = &sum_language,
    .language_count = 1,
    .execute = sum_execute,
};

/* From here on nothing knows which executor it is. */
static int run_reply(fr_executor *ex, const char *reply, fr_error *err)
{
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    fr_code_input input = FR_CODE_INPUT_INIT;
    fr_extraction *found = NULL;
    fr_code_result *result = NULL;
    int rc = 0;

    options.languages = fr_executor_languages(ex, &options.language_count);
    rc = fr_extract_text(reply, strlen(reply), &options, &found, err);
    if (rc == 0 && fr_extraction_block(found, 0)) {
        input.code = fr_extraction_block(found, 0)->code;
        input.language = fr_extraction_block(found, 0)->language.p;
        rc = fr_executor_execute(ex, &input, &result, err);
    }
    if (rc == 0 && result)
        printf("%s: %s%s\n", fr_outcome_text(result->outcome), result->out.p, result->err.p);
    fr_code_result_free(result);
    fr_extraction_free(found);
    return rc;
}

int main(void)
{
    fr_error err = FR_ERROR_INIT;
    fr_executor *ex = NULL;
    int rc = fr_executor_register(&sum_class, &err);

    if (rc == 0)
        rc = fr_executor_open("sum", NULL, &ex, &err);
    if (rc == 0)
        rc = run_reply(ex, "Rent, food and the refund:\n\n```sum\n1200\n340\n-85\n```\n", &err);
    if (rc == 0)
        rc = run_reply(ex, "```sum\n1200\ntwelve\n```\n", &err);
    if (rc)
        fprintf(stderr, "custom_executor: %s\n", err.text);
    fr_executor_close(ex);
    return rc ? 1 : 0;
}
