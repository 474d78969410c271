/* SPDX-License-Identifier: MIT */
#include "executor/options.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sized.h"

/* ADK's BaseCodeExecutor. */
static const fr_delimiters adk_code_block[] = {{"```tool_code\n", "\n```"},
                                               {"```python\n", "\n```"}};
static const fr_delimiters adk_result = {"```tool_output\n", "\n```"};
#define ADK_ERROR_RETRY_ATTEMPTS 2

/* ADK's strict container, and what it leaves unlimited. */
#define DEFAULT_TIMEOUT_MS   60000
#define DEFAULT_MEMORY_BYTES (512 * FRI_MIB)
#define DEFAULT_TMP_BYTES    (64 * FRI_MIB)
#define DEFAULT_PROCESSES    128
#define DEFAULT_OUTPUT_KEEP  FRI_MIB
#define MAX_TIMEOUT_MS       (24 * 3600 * 1000)
#define MAX_CPU_MILLIS       1000000
#define MAX_CPU_MS           ((int64_t)MAX_TIMEOUT_MS * (MAX_CPU_MILLIS / 1000))
#define MAX_PROCESSES        32768
#define DEFAULT_FILES        100
#define DEFAULT_FILE_BYTES   (16 * FRI_MIB)
#define DEFAULT_FILES_BYTES  (64 * FRI_MIB)
#define MIN_MEMORY_BYTES     (16 * FRI_MIB)

int fri_check_timeout(int64_t timeout_ms, const char *name, fr_error *err)
{
    if (timeout_ms < 0 || timeout_ms > MAX_TIMEOUT_MS)
        return fr_fail(err, FR_EINVAL, 0, "%s: a timeout of %lld ms; 1 to %d are possible", name,
                       (long long)timeout_ms, MAX_TIMEOUT_MS);
    return 0;
}

static int check_numbers(const fr_executor_options *o, const char *name, fr_error *err)
{
    int rc = fri_check_timeout(o->timeout_ms, name, err);
    if (rc)
        return rc;
    if (o->error_retry_attempts < FR_NO_ATTEMPTS)
        return fr_fail(err, FR_EINVAL, 0, "%s: error_retry_attempts is %d", name,
                       o->error_retry_attempts);
    if (o->memory_bytes && (o->memory_bytes < MIN_MEMORY_BYTES || o->memory_bytes > INT64_MAX))
        return fr_fail(
            err, FR_EINVAL, 0, "%s: %llu bytes of memory; at least %lu are needed (%luM)", name,
            (unsigned long long)o->memory_bytes, MIN_MEMORY_BYTES, MIN_MEMORY_BYTES >> 20);
    if (o->tmp_bytes > INT64_MAX)
        return fr_fail(err, FR_EINVAL, 0, "%s: tmp_bytes is %llu", name,
                       (unsigned long long)o->tmp_bytes);
    if (o->max_processes > MAX_PROCESSES)
        return fr_fail(err, FR_EINVAL, 0, "%s: %u processes; at most %d are possible", name,
                       o->max_processes, MAX_PROCESSES);
    if (o->cpu_millis > MAX_CPU_MILLIS)
        return fr_fail(err, FR_EINVAL, 0, "%s: %u thousandths of a CPU; at most %d are possible",
                       name, o->cpu_millis, MAX_CPU_MILLIS);
    if (o->cpu_ms < 0 || o->cpu_ms > MAX_CPU_MS)
        return fr_fail(err, FR_EINVAL, 0, "%s: %lld ms of processor time; 1 to %lld are possible",
                       name, (long long)o->cpu_ms, (long long)MAX_CPU_MS);
    if (o->output_files > FRI_MAX_OUTPUT_FILES || o->output_files_bytes > FRI_MAX_OUTPUT_FILE_BYTES)
        return fr_fail(err, FR_ELIMIT, 0,
                       "%s: %u output files and %llu bytes in them; at most %d and %lu come out",
                       name, o->output_files, (unsigned long long)o->output_files_bytes,
                       FRI_MAX_OUTPUT_FILES, FRI_MAX_OUTPUT_FILE_BYTES);
    if (o->output_keep_bytes > FRI_MAX_OUTPUT_KEEP_BYTES)
        return fr_fail(err, FR_ELIMIT, 0, "%s: %llu bytes of output; at most %lu can be kept", name,
                       (unsigned long long)o->output_keep_bytes, FRI_MAX_OUTPUT_KEEP_BYTES);
    return 0;
}

