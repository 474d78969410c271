/* SPDX-License-Identifier: MIT */
#ifndef FR_CLI_CLI_H
#define FR_CLI_CLI_H

#include <stddef.h>
#include <stdio.h>

#include "fencerun/fencerun.h"

/* ---- exit codes (README, "Exit codes") ---- */

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED =
        1, /* the code failed or was stopped; extract: nothing found; ask: no whole answer */
    CLI_USAGE = 2,
    CLI_MALFORMED = 3,  /* malformed input; run: no runnable block in it */
    CLI_UNVERIFIED = 4, /* the chain of an audit log does not hold */
    CLI_UNAVAILABLE =
        5,         /* the executor cannot run anything or failed, or the result was not written */
    CLI_MODEL = 6, /* the model could not be asked */
    CLI_TIMEOUT = 7,
    CLI_SIGNAL = 128 /* plus the signal that asked us to stop */
};

/* The exit code for a failed call. */
int cli_exit_for(const fr_error *err);

/* Says that a call failed, and with `json` says it on stdout as well, as an object. Returns the exit code. */
int cli_fail(const char *command, int json, const fr_error *err);

/* ---- options.c: one table drives parsing and --help ---- */

typedef struct cli_option {
    int id;               /* a letter is also the short option; above 255: only the long one */
    const char *name;     /* NULL: only the short one */
    const char *argument; /* what --help calls it; NULL: takes none */
    const char *help;
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *usage;         /* behind "fencerun NAME" */
    const cli_option *options; /* the last one's id is 0 */
    int (*run)(const struct cli_command *self, int argc, char **argv);
} cli_command;

extern const cli_command cli_ask;
extern const cli_command cli_audit;
extern const cli_command cli_doctor;
extern const cli_command cli_extract;
extern const cli_command cli_run;
extern const cli_command cli_sweep;

#define CLI_END   (-1)
#define CLI_ERROR (-2) /* said already; exit CLI_USAGE */
#define CLI_HELP  (-3) /* printed already; exit CLI_OK */

/* The next option's id, its argument in *argument; CLI_END leaves the rest at argv[optind]. --help is
 * known to every command and need not be in its table. */
int cli_next_option(const cli_command *command, int argc, char **argv, const char **argument);

/* The long name of one of its options. */
const char *cli_option_name(const cli_command *command, int id);

/* ---- extract_options.c: how a block is looked for, for every command that does ---- */

enum { CLI_OPT_COMPAT = 512, CLI_OPT_UNTAGGED, CLI_OPT_UNTERMINATED };

/* Entries of an option table. */
#define CLI_EXTRACT_OPTIONS                                                               \
    {CLI_OPT_COMPAT, "compat", "adk", "ADK's rules and texts, with every consequence"},   \
        {CLI_OPT_UNTAGGED, "untagged", NULL, "take blocks without an info string, too"},  \
    {                                                                                     \
        CLI_OPT_UNTERMINATED, "unterminated", NULL, "take a block the reply ends in, too" \
    }

/* 1: it was one of them and is in *options; 0: it is another; CLI_ERROR: said what is wrong. */
int cli_take_extract_option(const char *command, int id, const char *argument,
                            fr_extract_options *options);

/* ---- input.c ---- */

/* Reads a file, or standard input for "-". *text is to be freed with free(). Says what is wrong and
 * returns an exit code. */
int cli_read(const char *command, const char *path, char **text, size_t *n);

/* ---- output.c ---- */

/* "fencerun: …" on stderr, in one line, as cli_put_printable() does: names, arguments and info strings are
 * other people's words. */
void cli_say(const char *format, ...) FR_PRINTF(1, 2);

/* Names the blocks that were passed over, the first of them when there are many, and what would have
 * taken them: one of the extraction's options, or, where `ex` (NULL: none) runs their language, the option
 * all_languages (NULL: --language). */
void cli_say_skipped(const char *command, const fr_extraction *x, const fr_extract_options *options,
                     const fr_executor *ex, const char *all_languages);

/* The extraction as JSON on stdout. Says what is wrong and returns an exit code. */
int cli_put_extraction(const char *command, const fr_extraction *x);

/* Writes all of it to stdout; and at the end of a command, makes sure that it arrived. Say what is
 * wrong and return an exit code. */
void cli_put(const char *p, size_t n);
int cli_finish_output(int exit_code);

/* ---- printable.c ---- */

/* Writes UTF-8 with everything that could steer a terminal or end the line as an escape: \x1b,
 * \u2028. A backslash stays as it is, so that code can be read. */
