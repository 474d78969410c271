/* SPDX-License-Identifier: MIT */
/* The input files. They come from the library, and nothing of the code runs yet. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

static int read_all(int fd, void *p, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t m = read(fd, (char *)p + done, n - done);
        if (m < 0 && errno == EINTR)
            continue;
        if (m <= 0)
            return -1;
        done += (size_t)m;
    }
    return 0;
}

static int make_parents(char *name, fri_failure *f)
{
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int rc = mkdir(name, 0755) && errno != EEXIST
                     ? fri_failed(f, "make the directory /work/%s", name)
                     : 0;
        *slash = '/';
        if (rc)
            return rc;
    }
    return 0;
}

static int fill(int to, int packed, const fri_input_head *head, const char *name, fri_failure *f)
{
    for (uint64_t left = head->size; left > 0;) {
        ssize_t n = sendfile(to, packed, NULL, left < INT32_MAX ? (size_t)left : INT32_MAX);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fri_failed(f, "copy the input file %s", name);
        left -= (uint64_t)n;
    }
    return 0;
}

static int place_file(int packed, const fri_input_head *head, char *name, fri_placed *placed,
                      fri_failure *f)
{
    struct stat st;
    if (make_parents(name, f))
        return -1;
    int to = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, head->mode);
    if (to < 0)
        return fri_failed(f, "make the input file %s", name);
    int rc = fill(to, packed, head, name, f);
    if (rc == 0 && fstat(to, &st))
        rc = fri_failed(f, "look at the input file %s", name);
    if (rc == 0)
        *placed = (fri_placed){st.st_ino, st.st_ctim};
    close(to);
    return rc;
}

/* The next file's head and name; 0 behind the last. */
static int next_head(int packed, fri_input_head *head, char name[FRI_OUTPUT_NAME], fri_failure *f)
{
    off_t at = lseek(packed, 0, SEEK_CUR);
    struct stat st;
    if (at < 0 || fstat(packed, &st))
        return fri_failed(f, "look at the input files");
    if (at == st.st_size)
        return 0;
    if (read_all(packed, head, sizeof(*head)) || head->name_size == 0 ||
        head->name_size > FRI_OUTPUT_NAME || read_all(packed, name, head->name_size) ||
        name[head->name_size - 1]) {
        errno = EBADMSG;
        return fri_failed(f, "read the input files");
    }
    return 1;
}

int fri_place_inputs(int packed, fri_placed_files *placed, fri_failure *f)
{
    fri_input_head head = {.size = 0};
    char name[FRI_OUTPUT_NAME] = "";
    int rc;
    /* The offset is shared with who wrote it, and with an init that died on it. */
    if (lseek(packed, 0, SEEK_SET) < 0)
        return fri_failed(f, "read the input files");
    while ((rc = next_head(packed, &head, name, f)) > 0) {
        fri_placed *files = realloc(placed->files, (placed->n + 1) * sizeof(*files));
        if (!files)
            return fri_failed(f, "remember the input files");
        placed->files = files;
        if (place_file(packed, &head, name, &files[placed->n], f))
            return -1;
        placed->n++;
    }
    return rc;
}
