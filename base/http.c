/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. Each exchange has a handle of its own; libcurl's multi interface drives it, since
 * that can wait for a cancel as well. libcurl calls back with pieces of head and body, which are counted
 * here and not by its own limits, which it applies to what was announced and not to what comes. A
 * callback that refuses leaves its error in the exchange, and libcurl's is dropped.
 */
#include "base/http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/http_curl.h"
#include "base/str.h"
#include "fencerun/version.h"

#define MAX_HEAD_BYTES ((size_t)256 * 1024)

typedef struct exchange {
    const fri_curl *curl;
    const fri_http_request *request;
    fri_http_response *response;
    CURL *easy;
    CURLM *multi;
    struct curl_slist *headers;
    char why[CURL_ERROR_SIZE];
    size_t body_bytes;
    int64_t heard_ns; /* when the last byte of the answer came */
    int failed;       /* by a callback of ours, with what in `error` */
    fr_error error;
} exchange;

/* ---- checking ---- */

static int has_break(const char *s)
{
    return strpbrk(s, "\r\n") != NULL;
}

static int check(const fri_http_request *q, fr_error *err)
{
    if (!q->method || !q->method[0] ||
        strspn(q->method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(q->method))
        return fr_fail(err, FR_EINVAL, 0, "HTTP: '%.20s' is no method", q->method ? q->method : "");
    if (!q->url || has_break(q->url) ||
        (strncasecmp(q->url, "http://", 7) != 0 && strncasecmp(q->url, "https://", 8) != 0))
        return fr_fail(err, FR_EINVAL, 0, "HTTP: '%.200s' is no http or https url",
                       q->url ? q->url : "");
    for (const char *const *h = q->headers; h && *h; h++)
        if (has_break(*h))
            return fr_fail(err, FR_EINVAL, 0, "HTTP: a line break in the header %.*s",
                           (int)strcspn(*h, ":\r\n"), *h);
    return 0;
}

/* ---- the answer ---- */

static size_t refuse(exchange *x, int rc)
{
    x->failed = rc;
    return 0; /* not the number of bytes: libcurl ends the transfer */
}

static size_t on_head(char *p, size_t size, size_t n, void *arg)
{
    exchange *x = arg;
    (void)size; /* 1, says libcurl */
    x->heard_ns = fri_now_ns();
    /* The status line of the final answer comes after those of interim ones (RFC 9110, 15.2). */
    if (n > 5 && memcmp(p, "HTTP/", 5) == 0)
        fri_buf_truncate(&x->response->head, 0);
    fri_buf_append(&x->response->head, p, n);
    int rc = fri_buf_check(&x->response->head, "HTTP: the head of the answer", &x->error);
    return rc ? refuse(x, rc) : n;
}

static int take_body(exchange *x, const char *p, size_t n)
{
    const fri_http_request *q = x->request;
    if (n > q->max_body_bytes - x->body_bytes)
        return fr_fail(&x->error, FR_ELIMIT, 0, "HTTP: the answer is longer than %zu bytes",
                       q->max_body_bytes);
    x->body_bytes += n;
    if (q->sink)
        return q->sink(q->user, p, n, &x->error);
    fri_buf_append(&x->response->body, p, n);
    return fri_buf_check(&x->response->body, "HTTP: the body of the answer", &x->error);
}

static void take_status(exchange *x)
{
    long status = 0;
    x->curl->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
    x->response->status = (int)status;
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
    exchange *x = arg;
    (void)size;
    x->heard_ns = fri_now_ns();
    take_status(x);
    int rc = take_body(x, p, n);
    return rc ? refuse(x, rc) : n;
}

/* ---- setting up ---- */

static int add_header(exchange *x, const char *header)
{
    struct curl_slist *longer = x->curl->slist_append(x->headers, header);
    if (!longer)
        return FR_ENOMEM;
    x->headers = longer;
    return 0;
}

static int set_headers(exchange *x)
{
    /* No waiting for "100 Continue", which few servers send. */
    int rc = add_header(x, "Expect:");
    for (const char *const *h = x->request->headers; rc == 0 && h && *h; h++)
        rc = add_header(x, *h);
    return rc;
}

static int set_options(exchange *x)
{
    __typeof__(curl_easy_setopt) *set = x->curl->easy_setopt;
    const fri_http_request *q = x->request;
    CURL *e = x->easy;
    char agent[64];
    int failed = 0;
    snprintf(agent, sizeof(agent), "fencerun/%s", fr_version());
    failed |= set(e, CURLOPT_ERRORBUFFER, x->why);
    failed |= set(e, CURLOPT_URL, q->url);
    failed |= set(e, CURLOPT_PROTOCOLS_STR, "http,https");
    failed |= set(e, CURLOPT_FOLLOWLOCATION, 0L);
    failed |= set(e, CURLOPT_NOSIGNAL, 1L);
    failed |= set(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    failed |= set(e, CURLOPT_USERAGENT, agent);
    failed |= set(e, CURLOPT_HTTPHEADER, x->headers);
    failed |= set(e, CURLOPT_HEADERFUNCTION, on_head);
    failed |= set(e, CURLOPT_HEADERDATA, x);
    failed |= set(e, CURLOPT_WRITEFUNCTION, on_body);
    failed |= set(e, CURLOPT_WRITEDATA, x);
    failed |= set(e, CURLOPT_CONNECTTIMEOUT_MS, (long)q->connect_ms);
    failed |= set(e, CURLOPT_TIMEOUT_MS, (long)q->total_ms);
    if (q->unix_socket) {
        failed |= set(e, CURLOPT_UNIX_SOCKET_PATH, q->unix_socket);
        failed |= set(e, CURLOPT_NOPROXY, "*");
    }
    if (strcmp(q->method, "HEAD") == 0)
        failed |= set(e, CURLOPT_NOBODY, 1L);
    else if (strcmp(q->method, "GET") != 0 || q->body.n > 0) {
        failed |= set(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body.n);
        failed |= set(e, CURLOPT_POSTFIELDS, q->body.n ? q->body.p : "");
        failed |= set(e, CURLOPT_CUSTOMREQUEST, q->method);
    }
    return failed;
}

static int set_up(exchange *x, fr_error *err)
{
    x->multi = x->curl->multi_init();
    x->easy = x->curl->easy_init();
    if (!x->multi || !x->easy || set_headers(x))
        return fr_fail(err, FR_ENOMEM, 0, "HTTP: out of memory");
    if (set_options(x))
        return fr_fail(err, FR_EUNAVAILABLE, 0, "HTTP: libcurl lacks what is needed: %s", x->why);
    if (x->curl->multi_add_handle(x->multi, x->easy) != CURLM_OK)
        return fr_fail(err, FR_ENOMEM, 0, "HTTP: out of memory");
    return 0;
}

static void tear_down(exchange *x)
{
    if (x->multi && x->easy)
        x->curl->multi_remove_handle(x->multi, x->easy);
    if (x->easy)
        x->curl->easy_cleanup(x->easy);
    if (x->multi)
        x->curl->multi_cleanup(x->multi);
    x->curl->slist_free_all(x->headers);
}

/* ---- driving ---- */

static int timed_out(const char *what, int64_t ms, fr_error *err)
{
    return fr_fail(err, FR_ESYSTEM, ETIMEDOUT, "HTTP: %s within %lld.%03lld s", what,
                   (long long)(ms / 1000), (long long)(ms % 1000));
}

static int translate(const exchange *x, CURLcode code, fr_error *err)
{
    const char *why = x->why[0] ? x->why : x->curl->easy_strerror(code);
    switch (code) {
    case CURLE_OK:
        return 0;
    case CURLE_URL_MALFORMAT:
        return fr_fail(err, FR_EINVAL, 0, "HTTP: %.200s: %s", x->request->url, why);
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
        return fr_fail(err, FR_EUNAVAILABLE, 0, "HTTP: no connection to %.200s: %s",
                       x->request->unix_socket ? x->request->unix_socket : x->request->url, why);
    case CURLE_OPERATION_TIMEDOUT:
        return fr_fail(err, FR_ESYSTEM, ETIMEDOUT, "HTTP: %.200s: %s", x->request->url, why);
    /* What libcurl says, too, of a line of the head that is longer than it takes. */
    case CURLE_OUT_OF_MEMORY:
        return fr_fail(
            err, FR_ELIMIT, 0,
            "HTTP: %.200s: a line of the answer's head is longer than 100 KiB, or there is "
            "no memory for it",
            x->request->url);
    default:
        return fr_fail(err, FR_EPROTOCOL, 0, "HTTP: %.200s: %s", x->request->url, why);
    }
}

/* The result of the one transfer there is, once it is over. */
static int take_result(exchange *x, fr_error *err)
{
    int left;
    const CURLMsg *message = x->curl->multi_info_read(x->multi, &left);
    if (!message)
        return fr_fail(err, FR_EINTERNAL, 0, "HTTP: libcurl ended without a result");
    if (x->failed) {
        if (err)
            *err = x->error;
        return x->failed;
    }
    take_status(x);
    return translate(x, message->data.result, err);
}

/* Waits for something to happen, at most until nothing has been heard for too long. */
static int wait(const exchange *x, fr_error *err)
{
    const fri_http_request *q = x->request;
    struct curl_waitfd cancel = {.fd = fr_cancel_fd(q->cancel), .events = CURL_WAIT_POLLIN};
    int ms = 1000; /* libcurl knows of times of its own, and shortens this */
    if (q->idle_ms) {
        ms = fri_poll_timeout(x->heard_ns + q->idle_ms * FRI_NS_PER_MS);
        if (ms == 0)
            return timed_out("nothing was heard of the server", q->idle_ms, err);
        ms = ms < 1000 ? ms : 1000;
    }
    if (x->curl->multi_poll(x->multi, &cancel, q->cancel ? 1 : 0, ms, NULL) != CURLM_OK)
        return fr_fail(err, FR_ESYSTEM, errno, "HTTP: wait for the server");
    return 0;
}

static int drive(exchange *x, fr_error *err)
{
    for (;;) {
        int running;
        if (x->curl->multi_perform(x->multi, &running) != CURLM_OK)
            return fr_fail(err, FR_EINTERNAL, 0, "HTTP: libcurl cannot go on");
        if (!running)
            return take_result(x, err);
        if (fr_cancel_raised(x->request->cancel))
            return FRI_HTTP_CANCELLED;
        int rc = wait(x, err);
        if (rc)
            return rc;
    }
}

int fri_http_perform(const fri_http_request *request, fri_http_response *response, fr_error *err)
{
    exchange x = {.request = request, .response = response, .heard_ns = fri_now_ns()};
    response->status = 0;
    fri_buf_init(&response->head, MAX_HEAD_BYTES);
    fri_buf_init(&response->body, request->max_body_bytes);
    int rc = check(request, err);
    if (rc == 0)
        rc = fri_curl_load(&x.curl, err);
    if (rc)
        return rc;
    rc = set_up(&x, err);
    if (rc == 0)
        rc = drive(&x, err);
    tear_down(&x);
    return rc;
}

void fri_http_response_dispose(fri_http_response *response)
{
    fri_buf_dispose(&response->head);
    fri_buf_dispose(&response->body);
}

fr_str fri_http_header(const fri_http_response *response, const char *name)
{
    fr_str value = {NULL, 0};
    size_t length = strlen(name);
    const char *line = response->head.p;
    for (const char *end; (end = strstr(line, "\r\n")); line = end + 2) {
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char *from = line + length + 1, *to = end;
        from += strspn(from, " \t");
        while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
            to--;
        value = fri_str(from, (size_t)(to - from));
    }
    return value;
}
