/* SPDX-License-Identifier: MIT */
/* The model against a server that plays a provider, openai_peer.py, on good days and bad. */
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

#include "base/clock.h"
#include "base/http.h"
#include "base/mem.h"
#include "loop/model/openai.h"
#include "tests/support/peer.h"
#include "tests/support/talk.h"

#define TEXT "Four: \xc3\xbc \xe6\x95\xb0 \xf0\x9f\x98\x80."
#define KEY  "sk-0123456789abcdef"

static peer server;

/* A model at a path of the peer, and what is said to it. */
typedef struct call {
    fr_openai_options options;
    char url[256];
    fr_model *model;
    talk talk;
} call;

static void prepare(call *c, const char *path, int stream)
{
    *c = (call){.options = FR_OPENAI_OPTIONS_INIT};
    snprintf(c->url, sizeof(c->url), "http://127.0.0.1:%d%s", server.port, path);
    c->options.model = "peer";
    c->options.base_url = c->url;
    c->options.api_key = KEY;
    c->options.stream = stream;
    c->options.timeout_ms = 60000;
    c->options.idle_ms = 20000;
    talk_init(&c->talk, "2 + 2?");
}

static void open_call(call *c)
{
    fr_error err = FR_ERROR_INIT;
    if (fr_model_open(fr_model_openai(), &c->options, &c->model, &err))
        fail_msg("%s", err.text);
}

static void begin(call *c, const char *path, int stream)
{
    prepare(c, path, stream);
    open_call(c);
}

static void end(call *c)
{
    fr_model_close(c->model);
    talk_dispose(&c->talk);
}

/* How often the peer was asked at a path. */
static int asked(const char *path)
{
    char url[300];
    fri_http_response r;
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/asked%s", server.port, path);
    const fri_http_request q = {
        .method = "GET", .url = url, .total_ms = 20000, .max_body_bytes = 100};
    assert_int_equal(fri_http_perform(&q, &r, NULL), 0);
    int n = -1;
    sscanf(r.body.p, "%d", &n);
    fri_http_response_dispose(&r);
    return n;
}

static fr_model_response expect_text(const char *path, int stream, const char *text)
{
    call c;
    begin(&c, path, stream);
    fr_model_response r = talk_expect(&c.talk, c.model, text);
    assert_string_equal(c.talk.heard.p, text);
    assert_int_equal(asked(path), r.requests);
    end(&c);
    return r;
}

/* Fails, after so many requests. */
static void expect_failure(const char *path, int stream, int requests, const char *text)
{
    call c;
    begin(&c, path, stream);
    fr_error err = talk_expect_error(&c.talk, c.model, FR_EMODEL, text);
    assert_null(strstr(err.text, "0123456789"));
    if (asked(path) != requests)
        fail_msg("%s: asked %d times, not %d", path, asked(path), requests);
    end(&c);
}

/* ---- Good days ---- */

static void test_whole_and_streamed(void **state)
{
    (void)state;
    static const char *const paths[2][3] = {{"/chat/w", "/bytes/w", "/json/w"},
                                            {"/chat/s", "/bytes/s", "/json/s"}};
    for (int stream = 0; stream < 2; stream++)
        for (int i = 0; i < 3; i++) {
            fr_model_response r = expect_text(paths[stream][i], stream, TEXT);
            assert_int_equal(r.finish, FR_FINISH_STOP);
            assert_int_equal(r.requests, 1);
            assert_int_equal(r.prompt_tokens, 11);
            assert_int_equal(r.output_tokens, 7);
        }
}

static void test_pieces_come_as_they_are_said(void **state)
{
    (void)state;
    call c;
    begin(&c, "/chat", 1);
    talk_expect(&c.talk, c.model, TEXT);
    assert_int_equal(c.talk.pieces, 5);
    c.talk.request.on_text = NULL;
    talk_expect(&c.talk, c.model, TEXT);
    assert_int_equal(c.talk.pieces, 5);
    end(&c);
}

static void test_the_body(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"model\":\"peer\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
        "{\"role\":\"user\",\"content\":\"2 + 2?\"}], \"seed\" : 1.50 }",
        "{\"model\":\"peer\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
        "{\"role\":\"user\",\"content\":\"2 + 2?\"}],\"stream\":true, \"seed\" : 1.50 }"};
    for (int stream = 0; stream < 2; stream++) {
        call c;
        prepare(&c, "/echo/", stream);
        c.options.parameters = "{ \"seed\" : 1.50 }";
        open_call(&c);
        c.talk.request.instruction = "Be brief.";
        talk_expect(&c.talk, c.model, bodies[stream]);
        end(&c);
    }
}

