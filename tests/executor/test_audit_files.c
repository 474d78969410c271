/* SPDX-License-Identifier: MIT */
/* Audit logs and the system below them: what is no log, what goes away, what is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/executor/audit_log.h"
#include "tests/support/user.h"

static int start(fr_audit *a, fr_error *err)
{
    fr_audit_mark mark;
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_cstr("print(1)\n");
    return fr_audit_started(a, &in, "x", &mark, err);
}

/* ---- What is no log ---- */

static void expect_refused(const char *path, int code, const char *text)
{
    fr_error err = FR_ERROR_INIT;
    fr_audit *a = NULL;
    assert_int_equal(fr_audit_open(path, 0, &a, &err), code);
    assert_null(a);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in '%s'", text, err.text);
}

static void expect_unreadable(const char *path, int code, const char *text)
{
    fr_error err = FR_ERROR_INIT;
    fr_audit_summary sum;
    assert_int_equal(fr_audit_verify(path, NULL, &sum, &err), code);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in '%s'", text, err.text);
}

static int listen_at(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void test_only_regular_files(void **state)
{
    (void)state;
    expect_refused(log_directory, FR_EINVAL, "a directory");
    expect_unreadable(log_directory, FR_EINVAL, "a directory");
    expect_refused("/dev/null", FR_EINVAL, "a device");
    expect_refused("/dev/full", FR_EINVAL, "a device");
    expect_refused("", FR_EINVAL, "no path");
    expect_refused(NULL, FR_EINVAL, "no path");
    /* Nobody is at the other end, which must not keep us. */
    assert_int_equal(mkfifo(log_path, 0600), 0);
    expect_refused(log_path, FR_EINVAL, "a FIFO");
    expect_unreadable(log_path, FR_EINVAL, "a FIFO");
    assert_int_equal(unlink(log_path), 0);
    int fd = listen_at(log_path);
    expect_refused(log_path, FR_EINVAL, "a socket");
    close(fd);
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof(path), "%s/none/log", log_directory);
    expect_refused(path, FR_ESYSTEM, "No such file or directory");
    expect_unreadable(path, FR_ENOTFOUND, "No such file or directory");
    expect_unreadable(log_path, FR_ENOTFOUND, log_path);
}

/* Somebody's file stays as it is, down to its last byte. */
static void test_another_file_is_left_alone(void **state)
{
    (void)state;
    static const char *const others[] = {
        "\n",         "{\n  \"seq\": 1\n}\n", "text",         "#!/bin/sh\n",
        "{\"seq\": ", "{\"sequence\":1}\n",   " {\"seq\":1}", "{\"event\":\"started\"}\n",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        log_write(fri_cstr(others[i]));
        expect_refused(log_path, FR_EFORMAT, "is no audit log");
        fri_buf bytes = log_read();
        assert_string_equal(bytes.p, others[i]);
        fri_buf_dispose(&bytes);
    }
}

static void test_flags_nobody_knows(void **state)
{
    (void)state;
    fr_audit *a = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_audit_open(log_path, 6, &a, &err), FR_EINVAL);
    assert_int_equal(access(log_path, F_OK), -1);
}

static void test_an_ordinary_user_may_not(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("SKIPPED: root may\n");
        return;
    }
    log_append_one();
    assert_int_equal(chmod(log_path, 0400), 0);
    expect_refused(log_path, FR_ESYSTEM, "Permission denied");
    log_expect_holds(1);
    assert_int_equal(chmod(log_path, 0), 0);
    expect_unreadable(log_path, FR_ENOTFOUND, "Permission denied");
    assert_int_equal(unlink(log_path), 0);
    assert_int_equal(chmod(log_directory, 0500), 0);
    expect_refused(log_path, FR_ESYSTEM, "Permission denied");
    assert_int_equal(chmod(log_directory, 0300), 0); /* one may make files there, and not look */
    fr_audit *a = NULL;
    assert_int_equal(fr_audit_open(log_path, 0, &a, NULL), 0);
    assert_int_equal(start(a, NULL), 0);
    fr_audit_close(a);
    assert_int_equal(chmod(log_directory, 0700), 0);
}

/* ---- Arguments ---- */

