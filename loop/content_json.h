/* SPDX-License-Identifier: MIT */
#ifndef FR_LOOP_CONTENT_JSON_H
#define FR_LOOP_CONTENT_JSON_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "fencerun/content.h"

/* Writes a content as a value. Errors besides those of w: FR_EFORMAT, FR_EUNAVAILABLE. */
FR_CHECK int fri_content_put(const fr_content *content, fri_json_out *w, fr_error *err);

/* Reads one; free with fr_content_free(). */
FR_CHECK int fri_content_read(const fri_json *doc, fri_json_ref v, fr_content **out, fr_error *err);

/* Writes a JSON text that somebody handed in, which has to be of that type; `what` is for the error. */
FR_CHECK int fri_put_foreign_json(fri_json_out *w, fr_str json, int type, const char *what,
                                  fr_error *err);

/* A member under either of ADK's spellings: "inlineData" or "inline_data". */
fri_json_ref fri_json_get_either(const fri_json *doc, fri_json_ref v, const char *camel,
                                 const char *snake);

#endif
