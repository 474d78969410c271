/* SPDX-License-Identifier: MIT */
#include "base/script.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"

static int read_file(const char *path, fri_buf *text, fr_error *err)
{
    FRI_AUTO(fri_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fr_fail(err, FR_ENOTFOUND, errno, "scripted: the script %s", path);
    for (;;) {
        char *room = fri_buf_reserve(text, 65536);
        if (!room)
            return fri_buf_check(text, "a script", err);
        ssize_t n = read(fd, room, 65536);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fr_fail(err, FR_ESYSTEM, errno, "scripted: read the script %s", path);
        if (n == 0)
            return 0;
        fri_buf_grow(text, (size_t)n);
    }
}

static int load(const char *path, fr_str json, fri_buf *text, fr_error *err)
{
    if (!path == !json.p)
        return fr_fail(err, FR_EINVAL, 0, "scripted: set either path or json in the options");
    if (path)
        return read_file(path, text, err);
    fri_buf_append(text, json.p, json.n);
    return fri_buf_check(text, "a script", err);
}

int fri_script_open(fri_script *s, const char *path, fr_str json, const char *steps,
                    fri_script_check check, fr_error *err)
{
    *s = (fri_script){.next = FRI_JSON_NONE};
    fri_buf_init(&s->text, FRI_MAX_JSON_BYTES);
    int rc = load(path, json, &s->text, err);
    if (rc == 0)
        rc = fri_json_parse(s->text.p, s->text.n, FRI_JSON_REPAIR, &s->doc, err);
    if (rc)
        return rc;
    fri_json_ref array = fri_json_get(s->doc, 0, steps);
    if (fri_json_type(s->doc, array) != FRI_JSON_ARRAY)
        return fr_fail(err, FR_EFORMAT, 0, "scripted: the script has no array \"%s\"", steps);
    s->next = fri_json_first(s->doc, array);
    for (fri_json_ref v = s->next; rc == 0 && v != FRI_JSON_NONE; v = fri_json_next(s->doc, v))
        rc = check(s->doc, v, err);
    return rc;
}

void fri_script_dispose(fri_script *s)
{
    fri_json_free(s->doc);
    fri_buf_dispose(&s->text);
}

fri_json_ref fri_script_next(fri_script *s)
{
    fri_json_ref now = s->next;
    s->next = fri_json_next(s->doc, now);
    return now;
}

int fri_script_error(const char *name, int *code, fr_error *err)
{
    *code = 0;
    if (!name)
        return 0;
    for (*code = -1; strcmp(fr_error_name(*code), "FR_E?") != 0; --*code)
        if (strcmp(fr_error_name(*code), name) == 0)
            return 0;
    return fr_fail(err, FR_EFORMAT, 0, "scripted: there is no error '%.40s'", name);
}
