/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation
 *
 * A record is written by one write(2) under an exclusive flock(2), which spans processes, and a mutex,
 * which spans the threads of one, since they share the open file and with it the lock. What the next
 * record follows is known as long as the file ends as we left it; when it has grown somebody else wrote, and
 * its end is read again; when what we left is not there any more, it is no longer the log we began. A write that fails is taken back. One that was cut off, because
 * its process was killed, stays; the next record tells of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/str.h"
#include "base/utf8.h"
#include "executor/guard/audit_entry.h"
#include "executor/guard/audit_file.h"
#include "executor/guard/audit_frame.h"
#include "executor/guard/audit_runs.h"

#define SLICE_NS (20 * FRI_NS_PER_MS)

struct fr_audit {
    int fd;
    uint32_t flags;
    pid_t owner; /* who opened it */
    char *path;
    pthread_mutex_t lock; /* guards what follows */
    fri_audit_tail tail;
    fri_audit_runs runs; /* begun here */
};

/* ---- Opening ---- */

/* Under the lock, so that nobody is in the middle of a write. */
static int read_tail_locked(fr_audit *a, fr_error *err)
{
    const fri_audit_wait wait = fri_audit_wait_begin(NULL);
    int rc = fri_audit_lock(a->fd, LOCK_SH, a->path, &wait, err);
    if (rc)
        return rc;
    struct stat st;
    if (fstat(a->fd, &st))
        rc = fr_fail(err, FR_ESYSTEM, errno, "audit: cannot look at %s", a->path);
    else
        rc = fri_audit_read_tail(a->fd, (uint64_t)st.st_size, a->path, &a->tail, err);
    fri_audit_unlock(a->fd);
    return rc;
}

static int open_log(fr_audit *a, const char *path, fr_error *err)
{
    int fd = fri_audit_open_file(path, O_RDWR | O_APPEND | O_CREAT, FR_ESYSTEM, err);
    if (fd < 0)
        return fd;
    a->fd = fd;
    a->path = fri_strdup(path, err);
    if (!a->path)
        return FR_ENOMEM;
    int rc = fri_audit_check_beginning(fd, path, err);
    if (rc == 0)
        rc = read_tail_locked(a, err);
    if (rc == 0 && a->tail.size == 0 && !(a->flags & FR_AUDIT_NO_SYNC))
        rc = fri_audit_sync_directory(path, err);
    return rc;
}

int fr_audit_open(const char *path, uint32_t flags, fr_audit **out, fr_error *err)
{
    if (flags & ~FR_AUDIT_NO_SYNC)
        return fr_fail(err, FR_EINVAL, 0, "audit: unknown flags 0x%x", flags & ~FR_AUDIT_NO_SYNC);
    fr_audit *a = fri_calloc(1, sizeof(*a), err);
    if (!a)
        return FR_ENOMEM;
    a->fd = -1;
    a->flags = flags;
    a->owner = getpid();
    pthread_mutex_init(&a->lock, NULL);
    int rc = open_log(a, path, err);
    if (rc) {
        fr_audit_close(a);
        return rc;
    }
    *out = a;
    return 0;
}

void fr_audit_close(fr_audit *a)
{
    if (!a)
        return;
    fri_closep(&a->fd);
    pthread_mutex_destroy(&a->lock);
    fri_audit_runs_dispose(&a->runs);
    fri_free(a->path);
    fri_free(a);
}

/* ---- Appending ---- */

