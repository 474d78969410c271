/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/clock.h"
#include "loop/tell.h"

/* What ADK's executors put on stderr themselves when they stop a run; nothing when they do not. */
static void put_stopped(fri_buf *out, const fr_code_result *r)
{
    if (!r->reason[0])
        return;
    if (r->err.n > 0)
        fri_buf_putc(out, '\n');
    if (r->outcome == FR_OUTCOME_TIMEOUT)
        fri_buf_printf(out, "Code execution timed out after %" PRId64 " seconds.",
                       (r->receipt->run_ns + FRI_NS_PER_S / 2) / FRI_NS_PER_S);
    else
        fri_buf_puts(out, r->reason);
}

int fri_adk_failed(const fr_code_result *result)
{
    return result->err.n > 0 || result->reason[0];
}

static void put_files(fri_buf *out, const fr_code_result *r)
{
    fri_buf_puts(out, "Saved artifacts:\n");
    for (size_t i = 0; i < r->file_count; i++)
        fri_buf_printf(out, "%s`%s`", i > 0 ? "," : "", r->files[i].name);
}

void fri_tell_adk(fri_buf *out, const fr_code_result *r)
{
    if (fri_adk_failed(r)) {
        fri_buf_append(out, r->err.p, r->err.n);
        put_stopped(out, r);
        return;
    }
    if (r->out.n > 0 || r->file_count == 0) {
        fri_buf_puts(out, "Code execution result:\n");
        fri_buf_append(out, r->out.p, r->out.n);
        fri_buf_putc(out, '\n');
    }
    if (r->file_count > 0) {
        fri_buf_puts(out, out->n > 0 ? "\n\n" : "");
        put_files(out, r);
    }
}
