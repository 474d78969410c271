/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int read_pids(const char *text, fr_executor_options *o, fr_error *err)
{
    int64_t n;
    int rc = fr_parse_integer(text, 1, 32768, &n, err);
    if (rc == 0)
        o->max_processes = (uint32_t)n;
    return rc;
}

/* TARGET=PATH, or PATH, which is then where it is outside, too. */
static int add_mount(const char *argument, cli_executor_settings *s, fr_error *err)
{
    const char *equals = strchr(argument, '=');
    fr_sandbox_mount *more = realloc(s->mounts, (s->mount_count + 1) * sizeof(*more));
    char *target = strndup(argument, equals ? (size_t)(equals - argument) : strlen(argument));
    if (more)
        s->mounts = more;
    if (!more || !target) {
        free(target);
        return fr_fail(err, FR_ENOMEM, 0, "out of memory");
    }
    s->mounts[s->mount_count++] = (fr_sandbox_mount){equals ? equals + 1 : argument, target};
    return 0;
}

void cli_free_mounts(cli_executor_settings *s)
{
    for (size_t i = 0; i < s->mount_count; i++)
        free((char *)(uintptr_t)s->mounts[i].target);
    free(s->mounts);
}

static int take(int id, const char *argument, cli_executor_settings *s, fr_error *err)
{
    switch (id) {
    case CLI_OPT_EXECUTOR:
        s->spec = argument;
        return 0;
    case CLI_OPT_TIMEOUT:
        return fr_parse_duration(argument, &s->options.timeout_ms, err);
    case CLI_OPT_MEMORY:
        return fr_parse_size(argument, &s->options.memory_bytes, err);
    case CLI_OPT_PIDS:
        return read_pids(argument, &s->options, err);
    case CLI_OPT_CPU_TIME:
        return fr_parse_duration(argument, &s->options.cpu_ms, err);
    case CLI_OPT_MOUNT:
        return add_mount(argument, s, err);
    case CLI_OPT_NETWORK:
        s->options.network = 1;
        return 0;
    default:
        s->guard.audit_path = argument;
        return 0;
    }
}

int cli_take_executor_option(const cli_command *command, int id, const char *argument,
                             cli_executor_settings *settings)
{
    fr_error err = FR_ERROR_INIT;
    if (id < CLI_OPT_EXECUTOR || id > CLI_OPT_AUDIT)
        return 0;
    if (take(id, argument, settings, &err) == 0)
        return 1;
    cli_say("%s: --%s: %s", command->name, cli_option_name(command, id), err.text);
    return CLI_ERROR;
}

/* Opens what --executor names: NAME, scripted:FILE or sandbox:ROOT. */
static int open_named(const cli_executor_settings *s, fr_executor **out, fr_error *err)
{
    const char *spec = s->spec;
    fr_executor_options options = s->options;
    char name[40];
    const char *colon = strchr(spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : strlen(spec);
    if (n >= sizeof(name))
        return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%.60s'", spec);
    memcpy(name, spec, n);
    name[n] = '\0';
    if (s->mount_count > 0 && strcmp(name, "sandbox") != 0)
        return fr_fail(err, FR_EINVAL, 0, "--mount is for the sandbox, not for %s", name);
    fr_scripted_options scripted = FR_SCRIPTED_OPTIONS_INIT;
    fr_sandbox_options sandbox = FR_SANDBOX_OPTIONS_INIT;
    if (colon && strcmp(name, "scripted") == 0) {
        scripted.path = colon + 1;
        options.config = &scripted;
    } else if (strcmp(name, "sandbox") == 0) {
        sandbox.root = colon ? colon + 1 : NULL;
        sandbox.mounts = s->mounts;
        sandbox.mount_count = s->mount_count;
        sandbox.no_wait = 1; /* it makes itself ready while the code is looked for */
        options.config = &sandbox;
    } else if (colon) {
        return fr_fail(err, FR_EINVAL, 0, "executor %s takes nothing behind ':'", name);
    }
    int rc = fr_executor_open(name, &options, out, err);
    if (rc != FR_ENOTFOUND || colon)
        return rc;
    char known[256] = "";
    const fr_executor_class *cls;
    for (size_t i = 0, at = 0; (cls = fr_executor_class_at(i)) && at < sizeof(known); i++)
        if (!(cls->flags & FR_EXECUTOR_WRAPPER))
            at += (size_t)snprintf(known + at, sizeof(known) - at, " %s", cls->name);
    return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%s', but:%s", name, known);
}

/* Puts the guard around it, without which nothing is left open. */
static int wrap(const cli_executor_settings *s, fr_executor *inner, fr_executor **out,
                fr_error *err)
{
    if (s->no_guard) {
        *out = inner;
        return 0;
    }
    int rc = fr_executor_wrap("guard", &s->guard, inner, out, err);
    if (rc)
        fr_executor_close(inner);
    return rc;
}

int cli_open_executor(const char *command, int json, const cli_executor_settings *s,
                      fr_executor **out)
{
    fr_executor *inner;
    fr_error err = FR_ERROR_INIT;
    if (s->options.network)
        cli_say("%s: warning: the code can reach the network, this machine's own services among it",
                command);
    int rc = open_named(s, &inner, &err);
    if (rc == 0)
        rc = wrap(s, inner, out, &err);
    return rc ? cli_fail(command, json, &err) : CLI_OK;
}
