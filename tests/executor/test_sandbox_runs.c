/* SPDX-License-Identifier: MIT */
/* Runs beside and after one another: nothing goes from one to another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

/* ---- after one another ---- */

static void test_nothing_stays(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    const char *look =
        "import ctypes, os, resource, socket\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "seen = [os.listdir(p) for p in ('/tmp', '/work', '/dev/shm')]\n"
        "seen += [libc.semget(77, 1, 0)]\n"
        "seen += [os.path.exists('/dev/mqueue'), socket.gethostname(), os.getpid() < 10]\n"
        "seen += [len([p for p in os.listdir('/proc') if p.isdigit()])]\n"
        "seen += [resource.getrlimit(resource.RLIMIT_NOFILE)[0], os.nice(0)]\n"
        "print(seen)\n";
    const char *clean = "[[], [], [], -1, False, 'sandbox', True, 2, 512, 0]\n";
    expect_output(ex, look, clean);
    for (int i = 0; i < 3; i++) {
        expect_output(
            ex,
            "import ctypes, os, resource, socket, time\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "for p in '/tmp/x', '/work/json.py', '/work/sitecustomize.py', '/dev/shm/x':\n"
            "    open(p, 'w').write('print(\"planted\")')\n"
            "os.makedirs('/work/.local/lib/python3.11/site-packages')\n"
            "assert libc.semget(77, 1, 0o1600) >= 0\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
            "os.nice(10)\n"
            "for name in 'sethostname', 'setdomainname':\n"
            "    getattr(libc, name)(b'changed', 7)\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    time.sleep(1000)\n"
            "print('left')\n",
            "left\n");
        expect_output(ex, look, clean);
    }
    fr_executor_close(ex);
}

static void test_no_keyring_is_shared(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    for (int i = 0; i < 2; i++)
        expect_output(ex,
                      "import ctypes\n"
                      "libc = ctypes.CDLL(None, use_errno=True)\n"
                      "for nr in 248, 249, 250:\n"
                      "    print(libc.syscall(nr, b'user', b'name', b'value', 5, -4), "
                      "ctypes.get_errno())\n",
                      "-1 1\n-1 1\n-1 1\n");
    fr_executor_close(ex);
}

/* A run that was stopped leaves a sandbox as clean as one that ended. */
static void test_after_every_kind_of_end(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        int outcome; /* 0: any */
    } ends[] = {
        {"open('/tmp/x', 'w')\nwhile True: pass\n", FR_OUTCOME_TIMEOUT},
        {"open('/tmp/x', 'w')\nwhile True: print('y' * 1000)\n", FR_OUTCOME_OUTPUT_LIMIT},
        {"open('/tmp/x', 'w')\nk = []\nwhile True: k.append(b'x' * 65536)\n", 0},
        {"open('/tmp/x', 'w')\nimport os; os.kill(os.getpid(), 11)\n", FR_OUTCOME_FAILED},
        {"open('/tmp/x', 'w')\nraise SystemExit(9)\n", FR_OUTCOME_FAILED},
    };
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.timeout_ms = 1000;
    o.output_max_bytes = 1 << 20;
    o.memory_bytes = 64 << 20;
    fr_executor *ex = open_executor("sandbox", &o);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        fr_code_result *r = execute(ex, ends[i].code);
        if (ends[i].outcome)
            assert_int_equal(r->outcome, ends[i].outcome);
        else
            assert_int_not_equal(r->outcome, FR_OUTCOME_OK);
        fr_code_result_free(r);
        expect_output(ex, "import os; print(os.listdir('/tmp'), os.listdir('/work'))\n", "[] []\n");
    }
    fr_executor_close(ex);
}

