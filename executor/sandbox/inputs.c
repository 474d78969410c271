/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "executor/sandbox/protocol.h"

#define PAGE  4096 /* what a file in a tmpfs is rounded up to */
#define CHUNK 65536

static int full(const fr_file *file, uint64_t room, fr_error *err)
{
    return fr_fail(
        err, FR_ELIMIT, 0,
        "sandbox: the input file '%.100s' does not fit any more into the writable space; "
        "%llu bytes are left of it",
        file->name, (unsigned long long)room);
}

/* A file of the host's that is to be copied, open, or an error. */
static int open_source(const fr_file *file, fr_error *err)
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
    return fri_steal_fd(&fd);
}

static int put(int to, const void *p, size_t n, const fr_file *file, fr_error *err)
{
    return fri_write_all(to, p, n)
               ? fr_fail(err, FR_ESYSTEM, errno, "sandbox: write down the input file '%.100s'",
                         file->name)
               : 0;
}

/* To its end, whatever size it said it had: it may grow, and those of /proc say none. */
static int copy(int to, const fr_file *file, uint64_t room, uint64_t *size, fr_error *err)
{
    FRI_AUTO(fri_freep) char *buffer = fri_calloc(CHUNK, 1, err);
    if (!buffer)
        return FR_ENOMEM;
    FRI_AUTO(fri_closep) int from = open_source(file, err);
    int rc = from < 0 ? from : 0;
    for (*size = 0; rc == 0;) {
        ssize_t n = read(from, buffer, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fr_fail(err, FR_ESYSTEM, errno, "sandbox: read the input file %.200s",
                           file->path);
        if (n == 0)
            break;
        *size += (uint64_t)n;
        rc = *size > room ? full(file, room, err) : put(to, buffer, (size_t)n, file, err);
    }
    return rc;
}

/* The head comes first, and says the size that is known last. */
static int pack(int to, const fr_file *file, uint64_t *room, fr_error *err)
{
    fri_input_head head = {.size = file->content.n,
                           .name_size = (uint32_t)strlen(file->name) + 1,
                           .mode = file->flags & FR_FILE_READ_ONLY ? 0444 : 0644};
    off_t at = lseek(to, 0, SEEK_CUR);
    int rc = head.size > *room ? full(file, *room, err) : put(to, &head, sizeof(head), file, err);
    if (rc == 0)
        rc = put(to, file->name, head.name_size, file, err);
    if (rc == 0)
        rc = file->path ? copy(to, file, *room, &head.size, err)
                        : put(to, file->content.p, head.size, file, err);
    if (rc)
        return rc;
    if (pwrite(to, &head, sizeof(head), at) != sizeof(head))
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: write down the input file '%.100s'",
                       file->name);
    uint64_t pages = (head.size + PAGE - 1) / PAGE * PAGE;
    *room -= pages < *room ? pages : *room;
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
