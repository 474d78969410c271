/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/http.h"
#include "base/str.h"
#include "tests/support/peer.h"

static peer server;

/* A request with bounds that no test should reach. */
static fri_http_request request_for(const char *path, char *url, size_t n)
{
    snprintf(url, n, "http://127.0.0.1:%d%s", server.port, path);
    return (fri_http_request){.method = "GET",
                              .url = url,
                              .connect_ms = 20000,
                              .total_ms = 60000,
                              .idle_ms = 20000,
                              .max_body_bytes = 1 << 20};
}

/* One exchange that must succeed. */
static void get(const char *path, fri_http_response *r)
{
    char url[256];
    fr_error err = FR_ERROR_INIT;
    const fri_http_request q = request_for(path, url, sizeof(url));
    if (fri_http_perform(&q, r, &err))
        fail_msg("%s: %s", path, err.text);
}

/* One that must fail. */
static void expect_failure(const fri_http_request *q, int code, int sys_errno, const char *text)
{
    fri_http_response r;
    fr_error err = FR_ERROR_INIT;
    int rc = fri_http_perform(q, &r, &err);
    fri_http_response_dispose(&r);
    if (rc != code || err.sys_errno != sys_errno || !strstr(err.text, text))
        fail_msg("%s: %s %d: %s", q->url, fr_error_name(rc), err.sys_errno, err.text);
}

static void expect_header(const fri_http_response *r, const char *name, const char *value)
{
    fr_str v = fri_http_header(r, name);
    if (!value) {
        assert_null(v.p);
        return;
    }
    assert_int_equal(v.n, strlen(value));
    assert_memory_equal(v.p, value, v.n);
}

static void test_get(void **state)
{
    (void)state;
    fri_http_response r;
    get("/echo", &r);
    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.body.p, "GET /echo HTTP/1.1\r\n"));
    assert_non_null(strstr(r.body.p, "User-Agent: fencerun/"));
    assert_null(strstr(r.body.p, "Expect"));
    fri_http_response_dispose(&r);
}

static void test_post(void **state)
{
    (void)state;
    static const char body[] = "{\"a\":\0\"b\"}";
    static const char *const headers[] = {"Content-Type: application/json",
                                          "Authorization: Bearer secret", NULL};
    char url[256];
    fri_http_response r;
    fri_http_request q = request_for("/echo", url, sizeof(url));
    q.method = "POST";
    q.headers = headers;
    q.body = fri_str(body, sizeof(body) - 1);
    assert_int_equal(fri_http_perform(&q, &r, NULL), 0);
    assert_non_null(strstr(r.body.p, "POST /echo HTTP/1.1\r\n"));
    assert_non_null(strstr(r.body.p, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(r.body.p, "Authorization: Bearer secret\r\n"));
    assert_non_null(strstr(r.body.p, "Content-Length: 10\r\n"));
    assert_true(r.body.n > 10);
    assert_memory_equal(r.body.p + r.body.n - 10, body, 10);
    fri_http_response_dispose(&r);
}

static void test_other_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {"DELETE", "PUT", "POST"};
    for (size_t i = 0; i < 3; i++) {
        char url[256], line[64];
        fri_http_response r;
        fri_http_request q = request_for("/echo", url, sizeof(url));
        q.method = methods[i];
        assert_int_equal(fri_http_perform(&q, &r, NULL), 0);
        snprintf(line, sizeof(line), "%s /echo HTTP/1.1\r\n", methods[i]);
        assert_non_null(strstr(r.body.p, line));
        fri_http_response_dispose(&r);
    }
}

static void test_status_is_no_failure(void **state)
{
    (void)state;
    static const int codes[] = {400, 401, 403, 404, 429, 500, 503};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        char path[32];
        fri_http_response r;
        snprintf(path, sizeof(path), "/status/%d", codes[i]);
        get(path, &r);
        assert_int_equal(r.status, codes[i]);
        expect_header(&r, "retry-after", "7");
        assert_int_equal(r.body.n, 10);
        fri_http_response_dispose(&r);
    }
}

/* The key in a header is for one host. */
static void test_redirects_are_not_followed(void **state)
{
    (void)state;
    fri_http_response r;
    get("/redirect", &r);
    assert_int_equal(r.status, 302);
    expect_header(&r, "Location", "/echo");
    fri_http_response_dispose(&r);
}

static void test_headers(void **state)
{
    (void)state;
    fri_http_response r;
    get("/interim", &r);
    assert_int_equal(r.status, 200);
    expect_header(&r, "x-final", "spaced");
    expect_header(&r, "X-Twice", "2");
    expect_header(&r, "X-Interim", NULL);
    expect_header(&r, "X-", NULL);
    assert_string_equal(r.body.p, "done");
    fri_http_response_dispose(&r);
}

