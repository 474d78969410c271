/* SPDX-License-Identifier: MIT */
#include "executor/result.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/word.h"

const char *fr_outcome_text(int outcome)
{
    static const fri_word words[] = {FR_OUTCOME_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, outcome);
}

const char *fr_stderr_text(int stderr_class)
{
    static const fri_word words[] = {FR_STDERR_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, stderr_class);
}

fri_result *fri_result_new(fr_error *err)
{
    fri_result *r = fri_calloc(1, sizeof(*r), err);
    if (!r)
        return NULL;
    fri_buf_init(&r->out, FRI_MAX_RESULT_TEXT);
    fri_buf_init(&r->err, FRI_MAX_RESULT_TEXT);
    r->pub.exit_code = -1;
    r->pub.reason = r->reason;
    r->pub.receipt = &r->receipt;
    fr_receipt *receipt = &r->receipt;
    receipt->executor = receipt->language = "";
    receipt->interpreter = receipt->interpreter_version = "";
    receipt->queue_ns = receipt->start_ns = receipt->run_ns = receipt->collect_ns = -1;
    receipt->cpu_user_ns = receipt->cpu_system_ns = -1;
    receipt->peak_memory_bytes = receipt->peak_processes = receipt->oom_events = -1;
    return r;
}

static void free_limits(fri_result *r)
{
    for (size_t i = 0; i < r->receipt.limit_count; i++) {
        fri_free((void *)(uintptr_t)r->limits[i].name);
        fri_free((void *)(uintptr_t)r->limits[i].mechanism);
    }
    fri_free(r->limits);
}

static void free_files(fri_result *r)
{
    for (size_t i = 0; i < r->pub.file_count; i++) {
        fri_free((void *)(uintptr_t)r->files[i].name);
        fri_free((void *)(uintptr_t)r->files[i].content.p);
        fri_free((void *)(uintptr_t)r->files[i].mime_type);
    }
    fri_free(r->files);
}

void fri_result_free(fri_result *r)
{
    if (!r)
        return;
    fri_buf_dispose(&r->out);
    fri_buf_dispose(&r->err);
    fri_free(r->interpreter);
    fri_free(r->interpreter_version);
    fri_free(r->executor);
    fri_free(r->language);
    free_limits(r);
    free_files(r);
    fri_free(r);
}

void fr_code_result_free(fr_code_result *result)
{
    fri_result_free((fri_result *)result);
}

int fri_result_set_string(char **slot, const char *s, fr_error *err)
{
    char *copy = fri_strdup(s, err);
    if (!copy)
        return FR_ENOMEM;
    fri_free(*slot);
    *slot = copy;
    return 0;
}

int fri_result_add_limit(fri_result *r, const fr_limit *limit, fr_error *err)
{
    size_t n = r->receipt.limit_count;
    fr_limit *limits = fri_realloc(r->limits, n + 1, sizeof(*limits), err);
    if (!limits)
        return FR_ENOMEM;
    r->limits = limits;
    r->receipt.limits = limits;
    FRI_AUTO(fri_freep) char *name = fri_strdup(limit->name, err);
    FRI_AUTO(fri_freep) char *mechanism = name ? fri_strdup(limit->mechanism, err) : NULL;
    if (!mechanism)
        return FR_ENOMEM;
    limits[n] = *limit;
    limits[n].name = fri_steal(&name);
    limits[n].mechanism = fri_steal(&mechanism);
    r->receipt.limit_count = n + 1;
    return 0;
}

int fri_result_add_file(fri_result *r, const fr_file *file, fr_error *err)
{
    size_t n = r->pub.file_count;
    if (n >= FRI_MAX_OUTPUT_FILES || file->content.n > FRI_MAX_OUTPUT_FILE_BYTES - r->files_bytes)
        return fr_fail(err, FR_ELIMIT, 0, "more than %d output files or %lu bytes in them",
                       FRI_MAX_OUTPUT_FILES, FRI_MAX_OUTPUT_FILE_BYTES);
    fr_file *files = fri_realloc(r->files, n + 1, sizeof(*files), err);
    if (!files)
        return FR_ENOMEM;
    r->files = files;
    r->pub.files = files;
    FRI_AUTO(fri_freep) char *name = fri_strdup(file->name, err);
    FRI_AUTO(fri_freep)
    char *mime =
        name ? fri_strdup(file->mime_type ? file->mime_type : "application/octet-stream", err)
             : NULL;
    FRI_AUTO(fri_freep)
    char *content = mime ? fri_memdup(file->content.p, file->content.n, err) : NULL;
    if (!content)
        return FR_ENOMEM;
    files[n].name = fri_steal(&name);
    files[n].mime_type = fri_steal(&mime);
    files[n].content.p = fri_steal(&content);
    files[n].content.n = file->content.n;
    r->files_bytes += file->content.n;
    r->pub.file_count = n + 1;
    return 0;
}