/* The head of a request, as the peer got it. */
static void get_head(call *c)
{
    fr_model_response *r = NULL;
    fr_error err = FR_ERROR_INIT;
    open_call(c);
    if (fr_model_generate(c->model, &c->talk.request, &r, &err))
        fail_msg("%s", err.text);
    fr_model_response_free(r);
}

static void expect_key(const char *option, const char *env, const char *header)
{
    call c;
    prepare(&c, "/head/key", 0);
    c.options.api_key = option;
    c.options.api_key_env = env;
    get_head(&c);
    assert_non_null(strstr(c.talk.heard.p, "POST /head/key/chat/completions HTTP/1.1\r\n"));
    assert_non_null(strstr(c.talk.heard.p, "Content-Type: application/json\r\n"));
    if (header)
        assert_non_null(strstr(c.talk.heard.p, header));
    else
        assert_null(strstr(c.talk.heard.p, "uthorization"));
    end(&c);
}

static void test_the_key(void **state)
{
    (void)state;
    expect_key("sk-1", NULL, "\r\nAuthorization: Bearer sk-1\r\n");
    expect_key(NULL, NULL, NULL);
    setenv("OPENAI_API_KEY", "sk-2", 1);
    expect_key(NULL, NULL, "\r\nAuthorization: Bearer sk-2\r\n");
    expect_key("", NULL, NULL);
    setenv("ARK_API_KEY", "sk-3", 1);
    expect_key(NULL, "ARK_API_KEY", "\r\nAuthorization: Bearer sk-3\r\n");
    expect_key("sk-1", "ARK_API_KEY", "\r\nAuthorization: Bearer sk-1\r\n");
    setenv("OPENAI_API_KEY", "", 1);
    expect_key(NULL, NULL, NULL);
    unsetenv("OPENAI_API_KEY");
    unsetenv("ARK_API_KEY");
}

static void test_the_base_url(void **state)
{
    (void)state;
    call c;
    prepare(&c, "/head/env///", 0);
    setenv("OPENAI_BASE_URL", c.url, 1);
    c.options.base_url = NULL;
    get_head(&c);
    assert_non_null(strstr(c.talk.heard.p, "POST /head/env/chat/completions HTTP/1.1\r\n"));
    end(&c);
    unsetenv("OPENAI_BASE_URL");
}

/* ---- Refusals ---- */

static void test_refused_once_and_for_all(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"/refuse/400/openai", "openai: HTTP 400: as OpenAI says"},
        {"/refuse/400/string", "openai: HTTP 400: as a string"},
        {"/refuse/400/vllm", "openai: HTTP 400: as vLLM says"},
        {"/refuse/422/detail", "openai: HTTP 422: in detail"},
        {"/refuse/400/html", "openai: HTTP 400: <h1>Bad Gateway</h1>"},
        {"/refuse/401/openai", "openai: HTTP 401: as OpenAI says; set api_key"},
        {"/refuse/401/empty", "openai: HTTP 401; set api_key"},
        {"/refuse/401/echo", "Bearer ********"},
        {"/refuse/403/vllm", "openai: HTTP 403: as vLLM says; set api_key"},
        {"/refuse/404/openai", "openai: HTTP 404: as OpenAI says; check the model 'peer' and the "
                               "base url http://127.0.0.1"},
        {"/refuse/409/openai", "openai: HTTP 409: as OpenAI says"},
        {"/refuse/429/quota", "openai: HTTP 429: no money"},
        {"/redirect", "openai: HTTP 302; redirects are not followed"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int stream = 0; stream < 2; stream++)
            expect_failure(cases[i].path, stream, stream + 1, cases[i].text);
}

static void test_what_to_set(void **state)
{
    (void)state;
    call c;
    prepare(&c, "/refuse/401/openai/env", 0);
    c.options.api_key = NULL;
    open_call(&c);
    talk_expect_error(&c.talk, c.model, FR_EMODEL, "; set OPENAI_API_KEY");
    fr_model_close(c.model);
    setenv("ARK_API_KEY", "sk-3", 1);
    c.options.api_key_env = "ARK_API_KEY";
    open_call(&c);
    talk_expect_error(&c.talk, c.model, FR_EMODEL, "; set ARK_API_KEY");
    unsetenv("ARK_API_KEY");
    end(&c);
}

/* ---- Retries ---- */

static void test_passing_trouble(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int requests;
    } cases[] = {{"/flaky/429/1", 2}, {"/flaky/500/2", 3}, {"/flaky/503/3", 4},
                 {"/flaky/408/1", 2}, {"/flaky/529/1", 2}, {"/flaky/500/0", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int stream = 0; stream < 2; stream++) {
            char path[64];
            snprintf(path, sizeof(path), "%s/%d", cases[i].path, stream);
            assert_int_equal(expect_text(path, stream, TEXT).requests, cases[i].requests);
        }
}

