/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_EXECUTOR_H
#define FENCERUN_EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/code.h"
#include "fencerun/error.h"
#include "fencerun/extract.h"
#include "fencerun/language.h"

/**
 * BaseCodeExecutor: one class for everything that runs code. The first half of this header is for
 * people who use an executor, the second for people who write one; the executors of the library use
 * exactly this and nothing else.
 */

/** An executor that is open. Threads: one call at a time, unless its class has
 * FR_EXECUTOR_CONCURRENT. */
typedef struct fr_executor fr_executor;

/** A run in progress, as its executor sees it. */
typedef struct fr_call fr_call;

/** Value of `error_retry_attempts` that stands for ADK's 0: no block is run at all. */
#define FR_NO_ATTEMPTS (-1)

/** Attributes every executor has. Zero means default. Members are only ever added at the end. */
typedef struct fr_executor_options {
    size_t struct_size;
    const void *config; /**< the executor's own options, as its header says; NULL: its defaults */

    /* ADK's BaseCodeExecutor. All but `stateful` are kept for the loop around the executor, which reads
     * them with fr_executor_get_options(); executing code does not depend on them. */
    const fr_delimiters *code_block_delimiters; /**< NULL: ADK's tool_code and python fences */
    size_t code_block_delimiter_count;
    fr_delimiters execution_result_delimiters; /**< NULLs: ADK's tool_output fence */
    int32_t error_retry_attempts;              /**< 0: 2; FR_NO_ATTEMPTS: none */
    int32_t stateful;                          /**< refused without FR_EXECUTOR_STATEFUL */
    int32_t
        optimize_data_file; /**< ADK's exploring of data files; fr_runner cannot, and refuses it */
    int64_t timeout_ms;     /**< wall time of one run; 0: 60,000; at most 24 h */

    /* Limits of one run. Executors that cannot enforce one refuse a value that is not 0. */
    uint64_t memory_bytes;  /**< 0: 512 MiB; at least 16 MiB */
    uint64_t tmp_bytes;     /**< all writable space; 0: 64 MiB */
    uint32_t max_processes; /**< processes and threads; 0: 128 */
    uint32_t cpu_millis;    /**< thousandths of a CPU; 0: as many CPUs as there are */
    int32_t network; /**< not 0: the network is reachable; refused without FR_EXECUTOR_NETWORK */

    /* What is kept of each output stream. */
    uint64_t output_keep_bytes; /**< head and tail together; 0: 1 MiB */
    uint64_t output_max_bytes;  /**< a run that writes more to a stream is stopped; 0: no maximum */

    /* What comes out of the working directory; more is skipped and told. */
    uint32_t output_files;       /**< 0: 100; at most 1,024 */
    uint64_t output_file_bytes;  /**< of each; 0: 16 MiB */
    uint64_t output_files_bytes; /**< of all together; 0: 64 MiB; at most 256 MiB */

    /** Processor time of all its processes together; 0: no limit; at most 24 h for each of 1,000 CPUs. As
     * memory_bytes it is refused by who cannot enforce it. */
    int64_t cpu_ms;
} fr_executor_options;

