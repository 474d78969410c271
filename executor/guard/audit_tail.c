/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"
#include "executor/guard/audit_frame.h"

#define FIRST_LOOK 4096 /* bytes; most records are shorter */
#define NEXT_LOOK  8    /* times as many */
#define MAX_LOOK   (2 * (FRI_MAX_AUDIT_RECORD + 1))

/* Reads n bytes at an offset, fewer when the file has fewer. Returns how many, or -1 with errno. */
static ssize_t read_at(int fd, char *p, size_t n, uint64_t offset)
{
    size_t done = 0;
    while (done < n) {
        ssize_t m = pread(fd, p + done, n - done, (off_t)(offset + done));
        if (m < 0 && errno == EINTR)
            continue;
        if (m < 0)
            return -1;
        if (m == 0)
            break;
        done += (size_t)m;
    }
    return (ssize_t)done;
}

/* How every log begins. */
static const char beginning[] = "{\"seq\":1,\"time\":\"";

/* Lines that are only a part of that are first writes that were cut off very early. */
static int begins_as_log(fr_str s)
{
    size_t matched = 0;
    for (size_t i = 0; i < s.n && beginning[matched]; i++) {
        if (s.p[i] == beginning[matched])
            matched++;
        else if (s.p[i] == '\n' && matched > 0)
            matched = 0;
        else
            return 0;
    }
    return 1;
}

int fri_audit_check_beginning(int fd, const char *path, fr_error *err)
{
    char head[64];
    ssize_t n = read_at(fd, head, sizeof(head), 0);
    if (n < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot read %s", path);
    if (!begins_as_log(fri_str(head, (size_t)n)))
        return fr_fail(err, FR_EFORMAT, 0,
                       "audit: %s is no audit log (it does not begin with %s), so nothing is "
                       "appended to it",
                       path, beginning);
    return 0;
}

static int is_record(fr_str line, fr_audit_mark *mark, int *yes, fr_error *err)
{
    fri_audit_frame frame;
    *yes = 0;
    if (fri_audit_read_frame(line, &frame))
        return 0;
    *mark = frame.mark;
    return fri_audit_check_hash(&frame, yes, err);
}

static int set_torn(fri_audit_tail *t, fr_str piece, fr_error *err)
{
    t->torn = 1;
    t->torn_bytes = piece.n;
    return fri_audit_hash(piece, t->torn_sha256, err);
}

/* Looks for the last record, line by line, backwards. *found is left 0 when it begins before `s`, which is
 * the end of the file, or all of it. A record that lacks nothing but its line feed is whole: once the
 * next write has put that there, nobody could tell the difference. */
static int look(fr_str s, int is_all, fri_audit_tail *t, int *found, fr_error *err)
{
    size_t content = s.n - !t->needs_lf;
    for (size_t end = content;;) {
        const char *lf = memrchr(s.p, '\n', end);
        size_t start = lf ? (size_t)(lf - s.p) + 1 : 0;
        if (!lf && !is_all)
            return 0;
        int rc = is_record(fri_str(s.p + start, end - start), &t->last, found, err);
        if (rc || (*found && end == content))
            return rc;
        if (*found)
            return set_torn(t, fri_str(s.p + end + 1, content - end - 1), err);
        if (!lf)
            break;
        end = start - 1;
    }
    *found = 1;
    t->last.sequence = 0;
    memcpy(t->last.hash, fri_audit_no_hash, sizeof(t->last.hash));
    return set_torn(t, fri_str(s.p, content), err);
}

static void set_ending(fri_audit_tail *t, fr_str s)
{
    size_t n = s.n < sizeof(t->ending) ? s.n : sizeof(t->ending);
    memcpy(t->ending, s.p + s.n - n, n);
}

/* As look(), with the last n bytes of the file. */
static int look_at(int fd, size_t n, const char *path, fri_audit_tail *t, int *found, fr_error *err)
{
    FRI_AUTO(fri_freep) char *p = fri_calloc(n, 1, err);
    if (!p)
        return FR_ENOMEM;
    ssize_t got = read_at(fd, p, n, t->size - n);
    if (got != (ssize_t)n)
        return fr_fail(err, FR_ESYSTEM, got < 0 ? errno : 0, "audit: cannot read the end of %s",
                       path);
    t->needs_lf = p[n - 1] != '\n';
    set_ending(t, fri_str(p, n));
    return look(fri_str(p, n), n == t->size, t, found, err);
}

int fri_audit_read_tail(int fd, uint64_t size, const char *path, fri_audit_tail *out, fr_error *err)
{
    fri_audit_tail t = {.size = size};
    memcpy(t.last.hash, fri_audit_no_hash, sizeof(t.last.hash));
    int found = size == 0;
    for (uint64_t n = FIRST_LOOK; !found; n *= NEXT_LOOK) {
        if (n > size)
            n = size;
        if (n > MAX_LOOK)
            n = MAX_LOOK;
        int rc = look_at(fd, (size_t)n, path, &t, &found, err);
        if (rc)
            return rc;
        if (!found && n == MAX_LOOK)
            return fr_fail(err, FR_EFORMAT, 0,
                           "audit: the last %lu bytes of %s are no records; put the file away, and "
                           "let 'fencerun audit verify' tell where it breaks",
                           MAX_LOOK, path);
    }
    *out = t;
    return 0;
}

fri_audit_tail fri_audit_tail_of(uint64_t size, const fr_audit_mark *last, fr_str line)
{
    fri_audit_tail t = {.size = size, .last = *last};
    set_ending(&t, line);
    return t;
}

int fri_audit_still_has(int fd, const fri_audit_tail *tail)
{
    char now[FRI_AUDIT_ENDING];
    size_t n = tail->size < sizeof(now) ? (size_t)tail->size : sizeof(now);
    ssize_t got = read_at(fd, now, n, tail->size - n);
    if (got < 0)
        return -1;
    return (size_t)got == n && memcmp(now, tail->ending, n) == 0;
}