static void test_bodies_of_every_kind(void **state)
{
    (void)state;
    static const char *const paths[] = {"/bytes/0", "/bytes/100000", "/chunks/0", "/chunks/100000",
                                        "/slow/40"};
    static const size_t sizes[] = {0, 100000, 0, 100000, 40};
    for (size_t i = 0; i < 5; i++) {
        fri_http_response r;
        get(paths[i], &r);
        assert_int_equal(r.body.n, sizes[i]);
        for (size_t k = 0; k < r.body.n; k++)
            assert_int_equal(r.body.p[k], '0' + (int)(k % 10));
        fri_http_response_dispose(&r);
    }
}

static void test_the_limit_is_exact(void **state)
{
    (void)state;
    static const char *const kinds[] = {"bytes", "chunks"};
    for (size_t i = 0; i < 2; i++)
        for (int n = 999; n <= 1001; n++) {
            char url[256], path[32];
            fri_http_response r;
            snprintf(path, sizeof(path), "/%s/%d", kinds[i], n);
            fri_http_request q = request_for(path, url, sizeof(url));
            q.max_body_bytes = 1000;
            int rc = fri_http_perform(&q, &r, NULL);
            assert_int_equal(rc, n > 1000 ? FR_ELIMIT : 0);
            fri_http_response_dispose(&r);
        }
}

static void test_endless_answers(void **state)
{
    (void)state;
    char url[256];
    fri_http_request q = request_for("/endless", url, sizeof(url));
    expect_failure(&q, FR_ELIMIT, 0, "longer than 1048576 bytes");
    q = request_for("/endless-head", url, sizeof(url));
    expect_failure(&q, FR_ELIMIT, 0, "head of the answer");
    q = request_for("/endless-line", url, sizeof(url));
    expect_failure(&q, FR_ELIMIT, 0, "a line of the answer's head is longer");
}

static void test_broken_answers(void **state)
{
    (void)state;
    static const char *const paths[] = {"/cut", "/cut-chunks", "/garbage", "/close"};
    for (size_t i = 0; i < 4; i++) {
        char url[256];
        const fri_http_request q = request_for(paths[i], url, sizeof(url));
        expect_failure(&q, FR_EPROTOCOL, 0, paths[i]);
    }
}

static void expect_within(int64_t began, int64_t least_ms, int64_t most_ms)
{
    int64_t ms = (fri_now_ns() - began) / FRI_NS_PER_MS;
    assert_in_range(ms, least_ms, most_ms);
}

static void test_idle_and_total_time(void **state)
{
    (void)state;
    static const char *const paths[] = {"/stall", "/silent"};
    for (size_t i = 0; i < 2; i++) {
        char url[256];
        fri_http_request q = request_for(paths[i], url, sizeof(url));
        int64_t began = fri_now_ns();
        q.idle_ms = 300;
        expect_failure(&q, FR_ESYSTEM, ETIMEDOUT, "nothing was heard of the server within 0.300 s");
        expect_within(began, 290, 10000);
        began = fri_now_ns();
        q.idle_ms = 0;
        q.total_ms = 300;
        expect_failure(&q, FR_ESYSTEM, ETIMEDOUT, "timed out");
        expect_within(began, 290, 10000);
    }
}

/* A server that keeps saying something is not idle, however slow. */
static void test_slow_is_not_idle(void **state)
{
    (void)state;
    char url[256];
    fri_http_response r;
    fri_http_request q = request_for("/slow/200", url, sizeof(url));
    q.idle_ms = 700;
    assert_int_equal(fri_http_perform(&q, &r, NULL), 0);
    assert_int_equal(r.body.n, 200);
    fri_http_response_dispose(&r);
}

static void *raise_later(void *cancel)
{
    poll(NULL, 0, 100);
    fr_cancel_raise(cancel);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    char url[256];
    fri_http_response r;
    pthread_t thread;
    fri_http_request q = request_for("/stall", url, sizeof(url));
    assert_int_equal(fr_cancel_new(&q.cancel, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, raise_later, q.cancel), 0);
    int64_t began = fri_now_ns();
    assert_int_equal(fri_http_perform(&q, &r, NULL), FRI_HTTP_CANCELLED);
    expect_within(began, 0, 5000);
    pthread_join(thread, NULL);
    fri_http_response_dispose(&r);
    assert_int_equal(fri_http_perform(&q, &r, NULL), FRI_HTTP_CANCELLED);
    fri_http_response_dispose(&r);
    fr_cancel_free(q.cancel);
}

typedef struct tally {
    const fri_http_response *response;
    size_t bytes;
    size_t stop_after;
} tally;

