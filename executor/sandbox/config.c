/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "executor/file_name.h"

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

fri_keeper_string fri_plan_add_text(fri_sandbox_plan *plan, const char *s)
{
    size_t at = plan->text.n;
    fri_buf_append(&plan->text, s, strlen(s) + 1);
    return (fri_keeper_string)at;
}

static int set_path(fri_sandbox_plan *plan, fri_keeper_mount *m, const char *path, fr_error *err)
{
    if (strlen(path) >= FRI_KEEPER_PATH)
        return too_long("", path, err);
    m->source = fri_plan_add_text(plan, path);
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
    m->name = fri_plan_add_text(plan, name);
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

/* ---- mounts of one's own ---- */

static int bad_mount(const char *target, const char *why, fr_error *err)
{
    return fr_fail(err, FR_EINVAL, 0, "sandbox: cannot mount at '%.200s': %s", target, why);
}

/* Whether a is b, or a directory that b is in. */
static int is_above(const char *a, const char *b)
{
    size_t n = strlen(a);
    return strncmp(a, b, n) == 0 && (b[n] == '\0' || b[n] == '/');
}

/* `name` is the target without its slash in front. */
static int check_target(const fri_sandbox_plan *plan, const char *target, const char *name,
                        fr_error *err)
{
    char first[FRI_KEEPER_PATH];
    if (target[0] != '/' || !fri_file_name_is_below(name))
        return bad_mount(target, "it is no absolute path without '.', '..' and empty parts", err);
    if (strlen(name) >= sizeof(first))
        return bad_mount(target, "it is too long", err);
    snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, "/"), name);
    if (is_own_name(first))
        return bad_mount(target, "the run has a place of its own there", err);
    for (uint32_t i = 0; i < plan->config.mount_count; i++) {
        const char *other = fri_plan_text(plan, plan->config.mounts[i].name);
        if (is_above(other, name) || is_above(name, other))
            return bad_mount(target, "something else of the run's root is there", err);
    }
    return 0;
}

static int add_mount(fri_sandbox_plan *plan, const fr_sandbox_mount *given, fr_error *err)
{
    if (!given->source || !given->source[0])
        return fr_fail(err, FR_EINVAL, 0, "sandbox: a mount has no source");
    const char *target = given->target ? given->target : given->source;
    int rc = check_target(plan, target, target + 1, err);
    if (rc)
        return rc;
    if (plan->config.mount_count == FRI_KEEPER_MAX_MOUNTS)
        return bad_mount(target, "there are too many mounts", err);
    char *real = realpath(given->source, NULL);
    if (!real)
        return fr_fail(err, FR_EINVAL, errno, "sandbox: what is to be mounted, %.200s",
                       given->source);
    fri_keeper_mount *m = &plan->config.mounts[plan->config.mount_count];
    m->name = fri_plan_add_text(plan, target + 1);
    rc = set_path(plan, m, real, err);
    free(real);
    plan->config.mount_count += rc == 0;
    return rc;
}

static int add_mounts(fri_sandbox_plan *plan, const fr_sandbox_options *sandbox, fr_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sandbox->mount_count; i++)
        rc = add_mount(plan, &sandbox->mounts[i], err);
    return rc;
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
        rc = add_mounts(plan, sandbox, err);
    if (rc == 0)
        rc = fri_plan_add_languages(plan, root, sandbox, err);
    return rc ? rc : fri_buf_check(&plan->text, "sandbox: the keeper's configuration", err);
}

void fri_sandbox_plan_dispose(fri_sandbox_plan *plan)
{
    fri_buf_dispose(&plan->text);
    fri_free(plan->words);
}
