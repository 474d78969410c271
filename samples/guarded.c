/* SPDX-License-Identifier: MIT */
/* The guard around an executor: what is run is recorded, what is on stderr is judged. */
#include <fencerun/fencerun.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int run(fr_executor *ex, const char *code, fr_error *err)
{
    fr_code_input input = FR_CODE_INPUT_INIT;
    fr_code_result *result = NULL;
    int rc;

    input.code = (fr_str){code, strlen(code)};
    rc = fr_executor_execute(ex, &input, &result, err);
    if (rc == 0)
        printf("record %" PRIu64 ": %s, stderr: %s\n", result->receipt->audit_sequence,
               fr_outcome_text(result->outcome), fr_stderr_text(result->stderr_class));
    fr_code_result_free(result);
    return rc;
}

static int verify(const char *path, fr_error *err)
{
    fr_audit_summary summary;
    int rc = fr_audit_verify(path, NULL, &summary, err);

    if (rc == 0 && summary.broken_line)
        rc = fr_fail(err, FR_EFORMAT, 0, "%s: %s", path, summary.broken);
    if (rc == 0)
        printf("%" PRIu64 " records hold\n", summary.records);
    return rc;
}

int main(int argc, char **argv)
{
    fr_guard_options options = FR_GUARD_OPTIONS_INIT;
    fr_executor *sandbox = NULL, *guard = NULL;
    fr_error err = FR_ERROR_INIT;
    int rc;

    options.audit_path = argc > 1 ? argv[1] : "audit.log";
    rc = fr_executor_open("sandbox", NULL, &sandbox, &err);
    if (rc == 0)
        rc = fr_executor_wrap("guard", &options, sandbox, &guard, &err);
    if (rc == 0)
        rc = run(guard, "import warnings\nwarnings.warn('old', DeprecationWarning)\n", &err);
    if (rc == 0)
        rc = run(guard, "print(revenue / orders)\n", &err);
    if (rc == 0)
        rc = verify(options.audit_path, &err);
    if (rc)
        fprintf(stderr, "guarded: %s\n", err.text);
    fr_executor_close(guard ? guard : sandbox); /* a guard closes what is in it */
    return rc ? 1 : 0;
}
