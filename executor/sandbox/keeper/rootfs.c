/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. The run's root is a small tmpfs of our own. Into it go, read-only, the parts
 * of the host (or of an image) that the configuration names, devices that are safe for anyone, a
 * procfs of the run's own pid namespace, and the code as a file; then it is made read-only itself.
 * Everything writable (/tmp, /work, /dev/shm) is one other tmpfs, so that one limit bounds it all.
 * Mounts are made detached and moved into place (fsopen, open_tree; Linux 5.12), so that no path the
 * run could influence is ever resolved; nothing here runs after the program has started.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

#define ROOT_BYTES    (1024 * 1024) /* directories and /etc */
#define CODE_OVERHEAD 65536         /* the ends of pages */

static const char *const devices[] = {"null", "zero", "full", "random", "urandom"};

static const struct {
    const char *name;
    const char *target;
} device_links[] = {
    {"dev/fd", "/proc/self/fd"},
    {"dev/stdin", "/proc/self/fd/0"},
    {"dev/stdout", "/proc/self/fd/1"},
    {"dev/stderr", "/proc/self/fd/2"},
};

/* Only where the configuration does not bind an /etc. */
static const struct {
    const char *name;
    const char *text;
} etc_files[] = {
    {"etc/passwd", "nobody:x:65534:65534:nobody:/work:/bin/sh\n"},
    {"etc/group", "nogroup:x:65534:\n"},
    {"etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
    {"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
};

/* Parts of the writable tmpfs and where they appear. */
static const struct {
    const char *part;
    const char *place;
    mode_t mode;
} writable[] = {
    {"code/tmp", "tmp", 01777},
    {"code/work", "work", 0755},
    {"code/shm", "dev/shm", 01777},
};

typedef struct tmpfs_option {
    const char *key;
    char value[24];
} tmpfs_option;

static int configure_tmpfs(int fs, uint64_t size, uint64_t inodes, fri_failure *f)
{
    tmpfs_option options[] = {{"size", ""}, {"nr_inodes", ""}, {"mode", "0755"}};
    snprintf(options[0].value, sizeof(options[0].value), "%llu", (unsigned long long)size);
    snprintf(options[1].value, sizeof(options[1].value), "%llu", (unsigned long long)inodes);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (sys_fsconfig_string(fs, options[i].key, options[i].value))
            return fri_failed(f, "set the tmpfs option %s", options[i].key);
    if (sys_fsconfig_create(fs))
        return fri_failed(f, "create a tmpfs");
    return 0;
}

/* A detached tmpfs, or -1. */
static int new_tmpfs(uint64_t size, uint64_t inodes, unsigned attributes, fri_failure *f)
{
    int fs = sys_fsopen("tmpfs");
    if (fs < 0)
        return fri_failed(f, "open the tmpfs file system");
    int mnt = -1;
    if (configure_tmpfs(fs, size, inodes, f) == 0) {
        mnt = sys_fsmount(fs, attributes);
        if (mnt < 0)
            fri_failed(f, "mount a tmpfs");
    }
    close(fs);
    return mnt;
}

static int place(int mnt, int root, const char *name, fri_failure *f)
{
    int rc = sys_move_mount(mnt, root, name);
    if (rc)
        fri_failed(f, "mount /%s", name);
    close(mnt);
    return rc;
}

/* A detached copy of what is at `source`, with attributes added, or -1. */
static int copy_tree(const char *source, unsigned recursive, uint64_t attributes, fri_failure *f)
{
    int mnt = sys_open_tree(AT_FDCWD, source, recursive);
    if (mnt < 0)
        return fri_failed(f, "take %s", source);
    if (sys_mount_setattr(mnt, AT_EMPTY_PATH | recursive, attributes)) {
        fri_failed(f, "restrict %s", source);
        close(mnt);
        return -1;
    }
    return mnt;
}

static int make_directory(int root, const char *name, mode_t mode, fri_failure *f)
{
    if (mkdirat(root, name, mode) && errno != EEXIST)
        return fri_failed(f, "make /%s", name);
    if (fchmodat(root, name, mode, 0))
        return fri_failed(f, "set the mode of /%s", name);
    return 0;
}

static int make_file(int root, const char *name, const char *text, fri_failure *f)
{
    int fd = openat(root, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
    if (fd < 0)
        return fri_failed(f, "make /%s", name);
    int rc = fri_write_all(fd, text, strlen(text));
    if (rc)
        fri_failed(f, "write /%s", name);
    close(fd);
    return rc;
}

static int make_link(int root, const char *name, const char *target, fri_failure *f)
{
    return symlinkat(target, root, name) ? fri_failed(f, "make the link /%s", name) : 0;
}

/* A mount point for something that is a directory or a file. */
static int make_place(int root, const char *source, const char *name, fri_failure *f)
{
    struct stat st;
    if (stat(source, &st))
        return fri_failed(f, "find %s", source);
    return S_ISDIR(st.st_mode) ? make_directory(root, name, 0755, f) : make_file(root, name, "", f);
}

/* The directories a name like "etc/ssl/certs" is in. */
static int make_parents(int root, const char *name, fri_failure *f)
{
    char path[FRI_KEEPER_PATH];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof(path), "%.*s", (int)(slash - name), name);
        if (make_directory(root, path, 0755, f))
            return -1;
    }
    return 0;
}

static int bind_entry(int root, const fri_keeper_config *c, const fri_keeper_mount *m,
                      fri_failure *f)
{
    const char *name = fri_keeper_text(c, m->name), *source = fri_keeper_text(c, m->source);
    if (m->symlink)
        return make_link(root, name, source, f);
    if (make_parents(root, name, f) || make_place(root, source, name, f))
        return -1;
    int mnt = copy_tree(source, AT_RECURSIVE,
                        MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, f);
    return mnt < 0 ? -1 : place(mnt, root, name, f);
}

static int has_etc(const fri_keeper_config *c)
{
    for (uint32_t i = 0; i < c->mount_count; i++)
        if (strcmp(fri_keeper_text(c, c->mounts[i].name), "etc") == 0)
            return 1;
    return 0;
}

static int make_etc(int root, const fri_keeper_config *c, fri_failure *f)
{
    if (has_etc(c))
        return 0;
    if (make_directory(root, "etc", 0755, f))
        return -1;
    for (size_t i = 0; i < sizeof(etc_files) / sizeof(etc_files[0]); i++)
        if (make_file(root, etc_files[i].name, etc_files[i].text, f))
            return -1;
    return 0;
}

static int make_dev(int root, fri_failure *f)
{
    char source[32];
    struct stat st;
    if (make_directory(root, "dev", 0755, f))
        return -1;
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        snprintf(source, sizeof(source), "/dev/%s", devices[i]);
        if (stat(source, &st) || !S_ISCHR(st.st_mode)) {
            errno = ENODEV;
            return fri_failed(f, "find the device %s", source);
        }
        if (make_file(root, source + 1, "", f))
            return -1;
        int mnt =
            copy_tree(source, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, f);
        if (mnt < 0 || place(mnt, root, source + 1, f))
            return -1;
    }
    for (size_t i = 0; i < sizeof(device_links) / sizeof(device_links[0]); i++)
        if (make_link(root, device_links[i].name, device_links[i].target, f))
            return -1;
    return 0;
}

