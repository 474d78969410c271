/* SPDX-License-Identifier: MIT */
#include "fencerun/executor.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/limits.h"
#include "base/sized.h"
#include "executor/call.h"
#include "executor/file_name.h"
#include "executor/options.h"
#include "executor/registry.h"

struct fr_executor {
    const fr_executor_class *cls;
    uint32_t flags; /* the class's; of a wrapper what the inner one can do, too */
    const fr_language *languages;
    size_t language_count;
    fr_executor *inner;          /* NULL unless this is a wrapper */
    fr_executor_options options; /* defaults filled in; what it points to is ours */
    void *state;
};

const fr_executor_options *fr_executor_get_options(const fr_executor *ex)
{
    return &ex->options;
}

const char *fr_executor_name(const fr_executor *ex)
{
    return ex->cls->name;
}

const fr_executor *fr_executor_innermost(const fr_executor *ex)
{
    while (ex->inner)
        ex = ex->inner;
    return ex;
}

uint32_t fr_executor_flags(const fr_executor *ex)
{
    return ex->flags;
}

const fr_language *fr_executor_languages(const fr_executor *ex, size_t *count)
{
    *count = ex->language_count;
    return ex->languages;
}

int fr_executor_set_languages(fr_executor *self, const fr_language *languages, size_t count,
                              fr_error *err)
{
    int rc = fri_check_languages(languages, count, self->cls->name, err);
    if (rc)
        return rc;
    self->languages = languages;
    self->language_count = count;
    return 0;
}

fr_executor *fr_executor_inner(const fr_executor *self)
{
    return self->inner;
}

void *fr_executor_state(fr_executor *self)
{
    return self->state;
}

static fr_executor *new_executor(const fr_executor_class *cls, fr_error *err)
{
    fr_executor *ex = fri_calloc(1, sizeof(*ex), err);
    if (!ex)
        return NULL;
    ex->cls = cls;
    ex->flags = cls->flags;
    ex->languages = cls->languages;
    ex->language_count = cls->language_count;
    if (cls->state_size == 0)
        return ex;
    ex->state = fri_calloc(1, cls->state_size, err);
    if (ex->state)
        return ex;
    fri_free(ex);
    return NULL;
}

static void free_executor(fr_executor *ex)
{
    fri_options_dispose(&ex->options);
    fri_free(ex->state);
    fri_free(ex);
}

/* An executor of that class, not opened yet. */
static int find_and_new(const char *name, int wrapper, fr_executor **out, fr_error *err)
{
    const fr_executor_class *cls;
    int rc = fri_class_find(name ? name : "", &cls, err);
    if (rc)
        return rc;
    if (!(cls->flags & FR_EXECUTOR_WRAPPER) != !wrapper)
        return fr_fail(err, FR_EINVAL, 0, "executor %s %s", cls->name,
                       wrapper ? "wraps no other; open it with fr_executor_open()"
                               : "needs one to wrap; open it with fr_executor_wrap()");
    *out = new_executor(cls, err);
    return *out ? 0 : FR_ENOMEM;
}

static int open_class(fr_executor *ex, const void *config, fr_executor **out, fr_error *err)
{
    int rc = ex->cls->open(ex, config, err);
    ex->options.config = NULL;
    if (rc) {
        ex->cls->close(ex);
        free_executor(ex);
        return rc;
    }
    *out = ex;
    return 0;
}

int fr_executor_open(const char *name, const fr_executor_options *options, fr_executor **out,
                     fr_error *err)
{
    fr_executor *ex;
    int rc = find_and_new(name, 0, &ex, err);
    if (rc)
        return rc;
    rc = fri_options_init(&ex->options, options, ex->cls, err);
    if (rc) {
        free_executor(ex);
        return rc;
    }
    return open_class(ex, options ? options->config : NULL, out, err);
}

int fr_executor_wrap(const char *name, const void *config, fr_executor *inner, fr_executor **out,
                     fr_error *err)
{
    fr_executor *ex;
    if (!inner)
        return fr_fail(err, FR_EINVAL, 0, "there is no executor to wrap");
    int rc = find_and_new(name, 1, &ex, err);
    if (rc)
        return rc;
    rc = fri_options_copy(&ex->options, &inner->options, err);
    if (rc) {
        free_executor(ex);
        return rc;
    }
    ex->inner = inner;
    ex->flags = inner->flags & (ex->flags | ~FR_EXECUTOR_CONCURRENT);
    ex->languages = inner->languages;
    ex->language_count = inner->language_count;
    return open_class(ex, config, out, err);
}

void fr_executor_close(fr_executor *ex)
{
    while (ex) {
        fr_executor *inner = ex->inner;
        ex->cls->close(ex);
        free_executor(ex);
        ex = inner;
    }
}

static int check_file(const fr_file *f, size_t i, const char *name, fr_error *err)
{
    if (!f->name || !f->name[0])
        return fr_fail(err, FR_EINVAL, 0, "%s: input file %zu has no name", name, i);
    if (f->path && f->content.n > 0)
        return fr_fail(err, FR_EINVAL, 0, "%s: the input file '%.100s' has content and a path",
                       name, f->name);
    return fri_file_name_check(f->name, name, err);
}

