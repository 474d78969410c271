/* SPDX-License-Identifier: MIT */
/*
 * What the guard, the audit log and the loop cost beside the run itself: an executor and a model that take
 * no time stand in for the real ones. All contenders take turns in one process; the tables give medians.
 * usage: bench_loop DIRECTORY [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fencerun/fencerun.h"

#define MAX_ROUNDS 20000
#define WARM_UPS   50

static char reply[600], printed[4001];
static size_t printed_n;
static const char *warning = "";

static fr_executor *bare, *guarded, *recorded, *synced;
static fr_postprocessor *post_bare, *post_recorded;
static fr_state *state_bare, *state_recorded;
static fr_runner *runner;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void need(int rc, const fr_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench_loop: %s\n", err->text);
    exit(1);
}

/* ---- an executor and a model that take no time ---- */

static int instant_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    int rc = fr_result_write(call, FR_STDOUT, printed, printed_n, err);
    if (rc == 0)
        rc = fr_result_write(call, FR_STDERR, warning, strlen(warning), err);
    fr_result_exited(call, 0);
    return rc;
}

static const fr_executor_class instant = {.struct_size = sizeof(fr_executor_class),
                                          .abi = FR_EXECUTOR_ABI,
                                          .name = "instant",
                                          .execute = instant_execute};

/* A block first, then an answer. */
static int instant_generate(fr_model *self, const fr_model_request *request, fr_reply *answer,
                            fr_error *err)
{
    (void)self;
    const char *text = request->content_count == 1 ? reply : "That is the answer.";
    return fr_reply_text(answer, 0, text, strlen(text), err);
}

static const fr_model_class instant_model = {.struct_size = sizeof(fr_model_class),
                                             .abi = FR_MODEL_ABI,
                                             .name = "instant",
                                             .generate = instant_generate};

/* ---- contenders ---- */

static double execute(fr_executor *ex)
{
    fr_error err = FR_ERROR_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *result = NULL;
    in.code = (fr_str){reply, strlen(reply)};
    double began = now_us();
    need(fr_executor_execute(ex, &in, &result, &err), &err);
    fr_code_result_free(result);
    return now_us() - began;
}

static double run_bare(void)
{
    return execute(bare);
}

static double run_guarded(void)
{
    return execute(guarded);
}

static double run_recorded(void)
{
    return execute(recorded);
}

static double run_synced(void)
{
    return execute(synced);
}

static double turn(fr_postprocessor *p, fr_state *state)
{
    fr_error err = FR_ERROR_INIT;
    fr_turn_input in = FR_TURN_INPUT_INIT;
    fr_turn *t = NULL;
    in.text = (fr_str){reply, strlen(reply)};
    double began = now_us();
    need(fr_postprocess(p, &in, state, &t, &err), &err);
    fr_turn_free(t);
    return now_us() - began;
}

static double turn_bare(void)
{
    return turn(post_bare, state_bare);
}

static double turn_recorded(void)
{
    return turn(post_recorded, state_recorded);
}

/* From the question to the answer: two calls of the model, one run. */
static double whole_loop(void)
{
    fr_error err = FR_ERROR_INIT;
    fr_session *session = NULL;
    fr_answer *answer = NULL;
    double began = now_us();
    need(fr_session_new("bench", NULL, NULL, &session, &err), &err);
    need(fr_runner_ask(runner, session, (fr_str){"How much?", 9}, NULL, NULL, &answer, &err), &err);
    fr_answer_free(answer);
    fr_session_free(session);
    return now_us() - began;
}

static const struct {
    const char *name;
    double (*run)(void);
} contenders[] = {
    {"a bare executor", run_bare},
    {"  in a guard", run_guarded},
    {"  in a guard, recorded", run_recorded},
    {"  in a guard, recorded, synced", run_synced},
    {"a turn around the bare executor", turn_bare},
    {"  around guard and record", turn_recorded},
    {"question to answer, two turns", whole_loop},
};

#define CONTENDERS (sizeof(contenders) / sizeof(contenders[0]))

/* ---- setting up ---- */

