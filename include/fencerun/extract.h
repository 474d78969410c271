/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_EXTRACT_H
#define FENCERUN_EXTRACT_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/content.h"
#include "fencerun/error.h"
#include "fencerun/language.h"
#include "fencerun/str.h"

/**
 * Finding the first runnable block in a model's reply. The rules are in docs/extraction.md, which is
 * run as a test; they follow CommonMark's fenced code blocks (section 4.5) where that says something
 * and ADK's `extract_code_and_truncate_content` for what is cut. Time is linear in the input.
 */

/** A pair of literal delimiters around code: `[py]` … `[/py]`. Both are NUL-terminated and taken
 * byte for byte, never as patterns. Fixed layout. */
typedef struct fr_delimiters {
    const char *open;
    const char *close;
} fr_delimiters;

/** Reproduce ADK's literal delimiters with every consequence, instead of the default rules. */
#define FR_COMPAT_ADK 1u

/** Options; zero means default. Members are only ever added at the end. */
typedef struct fr_extract_options {
    size_t struct_size;
    uint32_t compat;                 /**< 0 or FR_COMPAT_ADK */
    int32_t all;                     /**< also list the runnable blocks behind the first */
    int32_t run_unterminated;        /**< a block the reply ends in counts as runnable */
    int32_t run_untagged;            /**< a block without an info string is in the first language */
    const fr_language *languages;    /**< what can be run; NULL: fr_language_python() */
    size_t language_count;           /**< 0 when `languages` is NULL */
    const fr_delimiters *delimiters; /**< pairs besides fences (FR_COMPAT_ADK: instead of ADK's own
                                        two); their code is in the first language */
    size_t delimiter_count;
} fr_extract_options;

#define FR_EXTRACT_OPTIONS_INIT                            \
    {                                                      \
        sizeof(fr_extract_options), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/** Why a block is not the one that runs. Text: fr_skip_text(). */
#define FR_SKIP_MAP(X)         \
    X(NONE, 0, "runnable")     \
    X(LANGUAGE, 1, "language") \
    X(UNTAGGED, 2, "untagged") \
    X(EMPTY, 3, "empty")       \
    X(UNTERMINATED, 4, "unterminated")

enum fr_skip {
#define FR_SKIP_ENUM(name, value, text) FR_SKIP_##name = (value),
    FR_SKIP_MAP(FR_SKIP_ENUM)
#undef FR_SKIP_ENUM
};

/** One block, read-only. Only the library makes these; members are only ever added at the end. */
typedef struct fr_block {
    int32_t skip;       /**< `fr_skip`; FR_SKIP_NONE for a runnable block */
    int32_t terminated; /**< 0 when it has no closing delimiter */
    fr_str
        language; /**< the language's name, for fr_code_input.language; empty: not in the table */
    fr_str info;  /**< info string as written, trimmed; empty for literal delimiters */
    fr_str code;  /**< the body as it is run; empty unless the block is runnable */
    size_t start; /**< offset of the opening delimiter in fr_extraction_text() */
    size_t end;   /**< offset behind the closing one, or where the block ends without one */
} fr_block;

/** What was found. Owns everything that is reached through it.
 * Threads: immutable after fr_extract(), so any. */
typedef struct fr_extraction fr_extraction;

FR_BEGIN_DECLS

/**
 * Searches a reply. `content` is only read. An executable_code part without a result right behind it
 * wins over text, as in ADK; its `start` and `end` are both where in the text it stands. On success
 * `*out` is to be freed with fr_extraction_free(); that no block was found is a success.
 * Errors: FR_EINVAL (options), FR_ELIMIT (over 256 MiB of text), FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_extract(const fr_content *content, const fr_extract_options *options,
                               fr_extraction **out, fr_error *err);

/** fr_extract() of a content that is one text part. Since: 0.1. */
FR_API FR_CHECK int fr_extract_text(const char *text, size_t n, const fr_extract_options *options,
                                    fr_extraction **out, fr_error *err);

/** Frees an extraction; NULL is allowed. Since: 0.1. */
FR_API void fr_extraction_free(fr_extraction *x);

/** The runnable blocks: the first at 0, further ones only with `all`. NULL past the end.
 * Owner: the extraction. Since: 0.1. */
FR_API const fr_block *fr_extraction_block(const fr_extraction *x, size_t i);

/** The blocks passed over, in order of position; without `all`, those before the first runnable
 * block. NULL past the end. Owner: the extraction. Since: 0.1. */
FR_API const fr_block *fr_extraction_skipped(const fr_extraction *x, size_t i);

/** Not 0 when a searched text ends inside a block, of whatever language. Since: 0.1. */
FR_API int fr_extraction_unterminated(const fr_extraction *x);

/** The text that offsets refer to: all searched text parts, one behind the other. Since: 0.1. */
FR_API fr_str fr_extraction_text(const fr_extraction *x);

/** The text before the first runnable block; all of it when there is none. Since: 0.1. */
FR_API fr_str fr_extraction_prefix(const fr_extraction *x);

/**
 * The reply cut off behind its first runnable block: the text before it, the parts that are not
 * text, then the code as an executable_code part, which is always last. Without a runnable block it
 * equals the input. (FR_COMPAT_ADK: what ADK leaves, other parts lost.)
 * Owner: the extraction. Since: 0.1.
 */
FR_API const fr_content *fr_extraction_content(const fr_extraction *x);

/** "runnable", "language", "untagged", "empty", "unterminated"; "unknown" for another number.
 * Owner: static storage. Since: 0.1. */
FR_API const char *fr_skip_text(int skip);

/**
 * One JSON object: found, language, info, code, prefix, start, end, unterminated, skipped; with
 * `all`, blocks. Bytes that are no UTF-8 become U+FFFD. Free `*json` with fr_free().
 * Errors: FR_ELIMIT, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_extraction_json(const fr_extraction *x, char **json, fr_error *err);

FR_END_DECLS

#endif
