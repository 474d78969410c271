/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"

#define INODES 16384
/* Below the usual 1024: descriptors that one process has in flight count against all of the user's
 * (unix(7), ETOOMANYREFS), and the host's must be able to go on passing theirs. */
#define OPEN_FILES 512

/* Names of an image that the run's root has otherwise, or not at all. */
static const char *const own_names[] = {"proc", "sys", "dev", "run", "tmp", "work", "code", NULL};

/* With the host as root: what programs and their libraries are in. The links of the update-alternatives
 * system and the linker's cache live in /etc and say nothing about the host's users. */
static const char *const host_names[] = {"usr",   "bin",   "sbin",   "lib",
                                         "lib32", "lib64", "libx32", NULL};
static const char *const host_etc[] = {"etc/alternatives", "etc/ld.so.cache", NULL};
static const char *const host_network[] = {"etc/resolv.conf", "etc/ssl/certs",
                                           "etc/ssl/openssl.cnf", NULL};

static int is_own_name(const char *name)
{
    for (int i = 0; own_names[i]; i++)
        if (strcmp(own_names[i], name) == 0)
            return 1;
    return 0;
}

static int too_long(const char *base, const char *name, fr_error *err)
{
    return fr_fail(err, FR_EUNAVAILABLE, 0, "sandbox: the path %.200s/%.200s is too long", base,
                   name);
}

/* Keeps a string in the configuration's text; a failure sticks there. */
static fri_keeper_string add_text(fri_sandbox_plan *plan, const char *s)
{
    size_t at = plan->text.n;
    fri_buf_append(&plan->text, s, strlen(s) + 1);
    return (fri_keeper_string)at;
}

static int set_path(fri_sandbox_plan *plan, fri_keeper_mount *m, const char *path, fr_error *err)
{
    if (strlen(path) >= FRI_KEEPER_PATH)
        return too_long("", path, err);
    m->source = add_text(plan, path);
    return 0;
}

/* A link of the root stays a link. One below it is followed: what it points to need not be there. */
static int set_source(fri_sandbox_plan *plan, fri_keeper_mount *m, const char *path,
                      const struct stat *st, fr_error *err)
{
    if (!S_ISLNK(st->st_mode))
        return set_path(plan, m, path, err);
    if (strchr(fri_plan_text(plan, m->name), '/')) {
        char *real = realpath(path, NULL);
        int rc = real ? set_path(plan, m, real, err)
                      : fr_fail(err, FR_ESYSTEM, errno, "sandbox: follow the link %s", path);
        free(real);
        return rc;
    }
    char target[FRI_KEEPER_PATH];
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return fr_fail(err, FR_ESYSTEM, errno, "sandbox: read the link %s", path);
    target[length] = '\0';
    m->symlink = 1;
    return set_path(plan, m, target, err);
}

/* Adds what is at base/name: a link stays a link, anything else is bound. A missing one is none. */
static int add_entry(fri_sandbox_plan *plan, const char *base, const char *name, fr_error *err)
{
    fri_keeper_config *c = &plan->config;
    char path[FRI_KEEPER_PATH];
    struct stat st;
    if (c->mount_count == FRI_KEEPER_MAX_MOUNTS)
        return fr_fail(err, FR_EUNAVAILABLE, 0, "sandbox: %s has more than %d entries",
                       base[0] ? base : "/", FRI_KEEPER_MAX_MOUNTS);
    int n = snprintf(path, sizeof(path), "%s/%s", base, name);
    if (n < 0 || (size_t)n >= sizeof(path))
        return too_long(base, name, err);
    if (lstat(path, &st))
        return errno == ENOENT ? 0 : fr_fail(err, FR_ESYSTEM, errno, "sandbox: look at %s", path);
    fri_keeper_mount *m = &c->mounts[c->mount_count];
    m->name = add_text(plan, name);
    int rc = set_source(plan, m, path, &st, err);
    if (rc == 0)
        c->mount_count++;
    return rc;
}

static int add_names(fri_sandbox_plan *plan, const char *const *names, fr_error *err)
{
    for (int rc; *names; names++)
        if ((rc = add_entry(plan, "", *names, err)))
            return rc;
    return 0;
}

static int add_host(fri_sandbox_plan *plan, fr_error *err)
{
    int rc = add_names(plan, host_names, err);
    if (rc == 0)
        rc = add_names(plan, host_etc, err);
    if (rc == 0 && plan->config.network)
        rc = add_names(plan, host_network, err);
    return rc;
}

