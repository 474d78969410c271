/* SPDX-License-Identifier: MIT */
/* What the sandbox runs, and how: its own languages, and those the executor's options add or replace. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "executor/language.h"
#include "executor/sandbox/config.h"
#include "executor/sandbox/embedded.h"

/* One of the sandbox's own. */
typedef struct builtin {
    fr_language language;
    const char *const *interpreters; /* paths in the run's root; the first that is there is taken */
    const char *const *args;
    const char *suffix;
    int says_version; /* these args make it write its version to descriptor 3 */
} builtin;

static const char *const python_interpreters[] = {"/usr/bin/python3", "/usr/local/bin/python3",
                                                  NULL};
static const char *const python_args[] = {"-I", "-S", "-X", "utf8", "-c", fri_python_start, NULL};
static const char *const bash_words[] = {"bash", NULL};
static const char *const bash_interpreters[] = {"/usr/bin/bash", "/bin/bash", NULL};
static const char *const sh_words[] = {"sh", "shell", NULL};
static const char *const sh_interpreters[] = {"/usr/bin/sh", "/bin/sh", NULL};
static const char *const node_words[] = {"javascript", "js", "node", "nodejs", NULL};
static const char *const node_interpreters[] = {"/usr/bin/node", "/usr/local/bin/node", NULL};
static const char *const no_args[] = {NULL};

static const builtin builtins[] = {
    {{"python", fri_python_words, FR_LANGUAGE_TRIPLE_QUOTES},
     python_interpreters,
     python_args,
     ".py",
     1},
    {{"bash", bash_words, 0}, bash_interpreters, no_args, ".sh", 0},
    {{"sh", sh_words, 0}, sh_interpreters, no_args, ".sh", 0},
    {{"javascript", node_words, 0}, node_interpreters, no_args, ".js", 0},
};

/* ---- interpreters ---- */

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

static int find_builtin(const builtin *b, int root, const char *root_path, char *real, size_t n)
{
    for (const char *const *at = b->interpreters; *at; at++)
        if (resolve(root, root_path, *at, real, n))
            return 1;
    return 0;
}

/* Where a path of the run's is on the host. */
static int on_the_host(const fri_sandbox_plan *plan, const char *path, char *out, size_t n)
{
    const fri_keeper_config *c = &plan->config;
    for (uint32_t i = 0; i < c->mount_count; i++) {
        const char *name = fri_plan_text(plan, c->mounts[i].name);
        size_t length = strlen(name);
        if (c->mounts[i].symlink || strncmp(path + 1, name, length) != 0 ||
            (path[length + 1] && path[length + 1] != '/'))
            continue;
        int m =
            snprintf(out, n, "%s%s", fri_plan_text(plan, c->mounts[i].source), path + 1 + length);
        return m > 0 && (size_t)m < n;
    }
    return 0;
}

/* Whether the run's root has the first name of a path, be it a link. */
static int has_top(const fri_sandbox_plan *plan, const char *path)
{
    size_t n = strcspn(path + 1, "/");
    for (uint32_t i = 0; i < plan->config.mount_count; i++) {
        const char *name = fri_plan_text(plan, plan->config.mounts[i].name);
        if (strncmp(path + 1, name, n) == 0 && (name[n] == '\0' || name[n] == '/'))
            return 1;
    }
    return 0;
}

