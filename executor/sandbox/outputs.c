/* SPDX-License-Identifier: MIT */
/*
 * The library's side of what comes out of a working directory. An init that the code could not touch opens the
 * files and sends their descriptors, when all of the code is dead; see keeper/outputs.c. Still nothing it says
 * is relied upon: what comes must be a regular file, and is read as far as the limits go.
 */
#include "executor/sandbox/outputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "executor/sandbox/fd_message.h"
#include "executor/sandbox/protocol.h"

/* Reads up to n bytes; returns how many there were, or an error. */
static ssize_t read_file(int fd, char *p, size_t n, fr_error *err)
{
    size_t done = 0;
    while (done < n) {
        ssize_t m = pread(fd, p + done, n - done, (off_t)done);
        if (m < 0 && errno == EINTR)
            continue;
        if (m < 0)
            return fr_fail(err, FR_ESYSTEM, errno, "sandbox: read an output file");
        if (m == 0)
            break;
        done += (size_t)m;
    }
    return (ssize_t)done;
}

static int take_file(int fd, const char *name, uint64_t most, fr_call *call, fr_error *err)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0)
        return fr_fail(err, FR_EINTERNAL, 0, "sandbox: an output that is no regular file");
    fr_file file = {.name = name, .content = {"", (size_t)st.st_size}};
    if (file.content.n > most)
        return fr_result_file(call, &file, err); /* which skips it */
    FRI_AUTO(fri_freep) char *content = fri_calloc(file.content.n + 1, 1, err);
    if (!content)
        return FR_ENOMEM;
    ssize_t n = read_file(fd, content, file.content.n, err);
    if (n < 0)
        return (int)n;
    file.content = (fr_str){content, (size_t)n};
    return fr_result_file(call, &file, err);
}

int fri_sandbox_take_output(int socket, uint64_t most, fr_call *call, fr_error *err)
{
    fri_output output;
    FRI_AUTO(fri_closep) int fd = -1;
    memset(&output, 0, sizeof(output));
    ssize_t n = fri_receive_fds(socket, &output, sizeof(output), &fd, 1);
    if (n < 0 && errno == EAGAIN)
        return 0;
    if (n < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: take the output files");
    if (n == 0)
        return 0;
    output.name[sizeof(output.name) - 1] = '\0';
    output.reason[sizeof(output.reason) - 1] = '\0';
    const char *name = output.name[0] ? output.name : "."; /* the working directory itself */
    int rc = fd >= 0 ? take_file(fd, name, most, call, err)
                     : fr_result_skipped(call, name, output.reason, err);
    return rc ? rc : 1;
}
