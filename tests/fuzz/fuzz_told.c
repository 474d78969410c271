/* SPDX-License-Identifier: MIT */
/*
 * What a model is told of a run and of its own code, whatever a program prints and a model writes: nothing in
 * a result can be taken for code, however little is asked of a block, or ends the result before its end; and
 * code comes back from the conversation as it was run.
 * The first byte chooses delimiters; then code, stdout, stderr and a file's name, each ended by a 0xff.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fencerun/extract.h"
#include "fencerun/postprocess.h"
#include "loop/body.h"
#include "loop/content.h"
#include "loop/tell.h"
#include "tests/fuzz/fuzz.h"

static const fr_delimiters ours[] = {{"[py]", "[/py]"}, {"<code>", "</code>"}};

static fr_str field(fr_str *rest)
{
    const char *end = memchr(rest->p, 0xff, rest->n);
    fr_str found = fri_str(rest->p, end ? (size_t)(end - rest->p) : rest->n);
    *rest = fri_str(rest->p + found.n + (end != NULL), rest->n - found.n - (end != NULL));
    return found;
}

static fr_extract_options lenient(const fr_executor_options *a)
{
    fr_extract_options o = FR_EXTRACT_OPTIONS_INIT;
    o.run_untagged = o.run_unterminated = o.all = 1;
    if (a->code_block_delimiters == ours) {
        o.run_untagged = 0; /* the streams stand in such fences, and no fence is around all of it */
        o.delimiters = ours;
        o.delimiter_count = 2;
    }
    return o;
}

/* The part as text for a model. */
static fri_buf converted(int kind, fr_str data, const char *label, const fr_executor_options *a)
{
    FRI_AUTO(fri_content_freep) fr_content *in = NULL;
    FRI_AUTO(fri_content_freep) fr_content *out = NULL;
    fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    FUZZ_CHECK(fr_content_new(&in, NULL) == 0);
    FUZZ_CHECK(fr_content_add(in, kind, 0, data.p, data.n, label, NULL) == 0);
    FUZZ_CHECK(fr_convert_code_execution_parts(in, a, 0, &out, NULL) == 0);
    fri_content_text(out, &text);
    return text;
}

static void check_result(fr_str out, fr_str err, const char *name, const fr_executor_options *a)
{
    const fr_receipt receipt = {.executor = "x", .run_ns = 1};
    const fr_file file = {name, {"", 0}, name, NULL, 0};
    const fr_code_result r = {
        .out = out, .err = err, .reason = "", .files = &file, .file_count = 1, .receipt = &receipt};
    const fri_told told = {.standing = {.attempts_left = 2, .runs_left = 3}, .expression = {"", 0}};
    const fr_extract_options o = lenient(a);
    fr_extraction *x = NULL;
    fri_buf said;
    fri_buf_init(&said, FRI_MAX_REPLY_BYTES);
    FUZZ_CHECK(fri_tell(&said, &r, &told, NULL) == 0);
    fri_buf text = converted(FR_PART_CODE_EXECUTION_RESULT, fri_buf_str(&said), "OUTCOME_OK", a);
    FUZZ_CHECK(fr_extract_text(text.p, text.n, &o, &x, NULL) == 0);
    FUZZ_CHECK(!fr_extraction_block(x, 0));
    const fr_block *whole = fr_extraction_skipped(x, 0);
    if (a->code_block_delimiters != ours)
        FUZZ_CHECK(whole && whole->start == 0 && whole->end + 1 >= text.n &&
                   !fr_extraction_skipped(x, 1));
    fr_extraction_free(x);
    fri_buf_dispose(&text);
    fri_buf_dispose(&said);
}

/* Whether a body comes back as it is: neither blank nor with line ends and marks that are made plain. */
static int is_plain(fr_str code)
{
    return !fri_is_blank(code) && !memchr(code.p, '\r', code.n) &&
           strncmp(code.p, "\xef\xbb\xbf", 3) != 0;
}

/* But for a line feed at its end, which a fence always has. */
static void check_code(fr_str code, const fr_executor_options *a)
{
    const fr_extract_options o = lenient(a);
    fr_extraction *x = NULL;
    if (a->code_block_delimiters == ours || !is_plain(code))
        return;
    fri_buf text = converted(FR_PART_EXECUTABLE_CODE, code, "PYTHON", a);
    FUZZ_CHECK(fr_extract_text(text.p, text.n, &o, &x, NULL) == 0);
    const fr_block *b = fr_extraction_block(x, 0);
    FUZZ_CHECK(b && b->terminated && b->start == 0 && !fr_extraction_block(x, 1));
    size_t n = code.n + (code.p[code.n - 1] != '\n');
    FUZZ_CHECK(b->code.n == n && memcmp(b->code.p, code.p, code.n) == 0);
    fr_extraction_free(x);
    fri_buf_dispose(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fr_executor_options a = FR_EXECUTOR_OPTIONS_INIT;
    fri_buf texts[4];
    if (size == 0)
        return 0;
    if (data[0] & 1) {
        a.code_block_delimiters = ours;
        a.code_block_delimiter_count = 2;
        a.execution_result_delimiters = (fr_delimiters){"[out]", "[/out]"};
    }
    fr_str rest = fri_str((const char *)data + 1, size - 1);
    for (size_t i = 0; i < 4; i++) {
        fr_str text = field(&rest);
        fri_buf_init(&texts[i], FRI_MAX_REPLY_BYTES);
        fri_utf8_repair(&texts[i], text.p, text.n);
    }
    check_code(fri_buf_str(&texts[0]), &a);
    check_result(fri_buf_str(&texts[1]), fri_buf_str(&texts[2]), fri_buf_str(&texts[3]).p,
                 a.code_block_delimiters
                     ? &a
                     : &(fr_executor_options){
                           .code_block_delimiters = &(fr_delimiters){"```tool_code\n", "\n```"},
                           .code_block_delimiter_count = 1,
                           .execution_result_delimiters = {"```tool_output\n", "\n```"}});
    for (size_t i = 0; i < 4; i++)
        fri_buf_dispose(&texts[i]);
    return 0;
}
