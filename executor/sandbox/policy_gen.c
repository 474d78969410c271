/* SPDX-License-Identifier: MIT */
/*
 * Run at build time: prints the run's seccomp filter as the rows of a C array, so that neither the
 * library nor a run pays for libseccomp, and the filter in a binary is the one that was reviewed.
 *
 * The policy is an allow-list. What is not on it fails with ENOSYS, as on a kernel that does not have
 * it, since libraries then fall back to what they did before; what is refused on purpose fails with
 * EPERM, which programs and people understand. Another architecture (x32 and 32-bit calls on x86-64
 * among them) kills the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/sandbox/policy.h"

static const scmp_datum_t namespaces[] = {CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
                                          CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
                                          CLONE_NEWNET, CLONE_NEWTIME};

static void must(int rc, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "policy_gen: %s: %d\n", what, rc);
        exit(1);
    }
}

/* A name this architecture does not have (open on arm64, for one) is passed over. */
static void rule(scmp_filter_ctx ctx, uint32_t action, const char *name)
{
    int nr = seccomp_syscall_resolve_name(name);
    if (nr == __NR_SCMP_ERROR) {
        fprintf(stderr, "policy_gen: there is no system call %s\n", name);
        exit(1);
    }
    if (nr < 0)
        return;
    must(seccomp_rule_add(ctx, action, nr, 0), name);
}

static void all(scmp_filter_ctx ctx, uint32_t action, const char *const *names)
{
    for (; *names; names++)
        rule(ctx, action, *names);
}

/* fork and threads, but no namespaces. clone3 hides its flags behind a pointer a filter cannot follow;
 * it is on no list, and without it the C library falls back to clone. */
static void clone_rules(scmp_filter_ctx ctx)
{
    scmp_datum_t any = 0;
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
        any |= namespaces[i];
        must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i])),
             "clone into namespaces");
    }
    must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, any, 0)),
         "clone");
}

static void internet_rule(scmp_filter_ctx ctx, uint32_t action, scmp_datum_t family,
                          scmp_datum_t type, enum scmp_compare compare, scmp_datum_t protocol)
{
    must(seccomp_rule_add(ctx, action, SCMP_SYS(socket), 3, SCMP_A0(SCMP_CMP_EQ, family),
                          SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type), SCMP_A2(compare, protocol)),
         "socket");
}

/* TCP and UDP only: other protocols would have the kernel load modules that hardly anybody tests. */
static void internet_rules(scmp_filter_ctx ctx, scmp_datum_t family)
{
    const struct {
        scmp_datum_t type, protocol;
    } kinds[] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}};
    const uint32_t refuse = SCMP_ACT_ERRNO(EPROTONOSUPPORT);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        scmp_datum_t protocol = kinds[i].protocol;
        for (scmp_datum_t p = 1; p < protocol; p++)
            internet_rule(ctx, refuse, family, kinds[i].type, SCMP_CMP_EQ, p);
        internet_rule(ctx, refuse, family, kinds[i].type, SCMP_CMP_GT, protocol);
        internet_rule(ctx, SCMP_ACT_ALLOW, family, kinds[i].type, SCMP_CMP_EQ, protocol);
        internet_rule(ctx, SCMP_ACT_ALLOW, family, kinds[i].type, SCMP_CMP_EQ, 0);
    }
    for (scmp_datum_t type = SOCK_RAW; type <= SOCK_PACKET; type++)
        must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 2,
                              SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type)),
             "socket");
}

/* The loopback of the run's own network namespace, and unix sockets; no netlink, vsock, alg or
 * packet. */
static void socket_rules(scmp_filter_ctx ctx)
{
    for (int family = 0; family < AF_MAX; family++) {
        if (family == AF_INET || family == AF_INET6)
            internet_rules(ctx, (scmp_datum_t)family);
        else
            must(seccomp_rule_add(ctx,
                                  family == AF_UNIX ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EAFNOSUPPORT),
                                  SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)family)),
                 "socket");
    }
    must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 1,
                          SCMP_A0(SCMP_CMP_EQ, AF_UNIX)),
         "socketpair");
}

/* What the C library and interpreters ask of plain files, pipes and sockets. Nothing that speaks to a
 * terminal, where TIOCSTI (CVE-2017-5226) and TIOCLINUX are. The kernel looks at 32 bits of the
 * request, so the filter does too. */
static void ioctl_rules(scmp_filter_ctx ctx)
{
    const unsigned requests[] = {TCGETS,   TIOCGWINSZ, FIONREAD, FIONBIO,
                                 FIOASYNC, FIOCLEX,    FIONCLEX};
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, requests[i])),
             "ioctl");
}

/* One's own resource limits, but neither those of others (init's would end it) nor the one for core
 * dumps, which is 1 for a reason. */
