/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "executor/sandbox/keeper/keeper.h"

/* Whether the group belongs to a keeper that is gone. Its number means nothing in another pid
 * namespace than ours, and containers may share a cgroup. */
static int is_orphan(const char *name, unsigned pid_namespace)
{
    int pid, behind = 0;
    unsigned of_namespace;
    return sscanf(name, "fencerun-%d-%x-%n", &pid, &of_namespace, &behind) == 2 && behind > 0 &&
           of_namespace == pid_namespace && pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

static int sweep(const char *parent, unsigned pid_namespace)
{
    char path[FRI_KEEPER_PATH + sizeof(((struct dirent *)NULL)->d_name) + 1];
    int removed = 0;
    DIR *dir = opendir(parent);
    if (!dir)
        return 0;
    for (const struct dirent *e; (e = readdir(dir));)
        if (is_orphan(e->d_name, pid_namespace)) {
            snprintf(path, sizeof(path), "%s/%s", parent, e->d_name);
            /* Fails while something is in it, and then it is none of ours. */
            removed += rmdir(path) == 0;
        }
    closedir(dir);
    return removed;
}

int fri_groups_sweep(const fri_groups *g)
{
    if (!g->pid_namespace)
        return 0;
    int removed = sweep(g->v2_parent, g->pid_namespace);
    for (size_t i = 0; i < sizeof(g->v1) / sizeof(g->v1[0]); i++) {
        char parent[FRI_KEEPER_PATH];
        snprintf(parent, sizeof(parent), "%s", g->v1[i]);
        char *slash = strrchr(parent, '/');
        if (slash)
            *slash = '\0';
        removed += sweep(parent, g->pid_namespace);
    }
    return removed;
}
