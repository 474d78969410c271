/* SPDX-License-Identifier: MIT */
#include "executor/registry.h"

#include <pthread.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

/* A registered class, full-sized whatever the size its author knew. */
typedef struct entry {
    fr_executor_class cls;
    struct entry *next;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *first;
static entry **last = &first;
static int builtins_in;

static int default_open(fr_executor *self, const void *config, fr_error *err)
{
    if (config)
        return fr_fail(err, FR_EINVAL, 0, "executor %s takes no options of its own",
                       fr_executor_name(self));
    return 0;
}

static void default_close(fr_executor *self)
{
    (void)self;
}

static int default_probe(fr_executor *self, fr_error *err)
{
    const fr_code_input nothing = FR_CODE_INPUT_INIT;
    fr_code_result *result = NULL;
    int rc = fr_executor_execute(self, &nothing, &result, err);
    fr_code_result_free(result);
    return rc;
}

static int check_name(const char *name, fr_error *err)
{
    size_t n = name ? strlen(name) : 0;
    if (n < 1 || n > 31 || name[0] < 'a' || name[0] > 'z' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != n)
        return fr_fail(err, FR_EINVAL, 0,
                       "'%.40s' is no name for an executor class: [a-z][a-z0-9_-]*, at most 31",
                       name ? name : "");
    return 0;
}

int fri_check_languages(const fr_language *languages, size_t count, const char *name, fr_error *err)
{
    if (!languages || count == 0 || count > FRI_MAX_LANGUAGES)
        return fr_fail(err, FR_EINVAL, 0, "executor %s: %zu languages", name, count);
    for (size_t i = 0; i < count; i++)
        if (!languages[i].name || !languages[i].words)
            return fr_fail(err, FR_EINVAL, 0, "executor %s: language %zu has no name or words",
                           name, i);
    return 0;
}

/* Copies what the author's struct has and fills the rest. */
static int complete(const fr_executor_class *given, fr_executor_class *cls, fr_error *err)
{
    const size_t first_version = offsetof(fr_executor_class, probe) + sizeof(cls->probe);
    if (!given || given->struct_size < first_version)
        return fr_fail(err, FR_EABI, 0, "an executor class of %zu bytes; the first version has %zu",
                       given ? given->struct_size : 0, first_version);
    if (given->abi != FR_EXECUTOR_ABI)
        return fr_fail(err, FR_EABI, 0, "an executor class of ABI %u; this library has %u",
                       given->abi, FR_EXECUTOR_ABI);
    size_t known = given->struct_size < sizeof(*cls) ? given->struct_size : sizeof(*cls);
    memset(cls, 0, sizeof(*cls));
    memcpy(cls, given, known);
    cls->struct_size = sizeof(*cls);
    int rc = check_name(cls->name, err);
    if (rc == 0)
        rc = cls->languages || cls->language_count
                 ? fri_check_languages(cls->languages, cls->language_count, cls->name, err)
                 : 0;
    if (rc)
        return rc;
    if (!cls->execute)
        return fr_fail(err, FR_EINVAL, 0, "executor class %s has no execute", cls->name);
    if (!cls->languages) {
        cls->languages = fr_language_python();
        cls->language_count = 1;
    }
    cls->summary = cls->summary ? cls->summary : "";
    cls->open = cls->open ? cls->open : default_open;
    cls->close = cls->close ? cls->close : default_close;
    cls->probe = cls->probe ? cls->probe : default_probe;
    return 0;
}

static entry *find(const char *name)
{
    for (entry *e = first; e; e = e->next)
        if (strcmp(e->cls.name, name) == 0)
            return e;
    return NULL;
}

static int add(const fr_executor_class *given, fr_error *err)
{
    fr_executor_class cls;
    int rc = complete(given, &cls, err);
    if (rc)
        return rc;
    if (find(cls.name))
        return fr_fail(err, FR_EEXISTS, 0, "an executor class %s is registered already", cls.name);
    entry *e = fri_calloc(1, sizeof(*e), err);
    if (!e)
        return FR_ENOMEM;
    e->cls = cls;
    *last = e;
    last = &e->next;
    return 0;
}

/* With the lock held. Out of memory leaves it for the next call. */
static int add_builtins(fr_error *err)
{
    static const fr_executor_class *const builtins[] = {&fri_sandbox_class, &fri_scripted_class,
                                                        &fri_guard_class};
    const int count = sizeof(builtins) / sizeof(builtins[0]);
    for (int rc; builtins_in < count; builtins_in++)
        if ((rc = add(builtins[builtins_in], err)))
            return rc;
    return 0;
}

int fr_executor_register(const fr_executor_class *cls, fr_error *err)
{
    pthread_mutex_lock(&lock);
    int rc = add_builtins(err);
    if (rc == 0)
        rc = add(cls, err);
    pthread_mutex_unlock(&lock);
    return rc;
}

const fr_executor_class *fr_executor_class_at(size_t i)
{
    pthread_mutex_lock(&lock);
    const entry *e = add_builtins(NULL) ? NULL : first;
    while (e && i-- > 0)
        e = e->next;
    pthread_mutex_unlock(&lock);
    return e ? &e->cls : NULL;
}

int fri_class_find(const char *name, const fr_executor_class **out, fr_error *err)
{
    pthread_mutex_lock(&lock);
    int rc = add_builtins(err);
    const entry *e = rc ? NULL : find(name);
    pthread_mutex_unlock(&lock);
    if (rc)
        return rc;
    if (!e)
        return fr_fail(err, FR_ENOTFOUND, 0, "there is no executor '%.40s'", name);
    *out = &e->cls;
    return 0;
}
