/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_HTTP_H
#define FR_BASE_HTTP_H

#include <stdint.h>

#include "base/buf.h"
#include "fencerun/cancel.h"

/*
 * One HTTP exchange, by libcurl, which is loaded at the first. http and https only; redirects are never
 * followed, so that a key in a header goes nowhere but to the host it was meant for. A proxy is taken
 * from the environment as curl(1) does, but not for unix sockets.
 */

/* Takes a piece of the answer's body; status and head are in the response by then. Not 0 ends the
 * exchange and is what it returns. */
typedef int (*fri_http_sink)(void *user, const char *p, size_t n, fr_error *err);

/* What is asked. All of it is borrowed. */
typedef struct fri_http_request {
    const char *method;
    const char *url;
    const char *unix_socket;    /* connect to this path, whatever the host in the url; or NULL */
    const char *const *headers; /* "Name: value", NULL-terminated; or NULL */
    fr_str body;
    /* In milliseconds, 0 for no bound: until the connection stands, for all together, and without a
     * byte of the answer. */
    int64_t connect_ms;
    int64_t total_ms;
    int64_t idle_ms;
    size_t max_body_bytes; /* of the answer */
    fr_cancel *cancel;     /* may be NULL */
    fri_http_sink sink;    /* NULL: the body is collected */
    void *user;            /* for the sink */
} fri_http_request;

typedef struct fri_http_response {
    int status;
    fri_buf head; /* status line and headers as they came, lines ending in CRLF */
    fri_buf body; /* empty where there is a sink */
} fri_http_response;

/* What fri_http_perform() returns besides 0 and errors. */
enum { FRI_HTTP_CANCELLED = 1 };

/*
 * Sends the request and reads the whole answer, of whatever status. Dispose the response in any case.
 * FRI_HTTP_CANCELLED: request->cancel was raised.
 * Errors: FR_EINVAL (url, method, a line break in a header), FR_EUNAVAILABLE (no libcurl; no connection:
 * nothing was sent), FR_ESYSTEM with ETIMEDOUT (connect_ms, total_ms or idle_ms), FR_ELIMIT (answer too
 * long), FR_EPROTOCOL (the answer broke off or is none), FR_ENOMEM. Threads: any.
 */
FR_CHECK int fri_http_perform(const fri_http_request *request, fri_http_response *response,
                              fr_error *err);
void fri_http_response_dispose(fri_http_response *response);

/* How long the server asks to be left alone (RFC 9110, 10.2.3), in milliseconds from now: by the header
 * retry-after-ms, which some model providers send, or Retry-After in either of its forms. -1: it does
 * not say. */
int64_t fri_http_retry_after(const fri_http_response *response);

/* The value of the last header of that name, in any case, without blanks around it; n is 0 and p NULL
 * when there is none. */
fr_str fri_http_header(const fri_http_response *response, const char *name);

#endif
