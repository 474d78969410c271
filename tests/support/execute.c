/* SPDX-License-Identifier: MIT */
#include "tests/support/execute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "fencerun/memory.h"

fr_executor *open_executor(const char *name, const fr_executor_options *options)
{
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_executor_open(name, options, &ex, &err))
        fail_msg("%s", err.text);
    return ex;
}

fr_code_result *execute(fr_executor *ex, const char *code)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_cstr(code);
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_executor_execute(ex, &in, &r, &err))
        fail_msg("%s", err.text);
    return r;
}

char *output_of(fr_executor *ex, const char *code)
{
    fr_code_result *r = execute(ex, code);
    if (r->outcome != FR_OUTCOME_OK)
        fail_msg("%s, %s, exit code %d, stderr: %s", fr_outcome_text(r->outcome), r->reason,
                 r->exit_code, r->err.p);
    char *out = strdup(r->out.p);
    if (!out)
        abort();
    fr_code_result_free(r);
    return out;
}

void expect_output(fr_executor *ex, const char *code, const char *out)
{
    char *got = output_of(ex, code);
    assert_string_equal(got, out);
    free(got);
}

const fr_limit *find_limit(const fr_code_result *r, const char *name)
{
    for (size_t i = 0; i < r->receipt->limit_count; i++)
        if (strcmp(r->receipt->limits[i].name, name) == 0)
            return &r->receipt->limits[i];
    return NULL;
}

/* Runs code and puts the result in JSON; closes the executor. */
static int use(fr_executor *ex, const char *code, fr_error *err)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    char *json = NULL;
    in.code = fri_cstr(code);
    int rc = fr_executor_execute(ex, &in, &r, err);
    if (rc == 0)
        rc = fr_code_result_json(r, &json, err);
    fr_free(json);
    fr_code_result_free(r);
    fr_executor_close(ex);
    return rc;
}

int use_executor(const char *name, const fr_executor_options *options, const char *code,
                 fr_error *err)
{
    fr_executor *ex = NULL;
    int rc = fr_executor_open(name, options, &ex, err);
    return rc ? rc : use(ex, code, err);
}

int use_wrapped(const char *wrapper, const char *name, const fr_executor_options *options,
                const char *code, fr_error *err)
{
    fr_executor *inner = NULL, *ex = NULL;
    int rc = fr_executor_open(name, options, &inner, err);
    if (rc)
        return rc;
    rc = fr_executor_wrap(wrapper, NULL, inner, &ex, err);
    if (rc == 0)
        return use(ex, code, err);
    fr_executor_close(inner);
    return rc;
}