/* Only processes: no /proc/sys, /proc/kcore, /proc/meminfo or any other file about the host. */
static int make_proc(int root, fri_failure *f)
{
    if (make_directory(root, "proc", 0555, f))
        return -1;
    int fs = sys_fsopen("proc");
    if (fs < 0)
        return fri_failed(f, "open the proc file system");
    int mnt = -1;
    if (sys_fsconfig_string(fs, "subset", "pid") || sys_fsconfig_create(fs))
        fri_failed(f, "create a procfs");
    else if ((mnt = sys_fsmount(fs, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                        MOUNT_ATTR_NOEXEC)) < 0)
        fri_failed(f, "mount /proc");
    close(fs);
    return mnt < 0 ? -1 : place(mnt, root, "proc", f);
}

static int place_parts(int root, fri_failure *f)
{
    for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
        if (make_directory(root, writable[i].part, writable[i].mode, f) ||
            make_directory(root, writable[i].place, 0755, f))
            return -1;
        int copy = sys_open_tree(root, writable[i].part, 0);
        if (copy < 0)
            return fri_failed(f, "take /%s", writable[i].part);
        if (place(copy, root, writable[i].place, f))
            return -1;
    }
    return 0;
}

/* The writable tmpfs is placed whole on /code, and its parts are copied from there; the code's own
 * mount will cover it for good. Taking it away instead would cost an RCU grace period. */
