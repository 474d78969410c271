/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int cli_open_executor(const char *spec, fr_executor_options *options, fr_executor **out,
                      fr_error *err)
{
    char name[40];
    const char *colon = strchr(spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : strlen(spec);
    if (n >= sizeof(name))
        return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%.60s'", spec);
    memcpy(name, spec, n);
    name[n] = '\0';
    fr_scripted_options scripted = FR_SCRIPTED_OPTIONS_INIT;
    fr_sandbox_options sandbox = FR_SANDBOX_OPTIONS_INIT;
    if (colon && strcmp(name, "scripted") == 0) {
        scripted.path = colon + 1;
        options->config = &scripted;
    } else if (strcmp(name, "sandbox") == 0) {
        sandbox.root = colon ? colon + 1 : NULL;
        sandbox.no_wait = 1; /* it makes itself ready while the code is looked for */
        options->config = &sandbox;
    } else if (colon) {
        return fr_fail(err, FR_EINVAL, 0, "executor %s takes nothing behind ':'", name);
    }
    int rc = fr_executor_open(name, options, out, err);
    if (rc != FR_ENOTFOUND || colon)
        return rc;
    char known[256] = "";
    const fr_executor_class *cls;
    for (size_t i = 0, at = 0; (cls = fr_executor_class_at(i)) && at < sizeof(known); i++)
        at += (size_t)snprintf(known + at, sizeof(known) - at, " %s", cls->name);
    return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%s', but:%s", name, known);
}

/* What a signal handler can reach. */
static fr_cancel *cancel;
static volatile sig_atomic_t caught_signal;

static void on_signal(int sig)
{
    caught_signal = sig;
    fr_cancel_raise(cancel);
}

int cli_execute(fr_executor *ex, fr_code_input *input, fr_code_result **out, int *caught,
                fr_error *err)
{
    static const int signals[] = {SIGINT, SIGTERM};
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before[2];
    int rc = fr_cancel_new(&cancel, err);
    if (rc)
        return rc;
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &action, &before[i]);
    input->cancel = cancel;
    rc = fr_executor_execute(ex, input, out, err);
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &before[i], NULL);
    *caught = caught_signal;
    fr_cancel_free(cancel);
    return rc;
}
