/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/http.h"

static int64_t retry_after(const char *headers)
{
    fri_http_response r = {.status = 429};
    fri_buf_init(&r.head, 10000);
    fri_buf_init(&r.body, 0);
    fri_buf_printf(&r.head, "HTTP/1.1 429 Too Many Requests\r\n%s\r\n", headers);
    int64_t ms = fri_http_retry_after(&r);
    fri_http_response_dispose(&r);
    return ms;
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *headers;
        int64_t ms;
    } cases[] = {
        {"", -1},
        {"Retry-After: 7\r\n", 7000},
        {"retry-after:0\r\n", 0},
        {"retry-after-ms: 20\r\n", 20},
        {"Retry-After: 7\r\nRetry-After-Ms: 20\r\n", 20},
        {"Retry-After: 7\r\nRetry-After-Ms: soon\r\n", 7000},
        {"Retry-After: -7\r\n", -1},
        {"Retry-After: 7s\r\n", -1},
        {"Retry-After: \r\n", -1},
        {"Retry-After: soon\r\n", -1},
        {"Retry-After: Soon\r\n", -1},
        {"Retry-After: Thursday, a day of which more than sixty-four characters are said, "
         "06 Nov 1994 08:49:37 GMT\r\n",
         -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (retry_after(cases[i].headers) != cases[i].ms)
            fail_msg("%s: %lld", cases[i].headers, (long long)retry_after(cases[i].headers));
    assert_true(retry_after("Retry-After: 18446744073709551615\r\n") > INT64_C(3600000));
    assert_true(retry_after("Retry-After: 99999999999999999999\r\n") == -1);
}

/* The three forms of RFC 9110, 5.6.7. */
static void test_dates(void **state)
{
    (void)state;
    assert_int_equal(retry_after("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), 0);
    assert_int_equal(retry_after("Retry-After: Sunday, 06-Nov-94 08:49:37 GMT\r\n"), 0);
    assert_int_equal(retry_after("Retry-After: Sun Nov  6 08:49:37 1994\r\n"), 0);
    char header[100];
    struct tm tm;
    time_t then = time(NULL) + 1000;
    assert_non_null(gmtime_r(&then, &tm));
    strftime(header, sizeof(header), "Retry-After: %a, %d %b %Y %H:%M:%S GMT\r\n", &tm);
    int64_t ms = retry_after(header);
    assert_in_range(ms, 900 * 1000, 1000 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
