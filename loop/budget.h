/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_BUDGET_H
#define FR_LOOP_BUDGET_H

#include "fencerun/code.h"
#include "fencerun/postprocess.h"
#include "loop/state.h"

/*
 * The error budget of an invocation. What is counted is in the state; here are the rules.
 */
typedef struct fri_budget {
    int rule;         /* `fr_budget_rule` */
    int when_used_up; /* `fr_used_up` */
    int32_t attempts; /* failures in a row */
    int32_t max_runs; /* FR_NO_MAXIMUM: none */
} fri_budget;

/* Where an invocation stands. */
typedef struct fri_standing {
    int32_t failures;
    int32_t attempts_left;
    int32_t runs;
    int32_t runs_left; /* -1: no maximum */
    int32_t refused;
} fri_standing;

fri_standing fri_budget_standing(const fri_budget *b, const fr_state *state,
                                 const char *invocation);

int fri_is_used_up(const fri_standing *standing);

/* Whether a run counts as a failure. */
int fri_is_failure(const fri_budget *b, const fr_code_result *result);

/* Counts a run. Errors: FR_ENOMEM. */
FR_CHECK int fri_budget_charge(const fri_budget *b, fr_state *state, const char *invocation,
                               const fr_code_result *result, fr_error *err);

/* What becomes of a block that is refused: an `fr_turn_status`. */
int fri_budget_refusal(const fri_budget *b, const fri_standing *standing);

#endif
