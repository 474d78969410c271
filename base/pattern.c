/* SPDX-License-Identifier: MIT */
#include "base/pattern.h"

#include "base/cleanup.h"
#include "base/mem.h"

/* No pattern of ours backtracks much; the limits are there in case that is wrong. */
#define MATCH_LIMIT    100000u
#define DEPTH_LIMIT    1000u
#define HEAP_LIMIT_KIB 1024u

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

static int out_of_memory(const char *purpose, fr_error *err)
{
    return fr_fail(err, FR_ENOMEM, 0, "%s: out of memory", purpose);
}

static int pcre2_failed(const char *purpose, int code, fr_error *err)
{
    if (code == PCRE2_ERROR_NOMEMORY)
        return out_of_memory(purpose, err);
    int limit = code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
                code == PCRE2_ERROR_HEAPLIMIT || code == PCRE2_ERROR_JIT_STACKLIMIT;
    char why[128] = "";
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
    return fr_fail(err, limit ? FR_ELIMIT : FR_EINTERNAL, 0, "%s: PCRE2: %s", purpose, why);
}

int fri_pattern_compile(fr_str pattern, int jit, const char *purpose, pcre2_code **out,
                        fr_error *err)
{
    /* The code keeps this address, but allocates nothing once it is compiled. */
    int starved = 0, rc;
    PCRE2_SIZE offset;
    FRI_AUTO(general_freep)
    pcre2_general_context *general = pcre2_general_context_create(allocate, release, &starved);
    FRI_AUTO(compile_freep)
    pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;
    if (!context)
        return out_of_memory(purpose, err);
    FRI_AUTO(code_freep)
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, PCRE2_NEVER_UTF, &rc, &offset, context);
    if (!code && !starved)
        return pcre2_failed(purpose, rc, err);
    /* Where executable memory is forbidden this fails, and pcre2_match() interprets the pattern. */
    if (code && jit)
        (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    if (starved)
        return out_of_memory(purpose, err);
    *out = fri_steal(&code);
    return 0;
}

int fri_matcher_init(fri_matcher *m, const char *purpose, fr_error *err)
{
    *m = (fri_matcher){.purpose = purpose};
    FRI_AUTO(general_freep)
    pcre2_general_context *general = pcre2_general_context_create(allocate, release, NULL);
    if (!general)
        return out_of_memory(purpose, err);
    m->context = pcre2_match_context_create(general);
    m->data = pcre2_match_data_create(1, general);
    if (!m->context || !m->data)
        return out_of_memory(purpose, err);
    pcre2_set_match_limit(m->context, MATCH_LIMIT);
    pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(m->context, HEAP_LIMIT_KIB);
    return 0;
}

void fri_matcher_dispose(fri_matcher *m)
{
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    *m = (fri_matcher)FRI_MATCHER_INIT;
}

int fri_matcher_find(const fri_matcher *m, const pcre2_code *code, fr_str text, size_t from,
                     size_t *at, fr_error *err)
{
    int rc = pcre2_match(code, (PCRE2_SPTR)text.p, text.n, from, 0, m->data, m->context);
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc < 0)
        return pcre2_failed(m->purpose, rc, err);
    *at = pcre2_get_ovector_pointer(m->data)[0];
    return 1;
}
