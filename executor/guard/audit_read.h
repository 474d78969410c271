/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_READ_H
#define FR_EXECUTOR_GUARD_AUDIT_READ_H

#include "base/json_read.h"
#include "executor/guard/audit_frame.h"

/* A line of a log, read: a record with the memory behind its pointers. */
#define FRI_AUDIT_MAX_STRINGS 20

typedef struct fri_audit_reading {
    fr_audit_record record;
    fr_invocation invocation;
    char torn_sha256[65];
    void *owned[FRI_AUDIT_MAX_STRINGS];
    size_t owned_count;
} fri_audit_reading;

/* Reads a line that has the frame; dispose also after a failure. Errors: FR_EFORMAT, with why it is no
 * record; FR_ENOMEM, FR_EUNAVAILABLE. */
FR_CHECK int fri_audit_read(fr_str line, const fri_audit_frame *frame, fri_audit_reading *out,
                            fr_error *err);
void fri_audit_reading_dispose(fri_audit_reading *r);

/* One of which nothing is known but that it is no record. */
void fri_audit_reading_init(fri_audit_reading *r);

#endif