/* As it is given, since a virtual environment is known by the path its interpreter was started by. */
static int is_there(const fri_sandbox_plan *plan, const char *root_path, const char *path)
{
    char text[2 * FRI_KEEPER_PATH];
    struct stat st;
    FRI_AUTO(fri_closep)
    int root = open(root_path[0] ? root_path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (on_the_host(plan, path, text, sizeof(text)) && stat(text, &st) == 0)
        return S_ISREG(st.st_mode) && (st.st_mode & 0111);
    return root >= 0 && has_top(plan, path) && resolve(root, root_path, path, text, sizeof(text));
}

/* ---- the plan ---- */

/* Command line: interpreter, its arguments, the code's path. */
static int fill(fri_sandbox_plan *plan, fri_keeper_language *l, const char *interpreter,
                const char *const *args, const char *suffix, fr_error *err)
{
    char path[FRI_KEEPER_PATH];
    snprintf(path, sizeof(path), "/code/main%s", suffix);
    l->args = fri_plan_add_text(plan, interpreter);
    l->argc = 2;
    for (; *args; args++, l->argc++)
        fri_plan_add_text(plan, *args);
    l->file = fri_plan_add_text(plan, path) + sizeof("/code/") - 1;
    if (l->argc > FRI_KEEPER_MAX_ARGS)
        return fr_fail(err, FR_EINVAL, 0, "sandbox: more than %d arguments for %s",
                       FRI_KEEPER_MAX_ARGS, interpreter);
    return 0;
}

static int add_builtins(fri_sandbox_plan *plan, const char *root_path, fr_error *err)
{
    FRI_AUTO(fri_closep)
    int root = open(root_path[0] ? root_path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int rc = 0;
    if (root < 0)
        return fr_fail(err, FR_EINVAL, errno, "sandbox: the root directory %s cannot be opened",
                       root_path);
    for (size_t i = 0; rc == 0 && i < sizeof(builtins) / sizeof(builtins[0]); i++) {
        const builtin *b = &builtins[i];
        fri_keeper_language *l = &plan->config.languages[i];
        char real[FRI_KEEPER_PATH];
        if (!find_builtin(b, root, root_path, real, sizeof(real)))
            real[0] = '\0';
        plan->languages[i] = b->language;
        plan->wanted[i] = fri_plan_add_text(plan, b->interpreters[0]);
        l->says_version = b->says_version;
        rc = fill(plan, l, real, b->args, b->suffix, err);
        plan->config.language_count = (uint32_t)(i + 1);
    }
    return rc;
}

static int check_language(const fr_sandbox_language *l, size_t i, fr_error *err)
{
    if (!l->name || !l->name[0] || !l->interpreter || l->interpreter[0] != '/')
        return fr_fail(err, FR_EINVAL, 0,
                       "sandbox: language %zu has no name, or no absolute path of an interpreter",
                       i);
    if (l->suffix && (strchr(l->suffix, '/') || strlen(l->suffix) > 32))
        return fr_fail(err, FR_EINVAL, 0, "sandbox: '%.40s' is no suffix for %.40s", l->suffix,
                       l->name);
    return 0;
}

/* Where a language of that name is, or where there is room for it. */
static uint32_t place_of(const fri_sandbox_plan *plan, const char *name)
{
    uint32_t i = 0;
    while (i < plan->config.language_count && strcmp(plan->languages[i].name, name) != 0)
        i++;
    return i;
}

static int add_language(fri_sandbox_plan *plan, const char *root_path,
                        const fr_sandbox_language *given, size_t i, fr_error *err)
{
    int rc = check_language(given, i, err);
    if (rc)
        return rc;
    uint32_t at = place_of(plan, given->name);
    if (at == FRI_KEEPER_MAX_LANGUAGES)
        return fr_fail(err, FR_EINVAL, 0, "sandbox: more than %d languages",
                       FRI_KEEPER_MAX_LANGUAGES);
    fri_keeper_language *l = &plan->config.languages[at];
    l->says_version = 0;
    plan->languages[at] = (fr_language){given->name, given->words, given->flags};
    plan->wanted[at] = fri_plan_add_text(plan, given->interpreter);
    plan->config.language_count += at == plan->config.language_count;
    return fill(plan, l, is_there(plan, root_path, given->interpreter) ? given->interpreter : "",
                given->args ? given->args : no_args, given->suffix ? given->suffix : "", err);
}

/* ---- names and words, which have to outlive the options ---- */

static size_t count_words(const fr_language *l)
{
    size_t n = 0;
    while (l->words && l->words[n])
        n++;
    return n ? n : 1; /* its name */
}

static void note_words(fri_sandbox_plan *plan, const fr_language *l, fri_keeper_string *at)
{
    size_t n = count_words(l);
    *at++ = fri_plan_add_text(plan, l->name);
    for (size_t i = 0; i < n; i++)
        *at++ = fri_plan_add_text(plan, l->words && l->words[0] ? l->words[i] : l->name);
}

/* Into the text, which may move until all of it is there; so pointers come last. */
static int keep_words(fri_sandbox_plan *plan, fr_error *err)
{
    const uint32_t count = plan->config.language_count;
    size_t total = 0, k = 0;
    for (uint32_t i = 0; i < count; i++)
        total += count_words(&plan->languages[i]) + 2;
    FRI_AUTO(fri_freep) fri_keeper_string *at = fri_calloc(total, sizeof(*at), err);
    plan->words = at ? fri_calloc(total, sizeof(*plan->words), err) : NULL;
    if (!plan->words)
        return FR_ENOMEM;
    for (uint32_t i = 0; i < count; k += count_words(&plan->languages[i]) + 1, i++)
        note_words(plan, &plan->languages[i], at + k);
    int rc = fri_buf_check(&plan->text, "sandbox: the keeper's configuration", err);
    const char **words = plan->words;
    k = 0;
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        fr_language *l = &plan->languages[i];
        size_t n = count_words(l);
        l->name = fri_plan_text(plan, at[k++]);
        l->words = words;
        for (size_t j = 0; j < n; j++)
            *words++ = fri_plan_text(plan, at[k++]);
        words++; /* the NULL behind them */
    }
    return rc;
}

int fri_plan_add_languages(fri_sandbox_plan *plan, const char *root_path,
                           const fr_sandbox_options *sandbox, fr_error *err)
{
    int rc = add_builtins(plan, root_path, err);
    for (size_t i = 0; rc == 0 && i < sandbox->language_count; i++)
        rc = add_language(plan, root_path, &sandbox->languages[i], i, err);
    return rc ? rc : keep_words(plan, err);
}
