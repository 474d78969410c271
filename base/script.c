/* SPDX-License-Identifier: MIT */
#include "base/script.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

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

int fri_script_fail(const fri_script *s, size_t place, int code, const char *text, fr_error *err)
{
    return fr_fail(err, code, 0, "scripted: %s%s%s[%zu]: %s", s->path ? s->path : "",
                   s->path ? ": " : "", s->steps, place, text);
}

int fri_script_shown(fr_str text)
{
    const size_t most = 100;
    return (int)(text.n <= most ? text.n : fri_utf8_clip(text.p, most));
}

/* A member that nobody reads is a mistake in writing: "expects" would expect nothing. */
static int check_members(const fri_json *doc, fri_json_ref step, const char *const *members,
                         fr_error *err)
{
    if (fri_json_type(doc, step) != FRI_JSON_OBJECT)
        return 0;
    for (fri_json_ref key = fri_json_first(doc, step); key != FRI_JSON_NONE;
         key = fri_json_next(doc, key)) {
        fr_str name = fri_json_raw(doc, key);
        size_t i = 0;
        while (members[i] && !fri_str_equal(name, fri_cstr(members[i])))
            i++;
        if (!members[i])
            return fr_fail(err, FR_EFORMAT, 0, "there is no member '%.*s'",
                           name.n < 40 ? (int)name.n : 40, name.p);
    }
    return 0;
}

static int check_steps(fri_script *s, const fri_script_form *form, fr_error *err)
{
    size_t place = 0;
    for (fri_json_ref v = s->next; v != FRI_JSON_NONE; v = fri_json_next(s->doc, v), place++) {
        fr_error why = FR_ERROR_INIT;
        int rc = check_members(s->doc, v, form->members, &why);
        if (rc == 0)
            rc = form->check(s->doc, v, &why);
        if (rc)
            return fri_script_fail(s, place, rc, why.text, err);
    }
    return 0;
}

int fri_script_open(fri_script *s, const char *path, fr_str json, const fri_script_form *form,
                    fr_error *err)
{
    *s = (fri_script){.next = FRI_JSON_NONE, .steps = form->steps};
    fri_buf_init(&s->text, FRI_MAX_JSON_BYTES);
    int rc = load(path, json, &s->text, err);
    if (rc == 0 && path) {
        s->path = fri_strdup(path, err);
        rc = s->path ? 0 : FR_ENOMEM;
    }
    fr_error why = FR_ERROR_INIT;
    if (rc == 0) {
        rc = fri_json_parse(s->text.p, s->text.n, FRI_JSON_REPAIR, &s->doc, &why);
        if (rc)
            rc = fr_fail(err, rc, 0, "scripted: %s%s%s", path ? path : "", path ? ": " : "",
                         why.text);
    }
    if (rc)
        return rc;
    fri_json_ref array = fri_json_get(s->doc, 0, form->steps);
    if (fri_json_type(s->doc, array) != FRI_JSON_ARRAY)
        return fr_fail(err, FR_EFORMAT, 0, "scripted: %s has no array \"%s\"",
                       path ? path : "the script", form->steps);
    s->next = fri_json_first(s->doc, array);
    return check_steps(s, form, err);
}

void fri_script_dispose(fri_script *s)
{
    fri_json_free(s->doc);
    fri_buf_dispose(&s->text);
    fri_free(s->path);
}

fri_json_ref fri_script_next(fri_script *s, size_t *place)
{
    fri_json_ref now = s->next;
    *place = s->played;
    s->played += now != FRI_JSON_NONE;
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
    return fr_fail(err, FR_EFORMAT, 0, "there is no error '%.40s'", name);
}