static int count(void *user, const char *p, size_t n, fr_error *err)
{
    tally *t = user;
    assert_non_null(p);
    assert_int_equal(t->response->status, 200);
    expect_header(t->response, "transfer-encoding", "chunked");
    t->bytes += n;
    return t->bytes > t->stop_after ? fr_fail(err, FR_EFORMAT, 0, "enough of that") : 0;
}

static void test_sink(void **state)
{
    (void)state;
    char url[256];
    fri_http_response r;
    tally t = {&r, 0, 1 << 20};
    fri_http_request q = request_for("/chunks/100000", url, sizeof(url));
    q.sink = count;
    q.user = &t;
    assert_int_equal(fri_http_perform(&q, &r, NULL), 0);
    assert_int_equal(t.bytes, 100000);
    assert_int_equal(r.body.n, 0);
    fri_http_response_dispose(&r);
    t = (tally){&r, 0, 5000};
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fri_http_perform(&q, &r, &err), FR_EFORMAT);
    assert_string_equal(err.text, "enough of that");
    assert_int_equal(r.status, 200);
    fri_http_response_dispose(&r);
}

static void test_no_connection(void **state)
{
    (void)state;
    fri_http_request q = {
        .method = "GET", .url = "http://127.0.0.1:1/", .max_body_bytes = 1, .connect_ms = 5000};
    expect_failure(&q, FR_EUNAVAILABLE, 0, "no connection to http://127.0.0.1:1/");
    q.url = "http://localhost/";
    q.unix_socket = "/nonexistent/socket";
    expect_failure(&q, FR_EUNAVAILABLE, 0, "no connection to /nonexistent/socket");
    q.url = "https://127.0.0.1:1/";
    q.unix_socket = NULL;
    expect_failure(&q, FR_EUNAVAILABLE, 0, "no connection to https://127.0.0.1:1/");
}

static void test_bad_requests(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "ftp://127.0.0.1/", "file:///etc/passwd",        "",
        "127.0.0.1",        "http://127.0.0.1/\r\nX: y", "gopher://127.0.0.1/"};
    static const char *const breaks[] = {"Authorization: secret\r\nX: y", NULL};
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        const fri_http_request q = {.method = "GET", .url = urls[i]};
        expect_failure(&q, FR_EINVAL, 0, "is no http or https url");
    }
    char url[256];
    fri_http_request q = request_for("/echo", url, sizeof(url));
    q.method = "GET /x HTTP/1.1\r\n";
    expect_failure(&q, FR_EINVAL, 0, "is no method");
    q.method = "GET";
    q.headers = breaks;
    fri_http_response r;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fri_http_perform(&q, &r, &err), FR_EINVAL);
    assert_non_null(strstr(err.text, "Authorization"));
    assert_null(strstr(err.text, "secret"));
    fri_http_response_dispose(&r);
}

static void test_unix_socket(void **state)
{
    (void)state;
    char directory[] = "/tmp/fencerun-http-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/socket", directory);
    peer local = peer_start("http_peer.py", path);
    fri_http_response r;
    const fri_http_request q = {.method = "GET",
                                .url = "http://engine/echo",
                                .unix_socket = path,
                                .total_ms = 20000,
                                .max_body_bytes = 10000};
    assert_int_equal(fri_http_perform(&q, &r, NULL), 0);
    assert_non_null(strstr(r.body.p, "Host: engine\r\n"));
    fri_http_response_dispose(&r);
    peer_stop(&local);
    unlink(path);
    rmdir(directory);
}

static void *get_ten(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10; i++) {
        char url[256];
        fri_http_response r;
        const fri_http_request q = request_for("/bytes/1000", url, sizeof(url));
        if (fri_http_perform(&q, &r, NULL) || r.body.n != 1000)
            return NULL;
        fri_http_response_dispose(&r);
    }
    return &server;
}

static void test_many_threads(void **state)
{
    (void)state;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, get_ten, NULL), 0);
    for (int i = 0; i < 8; i++) {
        void *good;
        pthread_join(threads[i], &good);
        assert_non_null(good);
    }
}

static int start_server(void **state)
{
    (void)state;
    server = peer_start("http_peer.py", NULL);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    peer_stop(&server);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_post),
        cmocka_unit_test(test_other_methods),
        cmocka_unit_test(test_status_is_no_failure),
        cmocka_unit_test(test_redirects_are_not_followed),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_bodies_of_every_kind),
        cmocka_unit_test(test_the_limit_is_exact),
        cmocka_unit_test(test_endless_answers),
        cmocka_unit_test(test_broken_answers),
        cmocka_unit_test(test_idle_and_total_time),
        cmocka_unit_test(test_slow_is_not_idle),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_sink),
        cmocka_unit_test(test_no_connection),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_unix_socket),
    };
    /* Whoever runs the tests may have a proxy that this is not for. */
    setenv("no_proxy", "*", 1);
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