static int check_abilities(const fr_executor_options *o, const fr_executor_class *cls,
                           fr_error *err)
{
    if (o->stateful && !(cls->flags & FR_EXECUTOR_STATEFUL))
        return fr_fail(err, FR_EUNSUPPORTED, 0, "executor %s keeps no state between runs",
                       cls->name);
    if (o->network && !(cls->flags & FR_EXECUTOR_NETWORK))
        return fr_fail(err, FR_EUNSUPPORTED, 0, "executor %s gives the code no network", cls->name);
    if ((o->memory_bytes || o->tmp_bytes || o->max_processes || o->cpu_millis || o->cpu_ms) &&
        !(cls->flags & FR_EXECUTOR_LIMITS))
        return fr_fail(err, FR_EUNSUPPORTED, 0,
                       "executor %s cannot limit memory, processes, CPU or writable space",
                       cls->name);
    return 0;
}

static void fill_defaults(fr_executor_options *o)
{
    if (!o->code_block_delimiters) {
        o->code_block_delimiters = adk_code_block;
        o->code_block_delimiter_count = sizeof(adk_code_block) / sizeof(adk_code_block[0]);
    }
    if (!o->execution_result_delimiters.open && !o->execution_result_delimiters.close)
        o->execution_result_delimiters = adk_result;
    if (o->error_retry_attempts == 0)
        o->error_retry_attempts = ADK_ERROR_RETRY_ATTEMPTS;
    if (o->timeout_ms == 0)
        o->timeout_ms = DEFAULT_TIMEOUT_MS;
    if (o->output_files == 0)
        o->output_files = DEFAULT_FILES;
    if (o->output_file_bytes == 0)
        o->output_file_bytes = DEFAULT_FILE_BYTES;
    if (o->output_files_bytes == 0)
        o->output_files_bytes = DEFAULT_FILES_BYTES;
    if (o->memory_bytes == 0)
        o->memory_bytes = DEFAULT_MEMORY_BYTES;
    if (o->tmp_bytes == 0)
        o->tmp_bytes = DEFAULT_TMP_BYTES;
    if (o->max_processes == 0)
        o->max_processes = DEFAULT_PROCESSES;
    if (o->output_keep_bytes == 0)
        o->output_keep_bytes = DEFAULT_OUTPUT_KEEP;
}

static int copy_pair(fr_delimiters *pair, fr_error *err)
{
    const fr_delimiters given = *pair;
    *pair = (fr_delimiters){NULL, NULL};
    if (!given.open || !given.close || !given.open[0] || !given.close[0])
        return fr_fail(err, FR_EINVAL, 0, "a pair of delimiters lacks its opening or closing one");
    pair->open = fri_strdup(given.open, err);
    pair->close = fri_strdup(given.close, err);
    return pair->open && pair->close ? 0 : FR_ENOMEM;
}

/* Makes all that the options point to ours; after a failure what is not ours is NULL. */
static int copy_delimiters(fr_executor_options *o, fr_error *err)
{
    const fr_delimiters *given = o->code_block_delimiters;
    size_t n = o->code_block_delimiter_count;
    o->code_block_delimiters = NULL;
    o->code_block_delimiter_count = 0;
    int rc = copy_pair(&o->execution_result_delimiters, err);
    if (rc)
        return rc;
    if (n > FRI_MAX_DELIMITERS)
        return fr_fail(err, FR_ELIMIT, 0, "%zu pairs of delimiters; at most %d are possible", n,
                       FRI_MAX_DELIMITERS);
    fr_delimiters *pairs = fri_calloc(n, sizeof(*pairs), err);
    if (!pairs)
        return FR_ENOMEM;
    o->code_block_delimiters = pairs;
    for (size_t i = 0; i < n && rc == 0; i++) {
        pairs[i] = given[i];
        rc = copy_pair(&pairs[i], err);
        o->code_block_delimiter_count = i + 1;
    }
    return rc;
}

int fri_options_copy(fr_executor_options *o, const fr_executor_options *complete, fr_error *err)
{
    *o = *complete;
    return copy_delimiters(o, err);
}

int fri_options_init(fr_executor_options *o, const fr_executor_options *given,
                     const fr_executor_class *cls, fr_error *err)
{
    fr_executor_options read;
    int rc = fri_read_sized(&read, sizeof(read), given, "fr_executor_options", err);
    if (rc == 0)
        rc = check_numbers(&read, cls->name, err);
    if (rc == 0)
        rc = check_abilities(&read, cls, err);
    if (rc)
        return rc;
    fill_defaults(&read);
    return fri_options_copy(o, &read, err);
}

static void free_pair(const fr_delimiters *pair)
{
    fri_free((void *)(uintptr_t)pair->open);
    fri_free((void *)(uintptr_t)pair->close);
}

void fri_options_dispose(fr_executor_options *o)
{
    free_pair(&o->execution_result_delimiters);
    for (size_t i = 0; i < o->code_block_delimiter_count; i++)
        free_pair(&o->code_block_delimiters[i]);
    fri_free((void *)(uintptr_t)o->code_block_delimiters);
}
