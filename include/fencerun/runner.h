/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_RUNNER_H
#define FENCERUN_RUNNER_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/cancel.h"
#include "fencerun/error.h"
#include "fencerun/event.h"
#include "fencerun/executor.h"
#include "fencerun/model.h"
#include "fencerun/postprocess.h"
#include "fencerun/session.h"
#include "fencerun/str.h"

/**
 * A whole loop: a question goes to a model, the code in its reply is run, what came out goes back, until
 * there is an answer. Who has a loop already wants fr_postprocess() instead.
 */

/** Zero means default. Members are only ever added at the end. */
typedef struct fr_runner_options {
    size_t struct_size;
    fr_model *model;       /**< required; must outlive the runner */
    fr_executor *executor; /**< must outlive the runner; NULL: no code is run */
    const fr_postprocessor_options
        *postprocessor;      /**< NULL: its defaults; its on_event is not used */
    const char *agent;       /**< its name, the author of its events; NULL: "agent" */
    const char *instruction; /**< system prompt of one's own; fr_instruction() goes behind it */
    int32_t no_instruction;  /**< not 0: only one's own */
    int32_t max_model_calls; /**< of one question; 0: 25 */
    fr_event_fn on_event;    /**< gets every event as it happens; may be NULL */
    fr_text_fn on_text;      /**< gets what the model says while it says it; may be NULL */
    void *user;              /**< for both */
} fr_runner_options;

#define FR_RUNNER_OPTIONS_INIT                                  \
    {                                                           \
        sizeof(fr_runner_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#define FR_ANSWER_MAP(X)                                                                           \
    X(OK, 0, "ok")                             /**< the model has answered */                      \
    X(BUDGET_EXHAUSTED, 1, "budget_exhausted") /**< its last reply has code that was not run */    \
    X(FAILED, 2, "failed")                     /**< likewise, with FR_USED_UP_FAIL */              \
    X(MODEL_CALLS, 3, "model_calls") /**< max_model_calls are used up; the text is empty */        \
    X(TRUNCATED, 4, "truncated")     /**< cut off (FR_FINISH_MAX_TOKENS), or it ends in a block */ \
    X(EMPTY, 5, "empty")             /**< the model said nothing */                                \
    X(WITHHELD, 6, "withheld")       /**< by the provider's filter (FR_FINISH_SAFETY) */           \
    X(CANCELLED, 7, "cancelled")     /**< a run was cancelled */

enum fr_answer_status {
#define FR_ANSWER_ENUM(name, value, text) FR_ANSWER_##name = (value),
    FR_ANSWER_MAP(FR_ANSWER_ENUM)
#undef FR_ANSWER_ENUM
};

/** What came of a question. Only the library makes these; members are only ever added at the end. */
typedef struct fr_answer {
    int32_t status; /**< `fr_answer_status` */
    fr_str
        text; /**< what the model said last, code and thoughts left out unless it was the answer */
    const char *invocation_id;
    int32_t model_calls;
    int32_t runs;          /**< of code */
    int32_t failures;      /**< in a row, at the end */
    int64_t prompt_tokens; /**< of all calls together; -1: not known */
    int64_t output_tokens;
} fr_answer;

/** Threads: one object, one thread. */
typedef struct fr_runner fr_runner;

FR_BEGIN_DECLS

/** Copies the options' strings. Free with fr_runner_free().
 * Errors: FR_EINVAL, FR_EABI, FR_EUNSUPPORTED (an executor with optimize_data_file), FR_ENOMEM.
 * Since: 0.1. */
FR_API FR_CHECK int fr_runner_new(const fr_runner_options *options, fr_runner **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_runner_free(fr_runner *runner);

/**
 * Asks a question in a session, whose events and state grow. `invocation_id` NULL: a random one.
 * `cancel` may be NULL. On success `*out` is to be freed with fr_answer_free().
 * Errors: FR_EMODEL (the model could not be asked), FR_ECANCELLED, those of fr_postprocess(); the
 * session then has the events so far, but for code that could not be run. Since: 0.1.
 */
FR_API FR_CHECK int fr_runner_ask(fr_runner *runner, fr_session *session, fr_str question,
                                  const char *invocation_id, fr_cancel *cancel, fr_answer **out,
                                  fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_answer_free(fr_answer *answer);

/** "ok", "budget_exhausted", …; "unknown" for another number. Owner: static storage. Threads: any.
 * Since: 0.1. */
FR_API const char *fr_answer_status_text(int status);

/** One JSON object on one line: status, answer, invocation_id, model_calls, runs, failures,
 * prompt_tokens, output_tokens. Free `*json` with fr_free(). Errors: FR_ELIMIT, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_answer_json(const fr_answer *answer, char **json, fr_error *err);

FR_END_DECLS

#endif
