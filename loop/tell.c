/* SPDX-License-Identifier: MIT */
#include "loop/tell.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/str.h"
#include "loop/quote.h"

#define ANSWER_NOW                                                                              \
    "no more code is run for this question. Answer now without code, and state no number that " \
    "was not printed."

/* By hand: printf() writes a decimal comma where the host program's locale has one. */
static void put_seconds(fri_buf *out, int64_t ns)
{
    int64_t rounding = ns % (FRI_NS_PER_S / 100) >= FRI_NS_PER_S / 200;
    int64_t hundredths = ns / (FRI_NS_PER_S / 100) + rounding;
    fri_buf_printf(out, "%" PRId64 ".%02d s", hundredths / 100, (int)(hundredths % 100));
}

/* Not strsignal(): that speaks the host program's language, and not to two threads at once. */
static void put_signal(fri_buf *out, int signal)
{
    const char *name = sigdescr_np(signal);
    fri_buf_printf(out, "Ended by signal %d (%s) after ", signal, name ? name : "no name");
}

static void put_end(fri_buf *out, const fr_code_result *r)
{
    int is_stopped = r->outcome != FR_OUTCOME_OK && r->outcome != FR_OUTCOME_FAILED;
    if (is_stopped)
        fri_buf_puts(out, "Stopped after ");
    else if (r->signal)
        put_signal(out, r->signal);
    else
        fri_buf_printf(out, "Exit code %d after ", r->exit_code);
    put_seconds(out, r->receipt->run_ns);
    if (is_stopped)
        fri_buf_printf(out, " (%s)%s%s", fr_outcome_text(r->outcome), r->reason[0] ? ": " : "",
                       r->reason);
    fri_buf_puts(out, ".\n");
}

static void put_stream(fri_buf *out, const char *name, fr_str text)
{
    if (text.n == 0)
        return;
    fri_buf_puts(out, name);
    fri_buf_puts(out, ":\n");
    fri_put_fenced(out, fri_str("", 0), text);
}

/* What is on stderr of a run that ended well may be a failure or not: the budget's rule says so. */
static const char *stderr_name(const fr_code_result *r, const fri_told *told)
{
    if (r->outcome != FR_OUTCOME_OK || (!told->failed && r->stderr_class == FR_STDERR_UNJUDGED))
        return "stderr";
    return told->failed ? "stderr (counts as a failure)" : "stderr (no failure)";
}

/* In JSON, since the code chose these words: a name may hold line feeds. */
static int put_word(fri_buf *out, const char *word, fr_error *err)
{
    fri_json_out w;
    fri_json_out_init(&w, out);
    fri_json_put_cstring(&w, word);
    return fri_json_out_finish(&w, "a file's name", err);
}

static int put_files(fri_buf *out, const fr_code_result *r, fr_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->file_count; i++) {
        fri_buf_puts(out, "File: ");
        rc = put_word(out, r->files[i].name, err);
        fri_buf_puts(out, ", ");
        if (rc == 0)
            rc = put_word(out, r->files[i].mime_type, err);
        fri_buf_printf(out, ", %zu bytes\n", r->files[i].content.n);
    }
    return rc;
}

static void put_hints(fri_buf *out, const fr_code_result *r, const fri_told *told)
{
    if (r->out.n == 0 && r->err.n == 0 && r->file_count == 0)
        fri_buf_puts(out, "Nothing was printed.\n");
    if (told->expression.n > 0)
        fri_buf_printf(out, "The value of the last line is lost; print it: print(%.*s)\n",
                       (int)told->expression.n, told->expression.p);
    if (told->repeat)
        fri_buf_puts(out, "This is the same code as in the run before.\n");
}

static void put_budget(fri_buf *out, const fri_told *told)
{
    const fri_standing *s = &told->standing;
    if (s->attempts_left == 0)
        fri_buf_printf(out, "That was failure number %d in a row: " ANSWER_NOW "\n", s->failures);
    else if (s->runs_left == 0)
        fri_buf_printf(out, "That was run number %d, the last: " ANSWER_NOW "\n", s->runs);
    else if (told->failed)
        fri_buf_printf(out, "Tries left: %d.\n", s->attempts_left);
    if (s->runs_left > 0 && s->attempts_left > 0)
        fri_buf_printf(out, "Runs left for this question: %d.\n", s->runs_left);
}

int fri_tell(fri_buf *out, const fr_code_result *result, const fri_told *told, fr_error *err)
{
    put_end(out, result);
    put_stream(out, "stdout", result->out);
    put_stream(out, stderr_name(result, told), result->err);
    int rc = put_files(out, result, err);
    put_hints(out, result, told);
    put_budget(out, told);
    return rc ? rc : fri_buf_check(out, "what the model is told", err);
}

void fri_tell_refusal(fri_buf *out)
{
    fri_buf_puts(out, "This code was not run: " ANSWER_NOW "\n");
}
