/* SPDX-License-Identifier: MIT */
#ifndef FR_KEEPER_CGROUP_PATH_H
#define FR_KEEPER_CGROUP_PATH_H

#include <stddef.h>

/* The directory of our own cgroup in the hierarchy of a cgroup-1 controller, or in cgroup 2 for "".
 * 0, or -1 when there is no such hierarchy or it is not mounted where we can see our group. */
int fri_cgroup_path(const char *controller, char *path, size_t n);

/* The same from the text of /proc/self/cgroup and /proc/self/mountinfo, which it cuts up. */
int fri_cgroup_path_from(char *cgroups, char *mounts, const char *controller, char *path, size_t n);

#endif
