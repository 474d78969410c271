/* SPDX-License-Identifier: MIT */
/*
 * A run's network is a loopback of its own. No address beyond that is tried before it has been seen
 * that there is no interface to try it on: the guard looks in the same program, and ends it otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

#define INTERFACES                                                                                  \
    "names = [l.split(':')[0].strip() for l in open('/proc/self/net/dev').read().splitlines()[2:]]" \
    "\n"
#define GUARD                                                  \
    INTERFACES                                                 \
    "if names != ['lo']:\n    raise SystemExit(repr(names))\n" \
    "import errno, socket, time\n"

static void expect(const char *code, const char *out)
{
    fr_executor *ex = open_executor("sandbox", NULL);
    expect_output(ex, code, out);
    fr_executor_close(ex);
}

static void test_one_interface_and_no_way_out(void **state)
{
    (void)state;
    expect(GUARD "print(names, open('/proc/self/net/route').read().count('\\n'))\n"
                 "routes = open('/proc/self/net/ipv6_route').read().splitlines()\n"
                 "print({r.split()[-1] for r in routes} - {'lo'})\n",
           "['lo'] 1\nset()\n");
}

/* Metadata services of clouds, a container engine's gateway, and addresses for documentation. */
static void test_addresses_beyond_fail_at_once(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    int64_t began = fri_now_ns();
    expect_output(ex,
                  GUARD "for address in ('169.254.169.254', '100.100.100.200', '172.17.0.1', "
                        "'10.0.0.1', '192.168.0.1', '192.0.2.1', '224.0.0.1', 'fd00:ec2::254', "
                        "'2001:db8::1', 'ff02::1', 'fe80::1'):\n"
                        "    family = socket.AF_INET6 if ':' in address else socket.AF_INET\n"
                        "    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:\n"
                        "        s = socket.socket(family, kind)\n"
                        "        s.settimeout(30)\n"
                        "        try:\n"
                        "            s.connect((address, 80))\n"
                        "            print('connected to', address)\n"
                        "        except OSError as e:\n"
                        "            if e.errno not in (errno.ENETUNREACH, errno.EINVAL):\n"
                        "                print(address, e)\n"
                        "        s.close()\n"
                        "try:\n"
                        "    socket.create_connection(('169.254.169.254', 80), 30)\n"
                        "except OSError as e:\n"
                        "    print(errno.errorcode[e.errno])\n",
                  "ENETUNREACH\n");
    assert_true(fri_now_ns() - began < 15 * FRI_NS_PER_S);
    fr_executor_close(ex);
}

static void test_broadcast_reaches_nobody(void **state)
{
    (void)state;
    expect(GUARD "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                 "s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)\n"
                 "try:\n"
                 "    s.sendto(b'x', ('255.255.255.255', 9))\n"
                 "except OSError as e:\n"
                 "    print(errno.errorcode[e.errno])\n",
           "ENETUNREACH\n");
}

/* A listener in this process; connecting to it from here works, or the test would show nothing. */
static int listen_at(const void *address, socklen_t n, int family)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, address, n), 0);
    assert_int_equal(listen(fd, 16), 0);
    return fd;
}

static void connect_here(const void *address, socklen_t n, int family)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, address, n), 0);
    close(fd);
}

static void test_loopback_of_the_host(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(address);
    char code[1024];
    int fd = listen_at(&address, n, AF_INET);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &n), 0);
    connect_here(&address, n, AF_INET);
    snprintf(code, sizeof(code),
             GUARD "for host in '127.0.0.1', '127.0.0.2', 'localhost', '0.0.0.0', '::1':\n"
                   "    try:\n"
                   "        socket.create_connection((host, %d), 30)\n"
                   "        print('connected')\n"
                   "    except OSError as e:\n"
                   "        print(errno.errorcode[e.errno])\n",
             ntohs(address.sin_port));
    expect(code, "ECONNREFUSED\nECONNREFUSED\nECONNREFUSED\nECONNREFUSED\nECONNREFUSED\n");
    close(fd);
}

static void test_abstract_sockets_of_the_host(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char code[1024];
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "fencerun-test-%d",
                          (int)getpid());
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = listen_at(&address, n, AF_UNIX);
    connect_here(&address, n, AF_UNIX);
    snprintf(code, sizeof(code),
             GUARD "try:\n"
                   "    socket.socket(socket.AF_UNIX).connect('\\0%s')\n"
                   "    print('connected')\n"
                   "except OSError as e:\n"
                   "    print(errno.errorcode[e.errno])\n"
                   "print(open('/proc/self/net/unix').read().count('\\n'))\n",
             address.sun_path + 1);
    expect(code, "ECONNREFUSED\n1\n");
    close(fd);
}

