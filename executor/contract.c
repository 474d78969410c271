/* SPDX-License-Identifier: MIT */
/* What every executor must keep, as a test that anyone can put an executor through. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "fencerun/executor.h"

typedef struct contract {
    fr_executor *ex;
    fr_contract_fn report;
    void *user;
    int broken;
} contract;

static void rule(contract *c, int ok, const char *name, const char *detail)
{
    c->broken += !ok;
    c->report(c->user, ok, name, ok ? "" : detail);
}

/* A run that must be possible: 0 and a result. */
static fr_code_result *run(contract *c, const char *name, const char *code, int64_t timeout_ms,
                           fr_cancel *cancel)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_cstr(code);
    in.timeout_ms = timeout_ms;
    in.cancel = cancel;
    fr_code_result *result = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_executor_execute(c->ex, &in, &result, &err)) {
        rule(c, 0, name, err.text);
        return NULL;
    }
    return result;
}

/* Code that must end by itself in a given way. */
typedef struct ending {
    const char *name;
    const char *code;
    int outcome;
    int exit_code;
    const char *out;
    const char *err; /* NULL: anything */
} ending;

static const ending endings[] = {
    {"output reaches stdout and stderr apart",
     "import sys\nprint('out')\nsys.stderr.write('err\\n')\n", FR_OUTCOME_OK, 0, "out\n", "err\n"},
    {"an empty program is a success", "", FR_OUTCOME_OK, 0, "", ""},
    {"an exit code is a failure and is kept", "print('before')\nraise SystemExit(3)\n",
     FR_OUTCOME_FAILED, 3, "before\n", ""},
    {"an exception is a failure, stdout is kept", "print('kept')\nraise ValueError('no')\n",
     FR_OUTCOME_FAILED, 1, "kept\n", NULL},
    {"a warning on stderr is no failure", "import sys\nsys.stderr.write('careful\\n')\n",
     FR_OUTCOME_OK, 0, "", "careful\n"},
    {"stdin is empty", "try:\n    input()\nexcept EOFError:\n    print('eof')\n", FR_OUTCOME_OK, 0,
     "eof\n", ""},
    {"text beyond ASCII survives", "print('\xe6\x95\xb0 \xf0\x9f\x98\x80')\n", FR_OUTCOME_OK, 0,
     "\xe6\x95\xb0 \xf0\x9f\x98\x80\n", ""},
    {"bytes that are no UTF-8 are replaced", "import sys\nsys.stdout.buffer.write(b'ok\\xfe\\n')\n",
     FR_OUTCOME_OK, 0, "ok\xef\xbf\xbd\n", ""},
    {"a forged exit code 137 is just an exit code", "raise SystemExit(137)\n", FR_OUTCOME_FAILED,
     137, "", ""},
};

static void check_ending(contract *c, const ending *e)
{
    fr_code_result *r = run(c, e->name, e->code, 0, NULL);
    if (!r)
        return;
    char detail[256];
    snprintf(detail, sizeof(detail), "outcome %s, exit code %d, stdout '%.60s', stderr '%.100s'",
             fr_outcome_text(r->outcome), r->exit_code, r->out.p, r->err.p);
    int ok = r->outcome == e->outcome && r->exit_code == e->exit_code &&
             fri_str_equal(r->out, fri_cstr(e->out)) &&
             (!e->err || fri_str_equal(r->err, fri_cstr(e->err))) && (e->err || r->err.n > 0);
    rule(c, ok, e->name, detail);
    fr_code_result_free(r);
}

static void check_receipt(contract *c)
{
    const char *name = "the receipt names executor and language and counts the output";
    fr_code_result *r = run(c, name, "print('1234')\n", 0, NULL);
    if (!r)
        return;
    const fr_receipt *receipt = r->receipt;
    rule(c,
         strcmp(receipt->executor, fr_executor_name(c->ex)) == 0 && receipt->language[0] &&
             receipt->stdout_written == 5 && receipt->stdout_kept == 5 &&
             receipt->stderr_written == 0 && receipt->start_ns >= 0 && receipt->run_ns >= 0,
         name, "a member of the receipt is wrong");
    fr_code_result_free(r);
}

static void check_timeout(contract *c)
{
    const char *name = "a run over its time is stopped as timeout, what it printed is kept";
    fr_code_result *r = run(c, name, "print('first', flush=True)\nwhile True: pass\n", 500, NULL);
    if (!r)
        return;
    rule(c,
         r->outcome == FR_OUTCOME_TIMEOUT && r->exit_code == -1 && r->reason[0] &&
             fri_str_equal(r->out, fri_cstr("first\n")),
         name, fr_outcome_text(r->outcome));
    const fr_receipt *receipt = r->receipt;
    int64_t cpu_ns = receipt->cpu_user_ns + receipt->cpu_system_ns;
    rule(c, receipt->cpu_user_ns < 0 || cpu_ns > 50 * FRI_NS_PER_MS,
         "the receipt counts the processor time of a run that was stopped, or leaves it open",
         "half a second of a busy loop hardly shows");
    fr_code_result_free(r);
}

static void *raise_soon(void *cancel)
{
    const struct timespec pause = {0, 50 * 1000 * 1000};
    nanosleep(&pause, NULL);
    fr_cancel_raise(cancel);
    return NULL;
}

static void check_cancel(contract *c)
{
    const char *name = "a cancel from another thread ends the run as cancelled within seconds";
    fr_cancel *cancel = NULL;
    pthread_t thread;
    if (fr_cancel_new(&cancel, NULL) || pthread_create(&thread, NULL, raise_soon, cancel)) {
        fr_cancel_free(cancel);
        rule(c, 0, name, "no thread, or no descriptor");
        return;
    }
    int64_t began = fri_now_ns();
    fr_code_result *r = run(c, name, "while True: pass\n", 30000, cancel);
    int64_t took = fri_now_ns() - began;
    pthread_join(thread, NULL);
    fr_cancel_free(cancel);
    if (!r)
        return;
    rule(c, r->outcome == FR_OUTCOME_CANCELLED && took < 10 * FRI_NS_PER_S, name,
         fr_outcome_text(r->outcome));
    fr_code_result_free(r);
}

static void check_refusals(contract *c)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.language = "no-such-language";
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    int rc = fr_executor_execute(c->ex, &in, &r, &err);
    rule(c, rc == FR_EUNSUPPORTED && !r, "an unknown language is refused, not run", err.text);
    fr_code_result_free(r);
}

int fr_executor_contract(const char *name, const fr_executor_options *options,
                         fr_contract_fn report, void *user, fr_error *err)
{
    contract c = {.report = report, .user = user};
    int rc = fr_executor_open(name, options, &c.ex, err);
    if (rc)
        return rc;
    fr_error why = FR_ERROR_INIT;
    rule(&c, fr_executor_probe(c.ex, &why) == 0, "the probe says that code can be run", why.text);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        check_ending(&c, &endings[i]);
    check_receipt(&c);
    check_timeout(&c);
    check_cancel(&c);
    check_refusals(&c);
    /* After being stopped it must still be of use. */
    check_ending(&c, &endings[0]);
    fr_executor_close(c.ex);
    return c.broken;
}
