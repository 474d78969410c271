/* SPDX-License-Identifier: MIT */
#include "executor/call.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "executor/file_name.h"

int fri_call_init(fr_call *call, const fr_executor *ex, const fr_code_input *input, fr_error *err)
{
    const fr_executor_options *options = fr_executor_get_options(ex);
    call->input = *input;
    call->output_max = options->output_max_bytes;
    call->files_max = options->output_files;
    call->file_bytes_max = options->output_file_bytes;
    call->files_bytes_max = options->output_files_bytes;
    fri_capture_init(&call->capture[0], options->output_keep_bytes);
    fri_capture_init(&call->capture[1], options->output_keep_bytes);
    call->result = fri_result_new(err);
    return call->result ? 0 : FR_ENOMEM;
}

void fri_call_dispose(fr_call *call)
{
    fri_capture_dispose(&call->capture[0]);
    fri_capture_dispose(&call->capture[1]);
    fri_result_free(call->result);
}

const fr_code_input *fr_call_input(const fr_call *call)
{
    return &call->input;
}

int fr_call_cancelled(const fr_call *call)
{
    return fr_cancel_raised(call->input.cancel);
}

int fr_call_cancel_fd(const fr_call *call)
{
    return fr_cancel_fd(call->input.cancel);
}

int fr_result_write(fr_call *call, int stream, const void *p, size_t n, fr_error *err)
{
    if (stream != FR_STDOUT && stream != FR_STDERR)
        return fr_fail(err, FR_EINVAL, 0, "there is no output stream %d", stream);
    fri_capture *capture = &call->capture[stream - FR_STDOUT];
    int rc = fri_capture_feed(capture, p, n, err);
    if (rc)
        return rc;
    return call->output_max && capture->written > call->output_max;
}

static void end(fr_call *call, int outcome, int exit_code, int signal)
{
    call->ends++;
    call->result->pub.outcome = outcome;
    call->result->pub.exit_code = exit_code;
    call->result->pub.signal = signal;
}

void fr_result_exited(fr_call *call, int exit_code)
{
    if (exit_code < 0)
        call->fault = "gave the code a negative exit code";
    end(call, exit_code == 0 ? FR_OUTCOME_OK : FR_OUTCOME_FAILED, exit_code, 0);
}

void fr_result_signaled(fr_call *call, int signal)
{
    if (signal < 1 || signal > SIGRTMAX)
        call->fault = "ended the code by a signal that there is not";
    end(call, FR_OUTCOME_FAILED, -1, signal);
}

static int is_stopped(int outcome)
{
    return outcome >= FR_OUTCOME_TIMEOUT && outcome <= FR_OUTCOME_CPU_LIMIT;
}

