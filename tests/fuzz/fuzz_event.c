/* SPDX-License-Identifier: MIT */
/* Any bytes as an event, a content or a state: what can be read can be written, and reads as the same
 * again; what is written is one line. */
#include <string.h>

#include "base/json_read.h"
#include "fencerun/event.h"
#include "fencerun/memory.h"
#include "fencerun/state.h"
#include "tests/fuzz/fuzz.h"

/* Reads and writes again; NULL when it cannot be read. */
static char *rewrite_event(const char *p, size_t n)
{
    fr_event *e = NULL;
    char *json = NULL;
    if (fr_event_parse(p, n, &e, NULL))
        return NULL;
    FUZZ_CHECK(e->id && e->state_delta && e->artifact_delta);
    FUZZ_CHECK(fr_event_json(e, &json, NULL) == 0);
    fr_event_free(e);
    return json;
}

static char *rewrite_content(const char *p, size_t n)
{
    fr_content *c = NULL;
    char *json = NULL;
    if (fr_content_parse(p, n, &c, NULL))
        return NULL;
    FUZZ_CHECK(fr_content_json(c, &json, NULL) == 0);
    fr_content_free(c);
    return json;
}

static char *rewrite_state(const char *p, size_t n)
{
    fr_state *s = NULL;
    char *json = NULL;
    if (fr_state_parse(p, n, &s, NULL))
        return NULL;
    FUZZ_CHECK(fr_state_json(s, &json, NULL) == 0);
    fr_state_free(s);
    return json;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *(*const rewrite[])(const char *p, size_t n) = {rewrite_event, rewrite_content,
                                                                rewrite_state};
    if (size == 0)
        return 0;
    const size_t which = data[0] % 3;
    char *once = rewrite[which]((const char *)data + 1, size - 1);
    if (!once)
        return 0;
    FUZZ_CHECK(!strpbrk(once, "\r\n"));
    char *twice = rewrite[which](once, strlen(once));
    FUZZ_CHECK(twice && strcmp(once, twice) == 0);
    fr_free(once);
    fr_free(twice);
    return 0;
}
