/* SPDX-License-Identifier: MIT */
#include "executor/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/word.h"
#include "executor/file_name.h"
#include "executor/file_type.h"

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
    for (size_t i = 0; i < r->pub.skipped_count; i++) {
        fri_free((void *)(uintptr_t)r->skipped[i].name);
        fri_free((void *)(uintptr_t)r->skipped[i].reason);
    }
    fri_free(r->skipped);
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

static char *escaped(const char *name, fr_error *err)
{
    fri_buf text;
    fri_buf_init(&text, 4 * FRI_MAX_FILE_NAME + 1);
    fri_file_name_put(&text, name);
    char *p = fri_buf_check(&text, "the name of a file", err) ? NULL : fri_buf_steal(&text, err);
    fri_buf_dispose(&text);
    return p;
}

int fri_result_add_file(fri_result *r, const fr_file *file, fr_error *err)
{
    size_t n = r->pub.file_count;
    fr_file *files = fri_realloc(r->files, n + 1, sizeof(*files), err);
    if (!files)
        return FR_ENOMEM;
    r->files = files;
    r->pub.files = files;
    const char *type = file->mime_type ? file->mime_type : fri_file_type(file->name, file->content);
    FRI_AUTO(fri_freep) char *name = escaped(file->name, err);
    FRI_AUTO(fri_freep) char *mime = name ? fri_strdup(type, err) : NULL;
    FRI_AUTO(fri_freep)
    char *content = mime ? fri_memdup(file->content.p, file->content.n, err) : NULL;
    if (!content)
        return FR_ENOMEM;
    files[n] = (fr_file){.content.n = file->content.n};
    files[n].name = fri_steal(&name);
    files[n].mime_type = fri_steal(&mime);
    files[n].content.p = fri_steal(&content);
    r->files_bytes += file->content.n;
    r->pub.file_count = n + 1;
    return 0;
}

int fri_result_add_skipped(fri_result *r, const char *name, const char *reason, fr_error *err)
{
    size_t n = r->pub.skipped_count;
    if (n >= FRI_MAX_SKIPPED_FILES)
        return 0;
    fr_skipped_file *skipped = fri_realloc(r->skipped, n + 1, sizeof(*skipped), err);
    if (!skipped)
        return FR_ENOMEM;
    r->skipped = skipped;
    r->pub.skipped = skipped;
    FRI_AUTO(fri_freep) char *of = escaped(name, err);
    FRI_AUTO(fri_freep) char *why = of ? fri_strdup(reason, err) : NULL;
    if (!why)
        return FR_ENOMEM;
    skipped[n] = (fr_skipped_file){fri_steal(&of), fri_steal(&why)};
    r->pub.skipped_count = n + 1;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fr_file *)a)->name, ((const fr_file *)b)->name);
}

static int by_skipped_name(const void *a, const void *b)
{
    return strcmp(((const fr_skipped_file *)a)->name, ((const fr_skipped_file *)b)->name);
}

void fri_result_settle_files(fri_result *r)
{
    int stopped = r->pub.outcome != FR_OUTCOME_OK && r->pub.outcome != FR_OUTCOME_FAILED;
    for (size_t i = 0; i < r->pub.file_count; i++)
        r->files[i].flags = stopped ? FR_FILE_PARTIAL : 0;
    if (r->pub.file_count > 0)
        qsort(r->files, r->pub.file_count, sizeof(*r->files), by_name);
    if (r->pub.skipped_count > 0)
        qsort(r->skipped, r->pub.skipped_count, sizeof(*r->skipped), by_skipped_name);
}
