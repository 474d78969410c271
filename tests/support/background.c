/* SPDX-License-Identifier: MIT */
#include "tests/support/background.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/str.h"

const char background_clinging[] = "import os, signal, time\n"
                                   "for s in signal.valid_signals():\n"
                                   "    try: signal.signal(s, signal.SIG_IGN)\n"
                                   "    except (OSError, ValueError): pass\n"
                                   "for i in range(3):\n"
                                   "    if os.fork() == 0:\n"
                                   "        os.setsid()\n"
                                   "        if os.fork() > 0: os._exit(0)\n"
                                   "        while True: time.sleep(1000)\n"
                                   "while True: time.sleep(1000)\n";

static unsigned seed = 1;

void pause_randomly(unsigned most_us)
{
    const struct timespec pause = {0, (long)((unsigned)rand_r(&seed) % most_us) * 1000};
    nanosleep(&pause, NULL);
}

int send_signal(pid_t pid, int sig)
{
    return pid > 0 ? kill(pid, sig) : -1;
}

static void *run_in_background(void *arg)
{
    background *b = arg;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    in.code = fri_cstr(b->code);
    in.cancel = b->cancel;
    b->rc = fr_executor_execute(b->ex, &in, &r, &b->err);
    b->outcome = r ? r->outcome : 0;
    fr_code_result_free(r);
    return NULL;
}

void background_start(background *b, fr_executor *ex, const char *code)
{
    *b = (background){.ex = ex, .code = code};
    assert_int_equal(fr_cancel_new(&b->cancel, NULL), 0);
    assert_int_equal(pthread_create(&b->thread, NULL, run_in_background, b), 0);
}

int background_join_within(background *b, int64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(ms / 1000);
    if (pthread_timedjoin_np(b->thread, NULL, &until))
        return 0;
    fr_cancel_free(b->cancel);
    return 1;
}

void background_join(background *b)
{
    pthread_join(b->thread, NULL);
    fr_cancel_free(b->cancel);
}
