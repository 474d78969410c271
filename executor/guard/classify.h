/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_CLASSIFY_H
#define FR_EXECUTOR_GUARD_CLASSIFY_H

#include "fencerun/error.h"
#include "fencerun/str.h"

/*
 * What the stderr of a run that ended with exit code 0 is, by the rules of executor/guard/rules.h. The
 * compiled rules do not change: any number of threads may classify with them at once.
 */
typedef struct fri_classifier fri_classifier;

/* Errors: FR_ENOMEM. */
FR_CHECK int fri_classifier_new(fri_classifier **out, fr_error *err);
void fri_classifier_free(fri_classifier *c);

/* `stderr_text` has been cleaned. *class is an `fr_stderr` from EMPTY on: that of the worst line. A line
 * that cannot be judged within the limits of base/pattern.c is OTHER. Errors: FR_ENOMEM, FR_EINTERNAL. */
FR_CHECK int fri_classify(const fri_classifier *c, fr_str stderr_text, int *class, fr_error *err);

#endif
