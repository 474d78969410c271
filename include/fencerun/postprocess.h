/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_POSTPROCESS_H
#define FENCERUN_POSTPROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/cancel.h"
#include "fencerun/content.h"
#include "fencerun/error.h"
#include "fencerun/event.h"
#include "fencerun/executor.h"
#include "fencerun/extract.h"
#include "fencerun/invocation.h"
#include "fencerun/state.h"

/**
 * What is done with a model's reply (ADK's CodeExecution response processor): the first runnable block in
 * it is run, what came out becomes an event, and the caller is told whether to ask the model again. For
 * loops of one's own; fr_runner is one such loop.
 */

/** Which runs count as failures. They count in a row: a success sets the count back to 0. A run that
 * could not be had at all (an engine that is down) or was cancelled never counts. */
enum fr_budget_rule {
    FR_BUDGET_CLASSIFIED =
        1,            /**< an outcome that is not OK, or stderr that a guard found to be an error */
    FR_BUDGET_ADK = 2 /**< anything on stderr, as in ADK */
};

/** What happens to a block once the executor's `error_retry_attempts` failures in a row, or `max_runs`
 * runs, are used up. It is never run. */
enum fr_used_up {
    FR_USED_UP_FINAL_TURN = 1, /**< the model is told, and asked once more to answer without code */
    FR_USED_UP_PASSTHROUGH = 2, /**< the reply is the answer, raw code and all, as in ADK */
    FR_USED_UP_FAIL = 3         /**< the invocation has failed */
};

/** Value of `max_runs` for no bound. */
#define FR_NO_MAXIMUM (-1)

/** Zero means default. Members are only ever added at the end. */
typedef struct fr_postprocessor_options {
    size_t struct_size;
    uint32_t compat;      /**< FR_COMPAT_ADK: ADK's rules and texts, to the byte */
    int32_t budget_rule;  /**< `fr_budget_rule`; 0: CLASSIFIED, in compat mode ADK */
    int32_t when_used_up; /**< `fr_used_up`; 0: FINAL_TURN, in compat mode PASSTHROUGH */
    int32_t max_runs;     /**< of an invocation, failed or not; 0: 20, in compat mode no maximum */
    int32_t run_unterminated; /**< as in fr_extract_options */
    int32_t run_untagged;
    int32_t
        all_languages; /**< not 0: blocks of each language of the executor, not of its first alone */
    fr_event_fn on_event; /**< gets each event at once: that of the code before it is run, so that a
                                call that fails and is made again gives it again */
    void *user;           /**< for on_event */
} fr_postprocessor_options;

