/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

static void put_text(const char *text)
{
    cli_put_printable(stdout, text, strlen(text));
}

/* Indented, so that no line of it can be taken for the head of a record. */
static void put_block(const char *title, fr_str text)
{
    if (text.n == 0)
        return;
    printf("  %s\n", title);
    for (size_t at = 0; at < text.n;) {
        const char *line = text.p + at, *lf = memchr(line, '\n', text.n - at);
        size_t n = lf ? (size_t)(lf - line) : text.n - at;
        cli_put("    ", 4);
        cli_put_printable(stdout, line, n);
        cli_put("\n", 1);
        at += n + 1;
    }
}

void cli_put_time(int64_t us, int with_fraction)
{
    int64_t fraction = (us % 1000000 + 1000000) % 1000000;
    time_t seconds = (time_t)((us - fraction) / 1000000);
    struct tm t;
    char text[64];
    gmtime_r(&seconds, &t);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &t);
    printf("%s", text);
    if (with_fraction)
        printf(".%06" PRId64, fraction);
    cli_put("Z", 1);
}

/* A value with anything in it that could be taken for the next member stands in quotes. */
static void put_member(const char *name, const char *value)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-";
    if (!value)
        return;
    printf(" %s=", name);
    if (value[0] && !value[strspn(value, plain)]) {
        put_text(value);
        return;
    }
    cli_put("\"", 1);
    while (*value) {
        size_t n = strcspn(value, "\"\\");
        cli_put_printable(stdout, value, n);
        cli_put("\\", value[n] != '\0');
        cli_put(value + n, value[n] != '\0');
        value += n + (value[n] != '\0');
    }
    cli_put("\"", 1);
}

static void put_invocation(const fr_invocation *of)
{
    put_member("app", of->app);
    put_member("user", of->user);
    put_member("session", of->session);
    put_member("id", of->id);
    put_member("agent", of->agent);
    put_member("branch", of->branch);
    put_member("function_call", of->function_call);
}

static void put_started(const fr_audit_record *r)
{
    cli_put(" ", 1);
    put_text(r->executor);
    if (r->language[0])
        cli_put(" ", 1);
    put_text(r->language);
    put_invocation(r->invocation);
    cli_put("\n", 1);
    put_block("code", r->code);
}

static void put_ended(const fr_audit_record *r)
{
    printf(" run %" PRIu64 ": ", r->run);
    put_text(r->outcome);
    if (r->exit_code >= 0)
        printf(", exit code %d", r->exit_code);
    if (r->signal)
        printf(", signal %d", r->signal);
    if (r->run_ns >= 0)
        printf(", %.3f s", (double)r->run_ns / 1e9);
    if (r->reason[0])
        cli_put(": ", 2);
    put_text(r->reason);
    cli_put("\n", 1);
    put_block("stdout", r->out);
    put_block("stderr", r->err);
}

static void put_failed(const fr_audit_record *r)
{
    printf(" run %" PRIu64 ": ", r->run);
    put_text(r->error);
    cli_put(": ", 2);
    put_text(r->message);
    cli_put("\n", 1);
}

void cli_put_record(const fr_audit_record *r)
{
    if (!r->event[0]) {
        printf("line %" PRIu64 ": no record, %zu bytes\n", r->line, r->json.n);
        return;
    }
    printf("%" PRIu64 " ", r->sequence);
    cli_put_time(r->time_us, 1);
    printf(" %s", r->event);
    if (r->torn)
        printf(" (a write of %" PRIu64 " bytes before it was cut off)", r->torn_bytes);
    if (strcmp(r->event, "started") == 0)
        put_started(r);
    else if (strcmp(r->event, "ended") == 0)
        put_ended(r);
    else
        put_failed(r);
}
