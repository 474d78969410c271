/* SPDX-License-Identifier: MIT */
#include <signal.h>

#include "cli/cli.h"

static const int signals[] = {SIGINT, SIGTERM};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[SIGNALS];

/* What the handler can reach. */
static fr_cancel *raised;
static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
    caught = sig;
    fr_cancel_raise(raised);
}

int cli_catch_signals(fr_cancel **cancel, fr_error *err)
{
    struct sigaction action = {.sa_handler = on_signal};
    int rc = fr_cancel_new(&raised, err);
    if (rc)
        return rc;
    *cancel = raised;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* as a shell does for what runs in the background */
            sigaction(signals[i], &action, NULL);
    }
    return 0;
}

int cli_caught_signal(void)
{
    return caught;
}

void cli_release_signals(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    fr_cancel_free(raised);
    raised = NULL;
}
