/* SPDX-License-Identifier: MIT */
/* An executor of our own. Its language, "sum", is a column of whole numbers; to run it is to add
 * them up. */
#include <fencerun/fencerun.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reads the number on the line at *p and moves on to the next line. */
static int next_number(const char **p, const char *end, int64_t *number, fr_error *err)
{
    const char *stop = memchr(*p, '\n', (size_t)(end - *p));
    char line[32];

    if (!stop)
        stop = end;
    snprintf(line, sizeof(line), "%.*s", stop - *p < 32 ? (int)(stop - *p) : 32, *p);
    *p = stop < end ? stop + 1 : end;
    return fr_parse_integer(line, -1000000000, 1000000000, number, err);
}

/* Describes the end of the run, exactly once. */
static int finish(fr_call *call, int exit_code, int stream, const char *text, fr_error *err)
{
    int rc = fr_result_write(call, stream, text, strlen(text), err);

    if (rc < 0)
        return rc;
    if (rc == 0)
        fr_result_exited(call, exit_code);
    else
        fr_result_stopped(call, FR_OUTCOME_OUTPUT_LIMIT, "the sum is too long");
    return 0;
}

/* A line that is no number is the code's failure: an exit code and words on stderr. `err` is for what
 * would keep us from running any code. */
static int sum_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    const fr_str code = fr_call_input(call)->code;
    const char *p = code.p;
    fr_error wrong = FR_ERROR_INIT;
    int64_t number = 0;
    int64_t sum = 0;
    char text[32];

    (void)self;
    while (p < code.p + code.n) {
        if (next_number(&p, code.p + code.n, &number, &wrong))
            return finish(call, 1, FR_STDERR, wrong.text, err);
        sum += number;
    }
    snprintf(text, sizeof(text), "%" PRId64, sum);
    return finish(call, 0, FR_STDOUT, text, err);
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
