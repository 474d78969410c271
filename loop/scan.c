/* SPDX-License-Identifier: MIT */
#include "loop/scan.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"

/* No pattern made here can backtrack; the limits are there in case that is wrong. */
#define MATCH_LIMIT    10000u
#define DEPTH_LIMIT    1000u
#define HEAP_LIMIT_KIB 1024u

/* 64 delimiters of 256 bytes, four characters for each byte. */
#define PATTERN_LIMIT (128u * 1024u)

static _Atomic(pcre2_code *) fence_pattern;

__attribute__((destructor)) static void free_fence_pattern(void)
{
    pcre2_code_free(atomic_exchange(&fence_pattern, NULL));
}

/* `starved`, if not NULL, is set when memory has run out. */
static void *allocate(PCRE2_SIZE n, void *starved)
{
    void *p = fri_calloc(1, n, NULL);
    if (!p && starved)
        *(int *)starved = 1;
    return p;
}

static void release(void *p, void *unused)
{
    (void)unused;
    fri_free(p);
}

static void general_freep(pcre2_general_context **context)
{
    pcre2_general_context_free(*context);
}

static void compile_freep(pcre2_compile_context **context)
{
    pcre2_compile_context_free(*context);
}

static void code_freep(pcre2_code **code)
{
    pcre2_code_free(*code);
}

static int out_of_memory(fr_error *err)
{
    return fr_fail(err, FR_ENOMEM, 0, "out of memory for the search for code blocks");
}

static int pcre2_failed(int code, fr_error *err)
{
    if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED)
        return out_of_memory(err);
    int limit = code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
                code == PCRE2_ERROR_HEAPLIMIT;
    char why[128] = "";
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
    return fr_fail(err, limit ? FR_ELIMIT : FR_EINTERNAL, 0, "search for code blocks: PCRE2: %s",
                   why);
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

static int compile(const fri_buf *pattern, pcre2_code **out, fr_error *err)
{
    /* The code keeps this address, but allocates nothing once it is compiled. */
    int starved = 0, rc;
    PCRE2_SIZE offset;
    FRI_AUTO(general_freep)
    pcre2_general_context *general = pcre2_general_context_create(allocate, release, &starved);
    FRI_AUTO(compile_freep)
    pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;
    if (!context)
        return out_of_memory(err);
    FRI_AUTO(code_freep)
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern->p, pattern->n, PCRE2_NEVER_UTF, &rc, &offset, context);
    if (!code && !starved)
        return pcre2_failed(rc, err);
    /* Where executable memory is forbidden this fails, and pcre2_match() interprets the pattern. */
    if (code)
        (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    if (starved)
        return out_of_memory(err);
    *out = fri_steal(&code);
    return 0;
}

static int compile_new(int fences, const char *const *literals, size_t count, pcre2_code **out,
                       fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf pattern;
    fri_buf_init(&pattern, PATTERN_LIMIT);
    write_pattern(&pattern, fences, literals, count);
    int rc = fri_buf_check(&pattern, "a pattern of delimiters", err);
    return rc ? rc : compile(&pattern, out, err);
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
    FRI_AUTO(general_freep)
    pcre2_general_context *general = pcre2_general_context_create(allocate, release, NULL);
    if (!general)
        return out_of_memory(err);
    s->context = pcre2_match_context_create(general);
    s->data = pcre2_match_data_create(1, general);
    if (!s->context || !s->data)
        return out_of_memory(err);
    pcre2_set_match_limit(s->context, MATCH_LIMIT);
    pcre2_set_depth_limit(s->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(s->context, HEAP_LIMIT_KIB);
    s->shared = fences && count == 0;
    return s->shared ? get_shared(&s->code, err)
                     : compile_new(fences, literals, count, &s->code, err);
}

void fri_scan_dispose(fri_scan *s)
{
    if (!s->shared)
        pcre2_code_free(s->code);
    pcre2_match_data_free(s->data);
    pcre2_match_context_free(s->context);
    *s = (fri_scan)FRI_SCAN_INIT;
}

int fri_scan_next(const fri_scan *s, const char *text, size_t from, size_t end, size_t *at,
                  fr_error *err)
{
    if (from >= end)
        return 0;
    int rc = pcre2_match(s->code, (PCRE2_SPTR)text, end, from, 0, s->data, s->context);
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc < 0)
        return pcre2_failed(rc, err);
    *at = pcre2_get_ovector_pointer(s->data)[0];
    return 1;
}
