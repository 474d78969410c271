/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_MODEL_H
#define FENCERUN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "fencerun/cancel.h"
#include "fencerun/content.h"
#include "fencerun/error.h"
#include "fencerun/str.h"

/**
 * Language models: one class for whatever answers a conversation. The first half of this header is for
 * people who ask a model, the second for people who connect one; the models of the library use exactly
 * this and nothing else.
 */

/** A model that is open. Threads: one call at a time. */
typedef struct fr_model fr_model;

/** An answer in the making, as its model sees it. */
typedef struct fr_reply fr_reply;

/** Why a model stopped (Gemini's `FinishReason`, as ADK has it). */
#define FR_FINISH_MAP(X)                                                     \
    X(OTHER, 0, "OTHER")           /**< another reason, or none was given */ \
    X(STOP, 1, "STOP")             /**< it was done */                       \
    X(MAX_TOKENS, 2, "MAX_TOKENS") /**< the answer is cut off */             \
    X(SAFETY, 3, "SAFETY")         /**< withheld by the provider's filter */

enum fr_finish {
#define FR_FINISH_ENUM(name, value, text) FR_FINISH_##name = (value),
    FR_FINISH_MAP(FR_FINISH_ENUM)
#undef FR_FINISH_ENUM
};

/** Takes a piece of the answer's text as it arrives, of any size. What it is given is UTF-8 once all
 * pieces are put together. Called in the thread that asks, which waits for it. */
typedef void (*fr_text_fn)(void *user, const char *p, size_t n);

/** What is asked. Nothing in it is kept after the call. Zero means default. Members are only ever
 * added at the end. */
typedef struct fr_model_request {
    size_t struct_size;
    const char *instruction;           /**< system prompt; may be NULL */
    const fr_content *const *contents; /**< the conversation, oldest first, each with a role */
    size_t content_count;              /**< at least 1 */
    fr_cancel *cancel;  /**< once raised the call ends with FR_ECANCELLED; may be NULL */
    fr_text_fn on_text; /**< gets what the model says, thoughts left out; may be NULL */
    void *user;         /**< for on_text */
} fr_model_request;

#define FR_MODEL_REQUEST_INIT                      \
    {                                              \
        sizeof(fr_model_request), 0, 0, 0, 0, 0, 0 \
    }

/** What came back. Only the library makes these; members are only ever added at the end. */
typedef struct fr_model_response {
    const fr_content *content; /**< role "model"; without parts when the model said nothing */
    int32_t finish;            /**< `fr_finish` */
    int32_t requests; /**< how many were sent, those that failed and were sent again included */
    int64_t prompt_tokens; /**< -1: not known */
    int64_t output_tokens; /**< -1: not known */
} fr_model_response;

/** What a model is: see the second half. */
typedef struct fr_model_class fr_model_class;

FR_BEGIN_DECLS

/** "OTHER", "STOP", …; "unknown" for another number. Owner: static storage. Threads: any. Since: 0.1. */
FR_API const char *fr_finish_text(int finish);

/**
 * Opens a model of that class. `config` is the class's own options, all of which are copied. Close with
 * fr_model_close(). Errors: FR_EINVAL, FR_EABI, FR_ENOTFOUND (no such file), FR_EFORMAT, FR_ELIMIT,
 * FR_EUNAVAILABLE (a library that is needed is missing), FR_ENOMEM, FR_ESYSTEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_model_open(const fr_model_class *cls, const void *config, fr_model **out,
                                  fr_error *err);

/** Closes a model and frees it; no call may be in progress. NULL is allowed. Since: 0.1. */
FR_API void fr_model_close(fr_model *model);

/** The name of its class. Owner: the class. Since: 0.1. */
FR_API const char *fr_model_name(const fr_model *model);

/**
 * Asks and waits for the whole answer, to be freed with fr_model_response_free(). An answer that broke
 * off on the way is an error, never half an answer, whatever on_text has got of it.
 * Errors: FR_EMODEL (the provider refused, failed, or broke off), FR_ECANCELLED, FR_EUNAVAILABLE (nobody
 * there), FR_EINVAL, FR_EUNSUPPORTED (a part that this model cannot be told), FR_EABI, FR_ELIMIT,
 * FR_ENOMEM, FR_ESYSTEM, FR_EINTERNAL, and what a script says. Since: 0.1.
 */
FR_API FR_CHECK int fr_model_generate(fr_model *model, const fr_model_request *request,
                                      fr_model_response **out, fr_error *err);

/** Frees a response; NULL is allowed. Since: 0.1. */
FR_API void fr_model_response_free(fr_model_response *response);

FR_END_DECLS

/* ---- The models of the library --------------------------------------------------------------- */

/**
 * Options of fr_model_scripted(). A script is
 *
 *     {"replies": ["plain text",
 *                  {"text": "...", "finish": "MAX_TOKENS", "expect": "1459.51"},
 *                  {"parts": [{"text": "...", "thought": true}, {"text": "..."}]},
 *                  {"error": "FR_EMODEL", "message": "out of order"}]}
 *
 * Parts are as in ADK's `Content`. Left out members are: no text, finish STOP. `expect` fails the call when the text of the request's
 * last content does not contain it. A call behind the last reply fails.
 *
 * Exactly one of `path` and `json` is set. Members are only ever added at the end.
 */
typedef struct fr_scripted_model_options {
    size_t struct_size;
    const char *path; /**< file with the script */
    fr_str json;      /**< the script itself; `json.p` NULL: use `path` */
} fr_scripted_model_options;

#define FR_SCRIPTED_MODEL_OPTIONS_INIT        \
    {                                         \
        sizeof(fr_scripted_model_options), 0, \
        {                                     \
            0, 0                              \
        }                                     \
    }

