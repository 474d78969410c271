/* SPDX-License-Identifier: MIT */
#include "tests/loop/reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "fencerun/scripted.h"

fr_content *text_content(const char *text)
{
    fr_content *c = NULL;
    assert_int_equal(fr_content_new(&c, NULL), 0);
    assert_int_equal(fr_content_set_role(c, "model", NULL), 0);
    assert_int_equal(fr_content_add(c, FR_PART_TEXT, 0, text, strlen(text), NULL, NULL), 0);
    return c;
}

fr_content *parts_content(const char *parts)
{
    char *json = NULL;
    fr_content *c = NULL;
    fr_error err = FR_ERROR_INIT;
    if (asprintf(&json, "{\"role\":\"model\",\"parts\":%s}", parts) < 0)
        abort();
    if (fr_content_parse(json, strlen(json), &c, &err))
        fail_msg("%s: %s", json, err.text);
    free(json);
    return c;
}

fr_executor *scripted_results(const char *results, int attempts)
{
    char *json = NULL;
    fr_scripted_options script = FR_SCRIPTED_OPTIONS_INIT;
    fr_executor_options options = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    if (asprintf(&json, "{\"results\":%s}", results) < 0)
        abort();
    script.json = fri_cstr(json);
    options.config = &script;
    options.error_retry_attempts = attempts;
    if (fr_executor_open("scripted", &options, &ex, &err))
        fail_msg("%s: %s", json, err.text);
    free(json);
    return ex;
}

fr_turn *postprocess(fr_postprocessor *p, const fr_content *reply, const char *invocation,
                     fr_state *state)
{
    fr_invocation whose = FR_INVOCATION_INIT;
    fr_turn_input in = FR_TURN_INPUT_INIT;
    fr_turn *turn = NULL;
    fr_error err = FR_ERROR_INIT;
    whose.id = invocation;
    whose.agent = "agent";
    in.reply = reply;
    in.invocation = &whose;
    if (fr_postprocess(p, &in, state, &turn, &err))
        fail_msg("%s", err.text);
    return turn;
}

fr_state *state_of(const char *json)
{
    fr_state *s = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_state_parse(json, strlen(json), &s, &err))
        fail_msg("%s: %s", json, err.text);
    return s;
}