static void test_arguments_that_make_no_record(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT, failure = FR_ERROR_INIT;
    fr_audit_mark mark = {0, ""}, far = {2, ""};
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = log_result("");
    fr_audit *a = log_open();
    fr_fail(&failure, FR_EUNAVAILABLE, 0, "no");
    assert_int_equal(fr_audit_started(a, &in, NULL, &mark, &err), FR_EINVAL);
    in.struct_size = 0;
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, &err), FR_EINVAL);
    assert_int_equal(fr_audit_ended(a, &mark, r, NULL, NULL, &err), FR_EINVAL);
    assert_int_equal(fr_audit_ended(a, NULL, r, NULL, NULL, &err), FR_EINVAL);
    in = (fr_code_input)FR_CODE_INPUT_INIT;
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, NULL), 0);
    assert_int_equal(fr_audit_ended(a, &mark, NULL, NULL, NULL, &err), FR_EINVAL);
    assert_int_equal(fr_audit_ended(a, &mark, r, &failure, NULL, &err), FR_EINVAL);
    assert_int_equal(fr_audit_ended(a, &far, r, NULL, NULL, &err), FR_EINVAL);
    assert_non_null(strstr(err.text, "no run that began here as record 2"));
    assert_int_equal(fr_audit_ended(a, &mark, r, NULL, NULL, &err), 0);
    assert_int_equal(fr_audit_ended(a, &mark, r, NULL, NULL, &err), FR_EINVAL);
    fr_audit_close(a);
    fr_audit_close(NULL);
    fr_code_result_free(r);
    log_expect_holds(2);
}

/* As callers that were built with an older header have it, and with a newer one. */
static void test_invocations_of_another_size(void **state)
{
    (void)state;
    fr_audit_mark mark;
    fr_error err = FR_ERROR_INIT;
    fr_invocation of = FR_INVOCATION_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_audit *a = log_open();
    of.app = "known";
    of.function_call = "not there yet";
    in.invocation = &of;
    of.struct_size = offsetof(fr_invocation, function_call);
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, NULL), 0);
    struct {
        fr_invocation known;
        const char *more;
    } newer = {of, "unknown"};
    newer.known.struct_size = sizeof(newer);
    in.invocation = &newer.known;
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, &err), FR_EABI);
    in.struct_size = offsetof(fr_code_input, invocation); /* from before there was one */
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, NULL), 0);
    fr_audit_close(a);
    fri_buf bytes = log_read();
    assert_non_null(strstr(bytes.p, "\"invocation\":{\"app\":\"known\"},"));
    assert_non_null(strstr(bytes.p, "\"invocation\":{},"));
    fri_buf_dispose(&bytes);
}

static fr_audit *opened_before;

static int start_in_child(void)
{
    fr_error err = FR_ERROR_INIT;
    fr_audit *a = NULL;
    if (start(opened_before, &err) != FR_EINVAL || !strstr(err.text, "before a fork"))
        return 1;
    if (fr_audit_open(log_path, FR_AUDIT_NO_SYNC, &a, &err) || start(a, &err))
        return 2;
    fr_audit_close(a);
    return 0;
}

static void test_a_forked_child_needs_its_own(void **state)
{
    (void)state;
    opened_before = log_open();
    log_in_child(start_in_child);
    assert_int_equal(start(opened_before, NULL), 0);
    fr_audit_close(opened_before);
    log_expect_holds(2);
}

/* ---- Files that change behind our back ---- */

static void test_a_file_that_was_deleted(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    fr_audit *a = log_open();
    assert_int_equal(start(a, NULL), 0);
    assert_int_equal(unlink(log_path), 0);
    assert_int_equal(start(a, &err), FR_ESYSTEM);
    assert_non_null(strstr(err.text, "was deleted"));
    fr_audit_close(a);
}

static void test_a_file_that_was_renamed_goes_on(void **state)
{
    (void)state;
    char elsewhere[128];
    snprintf(elsewhere, sizeof(elsewhere), "%s/old", log_directory);
    fr_audit *a = log_open();
    assert_int_equal(start(a, NULL), 0);
    assert_int_equal(rename(log_path, elsewhere), 0);
    assert_int_equal(start(a, NULL), 0);
    fr_audit_close(a);
    log_append_one(); /* a new one in its place */
    log_expect_holds(1);
    assert_int_equal(rename(elsewhere, log_path), 0);
    log_expect_holds(2);
}

static void test_a_file_that_was_cut_off(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    fr_audit *a = log_open();
    assert_int_equal(start(a, NULL), 0);
    struct stat one;
    assert_int_equal(stat(log_path, &one), 0);
    assert_int_equal(start(a, NULL), 0);
    assert_int_equal(truncate(log_path, one.st_size), 0);
    assert_int_equal(start(a, &err), FR_ESYSTEM);
    assert_non_null(strstr(err.text, "record 2 is no longer where it was"));
    fr_audit_close(a);
    log_append_one();
    log_expect_holds(2);
}

