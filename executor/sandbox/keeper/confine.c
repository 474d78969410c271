/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "executor/sandbox/keeper/keeper.h"
#include "executor/sandbox/keeper/sys.h"

int fri_loopback_up(fri_failure *f)
{
    struct ifreq request;
    memset(&request, 0, sizeof(request));
    memcpy(request.ifr_name, "lo", 3);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fri_failed(f, "open a socket for the loopback interface");
    int rc = ioctl(fd, SIOCSIFFLAGS, &request);
    if (rc)
        fri_failed(f, "bring up the loopback interface");
    close(fd);
    return rc;
}

int fri_lock_privileges(fri_failure *f)
{
    int cap = 0;
    while (prctl(PR_CAPBSET_DROP, cap) == 0)
        cap++;
    if (cap == 0 || errno != EINVAL) /* the kernel's word for "there is none of that number" */
        return fri_failed(f, "drop capability %d from the bounding set", cap);
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                               SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (prctl(PR_SET_SECUREBITS, bits))
        return fri_failed(f, "set the secure bits");
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
        return fri_failed(f, "clear the ambient capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return fri_failed(f, "set no_new_privs");
    return 0;
}

int fri_drop_privileges(fri_failure *f)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof(none));
    if (syscall(SYS_capset, &header, none))
        return fri_failed(f, "drop the capabilities");
    return 0;
}

/* A limit above the inherited hard one cannot be had, and the inherited one is the stricter. */
static int lower(int resource, rlim_t value, const char *name, fri_failure *f)
{
    struct rlimit now;
    if (getrlimit(resource, &now))
        return fri_failed(f, "read the resource limit %s", name);
    rlim_t bound = value < now.rlim_max ? value : now.rlim_max;
    const struct rlimit limit = {bound, bound};
    if (setrlimit(resource, &limit))
        return fri_failed(f, "set the resource limit %s", name);
    return 0;
}

/* Of each process by itself and in whole seconds: all there is where nobody accounts for the run, and a second
 * more than that where somebody does, who then comes first. */
static rlim_t cpu_seconds(const fri_keeper_config *c, const fri_job *job)
{
    rlim_t whole = (rlim_t)((c->cpu_ns - 1) / FRI_NS_PER_S + 1);
    return job->accounting_by == FRI_BY_RLIMIT ? whole : whole + 1;
}

int fri_set_rlimits(const fri_keeper_config *c, const fri_job *job, fri_failure *f)
{
    const struct {
        int resource;
        rlim_t value;
        const char *name;
    } limits[] = {
        /* Not 0, which the kernel takes for no limit when core dumps go to a program of the host's
         * (core(5)); 1 is too little for either way. */
        {RLIMIT_CORE, 1, "core"},
        {RLIMIT_FSIZE, c->file_bytes, "fsize"},
        {RLIMIT_NOFILE, c->open_files, "nofile"},
        /* Counted per user and user namespace (Linux 5.14), so exact for one run; init is one. */
        {RLIMIT_NPROC, c->processes + 1, "nproc"},
        {RLIMIT_MEMLOCK, 65536, "memlock"},
        {RLIMIT_MSGQUEUE, 65536, "msgqueue"},
        {RLIMIT_SIGPENDING, 1024, "sigpending"},
        {RLIMIT_STACK, 8 << 20, "stack"},
        {RLIMIT_NICE, 0, "nice"},
        {RLIMIT_RTPRIO, 0, "rtprio"},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (lower(limits[i].resource, limits[i].value, limits[i].name, f))
            return -1;
    if (c->cpu_ns && lower(RLIMIT_CPU, cpu_seconds(c, job), "cpu", f))
        return -1;
    if (job->memory_by == FRI_BY_RLIMIT)
        return lower(RLIMIT_AS, c->memory_bytes, "as", f);
    return 0;
}

int fri_set_filter(fri_failure *f)
{
    static const struct sock_filter instructions[] = {
#include "seccomp_filter.inc"
    };
    const struct sock_fprog filter = {sizeof(instructions) / sizeof(instructions[0]),
                                      (struct sock_filter *)(uintptr_t)instructions};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
        return fri_failed(f, "set the seccomp filter");
    return 0;
}