/** Value of `max_retries` that stands for none at all. */
#define FR_NO_RETRIES (-1)

/**
 * Options of fr_model_openai(), for whatever speaks OpenAI's chat completions: requests go to
 * `base_url` + "/chat/completions". Other providers than OpenAI are, for instance,
 *
 *     Volcengine Ark  https://ark.cn-beijing.volces.com/api/v3              key in ARK_API_KEY
 *     BytePlus        https://ark.ap-southeast.bytepluses.com/api/v3        key in ARK_API_KEY
 *     a local server  http://127.0.0.1:8000/v1                              no key, or any
 *
 * The environment is read when the model is opened, and only these variables of it: OPENAI_BASE_URL
 * where `base_url` is NULL, that with the key where `api_key` is NULL, and when something is sent those
 * that name a proxy, as curl(1) does. A variable that is set but empty counts as not set. The key is
 * sent to `base_url` and nowhere else: redirects are not followed.
 *
 * Zero means default. Members are only ever added at the end.
 */
typedef struct fr_openai_options {
    size_t struct_size;
    const char *model;    /**< its name there; required */
    const char *base_url; /**< http or https, what stands before /chat/completions; NULL:
                                  $OPENAI_BASE_URL, else OpenAI's own */
    const char *api_key;  /**< NULL: from the environment; "": none, whatever is there */
    const char
        *api_key_env; /**< the variable with the key, which has to be set; NULL: OPENAI_API_KEY,
                                  and where that is not set no key is sent, which is all right with
                                  local servers */
    const char *parameters; /**< JSON object whose members go into each request as they are, such as
                                  {"temperature": 0} or, for the token counts of a stream,
                                  {"stream_options": {"include_usage": true}}; NULL: none. "model",
                                  "messages" and "stream" are refused: they are set here */
    int32_t stream;         /**< not 0: the answer is streamed, to on_text */
    int32_t max_retries;    /**< how often a request is sent again after 408, 429, 5xx, a lost or
                                  refused connection, or a time-out, as long as nothing of the answer
                                  has been said; 0: 3; FR_NO_RETRIES: never */
    int64_t timeout_ms;     /**< for one request; 0: 600,000 */
    int64_t idle_ms;        /**< for one request, without a byte of the answer; 0: 120,000 */
} fr_openai_options;

#define FR_OPENAI_OPTIONS_INIT                               \
    {                                                        \
        sizeof(fr_openai_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

FR_BEGIN_DECLS

/** Replies from a script, one after the other, for tests and rehearsals. `config` is an
 * fr_scripted_model_options. Owner: static storage. Threads: any. Since: 0.1. */
FR_API const fr_model_class *fr_model_scripted(void);

/** A model behind OpenAI's chat completions. `config` is an fr_openai_options.
 * Owner: static storage. Threads: any. Since: 0.1. */
FR_API const fr_model_class *fr_model_openai(void);

FR_END_DECLS

/* ---- For people who connect a model ---------------------------------------------------------- */

/** Version of fr_model_class and of what its methods may rely on. */
#define FR_MODEL_ABI 1u

/**
 * The class; it and all it points to must outlive its models. Members are only ever added at the end;
 * `struct_size` tells which of them a class has.
 */
struct fr_model_class {
    size_t struct_size; /**< sizeof(fr_model_class) */
    uint32_t abi;       /**< FR_MODEL_ABI */
    uint32_t flags;     /**< 0 */
    const char *name;   /**< one word */
    size_t state_size;  /**< zeroed bytes the library allocates per model */

    /** Optional. Prepares `self`. `config` is the caller's. When it fails, `close` is still called. */
    int (*open)(fr_model *self, const void *config, fr_error *err);

    /** Builds the answer with the fr_reply_…() functions. Returns 0, or negative with what kept it
     * from it; what was built is then dropped. `request` has been checked: there are contents, and
     * each has a role. Returns soon after `request->cancel` is raised. */
    int (*generate)(fr_model *self, const fr_model_request *request, fr_reply *reply,
                    fr_error *err);

    /** Optional. Undoes `open`, also one that failed half way. */
    void (*close)(fr_model *self);
};

FR_BEGIN_DECLS

/** The `state_size` bytes of this model; NULL when it asked for none. Since: 0.1. */
FR_API void *fr_model_state(fr_model *self);

/**
 * Adds text the model says (`flags` 0) or thinks (FR_PART_THOUGHT); pieces that follow each other with
 * the same flags are one part. What it says goes to the request's on_text at once.
 * Errors: FR_EINVAL (unknown flag), FR_ELIMIT, FR_ENOMEM. Since: 0.1.
 */
FR_API FR_CHECK int fr_reply_text(fr_reply *reply, uint32_t flags, const char *p, size_t n,
                                  fr_error *err);

/** Adds another part, as fr_content_add() does. Since: 0.1. */
FR_API FR_CHECK int fr_reply_part(fr_reply *reply, int32_t kind, const char *data, size_t n,
                                  const char *label, fr_error *err);

/** Whether anything has been added, so that it is too late to begin anew. Since: 0.1. */
FR_API int fr_reply_begun(const fr_reply *reply);

/** Why the model stopped; a number that is no `fr_finish` counts as FR_FINISH_OTHER, which is also the
 * default. Since: 0.1. */
FR_API void fr_reply_finish(fr_reply *reply, int finish);

/** What it cost; -1, the default: not known. Since: 0.1. */
FR_API void fr_reply_usage(fr_reply *reply, int64_t prompt_tokens, int64_t output_tokens);

/** Counts a request that is sent. Since: 0.1. */
FR_API void fr_reply_request(fr_reply *reply);

FR_END_DECLS

#endif
