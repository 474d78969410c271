/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"

int fri_audit_open_file(const char *path, int flags, int code, fr_error *err)
{
    if (!path || !path[0])
        return fr_fail(err, FR_EINVAL, 0, "audit: the log has no path");
    FRI_AUTO(fri_closep) int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    struct stat st;
    if (fd < 0 && errno != EISDIR && errno != ENXIO)
        return fr_fail(err, code, errno, "audit: cannot open %s", path);
    if (fd >= 0 && fstat(fd, &st))
        return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot look at %s", path);
    if (fd < 0 || !S_ISREG(st.st_mode))
        return fr_fail(
            err, FR_EINVAL, 0,
            "audit: %s is a directory, a FIFO, a socket or a device; a log is a regular file",
            path);
    return fri_steal_fd(&fd);
}

int fri_audit_wait_check(const char *path, const fri_audit_wait *wait, fr_error *err)
{
    if (wait->cancel && fr_cancel_raised(wait->cancel))
        return fr_fail(err, FR_ECANCELLED, 0, "audit: cancelled while %s was locked", path);
    if (fri_now_ns() <= wait->deadline_ns)
        return 0;
    return fr_fail(err, FR_ESYSTEM, 0,
                   "audit: somebody has kept %s locked for %d s; see who has it open", path,
                   FRI_AUDIT_WAIT_MS / 1000);
}

fri_audit_wait fri_audit_wait_begin(const fr_cancel *cancel)
{
    return (fri_audit_wait){cancel, fri_now_ns() + FRI_AUDIT_WAIT_MS * FRI_NS_PER_MS};
}

/* flock(2) itself waits without end, and only a signal could call it back. */
int fri_audit_lock(int fd, int operation, const char *path, const fri_audit_wait *wait,
                   fr_error *err)
{
    int rc = 0;
    while (rc == 0 && flock(fd, operation | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot lock %s", path);
        fri_wait_readable(fr_cancel_fd(wait->cancel), 1);
        rc = fri_audit_wait_check(path, wait, err);
    }
    return rc;
}

void fri_audit_unlock(int fd)
{
    flock(fd, LOCK_UN);
}

int fri_audit_sync_directory(const char *path, fr_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 1;
    FRI_AUTO(fri_freep) char *directory = fri_memdup(slash ? path : ".", n, err);
    if (!directory)
        return FR_ENOMEM;
    FRI_AUTO(fri_closep) int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* One may write in a directory that one may not read; then its owner has to see to it. */
    if (fd < 0 && errno == EACCES)
        return 0;
    if (fd < 0 || fsync(fd))
        return fr_fail(err, FR_ESYSTEM, errno, "audit: cannot sync the directory %s", directory);
    return 0;
}

int fri_audit_append(int fd, uint64_t size, fr_str bytes, int sync)
{
    if (fri_write_all(fd, bytes.p, bytes.n) == 0 && (!sync || fdatasync(fd) == 0))
        return 0;
    int saved = errno;
    /* Where even that fails, a torn piece stays, and the next record tells of it. */
    while (ftruncate(fd, (off_t)size) && errno == EINTR) {
    }
    errno = saved;
    return -1;
}
