/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const cli_command *const commands[] = {&cli_ask,     &cli_audit, &cli_doctor,
                                              &cli_extract, &cli_run,   &cli_sweep};
static const size_t command_count = sizeof(commands) / sizeof(commands[0]);

static void print_overview(FILE *f)
{
    fputs(
        "usage: fencerun COMMAND [OPTION]... [ARGUMENT]...\n\n"
        "Finds the first runnable code block in a language model's reply and runs it where it can\n"
        "do no harm.\n\n",
        f);
    for (size_t i = 0; i < command_count; i++)
        fprintf(f, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'fencerun COMMAND --help' tells more; 'fencerun --version' which version this is.\n",
          f);
}

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int run_command(const char *name, int argc, char **argv)
{
    const cli_command *command = find_command(name);
    if (command)
        return command->run(command, argc, argv);
    cli_say("there is no command '%s'; see 'fencerun --help'", name);
    return CLI_USAGE;
}

/* "help", "help COMMAND", "--help" and "-h". */
static int help(int argc, char **argv)
{
    if (argc > 2)
        return run_command(argv[2], 2, (char *[]){argv[2], (char[]){"--help"}, NULL});
    print_overview(stdout);
    return CLI_OK;
}

static int is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* A stream that was closed must not become some descriptor of the library's. What stands in fails as
 * the closed one would have: reading from what is open for writing, writing to what is full. And a
 * reader that has gone, or a file size limit, is an error to report, not a death. */
static void secure_streams(void)
{
    const char *const stand_ins[] = {"/dev/null", "/dev/full", "/dev/null"};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open(stand_ins[fd], O_WRONLY | O_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    secure_streams();
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (is_help(argv[1]))
        return cli_finish_output(help(argc, argv));
    if (strcmp(argv[1], "--version") == 0) {
        printf("fencerun %s\n", fr_version());
        return cli_finish_output(CLI_OK);
    }
    return cli_finish_output(run_command(argv[1], argc - 1, argv + 1));
}
