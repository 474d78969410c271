/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_CODE_H
#define FENCERUN_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/cancel.h"
#include "fencerun/error.h"
#include "fencerun/invocation.h"
#include "fencerun/str.h"

#define FR_FILE_READ_ONLY 1u /**< in: without write permission; a courtesy, not a wall */
#define FR_FILE_PARTIAL   2u /**< out: the run was stopped, so that it may not be whole */

/** A file that goes in or comes out of a run. Fixed layout. */
typedef struct fr_file {
    const char *name; /**< path below the working directory, with / between its parts, UTF-8; on the
                                way out control characters, backslashes and bytes that are no UTF-8 are
                                escaped: \x0a */
    fr_str content;   /**< raw bytes */
    const char *mime_type; /**< "text/plain"; may be NULL on the way in */
    const char
        *path;      /**< in: a regular file of the host to copy, in place of `content`; out: NULL */
    uint32_t flags; /**< FR_FILE_… */
} fr_file;

/** Something in the working directory that is not among the files that come out. Fixed layout. */
typedef struct fr_skipped_file {
    const char *name;   /**< as that of a file */
    const char *reason; /**< for people: "a symbolic link" */
} fr_skipped_file;

/** What is to be run (ADK's `CodeExecutionInput`). Zero means default. Nothing in it is kept after
 * the call. Members are only ever added at the end. */
typedef struct fr_code_input {
    size_t struct_size;
    fr_str code;          /**< any bytes, any length up to the executor's limit */
    const char *language; /**< a language's name; NULL: the executor's first */
    const fr_file
        *files; /**< put into the working directory; only for executors with FR_EXECUTOR_FILES */
    size_t file_count;
    const char *execution_id; /**< only for executors with FR_EXECUTOR_STATEFUL */
    int64_t timeout_ms;       /**< wall time from the moment the code starts; 0: the executor's */
    fr_cancel *cancel; /**< once raised the run ends with FR_OUTCOME_CANCELLED; may be NULL */
    const fr_invocation *invocation; /**< for the audit record; may be NULL */
} fr_code_input;

