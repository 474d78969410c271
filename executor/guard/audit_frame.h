/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_FRAME_H
#define FR_EXECUTOR_GUARD_AUDIT_FRAME_H

#include "fencerun/audit.h"

/*
 * The frame of an audit record, which is found by bytes alone: {"seq":N, at its beginning,
 * ,"prev":"…","hash":"…"} at its end. The hash is that of all bytes before ,"hash":" and nothing in the
 * record can look like the frame, since a quote in a string is written as \".
 */

/* What the first record follows. */
extern const char fri_audit_no_hash[65];

typedef struct fri_audit_frame {
    fr_audit_mark mark;
    char prev[65];
    fr_str hashed; /* the bytes that the hash is of */
} fri_audit_frame;

/* 0, or -1 when the line (without its line feed) has no such frame. */
int fri_audit_read_frame(fr_str line, fri_audit_frame *out);

/* SHA-256 in hexadecimal digits. Errors: FR_EUNAVAILABLE, FR_ESYSTEM. */
FR_CHECK int fri_audit_hash(fr_str bytes, char hash[65], fr_error *err);

/* *match: whether its hash is that of its bytes. */
FR_CHECK int fri_audit_check_hash(const fri_audit_frame *frame, int *match, fr_error *err);

#endif