static int make_writable(int root, const fri_keeper_config *c, fri_failure *f)
{
    if (make_directory(root, "code", 0555, f))
        return -1;
    int whole = new_tmpfs(c->tmp_bytes, c->tmp_inodes,
                          MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, f);
    if (whole < 0)
        return -1;
    int rc = -1;
    if (sys_move_mount(whole, root, "code"))
        fri_failed(f, "mount the writable tmpfs");
    else if (place_parts(root, f) == 0)
        rc = sys_mount_setattr(whole, AT_EMPTY_PATH, MOUNT_ATTR_RDONLY)
                 ? fri_failed(f, "make what is covered read-only")
                 : 0;
    close(whole);
    return rc;
}

/* The code comes last, when everything else has been read-only for long: a tmpfs of its own. */
static int make_code(int root, const fri_keeper_config *c, int *code_mount, fri_failure *f)
{
    int mnt = new_tmpfs(c->code_bytes + CODE_OVERHEAD, 8, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, f);
    if (mnt < 0)
        return -1;
    *code_mount = fcntl(mnt, F_DUPFD_CLOEXEC, 0);
    if (place(mnt, root, "code", f))
        return -1;
    return *code_mount < 0 ? fri_failed(f, "keep the mount /code") : 0;
}

static int fill(int root, const fri_keeper_config *c, int *code_mount, fri_failure *f)
{
    if (make_etc(root, c, f))
        return -1;
    for (uint32_t i = 0; i < c->mount_count; i++)
        if (bind_entry(root, c, &c->mounts[i], f))
            return -1;
    if (make_dev(root, f) || make_proc(root, f) || make_writable(root, c, f) ||
        make_code(root, c, code_mount, f))
        return -1;
    if (sys_mount_setattr(root, AT_EMPTY_PATH, MOUNT_ATTR_RDONLY))
        return fri_failed(f, "make the root read-only");
    return 0;
}

/* pivot_root(2): with both arguments the same directory the old root ends up on top of the new one,
 * from where it is taken away. */
static int pivot(int root, fri_failure *f)
{
    if (fchdir(root) || sys_pivot_root(".", "."))
        return fri_failed(f, "pivot to the new root");
    if (umount2(".", MNT_DETACH))
        return fri_failed(f, "detach the host's root");
    if (chdir("/work"))
        return fri_failed(f, "change to /work");
    return 0;
}

int fri_rootfs_enter(const fri_launch *l, int *code_mount, fri_failure *f)
{
    umask(0);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return fri_failed(f, "make the mounts private");
    int root = new_tmpfs(ROOT_BYTES, 1024, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, f);
    if (root < 0)
        return -1;
    int rc = -1;
    /* Mounts can only be placed on a root that is itself attached; its name is never used. */
    if (sys_move_mount(root, AT_FDCWD, "/"))
        fri_failed(f, "attach the new root");
    else if (fill(root, l->config, code_mount, f) == 0)
        rc = pivot(root, f);
    close(root);
    return rc;
}

static int copy(int from, int to, fri_failure *f)
{
    struct stat st;
    if (fstat(from, &st))
        return fri_failed(f, "look at the code");
    off_t at = 0;
    while (at < st.st_size)
        if (sendfile(to, from, &at, (size_t)(st.st_size - at)) <= 0)
            return fri_failed(f, "copy the code");
    return 0;
}

int fri_rootfs_put_code(int code_mount, const char *name, int code, fri_failure *f)
{
    int rc = -1;
    int fd = openat(code_mount, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (fd < 0) {
        fri_failed(f, "make /code/%s", name);
    } else {
        rc = copy(code, fd, f);
        close(fd);
    }
    if (rc == 0 && sys_mount_setattr(code_mount, AT_EMPTY_PATH, MOUNT_ATTR_RDONLY))
        rc = fri_failed(f, "make the code read-only");
    close(code_mount);
    return rc;
}