static fr_executor *open_guarded(const char *log, int no_sync)
{
    fr_error err = FR_ERROR_INIT;
    fr_guard_options o = FR_GUARD_OPTIONS_INIT;
    fr_executor *inner = NULL, *ex = NULL;
    o.audit_path = log;
    o.audit_no_sync = no_sync;
    need(fr_executor_open("instant", NULL, &inner, &err), &err);
    need(fr_executor_wrap("guard", &o, inner, &ex, &err), &err);
    return ex;
}

static fr_postprocessor *new_postprocessor(fr_executor *ex, fr_state **state)
{
    fr_error err = FR_ERROR_INIT;
    fr_postprocessor_options o = FR_POSTPROCESSOR_OPTIONS_INIT;
    fr_postprocessor *p = NULL;
    o.max_runs = FR_NO_MAXIMUM;
    need(fr_postprocessor_new(ex, &o, &p, &err), &err);
    need(fr_state_new(state, &err), &err);
    return p;
}

static void open_all(const char *directory)
{
    static fr_model *model;
    char log[300];
    fr_error err = FR_ERROR_INIT;
    fr_runner_options o = FR_RUNNER_OPTIONS_INIT;
    need(fr_executor_register(&instant, &err), &err);
    need(fr_executor_open("instant", NULL, &bare, &err), &err);
    guarded = open_guarded(NULL, 0);
    snprintf(log, sizeof(log), "%.200s/bench-no-sync.log", directory);
    unlink(log);
    recorded = open_guarded(log, 1);
    snprintf(log, sizeof(log), "%.200s/bench-sync.log", directory);
    unlink(log);
    synced = open_guarded(log, 0);
    post_bare = new_postprocessor(bare, &state_bare);
    post_recorded = new_postprocessor(recorded, &state_recorded);
    need(fr_model_open(&instant_model, NULL, &model, &err), &err);
    o.model = model;
    o.executor = bare;
    need(fr_runner_new(&o, &runner, &err), &err);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *what, int rounds)
{
    static double times[CONTENDERS][MAX_ROUNDS];
    for (int i = -WARM_UPS; i < rounds; i++)
        for (size_t c = 0; c < CONTENDERS; c++) {
            double t = contenders[c].run();
            if (i >= 0)
                times[c][i] = t;
        }
    for (size_t c = 0; c < CONTENDERS; c++)
        qsort(times[c], (size_t)rounds, sizeof(double), by_value);
    double base = times[0][rounds / 2];
    printf("\n%s; %d rounds, microseconds; a shared machine is noisy\n", what, rounds);
    printf("%-34s %9s %9s %12s\n", "", "median", "p90", "over bare");
    for (size_t c = 0; c < CONTENDERS; c++)
        printf("%-34s %9.1f %9.1f %12.1f\n", contenders[c].name, times[c][rounds / 2],
               times[c][rounds * 9 / 10], times[c][rounds / 2] - base);
}

int main(int argc, char **argv)
{
    int rounds = 2000;
    if (argc < 2 || (argc > 2 && sscanf(argv[2], "%d", &rounds) != 1) || rounds < 1 ||
        rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: bench_loop DIRECTORY [ROUNDS, at most 20000]\n");
        return 2;
    }
    snprintf(reply, sizeof(reply), "I will compute it.\n\n```python\n%.400s\n```\n\nSo it is.\n",
             "P, r, n = 240000, 0.054 / 12, 25 * 12\npay = P * r / (1 - (1 + r) ** -n)\n"
             "interest = pay * n - P\nprint('payment', round(pay, 2))\n"
             "print('interest', round(interest, 2))\n# the same for a shorter term\n"
             "n = 20 * 12\npay = P * r / (1 - (1 + r) ** -n)\nprint('payment', round(pay, 2))\n"
             "print('interest', round(pay * n - P, 2))\n");
    for (size_t i = 0; i + 1 < sizeof(printed); i++)
        printed[i] = i % 40 == 39 ? '\n' : (char)('a' + i % 26);
    open_all(argv[1]);
    printed_n = 200;
    measure("200 bytes printed", rounds);
    printed_n = 4000;
    warning =
        "/code/main.py:3: DeprecationWarning: this is going to go away\n  pay = old(P, r, n)\n";
    measure("4,000 bytes printed, and a warning", rounds);
    return 0;
}