/* Given the network, the run could reach what listens there without an address (D-Bus, container runtimes), but for
 * Landlock, which can forbid that since its version 6. */
static void test_abstract_sockets_with_the_network(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "fencerun-net-%d",
                          (int)getpid());
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = listen_at(&address, n, AF_UNIX);
    connect_here(&address, n, AF_UNIX);
    char code[512];
    snprintf(code, sizeof(code),
             "import errno, socket\n"
             "try:\n"
             "    socket.socket(socket.AF_UNIX).connect('\\0%s')\n"
             "    print('connected')\n"
             "except OSError as e:\n"
             "    print(errno.errorcode[e.errno])\n",
             address.sun_path + 1);
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.network = 1;
    fr_executor *ex = open_executor("sandbox", &o);
    int is_scoped = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 6;
    expect_output(ex, code, is_scoped ? "EPERM\n" : "connected\n");
    fr_executor_close(ex);
    close(fd);
}

static void test_loopback_inside_works(void **state)
{
    (void)state;
    expect(GUARD "import threading\n"
                 "def serve(s):\n"
                 "    c = s.accept()[0]\n"
                 "    c.sendall(c.recv(10).upper())\n"
                 "    c.close()\n"
                 "for host in '127.0.0.1', '::1', 'localhost', 'sandbox':\n"
                 "    family = socket.AF_INET6 if ':' in host else socket.AF_INET\n"
                 "    s = socket.create_server((host, 0), family=family)\n"
                 "    threading.Thread(target=serve, args=(s,)).start()\n"
                 "    c = socket.create_connection(s.getsockname()[:2], 30)\n"
                 "    c.sendall(b'hello')\n"
                 "    print(c.recv(10))\n"
                 "a, b = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]\n"
                 "a.bind(('127.0.0.1', 0))\n"
                 "b.sendto(b'datagram', a.getsockname())\n"
                 "print(a.recv(20))\n"
                 "x, y = socket.socketpair()\n"
                 "x.send(b'pair')\n"
                 "print(y.recv(10))\n",
           "b'HELLO'\nb'HELLO'\nb'HELLO'\nb'HELLO'\nb'datagram'\nb'pair'\n");
}

static void test_the_interface_cannot_be_changed(void **state)
{
    (void)state;
    expect(GUARD "import fcntl\n"
                 "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                 "for request in 0x8914, 0x8916, 0x890b, 0x8946, 0x89f0, 0x8922:\n"
                 "    try:\n"
                 "        fcntl.ioctl(s, request, b'lo' + bytes(38))\n"
                 "        print('done', hex(request))\n"
                 "    except OSError as e:\n"
                 "        if e.errno not in (errno.ENOSYS, errno.EPERM):\n"
                 "            print(hex(request), e)\n"
                 "for level, option in (1, 25), (1, 12), (1, 33), (0, 64), (41, 64):\n"
                 "    try:\n"
                 "        s.setsockopt(level, option, b'lo' + bytes(38))\n"
                 "        if option != 25:\n"
                 "            print('set', level, option)\n"
                 "    except OSError:\n"
                 "        pass\n",
           "");
}

/* What is asked for is given and said; nothing is connected to here. */
static void test_network_when_asked_for(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.network = 1;
    fr_executor *ex = open_executor("sandbox", &o);
    fr_code_result *r = execute(ex, INTERFACES "print(len(names))\n");
    int count = 0, mine = -2;
    assert_int_equal(r->outcome, FR_OUTCOME_OK);
    assert_true(r->receipt->network);
    FILE *f = fopen("/proc/self/net/dev", "re");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        mine += c == '\n';
    fclose(f);
    assert_int_equal(sscanf(r->out.p, "%d", &count), 1);
    assert_int_equal(count, mine);
    fr_code_result_free(r);
    fr_executor_close(ex);
    ex = open_executor("sandbox", NULL);
    r = execute(ex, "");
    assert_false(r->receipt->network);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_one_interface_and_no_way_out),
        leaks_test(test_addresses_beyond_fail_at_once),
        leaks_test(test_broadcast_reaches_nobody),
        leaks_test(test_loopback_of_the_host),
        leaks_test(test_abstract_sockets_of_the_host),
        leaks_test(test_abstract_sockets_with_the_network),
        leaks_test(test_loopback_inside_works),
        leaks_test(test_the_interface_cannot_be_changed),
        leaks_test(test_network_when_asked_for),
    };
    return user_run_tests(argc, argv, tests);
}
