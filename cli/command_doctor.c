/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

enum { OPT_JSON = 256, OPT_ROOT };

/* ---- doctor ---- */

static const cli_option doctor_options[] = {
    {OPT_ROOT, "root", "DIR", "try the sandbox with this root (the host's /usr)"},
    {OPT_JSON, "json", NULL, "one JSON object for each check, one a line"},
    {0, NULL, NULL, NULL},
};

static void put_json(const fr_check *check)
{
    char *text = NULL;
    if (fr_check_json(check, &text, NULL) == 0) {
        cli_put(text, strlen(text));
        cli_put("\n", 1);
    }
    fr_free(text);
}

static void put_row(void *json, const fr_check *check)
{
    if (*(int *)json) {
        put_json(check);
    } else {
        printf("%-9s %-19s ", fr_check_text(check->status), check->name);
        cli_put_printable(stdout, check->found, strlen(check->found));
        cli_put("\n", 1);
        if (check->advice[0])
            printf("%30s-> %s\n", "", check->advice);
    }
    fflush(stdout);
}

static int run_doctor(const cli_command *self, int argc, char **argv)
{
    fr_sandbox_options sandbox = FR_SANDBOX_OPTIONS_INIT;
    fr_error err = FR_ERROR_INIT;
    const char *argument;
    int id, json = 0;
    while ((id = cli_next_option(self, argc, argv, &argument)) >= 0)
        if (id == OPT_ROOT)
            sandbox.root = argument;
        else
            json = 1;
    if (id != CLI_END)
        return id == CLI_HELP ? CLI_OK : CLI_USAGE;
    if (optind < argc) {
        cli_say("doctor: '%s' is more than it takes", argv[optind]);
        return CLI_USAGE;
    }
    int failed = fr_sandbox_check(&sandbox, put_row, &json, &err);
    if (failed < 0)
        return cli_fail("doctor", json, &err);
    if (!json && failed > 0)
        cli_say("doctor: %d check%s failed: no code should be run here", failed,
                failed == 1 ? "" : "s");
    return failed > 0 ? CLI_UNAVAILABLE : CLI_OK;
}

const cli_command cli_doctor = {
    "doctor",
    "Tries the sandbox's walls and limits on this machine, and says what holds, and by what.",
    "[OPTION]...",
    doctor_options,
    run_doctor,
};

/* ---- sweep ---- */

static const cli_option no_options[] = {{0, NULL, NULL, NULL}};

static int run_sweep(const cli_command *self, int argc, char **argv)
{
    fr_error err = FR_ERROR_INIT;
    const char *argument;
    int id = cli_next_option(self, argc, argv, &argument);
    if (id != CLI_END)
        return id == CLI_HELP ? CLI_OK : CLI_USAGE;
    int removed = fr_sandbox_sweep(&err);
    if (removed < 0)
        return cli_fail("sweep", 0, &err);
    cli_say("sweep: %d cgroup%s removed", removed, removed == 1 ? "" : "s");
    return CLI_OK;
}

const cli_command cli_sweep = {
    "sweep",   "Removes what killed programs and crashed machines left of their sandboxes.",
    "",        no_options,
    run_sweep,
};
