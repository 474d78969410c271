/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_STATE_H
#define FR_LOOP_STATE_H

#include "base/json_map.h"
#include "fencerun/state.h"

/* What is counted of an invocation. */
typedef struct fri_tally {
    char *invocation;
    int64_t errors;  /* in a row */
    int64_t runs;    /* all of them */
    int64_t refused; /* blocks that were not run for want of budget */
} fri_tally;

/* A recorded result. */
typedef struct fri_record {
    char *invocation;
    char *json; /* the record as JSON */
    size_t n;
    int64_t timestamp; /* what they are kept in order by */
} fri_record;

struct fr_state {
    fri_json_map others;  /* keys that are not ours */
    fri_json_map context; /* members of _code_execution_context but the two understood */
    char *execution_id;
    char **processed;
    size_t processed_count;
    fr_file *input_files;
    size_t input_file_count;
    fri_tally *tallies; /* oldest first */
    size_t tally_count;
    fri_record *records; /* oldest first */
    size_t record_count;
};

extern const char fri_key_context[], fri_key_input_files[], fri_key_error_counts[],
    fri_key_results[], fri_key_budget[];

/* Ids of invocations are keys of the state's JSON, where bytes that are no UTF-8 would be replaced, and two ids
 * become one. Errors: FR_EINVAL. */
FR_CHECK int fri_state_check_id(const char *invocation, fr_error *err);

/* The tally of an invocation; NULL when there is none. */
const fri_tally *fri_state_find_tally(const fr_state *state, const char *invocation);

/* The same, made where there is none; the oldest goes when there are too many. NULL: out of memory. */
FR_CHECK fri_tally *fri_state_tally(fr_state *state, const char *invocation, fr_error *err);

/* Adds a record as JSON text; drops the oldest when there are too many. */
FR_CHECK int fri_state_add_record(fr_state *state, const char *invocation, fr_str json,
                                  int64_t timestamp, fr_error *err);

/* The time of the youngest record; INT64_MIN when there is none. */
int64_t fri_state_last_time(const fr_state *state);

/* Whether the last run recorded of the invocation was of this code. 1 or 0, or an error. */
FR_CHECK int fri_state_is_repeat(const fr_state *state, const char *invocation, fr_str code,
                                 fr_error *err);

/* Reads a whole state into an empty one. */
FR_CHECK int fri_state_read(fr_state *state, const char *json, size_t n, fr_error *err);

#endif
