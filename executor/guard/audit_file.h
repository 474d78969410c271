/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_FILE_H
#define FR_EXECUTOR_GUARD_AUDIT_FILE_H

#include <stdint.h>

#include "fencerun/cancel.h"
#include "fencerun/error.h"
#include "fencerun/str.h"

/* The audit log as a file: what the system has to do for it. Paths are for the texts. */

/* Whoever holds the lock writes one record, or reads the size of the file. */
#define FRI_AUDIT_WAIT_MS 10000

/* How long somebody waits for the log: until the deadline, or until `cancel`, which may be NULL, is raised. */
typedef struct fri_audit_wait {
    const fr_cancel *cancel;
    int64_t deadline_ns;
} fri_audit_wait;

/* From now on, FRI_AUDIT_WAIT_MS. */
fri_audit_wait fri_audit_wait_begin(const fr_cancel *cancel);

/* 0 while it is not over. Errors: FR_ESYSTEM, FR_ECANCELLED. */
FR_CHECK int fri_audit_wait_check(const char *path, const fri_audit_wait *wait, fr_error *err);

/* Opens a regular file and nothing else, without waiting for whoever is at the other end of a FIFO.
 * `flags` as open(2) takes them. Returns the descriptor, or an error: FR_EINVAL, and `code` when it cannot
 * be opened. */
FR_CHECK int fri_audit_open_file(const char *path, int flags, int code, fr_error *err);

/* Takes and gives back the lock of the open file; `operation` as flock(2) takes it. Errors: FR_ESYSTEM, and
 * as fri_audit_wait_check(). */
FR_CHECK int fri_audit_lock(int fd, int operation, const char *path, const fri_audit_wait *wait,
                            fr_error *err);
void fri_audit_unlock(int fd);

/* Makes the name of a new file last. Errors: FR_ESYSTEM. */
FR_CHECK int fri_audit_sync_directory(const char *path, fr_error *err);

/* Appends to a file of `size` bytes: all of it or nothing. 0, or -1 with errno. */
FR_CHECK int fri_audit_append(int fd, uint64_t size, fr_str bytes, int sync);

#endif
