/* SPDX-License-Identifier: MIT */
#include "loop/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/sized.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "loop/content.h"

int fri_new_id(const char *prefix, char **out, fr_error *err)
{
    unsigned char r[16];
    char text[80];
    if (getrandom(r, sizeof(r), 0) != sizeof(r))
        return fr_fail(err, FR_ESYSTEM, errno, "random numbers for an id");
    r[6] = (unsigned char)((r[6] & 0x0f) | 0x40);
    r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
    snprintf(text, sizeof(text),
             "%.16s%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix,
             r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13],
             r[14], r[15]);
    *out = fri_strdup(text, err);
    return *out ? 0 : FR_ENOMEM;
}

/* The members that are text. */
static const size_t texts[] = {
    offsetof(fr_event, id),
    offsetof(fr_event, invocation_id),
    offsetof(fr_event, author),
    offsetof(fr_event, branch),
    offsetof(fr_event, error_code),
    offsetof(fr_event, error_message),
    offsetof(fr_event, state_delta),
    offsetof(fr_event, artifact_delta),
    offsetof(fr_event, custom_metadata),
    offsetof(fr_event, long_running_tool_ids),
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static char **text_at(fr_event *event, size_t i)
{
    return (char **)((char *)event + texts[i]);
}

void fri_event_dispose(fr_event *event)
{
    for (size_t i = 0; i < TEXTS; i++)
        fri_free(*text_at(event, i));
    fr_content_free((fr_content *)(uintptr_t)event->content);
}

void fr_event_free(fr_event *event)
{
    if (!event)
        return;
    fri_event_dispose(event);
    fri_free(event);
}

static int fill_in(fr_event *event, fr_error *err)
{
    char *id = NULL;
    if (event->timestamp_us == 0)
        event->timestamp_us = fri_wall_us();
    int rc = event->id ? 0 : fri_new_id("", &id, err);
    if (rc == 0 && id)
        event->id = id;
    if (rc == 0 && !event->state_delta && !(event->state_delta = fri_strdup("{}", err)))
        rc = FR_ENOMEM;
    if (rc == 0 && !event->artifact_delta && !(event->artifact_delta = fri_strdup("{}", err)))
        rc = FR_ENOMEM;
    return rc;
}

int fri_event_load(fr_event *event, const fr_event *given, fr_error *err)
{
    int rc = fri_read_sized(event, sizeof(*event), given, "fr_event", err);
    if (rc || (event->timestamp_us >= 0 && event->timestamp_us <= FRI_MAX_TIMESTAMP_US))
        return rc;
    return fr_fail(err, FR_EINVAL, 0,
                   "event: timestamp_us is %" PRId64 "; it can be 0 to the end of the year 9999",
                   event->timestamp_us);
}

int fr_event_new(const fr_event *fields, fr_event **out, fr_error *err)
{
    FRI_AUTO(fri_event_freep) fr_event *event = fri_calloc(1, sizeof(*event), err);
    if (!event)
        return FR_ENOMEM;
    fr_event source;
    int rc = fri_event_load(&source, fields, err);
    if (rc)
        return rc;
    *event = source;
    event->struct_size = sizeof(*event);
    event->content = NULL;
    for (size_t i = 0; i < TEXTS; i++)
        *text_at(event, i) = NULL;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = *text_at(&source, i);
        if (text && !(*text_at(event, i) = fri_strdup(text, err)))
            return FR_ENOMEM;
    }
    fr_content *content = NULL;
    rc = source.content ? fri_content_clone(source.content, &content, err) : 0;
    event->content = content;
    if (rc == 0)
        rc = fill_in(event, err);
    if (rc)
        return rc;
    *out = fri_steal(&event);
    return 0;
}

/* Whether an array has something in it. */
static int is_filled(const char *json)
{
    if (!json)
        return 0;
    const char *p = json + strspn(json, " \t\r\n");
    return *p == '[' && p[1 + strspn(p + 1, " \t\r\n")] != ']';
}

int fr_event_is_final(const fr_event *event)
{
    const fr_part *part = NULL;
    if (event->skip_summarization || is_filled(event->long_running_tool_ids))
        return 1;
    if (event->partial)
        return 0;
    for (size_t i = 0; event->content && fr_content_part(event->content, i); i++) {
        part = fr_content_part(event->content, i);
        if (part->kind == FR_PART_FUNCTION_CALL || part->kind == FR_PART_FUNCTION_RESPONSE)
            return 0;
    }
    return !part || part->kind != FR_PART_CODE_EXECUTION_RESULT;
}
