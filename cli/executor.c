/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
    } else if (colon && strcmp(name, "sandbox") == 0) {
        sandbox.root = colon + 1;
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

/* What the thread that waits for signals knows. */
typedef struct watcher {
    fr_executor *ex;
    sigset_t signals;
    int caught; /* accessed by two threads */
    int done;
} watcher;

static int flag(const int *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static void set_flag(int *p, int value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

/* A cancel before the run has begun does nothing, so it is said until the run is over. */
static void *watch_signals(void *arg)
{
    watcher *w = arg;
    const struct timespec pause = {0, 20 * 1000 * 1000};
    int sig = 0;
    while (sigwait(&w->signals, &sig) != 0)
        ;
    set_flag(&w->caught, sig);
    while (!flag(&w->done)) {
        fr_executor_cancel(w->ex);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

int cli_execute(fr_executor *ex, const fr_code_input *input, fr_code_result **out, int *caught,
                fr_error *err)
{
    watcher w = {.ex = ex};
    sigset_t before;
    pthread_t thread;
    sigemptyset(&w.signals);
    sigaddset(&w.signals, SIGINT);
    sigaddset(&w.signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &w.signals, &before);
    int failed = pthread_create(&thread, NULL, watch_signals, &w);
    if (failed) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return fr_fail(err, FR_ESYSTEM, failed, "run: no thread to wait for signals");
    }
    int rc = fr_executor_execute(ex, input, out, err);
    set_flag(&w.done, 1);
    *caught = flag(&w.caught);
    pthread_kill(thread, SIGTERM); /* wakes it if no signal came */
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}
