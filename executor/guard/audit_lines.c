/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/str.h"
#include "executor/guard/audit_file.h"

#define CHUNK 65536

static int take_size(fri_audit_lines *l, const char *path, fr_error *err)
{
    const fri_audit_wait wait = fri_audit_wait_begin(NULL);
    int rc = fri_audit_lock(l->fd, LOCK_SH, path, &wait, err);
    if (rc)
        return rc;
    struct stat st;
    if (fstat(l->fd, &st))
        rc = fr_fail(err, FR_ESYSTEM, errno, "audit: cannot look at %s", path);
    else
        l->left = (uint64_t)st.st_size;
    fri_audit_unlock(l->fd);
    return rc;
}

int fri_audit_lines_open(fri_audit_lines *l, const char *path, fr_error *err)
{
    *l = (fri_audit_lines){.fd = -1};
    fri_buf_init(&l->text, FRI_MAX_AUDIT_RECORD);
    int fd = fri_audit_open_file(path, O_RDONLY, FR_ENOTFOUND, err);
    if (fd < 0)
        return fd;
    l->fd = fd;
    l->chunk = fri_calloc(CHUNK, 1, err);
    return l->chunk ? take_size(l, path, err) : FR_ENOMEM;
}

void fri_audit_lines_dispose(fri_audit_lines *l)
{
    fri_closep(&l->fd);
    fri_free(l->chunk);
    fri_buf_dispose(&l->text);
}

/* Fills the chunk. A file that got shorter ends where it ends now. */
static int refill(fri_audit_lines *l, fr_error *err)
{
    ssize_t n;
    do {
        n = read(l->fd, l->chunk, l->left < CHUNK ? (size_t)l->left : CHUNK);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot read the log");
    l->at = 0;
    l->n = (size_t)n;
    l->left = n > 0 ? l->left - (uint64_t)n : 0;
    return 0;
}

/* Of a line that is too long only the length counts. */
static void take(fri_audit_lines *l, fri_audit_line *line, size_t n)
{
    line->size += n;
    if (line->size <= FRI_MAX_AUDIT_RECORD)
        fri_buf_append(&l->text, l->chunk + l->at, n);
    else
        fri_buf_truncate(&l->text, 0);
    l->at += n;
}

int fri_audit_lines_next(fri_audit_lines *l, fri_audit_line *out, fr_error *err)
{
    fri_audit_line line = {.number = l->number + 1, .offset = l->offset};
    fri_buf_truncate(&l->text, 0);
    while (!line.whole) {
        int rc = l->at < l->n ? 0 : refill(l, err);
        if (rc)
            return rc;
        if (l->at == l->n)
            break;
        const char *rest = l->chunk + l->at, *lf = memchr(rest, '\n', l->n - l->at);
        take(l, &line, lf ? (size_t)(lf - rest) : l->n - l->at);
        line.whole = lf != NULL;
        l->at += lf != NULL;
    }
    int rc = fri_buf_check(&l->text, "a line of the audit log", err);
    if (rc || (line.size == 0 && !line.whole))
        return rc;
    line.text = fri_buf_str(&l->text);
    l->offset += line.size + (uint64_t)line.whole;
    l->number = line.number;
    *out = line;
    return 1;
}