#define FR_CODE_INPUT_INIT                                 \
    {                                                      \
        sizeof(fr_code_input), {0, 0}, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * How a run ended. OK and FAILED: the code ended by itself, with exit code 0 or otherwise. The
 * others: we stopped it. A call that could not run the code at all has no outcome but an error.
 */
#define FR_OUTCOME_MAP(X)              \
    X(OK, 1, "ok")                     \
    X(FAILED, 2, "failed")             \
    X(TIMEOUT, 3, "timeout")           \
    X(MEMORY, 4, "memory")             \
    X(OUTPUT_LIMIT, 5, "output_limit") \
    X(DENIED, 6, "denied")             \
    X(CANCELLED, 7, "cancelled")       \
    X(CPU_LIMIT, 8, "cpu_limit")

enum fr_outcome {
#define FR_OUTCOME_ENUM(name, value, text) FR_OUTCOME_##name = (value),
    FR_OUTCOME_MAP(FR_OUTCOME_ENUM)
#undef FR_OUTCOME_ENUM
};

/** A limit that held during a run and what in the system enforced it. Fixed layout. */
typedef struct fr_limit {
    const char *name;      /**< "wall_ms", "memory_bytes", "processes", … */
    uint64_t value;        /**< in the unit its name ends with */
    const char *mechanism; /**< "cgroup2", "rlimit", "tmpfs", "seccomp", … */
    int32_t degraded;      /**< not 0: weaker than the limit's name promises */
} fr_limit;

/** What a run cost and what bounded it. -1 in a signed member: not known. Only the library makes
 * these; members are only ever added at the end. */
typedef struct fr_receipt {
    const char *executor;    /**< the executor's name */
    const char *language;    /**< the language's name */
    const char *interpreter; /**< path of the program that ran the code; "" when not known */
    const char *interpreter_version; /**< as it says itself: "3.11.2"; "" when not known */
    int32_t network;                 /**< not 0: the code could reach more than its own loopback */
    int64_t queue_ns;   /**< from the call to the moment something was free to take the code */
    int64_t start_ns;   /**< from there to the moment the code started */
    int64_t run_ns;     /**< from there to its end */
    int64_t collect_ns; /**< from there until its output and files were in the result */
    int64_t cpu_user_ns;
    int64_t cpu_system_ns;
    int64_t peak_memory_bytes;
    int64_t peak_processes;
    int64_t oom_events;      /**< processes the kernel killed for want of memory */
    uint64_t stdout_written; /**< bytes the code wrote */
    uint64_t stdout_kept;    /**< of these, the bytes in the result */
    uint64_t stdout_invalid; /**< ill-formed UTF-8 sequences replaced by U+FFFD */
    uint64_t stderr_written;
    uint64_t stderr_kept;
    uint64_t stderr_invalid;
    const fr_limit *limits;
    size_t limit_count;
    /** Where less of stdout is kept than was written, or a guard has left something out: offset in the text of
     * the line that says so, with the line feed that had to be put before it. UINT64_MAX: there is none. */
    uint64_t stdout_gap;
    uint64_t stderr_gap;
    uint64_t stdout_cleaned; /**< control sequences and redrawn lines a guard took out */
    uint64_t stdout_clipped; /**< characters a guard left out, apart from what the executor did */
    uint64_t stderr_cleaned;
    uint64_t stderr_clipped;
    uint64_t audit_sequence; /**< of the record of this result in the audit log; 0: none */
    char audit_hash[65];     /**< and that record's hash, in hexadecimal */
} fr_receipt;

/** What the stderr of a run that ended with exit code 0 is: progress bars, known warnings, something
 * that looks like an error, or other text. The worst of its lines decides, in the order of these
 * numbers; docs/guard.md has the rules. UNJUDGED: no guard looked. */
#define FR_STDERR_MAP(X)       \
    X(UNJUDGED, 0, "unjudged") \
    X(EMPTY, 1, "empty")       \
    X(PROGRESS, 2, "progress") \
    X(WARNING, 3, "warning")   \
    X(OTHER, 4, "other")       \
    X(ERROR, 5, "error")

enum fr_stderr {
#define FR_STDERR_ENUM(name, value, text) FR_STDERR_##name = (value),
    FR_STDERR_MAP(FR_STDERR_ENUM)
#undef FR_STDERR_ENUM
};

/** What came out (ADK's `CodeExecutionResult`, and what it leaves out). Only the library makes
 * these; members are only ever added at the end. */
typedef struct fr_code_result {
    int32_t outcome;    /**< `fr_outcome` */
    int32_t exit_code;  /**< -1 unless the code ended with one */
    int32_t signal;     /**< 0 unless a signal ended it */
    fr_str out;         /**< stdout: valid UTF-8; when it was long its head, a line that says how
                           many bytes are left out ("[... N bytes left out ...]"), its tail */
    fr_str err;         /**< stderr, likewise */
    const char *reason; /**< when we stopped it: one line that says why; else "" */
    const fr_file
        *files; /**< what was new or changed in the working directory, in the order of names */
    size_t file_count;
    const fr_receipt *receipt;
    int32_t stderr_class;           /**< `fr_stderr`: what a guard takes stderr for */
    const fr_skipped_file *skipped; /**< what was new or changed there and is not among the files */
    size_t skipped_count;
} fr_code_result;

FR_BEGIN_DECLS

/** "ok", "failed", "timeout", …; "unknown" for another number.
 * Owner: static storage. Threads: any. Since: 0.1. */
FR_API const char *fr_outcome_text(int outcome);

/** "unjudged", "empty", "progress", "warning", "other", "error"; "unknown" for another number.
 * Owner: static storage. Threads: any. Since: 0.1. */
FR_API const char *fr_stderr_text(int stderr_class);

/** Frees a result; NULL is allowed. Since: 0.1. */
FR_API void fr_code_result_free(fr_code_result *result);

/**
 * One JSON object: outcome, exit_code, signal, stdout, stderr, files (name, mime_type, bytes; partial), receipt;
 * reason, skipped when there are any; guard when one looked at it. Free `*json` with fr_free(). Errors: FR_ELIMIT, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_code_result_json(const fr_code_result *result, char **json, fr_error *err);

FR_END_DECLS

#endif
