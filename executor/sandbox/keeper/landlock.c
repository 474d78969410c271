/* SPDX-License-Identifier: MIT */
/*
 * A second wall behind the mounts, where the kernel has Landlock: should one of them be made writable after all,
 * or something be mounted where it should not, the program still reads everywhere and writes in its three places
 * only. Facts: landlock(7) and Documentation/userspace-api/landlock.rst of the kernel. The headers of older
 * kernels lack what later ones know, so the numbers stand here.
 */
#include <errno.h>
#include <string.h>

#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

#define FS_EXECUTE    (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE  (1ULL << 2)
#define FS_READ_DIR   (1ULL << 3)
#define FS_FIRST      ((1ULL << 13) - 1) /* all of version 1 */
#define FS_REFER      (1ULL << 13)       /* since 2 */
#define FS_TRUNCATE   (1ULL << 14)       /* since 3 */
#define FS_IOCTL_DEV  (1ULL << 15)       /* since 5 */
/* Abstract unix sockets, since 6. Not signals, of which process 1 is the only one outside that could get some. */
#define SCOPE_SOCKETS (1ULL << 0)

#define CREATE_RULESET_VERSION 1U
#define RULE_PATH_BENEATH      1

struct ruleset {
    uint64_t fs;
    uint64_t net;
    uint64_t scoped;
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static uint64_t all_of(int version)
{
    uint64_t all = FS_FIRST;
    all |= version >= 2 ? FS_REFER : 0;
    all |= version >= 3 ? FS_TRUNCATE : 0;
    all |= version >= 5 ? FS_IOCTL_DEV : 0;
    return all;
}

static int allow(int rules, const char *path, uint64_t rights, fri_failure *f)
{
    struct path_beneath rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return fri_failed(f, "open %s", path);
    long rc = syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0);
    if (rc)
        fri_failed(f, "allow %s", path);
    close(rule.parent);
    return rc ? -1 : 0;
}

static int add_rules(int rules, uint64_t all, fri_failure *f)
{
    static const char *const writable[] = {"/work", "/tmp", "/dev/shm"};
    if (allow(rules, "/", FS_EXECUTE | FS_READ_FILE | FS_READ_DIR, f) ||
        allow(rules, "/dev", all & (FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV), f))
        return -1;
    for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++)
        if (allow(rules, writable[i], all & ~FS_EXECUTE, f))
            return -1;
    return 0;
}

int fri_restrict_paths(fri_failure *f)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    if (version < 1)
        return 0;
    uint64_t all = all_of((int)version);
    struct ruleset set = {.fs = all, .scoped = version >= 6 ? SCOPE_SOCKETS : 0};
    /* An older kernel takes a longer struct as long as it does not know of what is 0. */
    int rules = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof(set), 0);
    if (rules < 0)
        return fri_failed(f, "make a Landlock rule set");
    int rc = add_rules(rules, all, f);
    if (rc == 0 && syscall(SYS_landlock_restrict_self, rules, 0))
        rc = fri_failed(f, "enforce the Landlock rules");
    close(rules);
    return rc;
}
