/* SPDX-License-Identifier: MIT */
#include "loop/scan.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"

#define PURPOSE "search for code blocks"

/* 64 delimiters of 256 bytes, four characters for each byte. */
#define PATTERN_LIMIT (128u * 1024u)

static _Atomic(pcre2_code *) fence_pattern;

__attribute__((destructor)) static void free_fence_pattern(void)
{
    pcre2_code_free(atomic_exchange(&fence_pattern, NULL));
}

static void write_pattern(fri_buf *b, int fences, const char *const *literals, size_t count)
{
    /* Literals come first: one that begins with a fence is more exact than the fence. The class finds
     * too much ("`~`"), but searching for two alternatives is only half as fast. */
    for (size_t i = 0; i < count; i++) {
        fri_buf_puts(b, i > 0 ? "|" : "");
        for (const char *c = literals[i]; *c; c++)
            fri_buf_printf(b, "\\x%02x", (unsigned)(unsigned char)*c);
    }
    if (fences)
        fri_buf_puts(b, count > 0 ? "|[`~]{3}" : "[`~]{3}");
}

static int compile_new(int fences, const char *const *literals, size_t count, pcre2_code **out,
                       fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf pattern;
    fri_buf_init(&pattern, PATTERN_LIMIT);
    write_pattern(&pattern, fences, literals, count);
    int rc = fri_buf_check(&pattern, "a pattern of delimiters", err);
    return rc ? rc : fri_pattern_compile(fri_buf_str(&pattern), 1, PURPOSE, out, err);
}

/* The first thread to get here compiles for all; of two at once, one throws its work away. */
static int get_shared(pcre2_code **out, fr_error *err)
{
    pcre2_code *code = atomic_load(&fence_pattern);
    if (!code) {
        int rc = compile_new(1, NULL, 0, &code, err);
        if (rc)
            return rc;
        pcre2_code *earlier = NULL;
        if (!atomic_compare_exchange_strong(&fence_pattern, &earlier, code)) {
            pcre2_code_free(code);
            code = earlier;
        }
    }
    *out = code;
    return 0;
}

int fri_scan_init(fri_scan *s, int fences, const char *const *literals, size_t count, fr_error *err)
{
    *s = (fri_scan)FRI_SCAN_INIT;
    int rc = fri_matcher_init(&s->matcher, PURPOSE, err);
    if (rc)
        return rc;
    s->shared = fences && count == 0;
    return s->shared ? get_shared(&s->code, err)
                     : compile_new(fences, literals, count, &s->code, err);
}

void fri_scan_dispose(fri_scan *s)
{
    if (!s->shared)
        pcre2_code_free(s->code);
    fri_matcher_dispose(&s->matcher);
    *s = (fri_scan)FRI_SCAN_INIT;
}

int fri_scan_next(const fri_scan *s, const char *text, size_t from, size_t end, size_t *at,
                  fr_error *err)
{
    return from < end ? fri_matcher_find(&s->matcher, s->code, fri_str(text, end), from, at, err)
                      : 0;
}
