/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "loop/model/openai.h"
#include "tests/support/leaks.h"
#include "tests/support/torture.h"

static fr_openai_options options(void)
{
    fr_openai_options o = FR_OPENAI_OPTIONS_INIT;
    o.model = "m";
    return o;
}

static void expect_url(const char *base_url, const char *kept, const char *url)
{
    fri_openai o;
    fr_error err = FR_ERROR_INIT;
    fr_openai_options given = options();
    given.base_url = base_url;
    if (fri_openai_init(&o, &given, &err))
        fail_msg("%s", err.text);
    assert_string_equal(o.base_url, kept);
    assert_string_equal(o.url, url);
    fri_openai_dispose(&o);
}

static void test_urls(void **state)
{
    (void)state;
    expect_url(NULL, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions");
    expect_url("https://ark.cn-beijing.volces.com/api/v3",
               "https://ark.cn-beijing.volces.com/api/v3",
               "https://ark.cn-beijing.volces.com/api/v3/chat/completions");
    expect_url("HTTP://[::1]:8000/v1//", "HTTP://[::1]:8000/v1",
               "HTTP://[::1]:8000/v1/chat/completions");
    expect_url("http://host", "http://host", "http://host/chat/completions");
    expect_url("http://host/", "http://host", "http://host/chat/completions");
    expect_url("http://host/a@b", "http://host/a@b", "http://host/a@b/chat/completions");
    setenv("OPENAI_BASE_URL", "http://env/v1/", 1);
    expect_url(NULL, "http://env/v1", "http://env/v1/chat/completions");
    expect_url("http://host", "http://host", "http://host/chat/completions");
    setenv("OPENAI_BASE_URL", "", 1);
    expect_url(NULL, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions");
    unsetenv("OPENAI_BASE_URL");
}

static void test_defaults(void **state)
{
    (void)state;
    fri_openai o;
    fr_openai_options given = options();
    assert_int_equal(fri_openai_init(&o, &given, NULL), 0);
    assert_string_equal(o.model, "m");
    assert_null(o.authorization);
    assert_string_equal(o.key, "");
    assert_string_equal(o.key_source, "OPENAI_API_KEY");
    assert_string_equal(o.parameters, "");
    assert_int_equal(o.stream, 0);
    assert_int_equal(o.max_retries, 3);
    assert_int_equal(o.timeout_ms, 600000);
    assert_int_equal(o.idle_ms, 120000);
    fri_openai_dispose(&o);
    given.max_retries = FR_NO_RETRIES;
    given.stream = 7;
    given.timeout_ms = 1;
    given.idle_ms = 2;
    given.api_key = "sk";
    assert_int_equal(fri_openai_init(&o, &given, NULL), 0);
    assert_int_equal(o.max_retries, 0);
    assert_int_equal(o.stream, 1);
    assert_int_equal(o.timeout_ms, 1);
    assert_int_equal(o.idle_ms, 2);
    assert_string_equal(o.authorization, "Authorization: Bearer sk");
    assert_string_equal(o.key, "sk");
    assert_string_equal(o.key_source, "api_key");
    fri_openai_dispose(&o);
}

static void expect_parameters(const char *text, const char *members)
{
    fri_openai o;
    fr_openai_options given = options();
    given.parameters = text;
    assert_int_equal(fri_openai_init(&o, &given, NULL), 0);
    assert_string_equal(o.parameters, members);
    fri_openai_dispose(&o);
}

static void test_parameters(void **state)
{
    (void)state;
    expect_parameters("{}", "");
    expect_parameters(" { } ", "");
    expect_parameters(" {\"a\": 1.0} ", "\"a\": 1.0");
    expect_parameters("{\"a\":{\"model\":1},\"Stream\":1}", "\"a\":{\"model\":1},\"Stream\":1");
}

static void refuse(const fr_openai_options *given, int code, const char *text)
{
    fri_openai o;
    fr_error err = FR_ERROR_INIT;
    int rc = fri_openai_init(&o, given, &err);
    fri_openai_dispose(&o);
    if (rc != code || err.code != code || !strstr(err.text, text))
        fail_msg("%s: %s", fr_error_name(rc), err.text);
    assert_null(strstr(err.text, "secret"));
}

static void test_bad_urls(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "",           "host/v1",       "ftp://host",     "http://",         "https:///v1",
        "http://a b", "http://a\r\nb", "http://host/?a", "http://host/v1#", "http://\x7f"};
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        fr_openai_options given = options();
        given.base_url = urls[i];
        refuse(&given, FR_EINVAL, "is none");
        if (!urls[i][0])
            continue;
        given.base_url = NULL;
        setenv("OPENAI_BASE_URL", urls[i], 1);
        refuse(&given, FR_EINVAL, "is none");
        unsetenv("OPENAI_BASE_URL");
    }
    fr_openai_options given = options();
    given.base_url = "http://host/v1/Chat/completions//";
    refuse(&given, FR_EINVAL, "without /chat/completions");
    given.base_url = "http://me:secret@host/v1";
    refuse(&given, FR_EINVAL, "api_key");
}

