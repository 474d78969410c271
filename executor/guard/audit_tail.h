/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_AUDIT_TAIL_H
#define FR_EXECUTOR_GUARD_AUDIT_TAIL_H

#include "fencerun/audit.h"

/* Enough for the hash of the last record, which no other record has. */
#define FRI_AUDIT_ENDING 72

/* How a log ends: what the next record follows, and what it has to tell of. */
typedef struct fri_audit_tail {
    uint64_t size;       /* of the file */
    fr_audit_mark last;  /* the last whole record; sequence 0 and fri_audit_no_hash for none */
    int needs_lf;        /* the file does not end in one */
    int torn;            /* something that is no record stands behind the last one: */
    uint64_t torn_bytes; /* without the line feed behind it */
    char torn_sha256[65];
    char ending[FRI_AUDIT_ENDING]; /* the last bytes of the file, as many as it has */
} fri_audit_tail;

/* Whether a file may be continued as a log: it is empty, or begins as our first write does, be it cut
 * off. Errors: FR_EFORMAT, FR_ESYSTEM. `path` is for the text. */
FR_CHECK int fri_audit_check_beginning(int fd, const char *path, fr_error *err);

/* Reads the end of a file of `size` bytes, as much as it takes. Errors: FR_EFORMAT (there is too much that
 * is no record), FR_ESYSTEM, FR_EUNAVAILABLE, FR_ENOMEM. */
FR_CHECK int fri_audit_read_tail(int fd, uint64_t size, const char *path, fri_audit_tail *out,
                                 fr_error *err);

/* The tail of a log of `size` bytes that ends with the whole record `last`, in the line `line`. */
fri_audit_tail fri_audit_tail_of(uint64_t size, const fr_audit_mark *last, fr_str line);

/* Whether the file still has all of that, be there more behind it. Returns 1, 0, or -1 with errno. */
FR_CHECK int fri_audit_still_has(int fd, const fri_audit_tail *tail);

#endif