/* A name twice is one file, of which one half would be lost. */
static int check_files(const fr_code_input *in, const char *name, fr_error *err)
{
    int rc = 0;
    if (in->file_count > FRI_MAX_INPUT_FILES)
        return fr_fail(err, FR_ELIMIT, 0, "%s: %zu input files; at most %d are taken", name,
                       in->file_count, FRI_MAX_INPUT_FILES);
    for (size_t i = 0; rc == 0 && i < in->file_count; i++) {
        rc = check_file(&in->files[i], i, name, err);
        for (size_t k = 0; rc == 0 && k < i; k++)
            if (fri_file_names_clash(in->files[i].name, in->files[k].name))
                rc = fr_fail(err, FR_EINVAL, 0,
                             "%s: the input files '%.100s' and '%.100s' are in each other's way",
                             name, in->files[k].name, in->files[i].name);
    }
    return rc;
}

static int check_language(const fr_executor *ex, const char *language, fr_error *err)
{
    for (size_t i = 0; i < ex->language_count; i++)
        if (strcmp(ex->languages[i].name, language) == 0)
            return 0;
    return fr_fail(err, FR_EUNSUPPORTED, 0, "executor %s does not run '%.40s'",
                   fr_executor_innermost(ex)->cls->name, language);
}

/* The input with defaults filled in, refused where the executor lacks what it asks for. */
static int complete_input(const fr_executor *ex, const fr_code_input *given, fr_code_input *in,
                          fr_error *err)
{
    const char *name = fr_executor_innermost(ex)->cls->name;
    int rc = fri_read_sized(in, sizeof(*in), given, "fr_code_input", err);
    if (rc)
        return rc;
    if (in->code.n > FRI_MAX_CODE_BYTES)
        return fr_fail(err, FR_ELIMIT, 0, "%s: %zu bytes of code; at most %lu are run", name,
                       in->code.n, FRI_MAX_CODE_BYTES);
    if (!in->code.p)
        in->code = (fr_str){"", 0};
    rc = fri_check_timeout(in->timeout_ms, name, err);
    if (rc)
        return rc;
    if (in->timeout_ms == 0)
        in->timeout_ms = ex->options.timeout_ms;
    if (in->file_count > 0 && !(ex->flags & FR_EXECUTOR_FILES))
        return fr_fail(err, FR_EUNSUPPORTED, 0, "executor %s takes no input files", name);
    if (in->execution_id && !(ex->flags & FR_EXECUTOR_STATEFUL))
        return fr_fail(err, FR_EUNSUPPORTED, 0, "executor %s keeps no state between runs", name);
    if (!in->language)
        in->language = ex->languages[0].name;
    rc = check_language(ex, in->language, err);
    return rc ? rc : check_files(in, name, err);
}

/* One of the times a call took; *left is what is not accounted for. */
static void take_time(int64_t *ns, int64_t otherwise, int64_t *left)
{
    if (*ns < 0)
        *ns = otherwise > 0 ? otherwise : 0;
    *left -= *ns;
}

/* What the receipt says where the executor left it open. */
static void complete_receipt(fr_call *call, int64_t began)
{
    fr_receipt *receipt = fr_result_receipt(call);
    int64_t left = fri_now_ns() - began;
    take_time(&receipt->queue_ns, 0, &left);
    /* Of what an executor does not know it, all was the run. */
    int64_t start_ns = receipt->run_ns < 0 ? 0 : left - receipt->run_ns;
    take_time(&receipt->start_ns, start_ns, &left);
    take_time(&receipt->run_ns, left, &left);
    take_time(&receipt->collect_ns, left, &left);
}

/* Whatever an author's execute returns, callers see 0 or one of our codes, with a text. */
static int call_execute(fr_executor *ex, fr_call *call, fr_error *err)
{
    fr_error why = FR_ERROR_INIT;
    int rc = ex->cls->execute(ex, call, &why);
    return fri_failure_of("executor", ex->cls->name, rc, &why, err);
}

int fr_executor_execute(fr_executor *ex, const fr_code_input *input, fr_code_result **out,
                        fr_error *err)
{
    int64_t began = fri_now_ns();
    fr_code_input in;
    int rc = complete_input(ex, input, &in, err);
    if (rc)
        return rc;
    fr_call call = {.flags = ex->flags};
    rc = fri_call_init(&call, ex, &in, err);
    if (rc == 0 && fr_call_cancelled(&call)) {
        fr_result_receipt(&call)->run_ns = 0;
        fr_result_stopped(&call, FR_OUTCOME_CANCELLED, "the run was cancelled before it began");
    } else if (rc == 0)
        rc = call_execute(ex, &call, err);
    if (rc == 0) {
        complete_receipt(&call, began);
        rc = fri_call_finish(&call, ex->cls->name, out, err);
    }
    fri_call_dispose(&call);
    return rc;
}

int fr_executor_probe(fr_executor *ex, fr_error *err)
{
    return ex->cls->probe(ex, err);
}