static void test_bad_keys(void **state)
{
    (void)state;
    fr_openai_options named = options();
    named.api_key_env = "FENCERUN_NO_SUCH_KEY";
    refuse(&named, FR_EINVAL, "no variable 'FENCERUN_NO_SUCH_KEY'");
    static const char *const keys[] = {"secret\n", "secret\r\nX: y", "\x01secret", "secret\x7f"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        fr_openai_options given = options();
        given.api_key = keys[i];
        refuse(&given, FR_EINVAL, "api_key");
        given.api_key = NULL;
        setenv("OPENAI_API_KEY", keys[i], 1);
        refuse(&given, FR_EINVAL, "OPENAI_API_KEY");
        unsetenv("OPENAI_API_KEY");
    }
}

static void test_bad_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
        const char *says;
    } cases[] = {
        {"", FR_EFORMAT, "the parameters: "},
        {"{\"a\":}", FR_EFORMAT, "the parameters: "},
        {"{\"a\":\"\\ud83d\"}", FR_EFORMAT, "the parameters: "},
        {"[]", FR_EFORMAT, "no JSON object"},
        {"{\"model\":1}", FR_EINVAL, "'model'"},
        {"{\"a\":1,\"messages\":[]}", FR_EINVAL, "'messages'"},
        {"{\"stream\":false}", FR_EINVAL, "'stream'"},
        {"{\"str\\u0065am\":false}", FR_EINVAL, "'stream'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fr_openai_options given = options();
        given.parameters = cases[i].text;
        refuse(&given, cases[i].code, cases[i].says);
    }
}

static void test_bad_numbers(void **state)
{
    (void)state;
    fr_openai_options given = options();
    given.max_retries = -2;
    refuse(&given, FR_EINVAL, "max_retries");
    given = options();
    given.timeout_ms = -1;
    refuse(&given, FR_EINVAL, "timeout_ms");
    given = options();
    given.idle_ms = 24 * 3600 * 1000 + 1;
    refuse(&given, FR_EINVAL, "idle_ms");
    given = options();
    given.model = NULL;
    refuse(&given, FR_EINVAL, "no model");
    given.model = "";
    refuse(&given, FR_EINVAL, "no model");
    refuse(NULL, FR_EINVAL, "no model");
    given.struct_size = 0;
    refuse(&given, FR_EINVAL, "struct_size");
}

static int whole_use(void *user, fr_error *err)
{
    fri_openai o;
    int rc = fri_openai_init(&o, user, err);
    fri_openai_dispose(&o);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fr_openai_options given = options();
    given.api_key = "sk";
    given.parameters = "{\"a\":1}";
    assert_true(torture(whole_use, &given) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_urls),        leaks_test(test_defaults),
        leaks_test(test_parameters),  leaks_test(test_bad_urls),
        leaks_test(test_bad_keys),    leaks_test(test_bad_parameters),
        leaks_test(test_bad_numbers), leaks_test(test_out_of_memory),
    };
    unsetenv("OPENAI_API_KEY");
    unsetenv("OPENAI_BASE_URL");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