void cli_put_printable(FILE *to, const char *p, size_t n);

/* Writes text of several lines as it is, or, where stdout is a terminal, each of its lines like that. */
void cli_put_text(const char *p, size_t n);

/* ---- audit_record.c ---- */

/* A record of an audit log for people: a line, and what it holds indented below it. */
void cli_put_record(const fr_audit_record *record);

/* Microseconds since 1970, in UTC. */
void cli_put_time(int64_t us, int with_fraction);

/* ---- executor_options.c: what runs the code, for every command that has some run ---- */

enum {
    CLI_OPT_EXECUTOR = 544,
    CLI_OPT_TIMEOUT,
    CLI_OPT_MEMORY,
    CLI_OPT_PIDS,
    CLI_OPT_CPU_TIME,
    CLI_OPT_MOUNT,
    CLI_OPT_NETWORK,
    CLI_OPT_AUDIT
};

#define CLI_EXECUTOR_OPTIONS                                                                      \
    {CLI_OPT_EXECUTOR, "executor", "NAME", "sandbox (default), sandbox:ROOT, scripted:FILE"},     \
        {CLI_OPT_TIMEOUT, "timeout", "TIME", "wall time the code may take (60s)"},                \
        {CLI_OPT_MEMORY, "memory", "SIZE", "memory of all its processes together (512M)"},        \
        {CLI_OPT_PIDS, "pids", "N", "processes and threads at one time (128)"},                   \
        {CLI_OPT_CPU_TIME, "cpu-time", "TIME", "processor time of all its processes (no limit)"}, \
        {CLI_OPT_MOUNT, "mount", "[TARGET=]PATH", "let the code read this, too (repeatable)"},    \
        {CLI_OPT_NETWORK, "network", NULL, "let the code reach the network"},                     \
    {                                                                                             \
        CLI_OPT_AUDIT, "audit", "FILE", "append what is run and what comes of it to this log"     \
    }

typedef struct cli_executor_settings {
    const char *spec;
    fr_executor_options options;
    fr_guard_options guard;
    int no_guard;
    fr_sandbox_mount *mounts; /* as many as the sandbox has room for; free with cli_free_mounts() */
    size_t mount_count;
} cli_executor_settings;

#define CLI_EXECUTOR_SETTINGS_INIT                                             \
    {                                                                          \
        "sandbox", FR_EXECUTOR_OPTIONS_INIT, FR_GUARD_OPTIONS_INIT, 0, NULL, 0 \
    }

/* 1: it was one of them and is in *settings; 0: it is another; CLI_ERROR: said what is wrong. */
int cli_take_executor_option(const cli_command *command, int id, const char *argument,
                             cli_executor_settings *settings);

void cli_free_mounts(cli_executor_settings *settings);

/* Opens it, in its guard. Fails as cli_fail() does. */
int cli_open_executor(const char *command, int json, const cli_executor_settings *settings,
                      fr_executor **out);

/* ---- files.c ---- */

typedef struct cli_files {
    fr_file *p;
    size_t n;
} cli_files;

/* Adds what --file says: PATH, or NAME=PATH where it is to have another name in the run. CLI_ERROR after saying
 * what is wrong. Free with cli_free_files(); `argument` must outlive them. */
int cli_add_file(const char *command, const char *argument, cli_files *files);
void cli_free_files(cli_files *files);

/* Writes the files that came out below a directory, which is made. Says what is wrong and returns an exit
 * code. */
int cli_put_files(const char *command, const char *path, const fr_code_result *result);

/* Names the files that came out, where they are now (NULL: nowhere), and what was skipped. */
void cli_say_files(const char *command, const char *path, const fr_code_result *result);

/* ---- ask_ending.c ---- */

/* Says how a question ended, and, where `extract` is not NULL, which blocks of the answer were passed over. */
void cli_say_ending(const fr_answer *answer, const fr_extract_options *extract,
                    const fr_executor *ex, int all_languages);

/* ---- language.c ---- */

/* The executor's language that has this word, in any case; NULL when it has none. */
const fr_language *cli_find_language(const fr_executor *ex, const char *word, size_t n);

/* ---- signals.c ---- */

/* From here to cli_release_signals() SIGINT and SIGTERM, where they are not ignored, raise *cancel and do
 * nothing else. Errors: as fr_cancel_new(). */
int cli_catch_signals(fr_cancel **cancel, fr_error *err);

/* Returns the signal that was caught, or 0. */
int cli_caught_signal(void);

void cli_release_signals(void);

#endif
