/* SPDX-License-Identifier: MIT */
/* Runs the first runnable block of a model's reply in the sandbox: run_reply FILE */
#include <fencerun/fencerun.h>
#include <stdio.h>

static char reply[1024 * 1024];

static int run(const fr_block *block, fr_error *err)
{
    fr_executor_options options = FR_EXECUTOR_OPTIONS_INIT;
    fr_code_input input = FR_CODE_INPUT_INIT;
    fr_executor *sandbox = NULL;
    fr_code_result *result = NULL;

    options.timeout_ms = 10000;
    input.code = block->code;
    input.language = block->language.p;
    int rc = fr_executor_open("sandbox", &options, &sandbox, err);
    if (rc == 0)
        rc = fr_executor_execute(sandbox, &input, &result, err);
    if (rc == 0) {
        printf("%s, exit code %d%s%s\n", fr_outcome_text(result->outcome), result->exit_code,
               result->reason[0] ? ": " : "", result->reason);
        printf("--- stdout\n%s--- stderr\n%s", result->out.p, result->err.p);
    }
    fr_code_result_free(result);
    fr_executor_close(sandbox);
    return rc;
}

int main(int argc, char **argv)
{
    fr_error err = FR_ERROR_INIT;
    fr_extraction *found = NULL;
    FILE *file = argc == 2 ? fopen(argv[1], "rbe") : NULL;

    if (!file) {
        fputs("usage: run_reply FILE\n", stderr);
        return 2;
    }
    size_t n = fread(reply, 1, sizeof(reply), file);
    fclose(file);
    if (n == sizeof(reply)) {
        fputs("run_reply: the reply is too long\n", stderr);
        return 2;
    }

    int rc = fr_extract_text(reply, n, NULL, &found, &err);
    if (rc == 0 && fr_extraction_block(found, 0))
        rc = run(fr_extraction_block(found, 0), &err);
    else if (rc == 0)
        puts("nothing to run");
    if (rc)
        fprintf(stderr, "run_reply: %s\n", err.text);
    fr_extraction_free(found);
    return rc ? 1 : 0;
}