static void test_lasting_trouble(void **state)
{
    (void)state;
    expect_failure("/refuse/500/openai", 0, 4, "HTTP 500: as OpenAI says (asked 4 times)");
    expect_failure("/refuse/429/openai", 1, 4, "HTTP 429: as OpenAI says (asked 4 times)");
    expect_failure("/refuse/502/html", 1, 4, "HTTP 502: <h1>Bad Gateway</h1>");
}

static void test_how_often(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int max_retries, requests;
    } cases[] = {
        {"/refuse/500/openai/none", FR_NO_RETRIES, 1},
        {"/refuse/500/openai/one", 1, 2},
        {"/refuse/500/openai/five", 5, 6},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        call c;
        prepare(&c, cases[i].path, 0);
        c.options.max_retries = cases[i].max_retries;
        open_call(&c);
        talk_expect_error(&c.talk, c.model, FR_EMODEL, "HTTP 500");
        assert_int_equal(asked(cases[i].path), cases[i].requests);
        end(&c);
    }
}

static void test_asked_for_too_much_patience(void **state)
{
    (void)state;
    expect_failure("/later/429/retry-after=121", 0, 1, "as OpenAI says; ask again in 121 s");
    expect_failure("/later/503/retry-after-ms=120001", 1, 1, "ask again in 120 s");
}

static void test_lost_connections(void **state)
{
    (void)state;
    assert_int_equal(expect_text("/drop/1/w", 0, TEXT).requests, 2);
    assert_int_equal(expect_text("/drop/1/s", 1, TEXT).requests, 2);
}

/* Nothing has been said yet, so that it can be begun anew. */
static void test_lost_in_thought(void **state)
{
    (void)state;
    assert_int_equal(expect_text("/thinks", 1, TEXT).requests, 2);
}

static void test_nobody_there(void **state)
{
    (void)state;
    call c;
    prepare(&c, "", 0);
    c.options.base_url = "http://127.0.0.1:1/v1";
    c.options.max_retries = 1;
    open_call(&c);
    talk_expect_error(&c.talk, c.model, FR_EUNAVAILABLE, "(asked 2 times)");
    end(&c);
}

static void test_backoff(void **state)
{
    (void)state;
    static const int most[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(fri_openai_backoff_ms(i, 0), most[i]);
        assert_int_equal(fri_openai_backoff_ms(i, UINT32_MAX), most[i] - most[i] / 4);
        assert_in_range(fri_openai_backoff_ms(i, UINT32_MAX / 2), most[i] - most[i] / 4, most[i]);
    }
    assert_int_equal(fri_openai_backoff_ms(INT32_MAX, 0), 30000);
}

/* ---- Streams that do not end well ---- */

static void expect_broken(const char *path, const char *heard, const char *text)
{
    call c;
    begin(&c, path, 1);
    talk_expect_error(&c.talk, c.model, FR_EMODEL, text);
    assert_string_equal(c.talk.heard.p, heard);
    assert_int_equal(asked(path), 1);
    end(&c);
}

/* What has been said is not asked for again. */
static void test_broken_streams(void **state)
{
    (void)state;
    expect_broken("/cut/1", "Four: ", "HTTP: ");
    expect_broken("/broke/2", "Four: \xc3\xbc", "the stream broke off");
    expect_broken("/error/1", "Four: ", "an error instead of an answer: the model fell over");
    expect_broken("/error/0", "", "an error instead of an answer: the model fell over");
    expect_broken("/named/1", "Four: ", "an error instead of an answer: so it is named");
    expect_broken("/invalid", "", "the answer is malformed");
}

/* What has not is, once here. */
static void test_streams_without_a_word(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"/empty", "the stream broke off"},
        {"/broke/0", "the stream broke off"},
        {"/cut/0", "HTTP: "},
        {"/garbage", "HTTP: "},
        {"/html", "the stream broke off"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        call c;
        prepare(&c, cases[i].path, 1);
        c.options.max_retries = 1;
        open_call(&c);
        talk_expect_error(&c.talk, c.model, FR_EMODEL, cases[i].text);
        assert_int_equal(asked(cases[i].path), 2);
        end(&c);
    }
}

static void test_streams_that_end_oddly(void **state)
{
    (void)state;
    assert_int_equal(expect_text("/undone", 1, TEXT).prompt_tokens, -1);
    int64_t began = fri_now_ns();
    assert_int_equal(expect_text("/open", 1, TEXT).prompt_tokens, 11);
    assert_true(fri_now_ns() - began < 10 * FRI_NS_PER_S);
}

