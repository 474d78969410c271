/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "executor/sandbox/protocol.h"

#define PAGE 4096 /* what a file in a tmpfs is rounded up to */

static int full(const fr_file *file, uint64_t room, fr_error *err)
{
    return fr_fail(
        err, FR_ELIMIT, 0,
        "sandbox: the input file '%.100s' does not fit any more into the writable space; "
        "%llu bytes are left of it",
        file->name, (unsigned long long)room);
}

/* A file of the host's that is to be copied, open, or an error. */
static int open_source(const fr_file *file, uint64_t *size, fr_error *err)
{
    struct stat st;
    FRI_AUTO(fri_closep)
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return fr_fail(err, FR_ENOTFOUND, errno, "sandbox: open the input file %.200s", file->path);
    if (fstat(fd, &st))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: look at %.200s", file->path);
    if (!S_ISREG(st.st_mode))
        return fr_fail(err, FR_EINVAL, 0, "sandbox: the input %.200s is no regular file",
                       file->path);
    *size = (uint64_t)st.st_size;
    return fri_steal_fd(&fd);
}

/* Exactly `size` bytes: what its head says. */
static int copy(int to, int from, uint64_t size, const fr_file *file, fr_error *err)
{
    while (size > 0) {
        ssize_t n = sendfile(to, from, NULL, size < INT32_MAX ? (size_t)size : INT32_MAX);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fr_fail(err, FR_ESYSTEM, n < 0 ? errno : 0,
                           "sandbox: read the input file %.200s%s", file->path,
                           n < 0 ? "" : ", which became shorter");
        size -= (uint64_t)n;
    }
    return 0;
}

static int put_head(int to, const fr_file *file, uint64_t size, fr_error *err)
{
    const fri_input_head head = {.size = size,
                                 .name_size = (uint32_t)strlen(file->name) + 1,
                                 .mode = file->flags & FR_FILE_READ_ONLY ? 0444 : 0644};
    if (fri_write_all(to, &head, sizeof(head)) || fri_write_all(to, file->name, head.name_size))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: write down the input file '%.100s'",
                       file->name);
    return 0;
}

static int pack(int to, const fr_file *file, uint64_t *room, fr_error *err)
{
    FRI_AUTO(fri_closep) int from = -1;
    uint64_t size = file->content.n;
    if (file->path) {
        from = open_source(file, &size, err);
        if (from < 0)
            return from;
    }
    uint64_t pages = size > UINT64_MAX - PAGE ? size : (size + PAGE - 1) / PAGE * PAGE;
    if (pages > *room)
        return full(file, *room, err);
    *room -= pages;
    int rc = put_head(to, file, size, err);
    if (rc)
        return rc;
    if (from >= 0)
        return copy(to, from, size, file, err);
    if (fri_write_all(to, file->content.p, size))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: write down the input file '%.100s'",
                       file->name);
    return 0;
}

int fri_sandbox_pack_inputs(const fr_code_input *in, uint64_t room, int *fd, fr_error *err)
{
    *fd = -1;
    if (in->file_count == 0)
        return 0;
    FRI_AUTO(fri_closep) int to = memfd_create("fencerun-inputs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (to < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: make a memory file");
    for (size_t i = 0; i < in->file_count; i++) {
        int rc = pack(to, &in->files[i], &room, err);
        if (rc)
            return rc;
    }
    if (fcntl(to, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: seal a memory file");
    *fd = fri_steal_fd(&to);
    return 0;
}
