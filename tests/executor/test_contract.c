/* SPDX-License-Identifier: MIT */
/* The contract test itself: the sandbox keeps every rule, and executors that break one are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "fencerun/executor.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

typedef struct tally {
    int rules;
    int broken;
    int nameless;
    char broken_rules[4096]; /* their names, one a line */
} tally;

static void count(void *user, int ok, const char *rule, const char *detail)
{
    tally *t = user;
    t->rules++;
    t->nameless += !rule || !rule[0] || !detail;
    if (ok)
        return;
    t->broken++;
    size_t n = strlen(t->broken_rules);
    snprintf(t->broken_rules + n, sizeof(t->broken_rules) - n, "%s: %s\n", rule, detail);
}

static int put_through(const char *name, tally *t)
{
    fr_error err = FR_ERROR_INIT;
    *t = (tally){.rules = 0};
    int broken = fr_executor_contract(name, NULL, count, t, &err);
    if (broken < 0)
        fail_msg("%s", err.text);
    assert_int_equal(broken, t->broken);
    assert_int_equal(t->nameless, 0);
    return broken;
}

static void test_sandbox_keeps_it(void **state)
{
    (void)state;
    tally t;
    if (put_through("sandbox", &t))
        fail_msg("as uid %d: %s", (int)geteuid(), t.broken_rules);
    assert_true(t.rules >= 14);
}

static void test_executor_that_does_not_open(void **state)
{
    (void)state;
    tally t = {.rules = 0};
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_executor_contract("no-such", NULL, count, &t, &err), FR_ENOTFOUND);
    assert_int_equal(t.rules, 0);
}

/* ---- executors that break it ---- */

/* Says "ok" to everything. */
static int yes_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)err;
    fr_result_exited(call, 0);
    return 0;
}

static int no_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)call;
    return fr_fail(err, FR_EUNAVAILABLE, 0, "no");
}

static int silent_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)call;
    (void)err;
    return 0;
}

/* Any stderr is a failure, as some have it; and streams are mixed. */
static int mixing_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    const fr_str code = fr_call_input(call)->code;
    int rc = fr_result_write(call, FR_STDOUT, code.p, code.n, err);
    if (rc < 0)
        return rc;
    fr_result_exited(call, strstr(code.p, "stderr") != NULL);
    return 0;
}

/* Ends well only because its time is up, whatever it was told. */
static int deaf_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    (void)err;
    int64_t ms = fr_call_input(call)->timeout_ms;
    if (strstr(fr_call_input(call)->code.p, "while True"))
        poll(NULL, 0, ms < 1000 ? (int)ms : 1000);
    fr_result_exited(call, 0);
    return 0;
}

static void test_executors_that_break_it(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int (*execute)(fr_executor *self, fr_call *call, fr_error *err);
        int at_least;
        const char *rule; /* one that must be among the broken */
    } bad[] = {
        {"yes", yes_execute, 8, "an exit code is a failure"},
        {"no", no_execute, 12, "the probe"},
        {"silent", silent_execute, 12, "an empty program is a success"},
        {"mixing", mixing_execute, 8, "a warning on stderr is no failure"},
        {"deaf", deaf_execute, 8, "a cancel from another thread"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tally t;
        const fr_executor_class cls = {.struct_size = sizeof(cls),
                                       .abi = FR_EXECUTOR_ABI,
                                       .name = bad[i].name,
                                       .execute = bad[i].execute};
        assert_int_equal(fr_executor_register(&cls, NULL), 0);
        int broken = put_through(bad[i].name, &t);
        if (broken < bad[i].at_least || !strstr(t.broken_rules, bad[i].rule))
            fail_msg("%s: %d broken:\n%s", bad[i].name, broken, t.broken_rules);
    }
}

typedef struct answer {
    const char *code; /* a part of it */
    const char *out;
    const char *err;
    int exit_code;
} answer;

/* What the contract's programs print; in place of an interpreter. */
static const answer answers[] = {
    {"print('out')", "out\n", "err\n", 0},
    {"SystemExit(3)", "before\n", "", 3},
    {"ValueError", "kept\n", "ValueError: no\n", 1},
    {"careful", "", "careful\n", 0},
    {"EOFError", "eof\n", "", 0},
    {"\xe6\x95\xb0", "\xe6\x95\xb0 \xf0\x9f\x98\x80\n", "", 0},
    {"buffer.write", "ok\xfe\n", "", 0},
    {"SystemExit(137)", "", "", 137},
    {"1234", "1234\n", "", 0},
};

static int write_all(fr_call *call, const char *out, const char *err_text, fr_error *err)
{
    int rc = fr_result_write(call, FR_STDOUT, out, strlen(out), err);
    return rc ? rc : fr_result_write(call, FR_STDERR, err_text, strlen(err_text), err);
}

static int wait_for_end(fr_call *call)
{
    struct pollfd cancel = {.fd = fr_call_cancel_fd(call), .events = POLLIN};
    if (poll(&cancel, 1, (int)fr_call_input(call)->timeout_ms) > 0)
        fr_result_stopped(call, FR_OUTCOME_CANCELLED, "cancelled");
    else
        fr_result_stopped(call, FR_OUTCOME_TIMEOUT, "time is up");
    return 0;
}

static int model_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    (void)self;
    const char *code = fr_call_input(call)->code.p;
    if (strstr(code, "while True")) {
        int rc = write_all(call, strstr(code, "first") ? "first\n" : "", "", err);
        return rc ? rc : wait_for_end(call);
    }
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        if (strstr(code, answers[i].code)) {
            int rc = write_all(call, answers[i].out, answers[i].err, err);
            fr_result_exited(call, answers[i].exit_code);
            return rc;
        }
    fr_result_exited(call, 0);
    return 0;
}

static int forgetful_execute(fr_executor *self, fr_call *call, fr_error *err)
{
    if (strstr(fr_call_input(call)->code.p, "SystemExit(137)")) {
        fr_result_stopped(call, FR_OUTCOME_MEMORY, "137 must be the kernel");
        return 0;
    }
    return model_execute(self, call, err);
}

static void test_one_broken_rule_is_found(void **state)
{
    (void)state;
    const fr_executor_class good = {.struct_size = sizeof(good),
                                    .abi = FR_EXECUTOR_ABI,
                                    .name = "model",
                                    .execute = model_execute},
                            bad = {.struct_size = sizeof(bad),
                                   .abi = FR_EXECUTOR_ABI,
                                   .name = "forgetful",
                                   .execute = forgetful_execute};
    assert_int_equal(fr_executor_register(&good, NULL), 0);
    assert_int_equal(fr_executor_register(&bad, NULL), 0);
    tally t;
    if (put_through("model", &t))
        fail_msg("%s", t.broken_rules);
    assert_int_equal(put_through("forgetful", &t), 1);
    assert_non_null(strstr(t.broken_rules, "137"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_sandbox_keeps_it),
        leaks_test(test_executor_that_does_not_open),
        cmocka_unit_test(test_executors_that_break_it),
        cmocka_unit_test(test_one_broken_rule_is_found),
    };
    return user_run_tests(argc, argv, tests);
}
