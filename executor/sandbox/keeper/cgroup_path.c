/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/keeper/cgroup_path.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether a comma-separated list names the word. */
static int lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return 1;
    }
    return 0;
}

/* cgroups(7): lines "ID:controllers:path"; cgroup 2 is ID 0 with no controllers. */
static const char *own_group(char *cgroups, const char *controller)
{
    char *rest = cgroups;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *list = strchr(line, ':');
        char *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        list++;
        if (controller[0] ? lists(list, controller) : list[0] == '\0')
            return path;
    }
    return NULL;
}

/* proc(5): blanks and backslashes in paths are three octal digits behind a backslash. */
static void unescape(char *path)
{
    char *to = path;
    for (const char *at = path; *at; to++) {
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' && at[2] <= '7' &&
            at[3] >= '0' && at[3] <= '7') {
            *to = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 4;
        } else {
            *to = *at++;
        }
    }
    *to = '\0';
}

/* proc(5): "ID parent major:minor root mountpoint options ... - type source superoptions". */
static int mount_of(char *line, const char *controller, char **root, char **point)
{
    char *separator = strstr(line, " - ");
    if (!separator)
        return 0;
    *separator = '\0';
    char *rest = separator + 3;
    const char *type = strsep(&rest, " ");
    strsep(&rest, " ");
    const char *wanted = controller[0] ? "cgroup" : "cgroup2";
    if (strcmp(type, wanted) != 0 || !rest || (controller[0] && !lists(rest, controller)))
        return 0;
    char *fields = line;
    for (int i = 0; i < 3; i++)
        strsep(&fields, " ");
    *root = strsep(&fields, " ");
    *point = strsep(&fields, " ");
    if (!*root || !*point)
        return 0;
    unescape(*root);
    unescape(*point);
    return 1;
}

int fri_cgroup_path_from(char *cgroups, char *mounts, const char *controller, char *path, size_t n)
{
    const char *group = own_group(cgroups, controller);
    if (!group)
        return -1;
    char *rest = mounts;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *root, *point;
        if (!mount_of(line, controller, &root, &point))
            continue;
        size_t skip = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(group, root, skip) != 0 || (group[skip] != '/' && group[skip] != '\0'))
            continue;
        const char *below = strcmp(group + skip, "/") == 0 ? "" : group + skip;
        int m = snprintf(path, n, "%s%s", point, below);
        return m > 0 && (size_t)m < n ? 0 : -1;
    }
    return -1;
}

static int slurp(const char *file, char *text, size_t n)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t have = 0;
    for (ssize_t m; have < n - 1 && (m = read(fd, text + have, n - 1 - have)) > 0;)
        have += (size_t)m;
    close(fd);
    text[have] = '\0';
    return 0;
}

int fri_cgroup_path(const char *controller, char *path, size_t n)
{
    static char cgroups[8192], mounts[262144];
    static char cgroups_copy[sizeof(cgroups)], mounts_copy[sizeof(mounts)];
    static int have;
    if (!have && (slurp("/proc/self/cgroup", cgroups, sizeof(cgroups)) ||
                  slurp("/proc/self/mountinfo", mounts, sizeof(mounts))))
        return -1;
    have = 1;
    memcpy(cgroups_copy, cgroups, strlen(cgroups) + 1);
    memcpy(mounts_copy, mounts, strlen(mounts) + 1);
    return fri_cgroup_path_from(cgroups_copy, mounts_copy, controller, path, n);
}
