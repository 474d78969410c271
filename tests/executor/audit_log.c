/* SPDX-License-Identifier: MIT */
#include "tests/executor/audit_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/str.h"
#include "tests/executor/puppet.h"
#include "tests/support/leaks.h"

char log_directory[64];
char log_path[96];

int log_setup(void **state)
{
    puppet_register();
    snprintf(log_directory, sizeof(log_directory), "/tmp/fencerun-audit-XXXXXX");
    if (!mkdtemp(log_directory))
        return -1;
    snprintf(log_path, sizeof(log_path), "%s/log", log_directory);
    return leaks_note(state);
}

int log_teardown(void **state)
{
    int leaked = leaks_check(state);
    DIR *dir = opendir(log_directory);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.' && unlinkat(dirfd(dir), e->d_name, 0))
            unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
    if (dir)
        closedir(dir);
    return rmdir(log_directory) || leaked ? -1 : 0;
}

fri_buf log_read(void)
{
    fri_buf bytes;
    fri_buf_init(&bytes, (size_t)1 << 30);
    int fd = open(log_path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (ssize_t n = 1; n > 0; fri_buf_grow(&bytes, (size_t)n)) {
        char *room = fri_buf_reserve(&bytes, 65536);
        assert_non_null(room);
        n = read(fd, room, 65536);
        assert_true(n >= 0);
    }
    close(fd);
    return bytes;
}

void log_write(fr_str bytes)
{
    int fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fri_write_all(fd, bytes.p, bytes.n), 0);
    close(fd);
}

fr_audit *log_open(void)
{
    fr_audit *a = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_audit_open(log_path, FR_AUDIT_NO_SYNC, &a, &err))
        fail_msg("%s", err.text);
    return a;
}

static int print(fr_call *call, void *user, fr_error *err)
{
    fr_receipt *receipt = fr_result_receipt(call);
    receipt->queue_ns = 500;
    receipt->start_ns = 1000;
    receipt->run_ns = 2000;
    receipt->collect_ns = 3000;
    fr_result_exited(call, 0);
    return fr_result_write(call, FR_STDOUT, user, strlen(user), err);
}

fr_code_result *log_result(const char *out)
{
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    if (puppet_execute(print, (void *)(uintptr_t)out, &r, &err))
        fail_msg("%s", err.text);
    return r;
}

static fr_audit_mark start(fr_audit *a, const char *code)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_audit_mark mark;
    fr_error err = FR_ERROR_INIT;
    in.code = fri_cstr(code);
    if (fr_audit_started(a, &in, "puppet", &mark, &err))
        fail_msg("%s", err.text);
    return mark;
}

void log_run(fr_audit *a, const char *code, const char *out)
{
    fr_error err = FR_ERROR_INIT;
    fr_audit_mark mark = start(a, code);
    fr_code_result *r = log_result(out);
    if (fr_audit_ended(a, &mark, r, NULL, NULL, &err))
        fail_msg("%s", err.text);
    fr_code_result_free(r);
}

fr_audit_mark log_append_one(void)
{
    fr_audit *a = log_open();
    fr_audit_mark mark = start(a, "one more");
    fr_audit_close(a);
    return mark;
}

fr_audit_summary log_verify(const char *anchor)
{
    fr_audit_summary sum;
    fr_error err = FR_ERROR_INIT;
    if (fr_audit_verify(log_path, anchor, &sum, &err))
        fail_msg("%s", err.text);
    return sum;
}

fr_audit_summary log_expect_holds(uint64_t records)
{
    fr_audit_summary sum = log_verify(NULL);
    if (sum.broken_line)
        fail_msg("line %d: %s", (int)sum.broken_line, sum.broken);
    assert_int_equal(sum.records, records);
    assert_int_equal(sum.head.sequence, records);
    return sum;
}

size_t log_line_ends(fr_str bytes, size_t *ends, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes.n; i++)
        if (bytes.p[i] == '\n') {
            assert_true(n < max);
            ends[n++] = i + 1;
        }
    return n;
}

void log_in_child(int (*fn)(void))
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(fn());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}
