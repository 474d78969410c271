/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_CONTENT_H
#define FENCERUN_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/error.h"
#include "fencerun/str.h"

/**
 * One message of a conversation, such as a model's reply, as a list of parts, in ADK's shapes (`Content`
 * and `Part`). An `fr_content` is opaque: parts are added one by one and read through
 * `fr_content_part()`.
 * Threads: one object, one thread; reading the same content from several threads is fine.
 */
typedef struct fr_content fr_content;

enum fr_part_kind {
    FR_PART_TEXT = 1,
    FR_PART_EXECUTABLE_CODE = 2,
    FR_PART_CODE_EXECUTION_RESULT = 3,
    FR_PART_INLINE_DATA = 4,
    FR_PART_FUNCTION_CALL = 5,
    FR_PART_FUNCTION_RESPONSE = 6,
    FR_PART_OTHER = 7 /**< anything else a wire format holds; kept, never looked into */
};

/** Part flag: text the model thought but did not say (ADK's `thought`). Never searched for code. */
#define FR_PART_THOUGHT 1u

/** One part, read-only. Only the library makes these; members are only ever added at the end. */
typedef struct fr_part {
    int32_t kind;   /**< `fr_part_kind` */
    uint32_t flags; /**< FR_PART_… */
    fr_str data;    /**< text, code, output, bytes of inline data, or JSON of the other kinds */
    fr_str label;   /**< code: language; result: outcome; inline data: MIME type; call: name */
} fr_part;

FR_BEGIN_DECLS

/** An empty content, to be freed with fr_content_free().
 * Errors: FR_ENOMEM. Since: 0.1. */
FR_API FR_CHECK int fr_content_new(fr_content **out, fr_error *err);

/** Frees a content and its parts; NULL is allowed. Since: 0.1. */
FR_API void fr_content_free(fr_content *content);

/**
 * Appends a part; all bytes are copied. `label` may be NULL.
 * Errors: FR_EINVAL (unknown kind or flag), FR_ELIMIT (too many parts or bytes), FR_ENOMEM; the
 * content is then unchanged. Since: 0.1.
 */
FR_API FR_CHECK int fr_content_add(fr_content *content, int32_t kind, uint32_t flags,
                                   const char *data, size_t n, const char *label, fr_error *err);

/**
 * Says whose words these are (ADK's `Content.role`): "user" or "model". Copied; a role set before is
 * replaced. Errors: FR_EINVAL (not 1 to 31 bytes of [a-z_]); the content is then unchanged. Since: 0.1.
 */
FR_API FR_CHECK int fr_content_set_role(fr_content *content, const char *role, fr_error *err);

/** The role; "" when none was set. Owner: the content, until the next fr_content_set_role().
 * Since: 0.1. */
FR_API const char *fr_content_role(const fr_content *content);

/** Number of parts. Since: 0.1. */
FR_API size_t fr_content_count(const fr_content *content);

/** Part `i`, or NULL past the end. Owner: the content, until the next fr_content_add().
 * Since: 0.1. */
FR_API const fr_part *fr_content_part(const fr_content *content, size_t i);

FR_END_DECLS

#endif