/* By somebody who writes records of his own there, shorter and longer than those that were. */
static void test_a_file_that_was_written_anew(void **state)
{
    (void)state;
    for (size_t others = 1; others < 5; others++) {
        fr_error err = FR_ERROR_INIT;
        fr_audit_mark mark;
        fr_code_input in = FR_CODE_INPUT_INIT;
        in.code = fri_cstr("print(1)\n");
        log_write((fr_str){"", 0});
        fr_audit *a = log_open();
        assert_int_equal(fr_audit_started(a, &in, "x", &mark, NULL), 0);
        assert_int_equal(truncate(log_path, 0), 0);
        for (size_t i = 0; i < others; i++)
            log_append_one();
        fr_code_result *r = log_result("1\n");
        assert_int_equal(fr_audit_ended(a, &mark, r, NULL, NULL, &err), FR_ESYSTEM);
        assert_non_null(strstr(err.text, "record 1 is no longer where it was"));
        fr_code_result_free(r);
        fr_audit_close(a);
        log_expect_holds(others);
    }
}

/* ---- No room ---- */

#define SMALL "65536"

static char small_log[128];

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* A file system of 64 KiB on the directory, in namespaces of our own. */
static int mount_small(void)
{
    char map[64];
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return -1;
    snprintf(map, sizeof(map), "0 %u 1", (unsigned)uid);
    if (write_file("/proc/self/setgroups", "deny") || write_file("/proc/self/uid_map", map))
        return -1;
    snprintf(map, sizeof(map), "0 %u 1", (unsigned)gid);
    if (write_file("/proc/self/gid_map", map))
        return -1;
    return mount("small", log_directory, "tmpfs", 0, "size=" SMALL);
}

static off_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) ? -1 : st.st_size;
}

/* Appends until that fails, which must be for want of room and leave nothing behind. */
static int fill(fr_audit *a, int cause, const char *text)
{
    fr_error err = FR_ERROR_INIT;
    off_t size = size_of(small_log);
    for (int i = 0; i < 1000; i++) {
        if (start(a, &err))
            return err.sys_errno == cause && strstr(err.text, text) && size_of(small_log) == size;
        size = size_of(small_log);
    }
    return 0;
}

static int holds(void)
{
    fr_audit_summary sum;
    return fr_audit_verify(small_log, NULL, &sum, NULL) == 0 && sum.broken_line == 0 &&
           sum.torn == 0;
}

static int fill_the_disk(void)
{
    char ballast[128];
    fr_audit *a = NULL;
    if (mount_small())
        return 1;
    snprintf(ballast, sizeof(ballast), "%s/ballast", log_directory);
    int fd = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || fallocate(fd, 0, 0, 40000) || close(fd))
        return 2;
    if (fr_audit_open(small_log, 0, &a, NULL))
        return 3;
    if (!fill(a, ENOSPC, "make room") || !holds())
        return 4;
    if (start(a, NULL) == 0) /* still full */
        return 5;
    if (unlink(ballast) || start(a, NULL) || !holds())
        return 6;
    fr_audit_close(a);
    return 0;
}

static void test_a_full_disk(void **state)
{
    (void)state;
    snprintf(small_log, sizeof(small_log), "%s/small", log_directory);
    log_in_child(fill_the_disk);
}

static int reach_the_limit(void)
{
    struct rlimit small = {10000, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    fr_audit *a = NULL;
    signal(SIGXFSZ, SIG_IGN);
    if (fr_audit_open(small_log, 0, &a, NULL) || setrlimit(RLIMIT_FSIZE, &small))
        return 1;
    if (!fill(a, EFBIG, "raise the file size limit") || !holds())
        return 2;
    if (setrlimit(RLIMIT_FSIZE, &none) || start(a, NULL) || !holds())
        return 3;
    fr_audit_close(a);
    return 0;
}

static void test_a_file_size_limit(void **state)
{
    (void)state;
    snprintf(small_log, sizeof(small_log), "%s/small", log_directory);
    log_in_child(reach_the_limit);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        log_test(test_only_regular_files),
        log_test(test_what_is_not_there),
        log_test(test_another_file_is_left_alone),
        log_test(test_flags_nobody_knows),
        log_test(test_an_ordinary_user_may_not),
        log_test(test_arguments_that_make_no_record),
        log_test(test_invocations_of_another_size),
        log_test(test_a_forked_child_needs_its_own),
        log_test(test_a_file_that_was_deleted),
        log_test(test_a_file_that_was_renamed_goes_on),
        log_test(test_a_file_that_was_cut_off),
        log_test(test_a_file_that_was_written_anew),
        log_test(test_a_full_disk),
        log_test(test_a_file_size_limit),
    };
    return user_run_tests(argc, argv, tests);
}
