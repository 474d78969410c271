/* SPDX-License-Identifier: MIT */
#include "tests/executor/puppet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/execute.h"

typedef struct state {
    puppet *p;
    char rest[200];
} state;

static int puppet_open_method(fr_executor *self, const void *config, fr_error *err)
{
    static const state zero;
    state *s = fr_executor_state(self);
    if (!config)
        return fr_fail(err, FR_EINVAL, 0, "a puppet needs its strings");
    puppet *p = *(puppet *const *)config;
    p->dirty_state = memcmp(s, &zero, sizeof(zero)) != 0;
    s->p = p;
    p->opened++;
    return p->open_code ? fr_fail(err, p->open_code, 0, "told to fail") : 0;
}

static void puppet_close_method(fr_executor *self)
{
    const state *s = fr_executor_state(self);
    if (s->p)
        s->p->closed++;
}

static int puppet_execute_method(fr_executor *self, fr_call *call, fr_error *err)
{
    const state *s = fr_executor_state(self);
    if (s->p->execute)
        return s->p->execute(call, s->p->user, err);
    fr_result_exited(call, 0);
    return 0;
}

void puppet_register(void)
{
    static int done;
    fr_executor_class cls = {
        .struct_size = sizeof(cls),
        .abi = FR_EXECUTOR_ABI,
        .flags = FR_EXECUTOR_STATEFUL | FR_EXECUTOR_CONCURRENT | FR_EXECUTOR_FILES |
                 FR_EXECUTOR_NETWORK | FR_EXECUTOR_LIMITS,
        .name = "puppet",
        .state_size = sizeof(state),
        .open = puppet_open_method,
        .execute = puppet_execute_method,
        .close = puppet_close_method,
    };
    if (done)
        return;
    done = 1;
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
    cls.flags = 0;
    cls.name = "plain-puppet";
    assert_int_equal(fr_executor_register(&cls, NULL), 0);
}

fr_executor *puppet_open(const char *name, puppet *p)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    puppet_register();
    o.config = &p;
    return open_executor(name, &o);
}

int puppet_execute(int (*fn)(fr_call *call, void *user, fr_error *err), void *user,
                   fr_code_result **out, fr_error *err)
{
    puppet p = {.execute = fn, .user = user};
    fr_executor *ex = puppet_open("puppet", &p);
    const fr_code_input in = FR_CODE_INPUT_INIT;
    int rc = fr_executor_execute(ex, &in, out, err);
    fr_executor_close(ex);
    return rc;
}