#define FR_EXECUTOR_OPTIONS_INIT                                                                  \
    {                                                                                             \
        sizeof(fr_executor_options), 0, 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

FR_BEGIN_DECLS

/**
 * Opens an executor of the class registered as `name` ("sandbox" is the default one). `options` may
 * be NULL; everything it points to is copied. What the class cannot enforce is refused here, never
 * skipped. Close with fr_executor_close(), in the same process: not in a child it has forked.
 * Errors: FR_ENOTFOUND (no such class), FR_EINVAL, FR_ELIMIT, FR_EABI (options of a newer header),
 * FR_EUNSUPPORTED (the class lacks what the options ask for), FR_EUNAVAILABLE (the system withholds
 * what it needs), FR_ENOMEM, FR_ESYSTEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_executor_open(const char *name, const fr_executor_options *options,
                                     fr_executor **out, fr_error *err);

/**
 * Opens an executor of the class registered as `name`, which has FR_EXECUTOR_WRAPPER, around another: the
 * wrapper has the languages, abilities and attributes of the inner one and does something before or
 * after each of its runs. `config` is the wrapper's own options. It owns the inner executor from then
 * on: closing it closes both. After a failure the inner one is still the caller's.
 * Errors: as fr_executor_open(). Since: 0.1.
 */
FR_API FR_CHECK int fr_executor_wrap(const char *name, const void *config, fr_executor *inner,
                                     fr_executor **out, fr_error *err);

/** Closes an executor and frees it; no run may be in progress. NULL is allowed. Since: 0.1. */
FR_API void fr_executor_close(fr_executor *ex);

/**
 * Runs code and waits for its end, or until `input->cancel` is raised. 0: it ran, `*out` says how it
 * ended and is to be freed with fr_code_result_free(). Negative: it could not be run, or not watched to
 * its end; `*out` is untouched, and nothing about the code is known.
 * Errors: FR_EINVAL, FR_EUNSUPPORTED (language, files, execution id), FR_ELIMIT (code too long),
 * FR_EABI, FR_EUNAVAILABLE, FR_ENOMEM, FR_ESYSTEM, FR_EPROTOCOL, FR_EINTERNAL. Since: 0.1.
 */
FR_API FR_CHECK int fr_executor_execute(fr_executor *ex, const fr_code_input *input,
                                        fr_code_result **out, fr_error *err);

/** Tries whether the executor can run code now. 0, or the reason it cannot.
 * Errors: as fr_executor_execute(). Since: 0.1. */
FR_API FR_CHECK int fr_executor_probe(fr_executor *ex, fr_error *err);

/** The attributes in force, defaults filled in. Owner: the executor. Since: 0.1. */
FR_API const fr_executor_options *fr_executor_get_options(const fr_executor *ex);

/** The name of its class. Owner: the executor. Since: 0.1. */
FR_API const char *fr_executor_name(const fr_executor *ex);

/** What it can do: FR_EXECUTOR_… flags; of a wrapper those of what it wraps. Since: 0.1. */
FR_API uint32_t fr_executor_flags(const fr_executor *ex);

/** The executor that really runs the code: of a wrapper the innermost, of another itself.
 * Owner: as `ex`. Since: 0.1. */
FR_API const fr_executor *fr_executor_innermost(const fr_executor *ex);

/** Its languages; the first is the default. Owner: the executor. Since: 0.1. */
FR_API const fr_language *fr_executor_languages(const fr_executor *ex, size_t *count);

/* ---- For authors of executors ---------------------------------------------------------------- */

/** Version of fr_executor_class and of what its methods may rely on. */
#define FR_EXECUTOR_ABI 1u

#define FR_EXECUTOR_STATEFUL   1u /**< keeps state between runs of one execution id */
#define FR_EXECUTOR_CONCURRENT 2u /**< `execute` may be entered by several threads at once */
#define FR_EXECUTOR_FILES      4u /**< takes input files and returns output files */
#define FR_EXECUTOR_NETWORK    8u /**< can give the code a network when asked to */
#define FR_EXECUTOR_LIMITS \
    16u /**< enforces memory_bytes, tmp_bytes, max_processes, cpu_millis and cpu_ms */
#define FR_EXECUTOR_WRAPPER \
    32u /**< is opened around another by fr_executor_wrap(); of the other flags only CONCURRENT counts */

/**
 * The class. Registration checks and copies it; nothing in it may change afterwards, and all that it
 * points to must live as long as the process. Optional slots may be NULL. Members are only ever
 * added at the end; `struct_size` tells which of them a class has.
 */
typedef struct fr_executor_class {
    size_t struct_size;           /**< sizeof(fr_executor_class) */
    uint32_t abi;                 /**< FR_EXECUTOR_ABI */
    uint32_t flags;               /**< FR_EXECUTOR_… */
    const char *name;             /**< [a-z][a-z0-9_-]*, at most 31 characters */
    const char *summary;          /**< one line for people */
    size_t state_size;            /**< zeroed bytes the library allocates per executor */
    const fr_language *languages; /**< NULL: fr_language_python() */
    size_t language_count;

    /** Optional. Prepares `self`. `config` is the caller's fr_executor_options.config. When it
     * fails, `close` is still called. */
    int (*open)(fr_executor *self, const void *config, fr_error *err);

    /** Runs fr_call_input(call) and describes the end by exactly one of fr_result_exited(),
     * fr_result_signaled() and fr_result_stopped(); an end that cannot be, such as signal 0, makes the
     * call fail with FR_EINTERNAL. Returns 0, or negative when the code could not be run; what was
     * described is then dropped. Keeps the time: once the code has run for
     * fr_call_input(call)->timeout_ms it stops it and says so with FR_OUTCOME_TIMEOUT; and returns
     * soon after fr_call_cancelled() turns true, with FR_OUTCOME_CANCELLED. Nobody else does. */
    int (*execute)(fr_executor *self, fr_call *call, fr_error *err);

    /** Optional. Undoes `open`, also one that failed half way. */
    void (*close)(fr_executor *self);

    /** Optional. Tries whether code can be run now. Without it fr_executor_probe() runs an empty
     * program. */
    int (*probe)(fr_executor *self, fr_error *err);
} fr_executor_class;

/**
 * Registers a class for the life of the process.
 * Errors: FR_EABI (unknown abi, or smaller than the first version of the struct), FR_EINVAL (bad
 * name, missing execute, languages), FR_EEXISTS (the name is taken), FR_ENOMEM.
 * Threads: any. Since: 0.1.
 */
FR_API FR_CHECK int fr_executor_register(const fr_executor_class *cls, fr_error *err);

/** The registered class number `i`, those of the library first; NULL past the end.
 * Owner: the library. Threads: any. Since: 0.1. */
FR_API const fr_executor_class *fr_executor_class_at(size_t i);

/** The `state_size` bytes of this executor; NULL when it asked for none. Since: 0.1. */
FR_API void *fr_executor_state(fr_executor *self);

/** The executor that this one was opened around; NULL where it was not. Owner: `self`. Since: 0.1. */
FR_API fr_executor *fr_executor_inner(const fr_executor *self);

/**
 * In `open`: the languages of this one executor, where they are not those of its class. They must stay until
 * `close`. Errors: FR_EINVAL (none, or one without a name or words). Since: 0.1.
 */
FR_API FR_CHECK int fr_executor_set_languages(fr_executor *self, const fr_language *languages,
                                              size_t count, fr_error *err);

/** What is to be run, defaults filled in (language, timeout). Owner: the call. Since: 0.1. */
FR_API const fr_code_input *fr_call_input(const fr_call *call);

/** Not 0 once the run is cancelled; it stays so. Threads: any. Since: 0.1. */
FR_API int fr_call_cancelled(const fr_call *call);

/** A descriptor that becomes readable when the run is cancelled, to be polled and nothing else; -1,
 * which poll(2) passes over, where nobody can cancel. Since: 0.1. */
FR_API int fr_call_cancel_fd(const fr_call *call);

enum fr_stream { FR_STDOUT = 1, FR_STDERR = 2 };

/**
 * Adds output of the code. Any bytes, any split; only head and tail are kept.
 * Returns 0; 1 when the stream is over `output_max_bytes`: stop the code then, whatever end is described
 * becomes FR_OUTCOME_OUTPUT_LIMIT; or FR_EINVAL, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_result_write(fr_call *call, int stream, const void *p, size_t n,
                                    fr_error *err);

/** The code ended with this exit code, 0 or more: FR_OUTCOME_OK for 0, else FR_OUTCOME_FAILED. Since: 0.1. */
FR_API void fr_result_exited(fr_call *call, int exit_code);

/** A signal (1 to SIGRTMAX) that was not ours ended the code: FR_OUTCOME_FAILED. Since: 0.1. */
FR_API void fr_result_signaled(fr_call *call, int signal);

/** We ended it: `outcome` is one of TIMEOUT, MEMORY, OUTPUT_LIMIT, DENIED, CANCELLED, CPU_LIMIT, and the
 * format gives one line that says why. Since: 0.1. */
FR_API void fr_result_stopped(fr_call *call, int outcome, const char *format, ...) FR_PRINTF(3, 4);

/**
 * The run was another executor's, and this is its result, which the call owns from here on: how it
 * ended, its output, files and receipt. For wrappers; counts as saying how the run ended, but for NULL,
 * which does nothing. Since: 0.1.
 */
FR_API void fr_result_adopt(fr_call *call, fr_code_result *result);

/** Of an adopted result: the text of a stream becomes a copy of these bytes (none of its own), and what
 * the receipt counts stays, but for its gap (stdout_gap): there is none until the wrapper says where.
 * Errors: FR_EINVAL, FR_ELIMIT, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_result_replace(fr_call *call, int stream, const char *p, size_t n,
                                      fr_error *err);

/** What stderr is, an `fr_stderr`. For wrappers. Since: 0.1. */
FR_API void fr_result_judge(fr_call *call, int stderr_class);

/** The receipt, for its numbers to be filled in. What the base knows (names, output counts) it fills
 * in itself; the four times too where the executor leaves them at -1. Since: 0.1. */
FR_API fr_receipt *fr_result_receipt(fr_call *call);

/** Path of the interpreter and its version (NULL: not known), for the receipt; copied.
 * Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_result_interpreter(fr_call *call, const char *path, const char *version,
                                          fr_error *err);

/** Adds a limit to the receipt. `name` and `mechanism` are copied.
 * Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_result_limit(fr_call *call, const char *name, uint64_t value,
                                    const char *mechanism, int degraded, fr_error *err);

/**
 * Adds an output file: its name, which may be any bytes but NUL, its content, and its type (NULL: what content
 * and name look like); everything is copied. One that leads elsewhere (an absolute path, a part ".."), or that
 * is beyond the options' limits is skipped instead, and its content not looked at. Only with FR_EXECUTOR_FILES.
 * Errors: FR_EINVAL (no name), FR_EUNSUPPORTED, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_result_file(fr_call *call, const fr_file *file, fr_error *err);

/** Tells of a file that is not handed out, and why; both are copied. Of more than 1,000 no more are told. Only
 * with FR_EXECUTOR_FILES. Errors: FR_EINVAL (no name), FR_EUNSUPPORTED, FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_result_skipped(fr_call *call, const char *name, const char *reason,
                                      fr_error *err);

/** What the contract test found. `ok` is 0 for a rule that is broken; `rule` and `detail` are for
 * people. */
typedef void (*fr_contract_fn)(void *user, int ok, const char *rule, const char *detail);

/**
 * Puts the executor that `name` and `options` open through what every executor must keep: results,
 * streams, failures that do not mix, deadlines, cancelling from another thread, reuse. The code it
 * runs is Python. Calls `report` once per rule. Returns the number of broken rules, or a negative
 * code when the executor could not be opened. Since: 0.1.
 */
FR_API FR_CHECK int fr_executor_contract(const char *name, const fr_executor_options *options,
                                         fr_contract_fn report, void *user, fr_error *err);

FR_END_DECLS

#endif
