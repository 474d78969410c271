/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_OPTIONS 32
#define HELP_ID     1000

static const cli_option help = {HELP_ID, "help", NULL, "this text"};

static const cli_option *option_at(const cli_command *command, int i)
{
    int n = 0;
    while (command->options[n].id)
        n++;
    return i < n ? &command->options[i] : i == n ? &help : NULL;
}

const char *cli_option_name(const cli_command *command, int id)
{
    const cli_option *o;
    for (int i = 0; (o = option_at(command, i)); i++)
        if (o->id == id && o->name)
            return o->name;
    return "";
}

static void print_option(const cli_option *o)
{
    char text[64] = "";
    int n = 0;
    if (o->id < 256)
        n = snprintf(text, sizeof(text), "-%c%s", o->id, o->name ? ", " : "");
    if (o->name)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "--%s", o->name);
    if (o->argument)
        snprintf(text + n, sizeof(text) - (size_t)n, " %s", o->argument);
    printf("  %-20s %s\n", text, o->help);
}

static void print_help(const cli_command *command)
{
    printf("usage: fencerun %s %s\n\n%s\n\n", command->name, command->usage, command->summary);
    const cli_option *o;
    for (int i = 0; (o = option_at(command, i)); i++)
        print_option(o);
}

/* getopt's own form of the table. */
static void translate(const cli_command *command, struct option *longs, char *shorts)
{
    const cli_option *o;
    int n = 0;
    *shorts++ = ':';
    for (int i = 0; (o = option_at(command, i)) && n < MAX_OPTIONS - 1; i++) {
        if (o->name)
            longs[n++] = (struct option){o->name, o->argument ? required_argument : no_argument,
                                         NULL, o->id};
        if (o->id < 256) {
            *shorts++ = (char)o->id;
            if (o->argument)
                *shorts++ = ':';
        }
    }
    memset(&longs[n], 0, sizeof(longs[n]));
    *shorts = '\0';
}

static int complain(const cli_command *command, const char *what, const char *argument)
{
    cli_say("%s: %s '%s'; see 'fencerun %s --help'", command->name, what, argument, command->name);
    return CLI_ERROR;
}

/* The next argument that starts with a dash: what getopt will take, also from behind operands. */
static const char *next_dashed(int argc, char **argv)
{
    for (int i = optind; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            return argv[i];
    return "";
}

int cli_next_option(const cli_command *command, int argc, char **argv, const char **argument)
{
    struct option longs[MAX_OPTIONS];
    char shorts[2 * MAX_OPTIONS + 3];
    translate(command, longs, shorts);
    opterr = 0;
    const char *taken = next_dashed(argc, argv);
    int id = getopt_long(argc, argv, shorts, longs, NULL);
    *argument = optarg;
    switch (id) {
    case -1:
        return CLI_END;
    case '?':
        return complain(command, "unknown option", taken);
    case ':':
        return complain(command, "an argument is missing behind", taken);
    case HELP_ID:
        print_help(command);
        return CLI_HELP;
    default:
        return id;
    }
}
