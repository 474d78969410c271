/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_HTTP_CURL_H
#define FR_BASE_HTTP_CURL_H

#include <curl/curl.h>

#include "fencerun/error.h"

/* The functions of libcurl that are used, once it is loaded. */
typedef struct fri_curl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_add_handle) *multi_add_handle;
    __typeof__(curl_multi_remove_handle) *multi_remove_handle;
    __typeof__(curl_multi_perform) *multi_perform;
    __typeof__(curl_multi_poll) *multi_poll;
    __typeof__(curl_multi_info_read) *multi_info_read;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
    __typeof__(curl_getdate) *getdate;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
} fri_curl;

/* Loads and initialises it at the first call. Errors: FR_EUNAVAILABLE. Threads: any. */
FR_CHECK int fri_curl_load(const fri_curl **out, fr_error *err);

#endif