/* The out-of-memory kill of one run is no news in the next. */
static void test_counts_are_of_one_run(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.memory_bytes = 64 << 20;
    fr_executor *ex = open_executor("sandbox", &o);
    fr_code_result *r = execute(ex, "k = []\nwhile True: k.append(b'x' * 65536)\n");
    int counted = r->receipt->oom_events > 0;
    fr_code_result_free(r);
    r = execute(ex, "print(1)\n");
    assert_int_equal(r->outcome, FR_OUTCOME_OK);
    assert_int_equal(r->receipt->oom_events, counted ? 0 : -1);
    assert_true(r->receipt->peak_memory_bytes < 40 << 20);
    assert_true(r->receipt->cpu_user_ns >= 0 && r->receipt->cpu_user_ns < 1000000000);
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* What a run wrote is charged to the limit for as long as the kernel takes to clean up; the next one
 * must not pay for it. */
static void test_memory_of_the_last_run_is_free_again(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.memory_bytes = 64 << 20;
    o.tmp_bytes = 256 << 20;
    fr_executor *ex = open_executor("sandbox", &o);
    for (int i = 0; i < 10; i++) {
        expect_output(
            ex, "f = open('/tmp/x', 'wb')\nfor i in range(44): f.write(bytes(1 << 20))\nprint(1)\n",
            "1\n");
        expect_output(ex, "b = bytearray(44 << 20)\nprint(1)\n", "1\n");
    }
    fr_executor_close(ex);
}

static void test_twenty_in_a_row(void **state)
{
    (void)state;
    fr_executor *ex = open_executor("sandbox", NULL);
    for (int i = 0; i < 20; i++) {
        char code[64], out[16];
        snprintf(code, sizeof(code), "print(%d)\n", i);
        snprintf(out, sizeof(out), "%d\n", i);
        expect_output(ex, code, out);
    }
    fr_executor_close(ex);
}

/* ---- beside one another ---- */

typedef struct beside {
    fr_executor *ex;
    const char *code;
    char out[600];
    pthread_t thread;
} beside;

static void *run_one(void *arg)
{
    beside *b = arg;
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_cstr(b->code);
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_executor_execute(b->ex, &in, &r, &err))
        snprintf(b->out, sizeof(b->out), "%s", err.text);
    else
        snprintf(b->out, sizeof(b->out), "%s%s", r->out.p, r->err.p);
    fr_code_result_free(r);
    return NULL;
}

static void run_beside(beside *all, size_t n)
{
    fr_executor *ex = open_executor("sandbox", NULL);
    for (size_t i = 0; i < n; i++) {
        all[i].ex = ex;
        assert_int_equal(pthread_create(&all[i].thread, NULL, run_one, &all[i]), 0);
    }
    for (size_t i = 0; i < n; i++)
        pthread_join(all[i].thread, NULL);
    fr_executor_close(ex);
}

/* Held until the other has surely done its part: both last as long as a second. */
static void test_two_do_not_share_the_process_limit(void **state)
{
    (void)state;
    const char *code = "import os, signal, time\n"
                       "n = 0\n"
                       "while True:\n"
                       "    try:\n"
                       "        if os.fork() == 0:\n"
                       "            signal.pause()\n"
                       "    except BlockingIOError:\n"
                       "        break\n"
                       "    n += 1\n"
                       "time.sleep(1)\n"
                       "print(n)\n";
    beside two[2] = {{.code = code}, {.code = code}};
    run_beside(two, 2);
    assert_string_equal(two[0].out, "127\n");
    assert_string_equal(two[1].out, "127\n");
}

static void test_two_have_no_place_to_meet(void **state)
{
    (void)state;
    /* Each leaves a mark in every place there is, waits, and looks for marks of the other. */
    static const char meet[] = "import ctypes, os, socket, time\n"
                               "libc = ctypes.CDLL(None, use_errno=True)\n"
                               "me, other = '%s', '%s'\n"
                               "marks = ['/tmp/', '/work/', '/dev/shm/', '\\0']\n"
                               "held = []\n"
                               "for place in marks:\n"
                               "    held.append(socket.socket(socket.AF_UNIX))\n"
                               "    held[-1].bind(place + me)\n"
                               "    held[-1].listen(1)\n"
                               "held.append(socket.create_server(('127.0.0.1', %d)))\n"
                               "libc.msgget(%d, 0o1600)\n"
                               "time.sleep(1)\n"
                               "met = []\n"
                               "for place in marks:\n"
                               "    try:\n"
                               "        socket.socket(socket.AF_UNIX).connect(place + other)\n"
                               "        met.append(place)\n"
                               "    except OSError:\n"
                               "        pass\n"
                               "try:\n"
                               "    met.append(socket.create_connection(('127.0.0.1', %d), 10))\n"
                               "except OSError:\n"
                               "    pass\n"
                               "print(met, libc.msgget(%d, 0))\n";
    char first[1024], second[1024];
    snprintf(first, sizeof(first), meet, "a", "b", 5001, 71, 5002, 72);
    snprintf(second, sizeof(second), meet, "b", "a", 5002, 72, 5001, 71);
    beside two[2] = {{.code = first}, {.code = second}};
    run_beside(two, 2);
    assert_string_equal(two[0].out, "[] -1\n");
    assert_string_equal(two[1].out, "[] -1\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_nothing_stays),
        leaks_test(test_no_keyring_is_shared),
        leaks_test(test_after_every_kind_of_end),
        leaks_test(test_counts_are_of_one_run),
        leaks_test(test_memory_of_the_last_run_is_free_again),
        leaks_test(test_twenty_in_a_row),
        leaks_test(test_two_do_not_share_the_process_limit),
        leaks_test(test_two_have_no_place_to_meet),
    };
    return user_run_tests(argc, argv, tests);
}
