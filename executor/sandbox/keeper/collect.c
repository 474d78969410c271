/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. When nothing of the code is alive any more, so that nothing can be exchanged behind our
 * back, init walks through the working directory with the code's own rights, and sends the descriptor of each
 * regular file that is new or changed. No path the code has chosen is ever followed outside of it: each step is
 * one name below the directory before, opened by openat2(2) without links and within the mount. What is no plain
 * file is told of and never opened, since that could block, or do something.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "executor/sandbox/fd_message.h"
#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

#define MAX_DEPTH 64

typedef struct walk {
    int socket;
    const fri_placed_files *placed;
    int gone;          /* nobody takes what is sent */
    fri_output output; /* its name is where we are */
} walk;

static void send_output(walk *w, int fd, const char *reason)
{
    size_t n = offsetof(fri_output, name) + strlen(w->output.name) + 1;
    snprintf(w->output.reason, sizeof(w->output.reason), "%s", reason);
    if (fri_send_fds(w->socket, &w->output, n, &fd, fd >= 0) < 0)
        w->gone = 1;
}

static void skip(walk *w, const char *reason)
{
    send_output(w, -1, reason);
}

/* The code may have taken its own permission to read, or to look into a directory. */
static int open_entry(int dir, const char *name, const struct stat *st)
{
    mode_t needed = S_ISDIR(st->st_mode) ? S_IRUSR | S_IXUSR : S_IRUSR;
    const struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (S_ISDIR(st->st_mode) ? O_DIRECTORY : 0),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
    if ((st->st_mode & needed) != needed && fchmodat(dir, name, 0700, 0))
        return -1;
    return (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
}

static int is_as_placed(const walk *w, const struct stat *st)
{
    for (size_t i = 0; i < w->placed->n; i++) {
        const fri_placed *p = &w->placed->files[i];
        if (p->inode == st->st_ino)
            return p->changed.tv_sec == st->st_ctim.tv_sec &&
                   p->changed.tv_nsec == st->st_ctim.tv_nsec;
    }
    return 0;
}

static void visit_file(walk *w, int dir, const char *name, const struct stat *st)
{
    if (is_as_placed(w, st))
        return;
    if (st->st_nlink > 1) {
        skip(w, "a file with more than one hard link");
        return;
    }
    int fd = open_entry(dir, name, st);
    if (fd < 0) {
        skip(w, "cannot be opened");
        return;
    }
    send_output(w, fd, "");
    close(fd);
}

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFLNK:
        return "a symbolic link";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "no regular file";
    }
}

static void visit_directory(walk *w, int fd, int depth);

static void visit_entry(walk *w, int dir, const char *name, int depth)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
        skip(w, "cannot be looked at");
    } else if (S_ISREG(st.st_mode)) {
        visit_file(w, dir, name, &st);
    } else if (!S_ISDIR(st.st_mode)) {
        skip(w, kind_of(st.st_mode));
    } else if (depth == MAX_DEPTH) {
        skip(w, "a directory too deep down");
    } else {
        int fd = open_entry(dir, name, &st);
        if (fd < 0)
            skip(w, "a directory that cannot be opened");
        else
            visit_directory(w, fd, depth + 1);
    }
}

static int is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Closes it. */
static void visit_directory(walk *w, int fd, int depth)
{
    char *path = w->output.name;
    size_t n = strlen(path);
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        skip(w, "a directory that cannot be read");
        return;
    }
    errno = 0;
    for (const struct dirent *e; !w->gone && (e = readdir(d)); errno = 0) {
        if (is_dots(e->d_name))
            continue;
        int length =
            snprintf(path + n, sizeof(w->output.name) - n, "%s%s", n ? "/" : "", e->d_name);
        if (length < 0 || (size_t)length >= sizeof(w->output.name) - n) {
            path[n] = '\0';
            skip(w, "what is in it has too long a path");
            continue;
        }
        visit_entry(w, dirfd(d), e->d_name, depth);
        path[n] = '\0';
    }
    if (errno)
        skip(w, "a directory that cannot be read to its end");
    closedir(d);
}

int fri_collect_outputs(int socket, int work, const fri_placed_files *placed)
{
    static walk w;
    w = (walk){.socket = socket, .placed = placed};
    if (fchmod(work, 0700))
        return 0;
    visit_directory(&w, work, 0);
    return !w.gone;
}