static void rlimit_rules(scmp_filter_ctx ctx)
{
    const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
    must(seccomp_rule_add(ctx, refuse, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0)),
         "prlimit64");
    must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                          SCMP_A1(SCMP_CMP_NE, RLIMIT_CORE)),
         "prlimit64");
    must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 3, SCMP_A0(SCMP_CMP_EQ, 0),
                          SCMP_A1(SCMP_CMP_EQ, RLIMIT_CORE), SCMP_A2(SCMP_CMP_EQ, 0)),
         "prlimit64");
    must(seccomp_rule_add(ctx, refuse, SCMP_SYS(prlimit64), 3, SCMP_A0(SCMP_CMP_EQ, 0),
                          SCMP_A1(SCMP_CMP_EQ, RLIMIT_CORE), SCMP_A2(SCMP_CMP_NE, 0)),
         "prlimit64");
    must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(setrlimit), 1,
                          SCMP_A0(SCMP_CMP_NE, RLIMIT_CORE)),
         "setrlimit");
    must(seccomp_rule_add(ctx, refuse, SCMP_SYS(setrlimit), 1, SCMP_A0(SCMP_CMP_EQ, RLIMIT_CORE)),
         "setrlimit");
}

/* One's own scheduling only: what watches the run has the same user, and slowed down it would be late. */
static void scheduling_rules(scmp_filter_ctx ctx)
{
    const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
    const char *const setters[] = {"sched_setaffinity", "sched_setattr", "sched_setparam",
                                   "sched_setscheduler"};
    for (size_t i = 0; i < sizeof(setters) / sizeof(setters[0]); i++) {
        int nr = seccomp_syscall_resolve_name(setters[i]);
        must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, nr, 1, SCMP_A0(SCMP_CMP_EQ, 0)), setters[i]);
        must(seccomp_rule_add(ctx, refuse, nr, 1, SCMP_A0(SCMP_CMP_NE, 0)), setters[i]);
    }
    must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 2,
                          SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS), SCMP_A1(SCMP_CMP_EQ, 0)),
         "setpriority");
    must(seccomp_rule_add(ctx, refuse, SCMP_SYS(setpriority), 2, SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS),
                          SCMP_A1(SCMP_CMP_NE, 0)),
         "setpriority");
    must(
        seccomp_rule_add(ctx, refuse, SCMP_SYS(setpriority), 1, SCMP_A0(SCMP_CMP_NE, PRIO_PROCESS)),
        "setpriority");
}

/* Asking which personality, and having the ordinary one. */
/* All commands but those by which one process hears what others do with a file both can open: F_NOTIFY
 * (dnotify) and leases. */
static void fcntl_rules(scmp_filter_ctx ctx)
{
    static const int commands[] = {
        F_DUPFD,      F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,     F_SETFL,
        F_GETLK,      F_SETLK,         F_SETLKW,    F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW,
        F_GETOWN,     F_SETOWN,        F_GETOWN_EX, F_SETOWN_EX, F_GETSIG,    F_SETSIG,
        F_GETPIPE_SZ, F_SETPIPE_SZ,    F_ADD_SEALS, F_GET_SEALS,
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, (scmp_datum_t)commands[i])),
             "fcntl");
    static const int watching[] = {F_NOTIFY, F_SETLEASE, F_GETLEASE};
    for (size_t i = 0; i < sizeof(watching) / sizeof(watching[0]); i++)
        must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fcntl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, (scmp_datum_t)watching[i])),
             "fcntl");
}

static void personality_rules(scmp_filter_ctx ctx)
{
    const scmp_datum_t queries[] = {0, 0xffffffff};
    for (size_t i = 0; i < 2; i++)
        must(seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(personality), 1,
                              SCMP_A0(SCMP_CMP_EQ, queries[i])),
             "personality");
}

static void print_filter(FILE *f)
{
    struct sock_filter op;
    int n = 0;
    while (fread(&op, sizeof(op), 1, f) == 1) {
        printf("{0x%02x, %u, %u, 0x%08x},\n", op.code, op.jt, op.jf, op.k);
        n++;
    }
    if (n == 0 || n > BPF_MAXINSNS) {
        fprintf(stderr, "policy_gen: a filter of %d instructions\n", n);
        exit(1);
    }
}

int main(void)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!ctx)
        must(-1, "init");
    must(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "architecture");
    must(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize");
    all(ctx, SCMP_ACT_ALLOW, fri_policy_allowed);
    all(ctx, SCMP_ACT_ERRNO(EPERM), fri_policy_refused);
    clone_rules(ctx);
    socket_rules(ctx);
    ioctl_rules(ctx);
    rlimit_rules(ctx);
    scheduling_rules(ctx);
    personality_rules(ctx);
    fcntl_rules(ctx);
    FILE *f = tmpfile();
    if (!f)
        must(-1, "temporary file");
    must(seccomp_export_bpf(ctx, fileno(f)), "export");
    rewind(f);
    print_filter(f);
    seccomp_release(ctx);
    return fclose(f) || fflush(stdout) ? 1 : 0;
}
