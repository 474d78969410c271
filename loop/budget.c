/* SPDX-License-Identifier: MIT */
#include "loop/budget.h"

#include <stdint.h>

#include "loop/tell.h"

static int32_t left_of(int32_t most, int64_t used)
{
    return used < most ? (int32_t)(most - used) : 0;
}

fri_standing fri_budget_standing(const fri_budget *b, const fr_state *state, const char *invocation)
{
    static const fri_tally none;
    const fri_tally *t = fri_state_find_tally(state, invocation);
    t = t ? t : &none;
    return (fri_standing){
        .failures = (int32_t)t->errors,
        .attempts_left = left_of(b->attempts, t->errors),
        .runs = (int32_t)t->runs,
        .runs_left = b->max_runs == FR_NO_MAXIMUM ? -1 : left_of(b->max_runs, t->runs),
        .refused = (int32_t)t->refused,
    };
}

int fri_is_used_up(const fri_standing *standing)
{
    return standing->attempts_left == 0 || standing->runs_left == 0;
}

int fri_is_failure(const fri_budget *b, const fr_code_result *result)
{
    if (result->outcome == FR_OUTCOME_CANCELLED)
        return 0;
    if (b->rule == FR_BUDGET_ADK)
        return fri_adk_failed(result);
    return result->outcome != FR_OUTCOME_OK || result->stderr_class == FR_STDERR_ERROR;
}

int fri_budget_charge(const fri_budget *b, fr_state *state, const char *invocation,
                      const fr_code_result *result, fr_error *err)
{
    if (result->outcome == FR_OUTCOME_CANCELLED)
        return 0;
    fri_tally *tally = fri_state_tally(state, invocation, err);
    if (!tally)
        return FR_ENOMEM;
    tally->runs += tally->runs < INT32_MAX;
    /* There are never more of these than attempts. */
    tally->errors = fri_is_failure(b, result) ? tally->errors + 1 : 0;
    return 0;
}

int fri_budget_refusal(const fri_budget *b, const fri_standing *standing)
{
    switch (b->when_used_up) {
    case FR_USED_UP_FAIL:
        return FR_TURN_FAILED;
    case FR_USED_UP_FINAL_TURN:
        return standing->refused == 0 ? FR_TURN_REFUSED : FR_TURN_EXHAUSTED;
    default:
        return FR_TURN_EXHAUSTED;
    }
}