void fr_result_stopped(fr_call *call, int outcome, const char *format, ...)
{
    if (!is_stopped(outcome))
        call->fault = "stopped the run with an outcome that is none of ours";
    end(call, outcome, -1, 0);
    char *reason = call->result->reason;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(reason, sizeof(call->result->reason), format, ap);
    va_end(ap);
    size_t kept = n < 0 ? 0 : strlen(reason);
    reason[fri_utf8_valid_prefix(reason, kept)] = '\0';
    for (char *p = reason; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
}

fr_receipt *fr_result_receipt(fr_call *call)
{
    return &call->result->receipt;
}

int fr_result_interpreter(fr_call *call, const char *path, const char *version, fr_error *err)
{
    fri_result *r = call->result;
    int rc = fri_result_set_string(&r->interpreter, path, err);
    if (rc == 0)
        rc = fri_result_set_string(&r->interpreter_version, version ? version : "", err);
    if (rc)
        return rc;
    r->receipt.interpreter = r->interpreter;
    r->receipt.interpreter_version = r->interpreter_version;
    return 0;
}

int fr_result_limit(fr_call *call, const char *name, uint64_t value, const char *mechanism,
                    int degraded, fr_error *err)
{
    const fr_limit limit = {name, value, mechanism, degraded};
    return fri_result_add_limit(call->result, &limit, err);
}

static int check_file(const fr_call *call, const char *name, fr_error *err)
{
    if (!(call->flags & FR_EXECUTOR_FILES))
        return fr_fail(err, FR_EUNSUPPORTED, 0, "an output file from an executor without files");
    if (!name || !name[0])
        return fr_fail(err, FR_EINVAL, 0, "an output file without a name");
    return 0;
}

/* Why a file is not handed out; NULL when it is. */
static const char *obstacle(const fr_call *call, const fr_file *file)
{
    const fri_result *r = call->result;
    if (!fri_file_name_is_below(file->name) || strlen(file->name) > FRI_MAX_FILE_NAME)
        return "a name that leads elsewhere";
    if (r->pub.file_count >= call->files_max)
        return "more files than come out";
    if (file->content.n > call->file_bytes_max)
        return "too large";
    if (file->content.n > call->files_bytes_max - r->files_bytes)
        return "too large together with the others";
    return NULL;
}

int fr_result_file(fr_call *call, const fr_file *file, fr_error *err)
{
    int rc = check_file(call, file->name, err);
    if (rc)
        return rc;
    const char *reason = obstacle(call, file);
    return reason ? fri_result_add_skipped(call->result, file->name, reason, err)
                  : fri_result_add_file(call->result, file, err);
}

int fr_result_skipped(fr_call *call, const char *name, const char *reason, fr_error *err)
{
    int rc = check_file(call, name, err);
    return rc ? rc : fri_result_add_skipped(call->result, name, reason, err);
}

void fr_result_adopt(fr_call *call, fr_code_result *result)
{
    if (!result)
        return;
    fri_result_free(call->result);
    call->result = (fri_result *)result;
    call->adopted = 1;
    call->ends++;
}

int fr_result_replace(fr_call *call, int stream, const char *p, size_t n, fr_error *err)
{
    fri_result *r = call->result;
    if (!call->adopted || (stream != FR_STDOUT && stream != FR_STDERR))
        return fr_fail(err, FR_EINVAL, 0, "there is no adopted output stream %d", stream);
    fri_buf *text = stream == FR_STDOUT ? &r->out : &r->err;
    fri_buf_truncate(text, 0);
    fri_utf8_repair(text, p, n);
    *(stream == FR_STDOUT ? &r->pub.out : &r->pub.err) = fri_buf_str(text);
    *(stream == FR_STDOUT ? &r->receipt.stdout_gap : &r->receipt.stderr_gap) = UINT64_MAX;
    return fri_buf_check(text, "the text of an output stream", err);
}

void fr_result_judge(fr_call *call, int stderr_class)
{
    if (stderr_class < FR_STDERR_UNJUDGED || stderr_class > FR_STDERR_ERROR)
        call->fault = "judged stderr to be what there is not";
    call->result->pub.stderr_class = stderr_class;
}

static int check_end(const fr_call *call, const char *executor, fr_error *err)
{
    if (call->ends != 1)
        return fr_fail(err, FR_EINTERNAL, 0,
                       "executor %s said %d times how the run ended, not once", executor,
                       call->ends);
    if (call->fault)
        return fr_fail(err, FR_EINTERNAL, 0, "executor %s %s", executor, call->fault);
    return 0;
}

typedef struct stream_counts {
    uint64_t *written, *kept, *invalid, *gap;
} stream_counts;

static int take_stream(const fri_capture *capture, fri_buf *text, const stream_counts *counts,
                       fr_error *err)
{
    fri_captured info = {0, 0, 0};
    fri_capture_text(capture, text, &info);
    *counts->written = capture->written;
    *counts->kept = info.kept;
    *counts->invalid = info.invalid;
    *counts->gap = info.gap;
    return fri_buf_check(text, "an output stream", err);
}

static int take_streams(fr_call *call, fr_error *err)
{
    fri_result *r = call->result;
    fr_receipt *receipt = &r->receipt;
    const stream_counts out = {&receipt->stdout_written, &receipt->stdout_kept,
                               &receipt->stdout_invalid, &receipt->stdout_gap};
    const stream_counts errs = {&receipt->stderr_written, &receipt->stderr_kept,
                                &receipt->stderr_invalid, &receipt->stderr_gap};
    int rc = take_stream(&call->capture[0], &r->out, &out, err);
    if (rc == 0)
        rc = take_stream(&call->capture[1], &r->err, &errs, err);
    r->pub.out = fri_buf_str(&r->out);
    r->pub.err = fri_buf_str(&r->err);
    return rc;
}

static int take_names(fr_call *call, const char *executor, fr_error *err)
{
    fri_result *r = call->result;
    int rc = fri_result_set_string(&r->executor, executor, err);
    if (rc == 0)
        rc = fri_result_set_string(&r->language, call->input.language, err);
    if (rc)
        return rc;
    r->receipt.executor = r->executor;
    r->receipt.language = r->language;
    return 0;
}

/* Also where an executor did not heed it. */
static void enforce_output_max(fr_call *call)
{
    fr_code_result *r = &call->result->pub;
    const fr_receipt *receipt = r->receipt;
    if (call->output_max == 0 || r->outcome == FR_OUTCOME_OUTPUT_LIMIT ||
        (receipt->stdout_written <= call->output_max &&
         receipt->stderr_written <= call->output_max))
        return;
    fr_result_stopped(call, FR_OUTCOME_OUTPUT_LIMIT, "the code wrote more than the output limit");
}

int fri_call_finish(fr_call *call, const char *executor, fr_code_result **out, fr_error *err)
{
    int rc = check_end(call, executor, err);
    if (rc == 0 && !call->adopted) {
        rc = take_streams(call, err);
        if (rc == 0)
            rc = take_names(call, executor, err);
        if (rc == 0)
            enforce_output_max(call);
        fri_result_settle_files(call->result);
    }
    if (rc)
        return rc;
    *out = &fri_steal(&call->result)->pub;
    return 0;
}
