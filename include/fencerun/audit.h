/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_AUDIT_H
#define FENCERUN_AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/code.h"
#include "fencerun/error.h"
#include "fencerun/invocation.h"

/**
 * The audit log: a file of JSON lines, two for each run, one written before it and one after, chained by
 * SHA-256. It shows which code ran, for whom, and what came out, and that no line was changed or taken
 * out since. What a chain cannot show (docs/audit.md): that lines at the end were cut off, or that
 * somebody wrote the whole file anew. Against that, keep the head somewhere else and hand it to
 * fr_audit_verify().
 */

/**
 * An open log. Threads: any, all at once. Processes likewise, each with a log of its own to the same file:
 * every append locks it with flock(2). A child of fork(2) shares that lock with its parent, so what was
 * opened before the fork is refused in the child.
 */
typedef struct fr_audit fr_audit;

/** Flag of fr_audit_open(): leave it to the system when records reach the disk. */
#define FR_AUDIT_NO_SYNC 1u

/** A record, by its place in the chain. Fixed layout. */
typedef struct fr_audit_mark {
    uint64_t sequence; /**< 1 is the first record; 0: none */
    char hash[65];     /**< lower-case hexadecimal digits */
} fr_audit_mark;

/** What fr_audit_verify() found. Fixed layout. */
typedef struct fr_audit_summary {
    uint64_t records;           /**< that hold: all, or those before the break */
    uint64_t runs;              /**< of them those that begin a run */
    uint64_t runs_without_end;  /**< of these; still going on, or whoever ran them died */
    uint64_t first_without_end; /**< sequence of the first of them; 0: none */
    uint64_t torn;              /**< writes cut off that a later record tells of */
    uint64_t clock_back; /**< first record with an earlier time than the one before; 0: none */
    int64_t first_us;    /**< times of the first and the last record, since 1970 */
    int64_t last_us;
    fr_audit_mark head;     /**< the last record that holds */
    uint64_t broken_line;   /**< where the chain first breaks, counted from 1; 0: it holds */
    uint64_t broken_offset; /**< and in bytes from 0 */
    char broken[FR_ERROR_TEXT_SIZE]; /**< how, in one line; "" when it holds */
} fr_audit_summary;

/** A line of a log, for fr_audit_each(). What its event does not have is 0, "" or, of a number that may
 * be unknown, -1. Members are only ever added at the end. */
typedef struct fr_audit_record {
    uint64_t line;     /**< its number, from 1 */
    fr_str json;       /**< the line as it is, without its line feed */
    const char *event; /**< "started", "ended", "failed"; "": no record, and the rest is empty */
    uint64_t sequence;
    int64_t time_us; /**< since 1970 */
    int32_t torn;    /**< not 0: it tells of a write before it that was cut off */
    uint64_t torn_bytes;
    /* started */
    const char *executor;
    const char *language;
    const fr_invocation *invocation;
    fr_str code; /**< the very bytes */
    int64_t timeout_ms;
    /* ended and failed */
    uint64_t run; /**< sequence of the record that began it */
    /* ended */
    const char *outcome;
    int32_t exit_code;
    int32_t signal;
    const char *reason;
    fr_str out;
    fr_str err;
    int64_t run_ns;
    /* failed */
    const char *error; /**< "FR_EUNAVAILABLE" */
    const char *message;
} fr_audit_record;

/** Takes one. Not 0 ends the reading and is what fr_audit_each() returns. */
typedef int (*fr_audit_fn)(void *user, const fr_audit_record *record);

FR_BEGIN_DECLS

/**
 * Opens a log for appending, and makes it (mode 0600) when there is none. Only its last record is checked.
 * Close with fr_audit_close(). Errors: FR_EINVAL (no path, unknown flags, no regular file), FR_EFORMAT (a
 * file that is no audit log, or ends in too much that is no record), FR_ESYSTEM (it cannot be opened, read
 * or locked), FR_EUNAVAILABLE (no libcrypto), FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_audit_open(const char *path, uint32_t flags, fr_audit **out, fr_error *err);

/** NULL is allowed. Since: 0.1. */
FR_API void fr_audit_close(fr_audit *audit);

/**
 * Before a run: whoever cannot write this must not run the code. Of `input` code, language, timeout, files (by
 * hash, or by path) and invocation are written down, and `executor` is the name of what will run it; `mark`,
 * which may be NULL when the end will not be written down, gets what fr_audit_ended() wants. When it returns, the
 * record is on the disk (see FR_AUDIT_NO_SYNC); when it fails, nothing of it is left in the file, or, where not
 * even that can be had, a piece that the next record tells of. While somebody else has the file locked it waits,
 * for 10 s at most and until `input->cancel` is raised. Threads: any. Errors: FR_EINVAL, FR_EABI (`input`),
 * FR_ELIMIT (a record of more than 64 MiB, or a million runs going on), FR_ESYSTEM (not written or not locked, or
 * the file was deleted, or cut off or changed behind our back), FR_ECANCELLED, FR_EFORMAT, FR_EUNAVAILABLE,
 * FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_audit_started(fr_audit *audit, const fr_code_input *input,
                                     const char *executor, fr_audit_mark *mark, fr_error *err);

/**
 * After it: `result`, or NULL and `failure`, the error of the call that could not run it. `started` is
 * what fr_audit_started() gave for the same fr_audit; a run that has no beginning there, or has its end, is
 * refused (FR_EINVAL). A result that is too long (FR_ELIMIT) can still be written down as a failure. `mark`
 * may be NULL. Threads and errors: as fr_audit_started(), but for FR_ECANCELLED. Since: 0.1.
 */
FR_API FR_CHECK int fr_audit_ended(fr_audit *audit, const fr_audit_mark *started,
                                   const fr_code_result *result, const fr_error *failure,
                                   fr_audit_mark *mark, fr_error *err);

/**
 * Reads a log from its beginning to where it ends when the call begins, and checks everything: every
 * hash, that each record follows the one before, and that each end belongs to a start. Returns 0 when the
 * file could be read; whether the chain holds is in `*out`. `anchor` is "SEQUENCE:HASH" of a record that
 * must be in it, or NULL. Memory: that of the longest record, and 8 bytes for each run without an end.
 * Threads: any. Errors: FR_EINVAL (the anchor is none; no regular file), FR_ENOTFOUND (it cannot be
 * opened), FR_ESYSTEM (or read), FR_ELIMIT (over a million runs without an end), FR_EUNAVAILABLE,
 * FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_audit_verify(const char *path, const char *anchor, fr_audit_summary *out,
                                    fr_error *err);

/** One JSON object: holds, records, runs, runs_without_end, first_without_end, torn, clock_back, first,
 * last, head, broken. Free `*json` with fr_free(). Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_audit_summary_json(const fr_audit_summary *summary, char **json,
                                          fr_error *err);

/**
 * Calls fn for each line of a log, checking no hash. A record and what it points to is good during the
 * call. Returns 0, what fn returned, or an error: FR_EINVAL, FR_ENOTFOUND, FR_ESYSTEM, FR_EUNAVAILABLE,
 * FR_ENOMEM as fr_audit_verify(). Threads: any. Since: 0.1.
 */
FR_API FR_CHECK int fr_audit_each(const char *path, fr_audit_fn fn, void *user, fr_error *err);

FR_END_DECLS

#endif
