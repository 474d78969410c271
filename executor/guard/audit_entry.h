/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_ENTRY_H
#define FR_EXECUTOR_GUARD_AUDIT_ENTRY_H

#include "base/buf.h"
#include "executor/guard/audit_tail.h"

/* What a record says between `event` and `prev`: one of the three kinds, told apart by what is not NULL.
 * All of it is borrowed. */
typedef struct fri_audit_entry {
    /* started */
    const fr_code_input *input;      /* of this library's size */
    const fr_invocation *invocation; /* likewise */
    const char *executor;
    char code_sha256[65];
    fr_str code_base64; /* p is NULL when the code is valid UTF-8 */
    /* ended, failed */
    uint64_t run;
    const fr_code_result *result;
    const fr_error *failure;
} fri_audit_entry;

/* Appends the record that follows `tail`, with its line feed and, where that is missing, the one before
 * it. Errors: FR_ELIMIT, FR_ENOMEM, FR_EUNAVAILABLE, FR_ESYSTEM. */
FR_CHECK int fri_audit_put_record(fri_buf *buf, const fri_audit_tail *tail,
                                  const fri_audit_entry *entry, fr_audit_mark *mark, fr_error *err);

#endif
