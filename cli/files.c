/* SPDX-License-Identifier: MIT */
/* Files that go in and out of a run. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* ---- in ---- */

int cli_add_file(const char *command, const char *argument, cli_files *files)
{
    const char *equals = strchr(argument, '='), *path = equals ? equals + 1 : argument;
    const char *slash = strrchr(argument, '/');
    fr_file *more = realloc(files->p, (files->n + 1) * sizeof(*more));
    char *name = equals ? strndup(argument, (size_t)(equals - argument))
                        : strdup(slash ? slash + 1 : argument);
    if (more)
        files->p = more;
    if (!more || !name) {
        free(name);
        cli_say("%s: out of memory", command);
        return CLI_ERROR;
    }
    files->p[files->n++] = (fr_file){.name = name, .path = path};
    return 0;
}

void cli_free_files(cli_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free((char *)(uintptr_t)files->p[i].name);
    free(files->p);
}

/* ---- out ---- */

/* The directory of that name below another one, made where there is none. Links are not followed: somebody
 * else may have put one there. */
static int open_below(int parent, const char *name)
{
    if (mkdirat(parent, name, 0777) && errno != EEXIST)
        return -1;
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int write_all(int fd, fr_str content)
{
    for (size_t done = 0; done < content.n;) {
        ssize_t n = write(fd, content.p + done, content.n - done);
        if (n < 0 && errno != EINTR)
            return -1;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Under another name first, so that what stands under its own is whole. */
static int write_file(int directory, const char *name, fr_str content)
{
    char other[64];
    int fd = -1;
    /* A file that came out may be called like that, too. */
    for (int i = 0; fd < 0 && (i == 0 || (errno == EEXIST && i < 1000)); i++) {
        snprintf(other, sizeof(other), ".fencerun-%ld-%d", (long)getpid(), i);
        fd = openat(directory, other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    if (fd < 0)
        return -1;
    int rc = write_all(fd, content);
    if (close(fd) || rc || renameat(directory, other, directory, name)) {
        int saved = errno;
        unlinkat(directory, other, 0);
        errno = saved;
        return -1;
    }
    return 0;
}

/* `name` is below: the library hands out no others. */
static int put_below(int top, const char *name, fr_str content)
{
    int directory = fcntl(top, F_DUPFD_CLOEXEC, 3);
    for (const char *slash; directory >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        char *part = strndup(name, (size_t)(slash - name));
        int next = part ? open_below(directory, part) : -1;
        int saved = errno;
        free(part);
        close(directory);
        directory = next;
        errno = saved;
    }
    if (directory < 0)
        return -1;
    int rc = write_file(directory, name, content);
    int saved = errno;
    close(directory);
    errno = saved;
    return rc;
}

static int open_top(const char *path)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int cli_put_files(const char *command, const char *path, const fr_code_result *r)
{
    int top = open_top(path), rc = CLI_OK;
    if (top < 0) {
        cli_say("%s: cannot open the directory %s: %s", command, path, strerror(errno));
        return CLI_UNAVAILABLE;
    }
    for (size_t i = 0; i < r->file_count; i++) {
        const fr_file *f = &r->files[i];
        if (put_below(top, f->name, f->content)) {
            cli_say("%s: cannot write %s/%s: %s", command, path, f->name, strerror(errno));
            rc = CLI_UNAVAILABLE;
        }
    }
    close(top);
    return rc;
}

void cli_say_files(const char *command, const char *path, const fr_code_result *r)
{
    for (size_t i = 0; i < r->file_count; i++) {
        const fr_file *f = &r->files[i];
        cli_say("%s: file %s%s%s, %s, %zu byte%s%s%s", command, path ? path : "", path ? "/" : "",
                f->name, f->mime_type, f->content.n, f->content.n == 1 ? "" : "s",
                f->flags & FR_FILE_PARTIAL ? ", perhaps not whole" : "",
                path ? "" : "; --out DIR keeps it");
    }
    for (size_t i = 0; i < r->skipped_count; i++)
        cli_say("%s: skipped %s: %s", command, r->skipped[i].name, r->skipped[i].reason);
}
