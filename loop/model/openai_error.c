/* SPDX-License-Identifier: MIT */
#include "loop/model/openai_error.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/utf8.h"

/* Before it is shortened, so that no part of the key can be left at the end. */
static void blot_out(char *text, size_t n, const char *key)
{
    size_t length = strlen(key);
    for (char *at = text; length > 0; at += length) {
        at = memmem(at, n - (size_t)(at - text), key, length);
        if (!at)
            return;
        memset(at, '*', length);
    }
}

static void set_text(fri_openai_reason *out, char *text, size_t n, const char *key)
{
    const size_t most = sizeof(out->text) - 1;
    blot_out(text, n, key);
    if (n > most)
        n = fri_utf8_clip(text, most);
    memcpy(out->text, text, n);
    out->text[n] = '\0';
}

/* Where the words are. */
static fri_json_ref find_words(const fri_json *doc)
{
    static const char *const keys[] = {"error", "message", "detail"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        fri_json_ref v = fri_json_get(doc, 0, keys[i]);
        if (!fri_json_is_given(doc, v))
            continue;
        fri_json_ref message = fri_json_get(doc, v, "message");
        return fri_json_type(doc, message) == FRI_JSON_STRING ? message : v;
    }
    return FRI_JSON_NONE;
}

static int says_quota(const fri_json *doc)
{
    static const char *const keys[] = {"code", "type"};
    fri_json_ref error = fri_json_get(doc, 0, "error");
    for (size_t i = 0; i < 2; i++) {
        fr_str raw = fri_json_raw(doc, fri_json_get(doc, error, keys[i]));
        if (fri_str_equal(raw, fri_cstr("insufficient_quota")))
            return 1;
    }
    return 0;
}

int fri_openai_json_reason(const fri_json *doc, const char *key, fri_openai_reason *out,
                           fr_error *err)
{
    FRI_AUTO(fri_freep) char *words = NULL;
    fri_json_ref v = find_words(doc);
    size_t n = fri_json_raw(doc, v).n;
    *out = (fri_openai_reason){.out_of_quota = says_quota(doc)};
    if (fri_json_type(doc, v) == FRI_JSON_STRING) {
        int rc = fri_json_string(doc, v, "the reason", &words, &n, err);
        if (rc)
            return rc;
    } else {
        words = fri_memdup(fri_json_raw(doc, v).p, n, err);
        if (!words)
            return FR_ENOMEM;
    }
    set_text(out, words, n, key);
    return 0;
}

int fri_openai_body_reason(fr_str body, const char *key, fri_openai_reason *out, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    FRI_AUTO(fri_freep) char *words = NULL;
    int rc = fri_json_parse(body.p, body.n, FRI_JSON_REPAIR, &doc, err);
    if (rc == 0)
        return fri_openai_json_reason(doc, key, out, err);
    if (rc == FR_ENOMEM)
        return rc;
    words = fri_memdup(body.p, body.n, err);
    if (!words)
        return FR_ENOMEM;
    *out = (fri_openai_reason){.out_of_quota = 0};
    set_text(out, words, body.n, key);
    return 0;
}
