/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. The keeper is a small single-threaded program that the library starts once per
 * executor and thread in use; see protocol.h for what they say to each other. It holds none of the
 * host program's memory or descriptors. It has the host program's privileges, uses them to make
 * namespaces and cgroups, and never runs model code: that happens in a child whose first process is
 * in init.c. It serves one run at a time, so that no run shares a limit with another, and says that it
 * is ready only when a whole sandbox stands, so that what the system withholds is known before a run.
 *
 *     library ──socket──► keeper ──clone3──► init (pid 1 of the run) ──clone──► program
 *
 * When the library closes the socket or the host program dies, the keeper kills what runs, removes its
 * cgroups and ends. When the keeper dies, init dies with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/run.h"

static const fri_keeper_config *map_config(void)
{
    struct stat st;
    if (fstat(FRI_KEEPER_CONFIG_FD, &st))
        return NULL;
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, FRI_KEEPER_CONFIG_FD, 0);
    close(FRI_KEEPER_CONFIG_FD);
    return p == MAP_FAILED ? NULL : p;
}

/* Supplementary groups of the host user are no business of a run's. Only root may drop them, and
 * only root's are worth it. */
static void drop_groups(void)
{
    if (geteuid() == 0)
        setgroups(0, NULL);
}

static int prepare(fri_keeper *k, fri_failure *f)
{
    fri_groups_open(&k->groups, k->config);
    return fri_keeper_ensure_init(k, f);
}

static int announce(const fri_keeper *k, int failed, const fri_failure *f)
{
    fri_keeper_ready ready;
    memset(&ready, 0, sizeof(ready));
    ready.failed = failed;
    ready.sys_errno = f->sys_errno;
    memcpy(ready.step, f->step, sizeof(ready.step));
    ready.memory_by = k->groups.memory_by;
    ready.cpu_by = k->groups.cpu_by;
    ready.accounting_by = k->groups.accounting_by;
    return send(FRI_KEEPER_SOCKET_FD, &ready, sizeof(ready), MSG_NOSIGNAL) == sizeof(ready) ? 0
                                                                                            : -1;
}

int main(void)
{
    static fri_keeper k;
    fri_failure f;
    memset(&f, 0, sizeof(f));
    prctl(PR_SET_NAME, "fencerun-keeper");
    k.config = map_config();
    if (!k.config)
        return 1;
    drop_groups();
    int failed = prepare(&k, &f);
    if (announce(&k, failed, &f) == 0 && !failed)
        fri_keeper_serve(&k);
    fri_keeper_stop(&k);
    fri_groups_close(&k.groups);
    return 0;
}
