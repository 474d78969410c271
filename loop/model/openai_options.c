/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/json_read.h"
#include "base/sized.h"
#include "loop/model/openai.h"

#define DEFAULT_URL        "https://api.openai.com/v1"
#define DEFAULT_KEY_ENV    "OPENAI_API_KEY"
#define DEFAULT_RETRIES    3
#define DEFAULT_TIMEOUT_MS 600000
#define DEFAULT_IDLE_MS    120000
#define MAX_MS             (INT64_C(24) * 3600 * 1000)

static int copy(char **slot, const char *s, fr_error *err)
{
    *slot = fri_strdup(s, err);
    return *slot ? 0 : FR_ENOMEM;
}

/* A variable of the environment; empty is not set. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

static int has_control(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return 1;
    return 0;
}

/* ---- base_url ---- */

/* Where the host begins, or NULL. */
static const char *behind_scheme(const char *url)
{
    if (strncasecmp(url, "http://", 7) == 0)
        return url + 7;
    return strncasecmp(url, "https://", 8) == 0 ? url + 8 : NULL;
}

static int check_url(const char *url, fr_error *err)
{
    const char *host = behind_scheme(url);
    size_t n = host ? strcspn(host, "/?#") : 0;
    if (n == 0 || has_control(url) || strpbrk(url, " ?#"))
        return fr_fail(err, FR_EINVAL, 0,
                       "openai: the base url '%.200s' is none; it is like https://host/v1, with "
                       "nothing behind the path",
                       url);
    /* Urls are told in errors. */
    if (memchr(host, '@', n))
        return fr_fail(
            err, FR_EINVAL, 0,
            "openai: the base url has a user or password in it; give the key as api_key");
    return 0;
}

static int set_url(fri_openai *o, const char *url, fr_error *err)
{
    static const char path[] = "/chat/completions";
    if (!url)
        url = variable("OPENAI_BASE_URL");
    if (!url)
        url = DEFAULT_URL;
    int rc = check_url(url, err);
    if (rc == 0)
        rc = copy(&o->base_url, url, err);
    if (rc)
        return rc;
    size_t n = strlen(url);
    while (url[n - 1] == '/')
        n--;
    o->base_url[n] = '\0';
    const size_t tail = sizeof(path) - 1;
    if (n > tail && strcasecmp(o->base_url + n - tail, path) == 0)
        return fr_fail(err, FR_EINVAL, 0,
                       "openai: the base url '%.200s' is given without %s, which is put behind it",
                       o->base_url, path);
    o->url = fri_calloc(n + sizeof(path), 1, err);
    if (!o->url)
        return FR_ENOMEM;
    snprintf(o->url, n + sizeof(path), "%s%s", o->base_url, path);
    return 0;
}

/* ---- The key ---- */

static int set_key(fri_openai *o, const fr_openai_options *given, fr_error *err)
{
    static const char header[] = "Authorization: Bearer ";
    const char *source = given->api_key_env ? given->api_key_env : DEFAULT_KEY_ENV;
    const char *key = given->api_key ? given->api_key : variable(source);
    o->key = "";
    if (!key && given->api_key_env)
        return fr_fail(err, FR_EINVAL, 0,
                       "openai: the environment has no variable '%.60s' to take the key from",
                       source);
    int rc = copy(&o->key_source, given->api_key ? "api_key" : source, err);
    if (rc || !key || !key[0])
        return rc;
    if (has_control(key))
        return fr_fail(err, FR_EINVAL, 0,
                       "openai: the key in %s has a line break or another control character in it",
                       o->key_source);
    /* One allocation that never moves, so that no copy of the key is left behind. */
    size_t size = sizeof(header) + strlen(key);
    o->authorization = fri_calloc(size, 1, err);
    if (!o->authorization)
        return FR_ENOMEM;
    snprintf(o->authorization, size, "%s%s", header, key);
    o->key = o->authorization + sizeof(header) - 1;
    return 0;
}

/* ---- parameters ---- */

static int check_parameters(const fri_json *doc, fr_error *err)
{
    static const char *const ours[] = {"model", "messages", "stream"};
    if (fri_json_type(doc, 0) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "openai: the parameters are no JSON object");
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (fri_json_get(doc, 0, ours[i]) != FRI_JSON_NONE)
            return fr_fail(err, FR_EINVAL, 0,
                           "openai: '%s' is among the parameters; it has an option of its own or "
                           "is made of the request",
                           ours[i]);
    return 0;
}

static int set_parameters(fri_openai *o, const char *text, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    if (!text)
        return copy(&o->parameters, "", err);
    fr_error why = FR_ERROR_INIT;
    int rc = fri_json_parse(text, strlen(text), FRI_JSON_REFUSE, &doc, &why);
    if (rc)
        return fr_fail(err, rc, 0, "openai: the parameters: %s", why.text);
    rc = check_parameters(doc, err);
    if (rc)
        return rc;
    fr_str object = fri_json_raw(doc, 0);
    size_t members = fri_json_size(doc, 0) > 0 ? object.n - 2 : 0;
    o->parameters = fri_memdup(object.p + 1, members, err);
    return o->parameters ? 0 : FR_ENOMEM;
}

/* ---- Numbers ---- */

static int set_time(int64_t *slot, int64_t given, int64_t otherwise, const char *name,
                    fr_error *err)
{
    if (given < 0 || given > MAX_MS)
        return fr_fail(err, FR_EINVAL, 0, "openai: %s is %lld; it is from 1 to %lld ms", name,
                       (long long)given, (long long)MAX_MS);
    *slot = given ? given : otherwise;
    return 0;
}

static int set_numbers(fri_openai *o, const fr_openai_options *given, fr_error *err)
{
    if (given->max_retries < FR_NO_RETRIES)
        return fr_fail(err, FR_EINVAL, 0, "openai: max_retries is %d", (int)given->max_retries);
    o->max_retries = given->max_retries ? given->max_retries : DEFAULT_RETRIES;
    if (given->max_retries == FR_NO_RETRIES)
        o->max_retries = 0;
    o->stream = given->stream != 0;
    int rc = set_time(&o->timeout_ms, given->timeout_ms, DEFAULT_TIMEOUT_MS, "timeout_ms", err);
    return rc ? rc : set_time(&o->idle_ms, given->idle_ms, DEFAULT_IDLE_MS, "idle_ms", err);
}

int fri_openai_init(fri_openai *o, const void *config, fr_error *err)
{
    fr_openai_options given;
    memset(o, 0, sizeof(*o));
    int rc = fri_read_sized(&given, sizeof(given), config, "fr_openai_options", err);
    if (rc)
        return rc;
    if (!given.model || !given.model[0])
        return fr_fail(err, FR_EINVAL, 0, "openai: the options name no model");
    rc = copy(&o->model, given.model, err);
    if (rc == 0)
        rc = set_url(o, given.base_url, err);
    if (rc == 0)
        rc = set_key(o, &given, err);
    if (rc == 0)
        rc = set_parameters(o, given.parameters, err);
    return rc ? rc : set_numbers(o, &given, err);
}

void fri_openai_dispose(fri_openai *o)
{
    if (o->authorization)
        explicit_bzero(o->authorization, strlen(o->authorization));
    fri_free(o->authorization);
    fri_free(o->key_source);
    fri_free(o->model);
    fri_free(o->base_url);
    fri_free(o->url);
    fri_free(o->parameters);
}