static void test_endless_streams(void **state)
{
    (void)state;
    static const char *const paths[] = {"/comments", "/line"};
    for (size_t i = 0; i < 2; i++) {
        call c;
        begin(&c, paths[i], 1);
        talk_expect_error(&c.talk, c.model, FR_ELIMIT, "");
        assert_int_equal(asked(paths[i]), 1);
        end(&c);
    }
}

static void test_time_is_up(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t timeout_ms, idle_ms;
        int requests;
    } cases[] = {{"/stall/1/idle", 0, 200, 1},
                 {"/stall/1/total", 300, 0, 1},
                 {"/stall/0/idle", 0, 200, 2},
                 {"/stall/0/total", 300, 0, 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        call c;
        prepare(&c, cases[i].path, 1);
        c.options.timeout_ms = cases[i].timeout_ms;
        c.options.idle_ms = cases[i].idle_ms;
        c.options.max_retries = 1;
        open_call(&c);
        fr_error err = talk_expect_error(&c.talk, c.model, FR_EMODEL, "timed out");
        assert_int_equal(err.sys_errno, ETIMEDOUT);
        assert_int_equal(asked(cases[i].path), cases[i].requests);
        end(&c);
    }
}

/* ---- Cancelling ---- */

static void test_cancel_in_the_middle(void **state)
{
    (void)state;
    static const char *const paths[] = {"/stall/5/cancel", "/chat/cancel"};
    for (size_t i = 0; i < 2; i++) {
        call c;
        begin(&c, paths[i], 1);
        assert_int_equal(fr_cancel_new(&c.talk.request.cancel, NULL), 0);
        c.talk.cancel_at = 2;
        talk_expect_error(&c.talk, c.model, FR_ECANCELLED, "cancelled");
        assert_string_equal(c.talk.heard.p, "Four: \xc3\xbc");
        fr_cancel_free(c.talk.request.cancel);
        end(&c);
    }
}

typedef struct raiser {
    const char *path;
    fr_cancel *cancel;
} raiser;

/* Raises it once the peer has been asked, when the model waits to ask again. */
static void *raise_when_asked(void *arg)
{
    const raiser *r = arg;
    while (asked(r->path) == 0)
        poll(NULL, 0, 5);
    poll(NULL, 0, 50);
    fr_cancel_raise(r->cancel);
    return NULL;
}

static void test_cancel_while_waiting(void **state)
{
    (void)state;
    static const char *const paths[] = {"/later/429/retry-after=100", "/stall/0/wait"};
    for (size_t i = 0; i < 2; i++) {
        call c;
        pthread_t thread;
        begin(&c, paths[i], 1);
        assert_int_equal(fr_cancel_new(&c.talk.request.cancel, NULL), 0);
        raiser r = {paths[i], c.talk.request.cancel};
        assert_int_equal(pthread_create(&thread, NULL, raise_when_asked, &r), 0);
        int64_t began = fri_now_ns();
        talk_expect_error(&c.talk, c.model, FR_ECANCELLED, "cancelled");
        assert_true(fri_now_ns() - began < 10 * FRI_NS_PER_S);
        pthread_join(thread, NULL);
        assert_int_equal(asked(paths[i]), 1);
        fr_cancel_free(c.talk.request.cancel);
        end(&c);
    }
}

static int start_server(void **state)
{
    (void)state;
    server = peer_start("openai_peer.py", NULL);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    peer_stop(&server);
    return fri_live_allocations() == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_and_streamed),
        cmocka_unit_test(test_pieces_come_as_they_are_said),
        cmocka_unit_test(test_the_body),
        cmocka_unit_test(test_the_key),
        cmocka_unit_test(test_the_base_url),
        cmocka_unit_test(test_refused_once_and_for_all),
        cmocka_unit_test(test_what_to_set),
        cmocka_unit_test(test_passing_trouble),
        cmocka_unit_test(test_lasting_trouble),
        cmocka_unit_test(test_how_often),
        cmocka_unit_test(test_asked_for_too_much_patience),
        cmocka_unit_test(test_lost_connections),
        cmocka_unit_test(test_lost_in_thought),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_broken_streams),
        cmocka_unit_test(test_streams_without_a_word),
        cmocka_unit_test(test_streams_that_end_oddly),
        cmocka_unit_test(test_endless_streams),
        cmocka_unit_test(test_time_is_up),
        cmocka_unit_test(test_cancel_in_the_middle),
        cmocka_unit_test(test_cancel_while_waiting),
    };
    /* Whoever runs the tests may have a proxy, and keys, that this is not for. */
    setenv("no_proxy", "*", 1);
    unsetenv("OPENAI_API_KEY");
    unsetenv("OPENAI_BASE_URL");
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