static int add_image(fri_sandbox_plan *plan, const char *root, fr_error *err)
{
    DIR *dir = opendir(root);
    if (!dir)
        return fr_fail(err, FR_EINVAL, errno, "sandbox: the root directory %s cannot be opened",
                       root);
    int rc = 0;
    errno = 0;
    for (const struct dirent *e; rc == 0 && (e = readdir(dir)); errno = 0)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !is_own_name(e->d_name))
            rc = add_entry(plan, root, e->d_name, err);
    if (rc == 0 && errno)
        rc = fr_fail(err, FR_ESYSTEM, errno, "sandbox: read the root directory %s", root);
    closedir(dir);
    return rc;
}

/* The real path, inside the root, of an executable there: links are followed as a process with that
 * root would, and a shim that is a link costs nothing at run time. 0 when there is none. */
static int resolve(int root, const char *root_path, const char *path, char *real, size_t n)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
    if (fd < 0)
        return 0;
    char link[64], target[FRI_KEEPER_PATH];
    struct stat st;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    int ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111) && length > 0;
    close(fd);
    if (!ok)
        return 0;
    target[length] = '\0';
    size_t prefix = strlen(root_path);
    if (strncmp(target, root_path, prefix) != 0)
        return 0;
    int m = snprintf(real, n, "%s", target + prefix);
    return m > 0 && (size_t)m < n;
}

/* Puts the command line together: interpreter, its arguments, the code's path. */
static void fill_language(fri_sandbox_plan *plan, fri_keeper_language *l,
                          const fri_sandbox_language *def, const char *interpreter)
{
    l->args = add_text(plan, interpreter);
    l->argc = 2;
    l->says_version = def->says_version;
    for (const char *const *arg = def->args; *arg; arg++, l->argc++)
        add_text(plan, *arg);
    fri_keeper_string path = add_text(plan, def->path);
    l->file = path + (fri_keeper_string)(strrchr(def->path, '/') + 1 - def->path);
}

static int add_languages(fri_sandbox_plan *plan, const char *root_path, fr_error *err)
{
    FRI_AUTO(fri_closep)
    int root = open(root_path[0] ? root_path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return fr_fail(err, FR_EINVAL, errno, "sandbox: the root directory %s cannot be opened",
                       root_path);
    plan->config.language_count = FRI_SANDBOX_LANGUAGES;
    for (int i = 0; i < FRI_SANDBOX_LANGUAGES; i++) {
        const fri_sandbox_language *def = &fri_sandbox_language_table[i];
        char real[FRI_KEEPER_PATH] = "";
        for (const char *const *at = def->interpreters; *at && !real[0]; at++)
            if (!resolve(root, root_path, *at, real, sizeof(real)))
                real[0] = '\0';
        fri_keeper_language *l = &plan->config.languages[i];
        fill_language(plan, l, def, real);
        if (l->argc > FRI_KEEPER_MAX_ARGS)
            return fr_fail(err, FR_EINTERNAL, 0, "sandbox: too many arguments for %s",
                           fri_sandbox_languages[i].name);
    }
    return 0;
}

static void fill_limits(fri_keeper_config *c, const fr_executor_options *options)
{
    c->memory_bytes = options->memory_bytes;
    c->tmp_bytes = options->tmp_bytes;
    c->file_bytes = options->tmp_bytes;
    c->code_bytes = FRI_MAX_CODE_BYTES;
    c->tmp_inodes = INODES;
    c->processes = options->max_processes;
    c->open_files = OPEN_FILES;
    c->cpu_millis = options->cpu_millis;
    c->cpu_ns = options->cpu_ms * FRI_NS_PER_MS;
    c->network = options->network;
}

int fri_sandbox_plan_init(fri_sandbox_plan *plan, const fr_executor_options *options,
                          const fr_sandbox_options *sandbox, fr_error *err)
{
    memset(plan, 0, sizeof(*plan));
    fri_buf_init(&plan->text, FRI_KEEPER_MAX_TEXT);
    fill_limits(&plan->config, options);
    char root[FRI_KEEPER_PATH] = "";
    if (sandbox->root) {
        char *real = realpath(sandbox->root, NULL);
        int n = real ? snprintf(root, sizeof(root), "%s", real) : 0;
        free(real);
        if (!real || n < 0 || (size_t)n >= sizeof(root))
            return fr_fail(err, FR_EINVAL, errno, "sandbox: the root directory %.200s",
                           sandbox->root);
    }
    if (strcmp(root, "/") == 0)
        return fr_fail(err, FR_EINVAL, 0,
                       "sandbox: the host's / as root would show all of it; leave root unset");
    int rc = root[0] ? add_image(plan, root, err) : add_host(plan, err);
    if (rc == 0)
        rc = add_languages(plan, root, err);
    return rc ? rc : fri_buf_check(&plan->text, "sandbox: the keeper's configuration", err);
}

void fri_sandbox_plan_dispose(fri_sandbox_plan *plan)
{
    fri_buf_dispose(&plan->text);
}
