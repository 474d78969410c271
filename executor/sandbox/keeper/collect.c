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

/* A directory we are in, and how much of the path it is. */
typedef struct level {
    DIR *directory;
    size_t length;
} level;

typedef struct walk {
    level levels[MAX_DEPTH + 1];
    int depth; /* of the innermost; -1: none */
    int socket;
    const fri_placed_files *placed;
    int gone;          /* nobody takes what is sent */
    fri_output output; /* its name is where we are */
} walk;

/* A user may have only so many descriptors on their way at one time, counted over all of the user's runs (unix(7),
 * ETOOMANYREFS); they become fewer as the libraries take them. The keeper's deadline bounds the waiting. */
static void send_output(walk *w, int fd, const char *reason)
{
    const struct timespec pause = {0, 1000000};
    size_t n = offsetof(fri_output, name) + strlen(w->output.name) + 1;
    snprintf(w->output.reason, sizeof(w->output.reason), "%s", reason);
    while (!w->gone && fri_send_fds(w->socket, &w->output, n, &fd, fd >= 0) < 0) {
        w->gone = errno != ETOOMANYREFS;
        nanosleep(&pause, NULL);
    }
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

/* Goes into a directory, whose path is where we are. Closes `fd` at the latest when it is left. */
static void enter(walk *w, int fd)
{
    DIR *directory = w->depth == MAX_DEPTH ? NULL : fdopendir(fd);
    if (!directory) {
        close(fd);
        skip(w, w->depth == MAX_DEPTH ? "a directory too deep down"
                                      : "a directory that cannot be read");
        return;
    }
    w->levels[++w->depth] = (level){directory, strlen(w->output.name)};
}

static void leave(walk *w)
{
    closedir(w->levels[w->depth--].directory);
}

static void visit_entry(walk *w, int dir, const char *name)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
        skip(w, "cannot be looked at");
    } else if (S_ISREG(st.st_mode)) {
        visit_file(w, dir, name, &st);
    } else if (!S_ISDIR(st.st_mode)) {
        skip(w, kind_of(st.st_mode));
    } else {
        int fd = open_entry(dir, name, &st);
        if (fd < 0)
            skip(w, "a directory that cannot be opened");
        else
            enter(w, fd);
    }
}

static int is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Takes one step: the next entry of the innermost directory, or out of it. */
static void step(walk *w)
{
    const level here = w->levels[w->depth];
    char *path = w->output.name;
    const size_t room = sizeof(w->output.name) - here.length;
    path[here.length] = '\0';
    errno = 0;
    const struct dirent *e = readdir(here.directory);
    if (!e) {
        if (errno)
            skip(w, "a directory that cannot be read to its end");
        leave(w);
        return;
    }
    if (is_dots(e->d_name))
        return;
    int n = snprintf(path + here.length, room, "%s%s", here.length ? "/" : "", e->d_name);
    if (n < 0 || (size_t)n >= room) {
        path[here.length] = '\0';
        skip(w, "what is in it has too long a path");
        return;
    }
    visit_entry(w, dirfd(here.directory), e->d_name);
}

int fri_collect_outputs(int socket, int work, const fri_placed_files *placed)
{
    static walk w;
    w = (walk){.socket = socket, .placed = placed, .depth = -1};
    if (fchmod(work, 0700))
        return 0;
    enter(&w, work);
    while (w.depth >= 0 && !w.gone)
        step(&w);
    while (w.depth >= 0)
        leave(&w);
    return !w.gone;
}