/* Brings the tail up to date, or says why nothing can be appended any more. */
static int find_tail(fr_audit *a, fr_error *err)
{
    struct stat st;
    if (fstat(a->fd, &st))
        return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot look at %s", a->path);
    if (st.st_nlink == 0)
        return fr_fail(
            err, FR_ESYSTEM, 0,
            "audit: %s was deleted; nothing is recorded any more until it is opened anew", a->path);
    int has = fri_audit_still_has(a->fd, &a->tail);
    if (has < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot read the end of %s", a->path);
    if (!has)
        return fr_fail(err, FR_ESYSTEM, 0,
                       "audit: record %" PRIu64 " is no longer where it was in %s (%" PRIu64
                       " bytes, now %" PRIu64 "), so somebody cut it off or wrote over it; "
                       "nothing is recorded any more until it is opened anew",
                       a->tail.last.sequence, a->path, a->tail.size, (uint64_t)st.st_size);
    if ((uint64_t)st.st_size == a->tail.size)
        return 0;
    return fri_audit_read_tail(a->fd, (uint64_t)st.st_size, a->path, &a->tail, err);
}

/* A second end of a run, or one of nothing, would break the log. */
static int check_run(fr_audit *a, const fri_audit_entry *entry, fr_error *err)
{
    if (entry->input)
        return fri_audit_runs_reserve(&a->runs, err);
    if (fri_audit_runs_has(&a->runs, entry->run))
        return 0;
    return fr_fail(err, FR_EINVAL, 0,
                   "audit: no run that began here as record %" PRIu64 " of %s is going on",
                   entry->run, a->path);
}

static int note_run(fr_audit *a, const fri_audit_entry *entry, uint64_t sequence, fr_error *err)
{
    if (entry->input)
        return fri_audit_runs_begin(&a->runs, sequence, err);
    return fri_audit_runs_end(&a->runs, entry->run);
}

static int not_written(const fr_audit *a, const fri_audit_entry *entry, int cause, fr_error *err)
{
    const char *remedy = cause == ENOSPC || cause == EDQUOT ? "make room there"
                         : cause == EFBIG ? "raise the file size limit, or begin a new log"
                                          : "check the file system";
    return fr_fail(
        err, FR_ESYSTEM, cause, "audit: cannot write record %" PRIu64 " to %s, so %s; %s",
        a->tail.last.sequence + 1, a->path,
        entry->input ? "the code must not run" : "how the run ended is not on record", remedy);
}

static int append_locked(fr_audit *a, const fri_audit_entry *entry, fr_audit_mark *mark,
                         fr_error *err)
{
    int rc = check_run(a, entry, err);
    if (rc == 0)
        rc = find_tail(a, err);
    if (rc)
        return rc;
    FRI_AUTO(fri_buf_dispose) fri_buf line;
    fri_buf_init(&line, (size_t)a->tail.needs_lf + FRI_MAX_AUDIT_RECORD + 1);
    fr_audit_mark made;
    rc = fri_audit_put_record(&line, &a->tail, entry, &made, err);
    if (rc)
        return rc;
    if (fri_audit_append(a->fd, a->tail.size, fri_buf_str(&line), !(a->flags & FR_AUDIT_NO_SYNC)))
        return not_written(a, entry, errno, err);
    a->tail = fri_audit_tail_of(a->tail.size + line.n, &made, fri_buf_str(&line));
    if (mark)
        *mark = made;
    return note_run(a, entry, made.sequence, err);
}

/* The threads of a process wait for one another no longer than for another process. In slices, since nothing
 * calls back who waits for a mutex. */
static int lock_thread(fr_audit *a, const fri_audit_wait *wait, fr_error *err)
{
    int rc = 0;
    for (struct timespec until; rc == 0; rc = fri_audit_wait_check(a->path, wait, err)) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SLICE_NS;
        until.tv_sec += until.tv_nsec / FRI_NS_PER_S;
        until.tv_nsec %= FRI_NS_PER_S;
        if (pthread_mutex_timedlock(&a->lock, &until) == 0)
            return 0;
    }
    return rc;
}

static int append(fr_audit *a, const fri_audit_entry *entry, fr_audit_mark *mark, fr_error *err)
{
    if (getpid() != a->owner)
        return fr_fail(
            err, FR_EINVAL, 0,
            "audit: %s was opened before a fork, which shares its lock; open it anew in the "
            "child",
            a->path);
    const fri_audit_wait wait = fri_audit_wait_begin(entry->input ? entry->input->cancel : NULL);
    int rc = lock_thread(a, &wait, err);
    if (rc)
        return rc;
    rc = fri_audit_lock(a->fd, LOCK_EX, a->path, &wait, err);
    if (rc == 0) {
        rc = append_locked(a, entry, mark, err);
        fri_audit_unlock(a->fd);
    }
    pthread_mutex_unlock(&a->lock);
    return rc;
}

/* ---- The two records of a run ---- */

int fr_audit_started(fr_audit *a, const fr_code_input *input, const char *executor,
                     fr_audit_mark *mark, fr_error *err)
{
    fr_code_input in;
    fr_invocation invocation;
    if (!executor)
        return fr_fail(err, FR_EINVAL, 0, "audit: the executor has no name");
    int rc = fri_read_sized(&in, sizeof(in), input, "fr_code_input", err);
    if (rc == 0)
        rc = fri_read_sized(&invocation, sizeof(invocation), in.invocation, "fr_invocation", err);
    if (rc)
        return rc;
    if (!in.code.p)
        in.code = fri_cstr("");
    fri_audit_entry entry = {.input = &in, .invocation = &invocation, .executor = executor};
    FRI_AUTO(fri_buf_dispose) fri_buf base64;
    fri_buf_init(&base64, FRI_MAX_AUDIT_RECORD);
    rc = fri_audit_hash(in.code, entry.code_sha256, err);
    if (rc == 0 && fri_utf8_valid_prefix(in.code.p, in.code.n) < in.code.n) {
        rc = fri_put_base64(&base64, in.code, err);
        entry.code_base64 = fri_buf_str(&base64);
    }
    return rc ? rc : append(a, &entry, mark, err);
}

int fr_audit_ended(fr_audit *a, const fr_audit_mark *started, const fr_code_result *result,
                   const fr_error *failure, fr_audit_mark *mark, fr_error *err)
{
    if (!started || started->sequence == 0)
        return fr_fail(err, FR_EINVAL, 0, "audit: what ends has no record that it started");
    if (!result == !failure)
        return fr_fail(err, FR_EINVAL, 0, "audit: a run ends with a result or with a failure");
    const fri_audit_entry entry = {.run = started->sequence, .result = result, .failure = failure};
    return append(a, &entry, mark, err);
}
