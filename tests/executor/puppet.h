/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EXECUTOR_PUPPET_H
#define TESTS_EXECUTOR_PUPPET_H

#include "fencerun/executor.h"

/*
 * An executor whose every method does what a test says. The test hands a puppet over as config; it
 * must outlive the executor. Members left zero: open works, execute ends the run with exit code 0.
 */
typedef struct puppet {
    int (*execute)(fr_call *call, void *user, fr_error *err);
    void *user;
    int open_code;   /* what open returns */
    int opened;      /* calls so far */
    int closed;      /* of puppets that were opened */
    int dirty_state; /* the state was not all zero */
} puppet;

/* Registers "puppet" (all flags) and "plain-puppet" (none), once. */
void puppet_register(void);

/* Opens one of them. */
fr_executor *puppet_open(const char *name, puppet *p);

/* Runs code through p->execute = fn. Returns what fr_executor_execute() returned. */
FR_CHECK int puppet_execute(int (*fn)(fr_call *call, void *user, fr_error *err), void *user,
                            fr_code_result **out, fr_error *err);

#endif
