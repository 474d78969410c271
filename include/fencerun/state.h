/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_STATE_H
#define FENCERUN_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/code.h"
#include "fencerun/error.h"
#include "fencerun/str.h"

/**
 * Session state as ADK keeps it: one JSON object, of which code execution owns the keys
 *
 *     _code_execution_context        {"execution_session_id": "…", "processed_input_files": ["…"]}
 *     _code_executor_input_files     [{"name": "…", "content": "base64", "mime_type": "…"}]
 *     _code_executor_error_counts    {"INVOCATION": 2}
 *     _code_execution_results        {"INVOCATION": [{"code", "result_stdout", "result_stderr",
 *                                                     "timestamp"}]}
 *
 * as ADK's CodeExecutorContext does, and one of our own, `_fencerun_budget`
 * ({"INVOCATION": {"runs": 3, "refused": 1}}). All other keys are kept as they are. What grows is bounded:
 * of results the last 8 are kept, each text of them to 2,000 characters; of invocations the last 64. Input files
 * have 32 MiB in all, and the whole object 64 MiB of JSON.
 * Threads: one object, one thread.
 */
typedef struct fr_state fr_state;

FR_BEGIN_DECLS

/** An empty state, to be freed with fr_state_free(). Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_new(fr_state **out, fr_error *err);

/** Reads one. Errors: FR_EFORMAT (no JSON, no object, or a key above is of another shape), FR_ELIMIT,
 * FR_EUNAVAILABLE (no libcrypto to decode input files), FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_parse(const char *json, size_t n, fr_state **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_state_free(fr_state *state);

/** All of it as one JSON object on one line. Free `*json` with fr_free().
 * Errors: FR_ELIMIT, FR_EUNAVAILABLE (as above), FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_json(const fr_state *state, char **json, fr_error *err);

/** What an event says has changed: the keys above but the input files; with FR_COMPAT_ADK the context
 * alone, as in ADK. One JSON object on one line; free `*json` with fr_free().
 * Errors: FR_ELIMIT, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_delta(const fr_state *state, uint32_t compat, char **json,
                                   fr_error *err);

/** Applies an event's state delta: each of its keys replaces the state's, null removes it.
 * Errors: as fr_state_parse(); the state is then unchanged. Since: 0.1. */
FR_API FR_CHECK int fr_state_apply(fr_state *state, const char *delta, size_t n, fr_error *err);

/** The execution id of a stateful executor; NULL when there is none. Owner: the state, until it is
 * changed. Since: 0.1. */
FR_API const char *fr_state_execution_id(const fr_state *state);

/** Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_set_execution_id(fr_state *state, const char *id, fr_error *err);

/** Name number `i` of the input files that have been explored; NULL past the end. Since: 0.1. */
FR_API const char *fr_state_processed_file(const fr_state *state, size_t i);

/** Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_add_processed_file(fr_state *state, const char *name, fr_error *err);

/** Input file number `i`; NULL past the end. Owner: the state, until it is changed. Since: 0.1. */
FR_API const fr_file *fr_state_input_file(const fr_state *state, size_t i);

/** Adds a copy. Errors: FR_EINVAL (no name), FR_ELIMIT, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_add_input_file(fr_state *state, const fr_file *file, fr_error *err);

/** Forgets the input files and the names of those explored. Since: 0.1. */
FR_API void fr_state_clear_input_files(fr_state *state);

/** Failures in a row in that invocation. Since: 0.1. */
FR_API int64_t fr_state_error_count(const fr_state *state, const char *invocation);

/** One more. Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_increment_error_count(fr_state *state, const char *invocation,
                                                   fr_error *err);

/** Since: 0.1. */
FR_API void fr_state_reset_error_count(fr_state *state, const char *invocation);

/** Adds a run to the results of the invocation; `timestamp` is in seconds since the epoch.
 * Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_state_add_result(fr_state *state, const char *invocation, fr_str code,
                                        fr_str out, fr_str errors, int64_t timestamp,
                                        fr_error *err);

FR_END_DECLS

#endif
