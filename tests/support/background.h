/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_BACKGROUND_H
#define TESTS_SUPPORT_BACKGROUND_H

#include <pthread.h>
#include <sys/types.h>

#include "fencerun/executor.h"

/* Runs that go on while the test does something to what is around them. */

typedef struct background {
    fr_executor *ex;
    const char *code;
    fr_cancel *cancel;
    int rc;
    int outcome;
    fr_error err;
    pthread_t thread;
} background;

/* Runs code in a thread, with a cancel of its own; waits for its end and frees what start made. */
void background_start(background *b, fr_executor *ex, const char *code);
void background_join(background *b);

/* The same, but waits for so many milliseconds at most; whether it has ended. */
int background_join_within(background *b, int64_t ms);

/* Code that does all it can to stay: daemons in sessions of their own, every signal ignored. */
extern const char background_clinging[];

/* Up to most_us microseconds, a million at most. */
void pause_randomly(unsigned most_us);

/* kill(2) takes 0 for the whole process group; this does not. */
int send_signal(pid_t pid, int sig);

#endif