#define FR_POSTPROCESSOR_OPTIONS_INIT                               \
    {                                                               \
        sizeof(fr_postprocessor_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/** A reply and whom it is for. Nothing in it is kept. Members are only ever added at the end. */
typedef struct fr_turn_input {
    size_t struct_size;
    const fr_content *reply; /**< all of it, with the role "model"; NULL: `text` */
    /** `id` is what budgets are counted by: one for each question. NULL or no id: turns without one share a
     * budget as long as the state lasts. */
    const fr_invocation *invocation;
    int32_t partial;   /**< a piece of a reply that comes whole later: left alone */
    fr_cancel *cancel; /**< ends the run; may be NULL */
    fr_str text;       /**< a reply that is plain text, in place of `reply` */
} fr_turn_input;

#define FR_TURN_INPUT_INIT                 \
    {                                      \
        sizeof(fr_turn_input), 0, 0, 0, 0, \
        {                                  \
            0, 0                           \
        }                                  \
    }

#define FR_TURN_MAP(X)                                                                             \
    X(ANSWER, 0, "answer")       /**< no runnable block: the reply is the answer */                \
    X(RAN, 1, "ran")             /**< its block was run */                                         \
    X(REFUSED, 2, "refused")     /**< budget used up: not run, and the model is to be told */      \
    X(EXHAUSTED, 3, "exhausted") /**< budget used up: not run, the reply is the answer as it is */ \
    X(FAILED, 4, "failed")       /**< budget used up: not run, the invocation has failed */        \
    X(CANCELLED, 5, "cancelled") /**< the run was cancelled */

enum fr_turn_status {
#define FR_TURN_ENUM(name, value, text) FR_TURN_##name = (value),
    FR_TURN_MAP(FR_TURN_ENUM)
#undef FR_TURN_ENUM
};

/** An event as text, for the next request to a model. Fixed layout. */
typedef struct fr_message {
    const char *role; /**< "model" (OpenAI says "assistant") or "user" */
    fr_str text;
} fr_message;

/** What became of a reply. Only the library makes these; members are only ever added at the end. */
typedef struct fr_turn {
    int32_t status;     /**< `fr_turn_status` */
    int32_t call_again; /**< not 0: add the messages to the conversation and ask the model again */
    /** RAN, REFUSED and CANCELLED: the code, then the result. FAILED: one. ANSWER and EXHAUSTED: none, the
     * reply is the caller's to record. */
    const fr_event *const *events;
    size_t event_count;
    const fr_message *messages; /**< one for each event */
    size_t message_count;
    const fr_extraction *extraction; /**< what was found in the reply; NULL when nobody looked */
    const fr_code_result *result;    /**< of the run; NULL unless RAN or CANCELLED */
    int32_t failures;                /**< in a row, this one among them */
    int32_t attempts_left; /**< failures in a row until the budget is used up; 0 without an
                                        executor */
    int32_t runs;          /**< of this invocation so far */
    int32_t runs_left;     /**< -1: no maximum */
} fr_turn;

/** Threads: one object, one thread. */
typedef struct fr_postprocessor fr_postprocessor;

FR_BEGIN_DECLS

/**
 * Makes one around an executor, which must outlive it; NULL: no code is run, every reply is an answer.
 * `options` may be NULL. Free with fr_postprocessor_free().
 * Errors: FR_EINVAL, FR_EABI, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_postprocessor_new(fr_executor *ex, const fr_postprocessor_options *options,
                                         fr_postprocessor **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_postprocessor_free(fr_postprocessor *p);

/**
 * Takes a reply: finds its first runnable block, runs it and counts. `state` is the session's, read and
 * changed. On success `*out` is to be freed with fr_turn_free().
 * Errors: those of the executor, which say that the code could not be run and cost the model nothing (the
 * state is as before; the call may be made again); FR_EINVAL; FR_EABI; FR_ESYSTEM (no random numbers for an
 * event's id); FR_ELIMIT and FR_ENOMEM. Once code has run it is counted: where the call fails after that (the
 * result does not fit an event: over 256 MiB; or no memory is left), the state has the run, and the result
 * is lost but for the audit log. Since: 0.1.
 */
FR_API FR_CHECK int fr_postprocess(fr_postprocessor *p, const fr_turn_input *input, fr_state *state,
                                   fr_turn **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_turn_free(fr_turn *turn);

/** "answer", "ran", …; "unknown" for another number. Owner: static storage. Threads: any. Since: 0.1. */
FR_API const char *fr_turn_status_text(int status);

/**
 * A content as a model can be told it (ADK's `convert_code_execution_parts`): code and results become
 * text between the executor's delimiters, a content that is a result gets the role "user". `attributes`
 * are an executor's (fr_executor_get_options()), NULL: ADK's defaults; `compat` 0 or FR_COMPAT_ADK. Free `*out` with
 * fr_content_free(). Errors: FR_ELIMIT, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_convert_code_execution_parts(const fr_content *content,
                                                    const fr_executor_options *attributes,
                                                    uint32_t compat, fr_content **out,
                                                    fr_error *err);

/**
 * How a model has to write its code so that this executor runs it: text for a system prompt, made from
 * what the executor can do. Free `*text` with fr_free(). Errors: FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_instruction(const fr_executor *ex, uint32_t compat, char **text,
                                   fr_error *err);

FR_END_DECLS

#endif
