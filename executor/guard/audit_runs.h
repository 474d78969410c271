/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_RUNS_H
#define FR_EXECUTOR_GUARD_AUDIT_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/error.h"

/* The runs that have begun and not ended, while a log is read or written: their sequence numbers, which
 * only grow. */
typedef struct fri_audit_runs {
    uint64_t *entries; /* ascending; twice the number, and 1 more when it has ended */
    size_t n, cap;
    size_t ended; /* of the n */
} fri_audit_runs;

void fri_audit_runs_dispose(fri_audit_runs *r);

/* Room for one more, so that its beginning cannot fail. Errors: FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_audit_runs_reserve(fri_audit_runs *r, fr_error *err);

/* Errors: FR_ELIMIT, FR_ENOMEM. */
FR_CHECK int fri_audit_runs_begin(fri_audit_runs *r, uint64_t run, fr_error *err);

/* Whether that run is going on. */
int fri_audit_runs_has(const fri_audit_runs *r, uint64_t run);

/* 0, or -1 when no such run is going on. */
int fri_audit_runs_end(fri_audit_runs *r, uint64_t run);

size_t fri_audit_runs_count(const fri_audit_runs *r);

/* The first of them; 0 when there is none. */
uint64_t fri_audit_runs_first(const fri_audit_runs *r);

#endif
