/* SPDX-License-Identifier: MIT */
/* What is written into an audit log, and how it is continued. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "tests/executor/audit_log.h"
#include "tests/executor/puppet.h"
#include "tests/support/torture.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

/* ---- The format ---- */

static void hex_of(fr_str bytes, char hex[65])
{
    unsigned char digest[FRI_SHA256_BYTES];
    assert_int_equal(fri_sha256(bytes, digest, NULL), 0);
    for (size_t i = 0; i < FRI_SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* Checks the time and the two hashes at the end of a line, and puts letters in their place. */
static void mask(char *line, const char *prev, char hash[65])
{
    int64_t us;
    char *time = strstr(line, "\"time\":\"") + 8;
    assert_int_equal(fri_timestamp_read(fri_str(time, FRI_TIMESTAMP_LENGTH), &us), 0);
    assert_in_range(fri_wall_us() - us, 0, 60000000);
    memset(time, 'T', FRI_TIMESTAMP_LENGTH);
    size_t n = strlen(line);
    assert_memory_equal(line + n - 66, hash, 64);
    memset(line + n - 66, 'H', 64);
    assert_memory_equal(line + n - 140, prev, 64);
    memset(line + n - 140, 'P', 64);
}

#define T     "TTTTTTTTTTTTTTTTTTTTTTTTTTT"
#define P     "PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP"
#define H     "HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH"
#define CHAIN ",\"prev\":\"" P "\",\"hash\":\"" H "\"}"

static const char *const expected[] = {
    "{\"seq\":1,\"time\":\"" T "\",\"event\":\"started\",\"executor\":\"puppet\","
    "\"language\":\"python\",\"invocation\":{\"app\":\"shop\",\"user\":\"ann \\\"a\\\"\","
    "\"session\":\"s1\",\"id\":\"e-1\",\"agent\":\"root\",\"branch\":\"root.sub\","
    "\"function_call\":\"f1\"},\"code\":\"print(1)\\n\",\"code_sha256\":"
    "\"cc42155088fca5730758db72b2a5bca33112a941dfaa2d43098ec422ce4ea213\",\"timeout_ms\":5000" CHAIN,
    "{\"seq\":2,\"time\":\"" T
    "\",\"event\":\"ended\",\"run\":1,\"outcome\":\"ok\",\"exit_code\":0,"
    "\"signal\":null,\"stdout\":\"1\\n\",\"stderr\":\"\",\"receipt\":{\"executor\":\"puppet\","
    "\"language\":\"python\",\"interpreter\":\"\",\"interpreter_version\":\"\",\"network\":false,\"queue_ns\":500,\"start_ns\":1000,"
    "\"run_ns\":2000,\"collect_ns\":3000,\"cpu_user_ns\":null,\"cpu_system_ns\":null,\"peak_memory_bytes\":null,"
    "\"peak_processes\":null,\"oom_events\":null,"
    "\"stdout\":{\"bytes_written\":2,\"bytes_kept\":2,\"invalid_utf8\":0},"
    "\"stderr\":{\"bytes_written\":0,\"bytes_kept\":0,\"invalid_utf8\":0},\"limits\":{}}" CHAIN,
    "{\"seq\":3,\"time\":\"" T "\",\"event\":\"started\",\"executor\":\"puppet\",\"language\":null,"
    "\"invocation\":{},\"code\":\"a\xef\xbf\xbd\\u0000b\",\"code_sha256\":"
    "\"0c217938c8e25d497c12546aa8d4f315431caf754424d3421ae22022594af1f3\","
    "\"code_base64\":\"Yf8AYg==\",\"timeout_ms\":null" CHAIN,
    "{\"seq\":4,\"time\":\"" T "\",\"event\":\"failed\",\"run\":3,\"error\":\"FR_EUNAVAILABLE\","
    "\"message\":\"engine is down\"" CHAIN,
};

static void write_expected_runs(fr_audit *a, fr_audit_mark marks[4])
{
    fr_invocation of = FR_INVOCATION_INIT;
    of.app = "shop";
    of.user = "ann \"a\"";
    of.session = "s1";
    of.id = "e-1";
    of.agent = "root";
    of.branch = "root.sub";
    of.function_call = "f1";
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_cstr("print(1)\n");
    in.language = "python";
    in.timeout_ms = 5000;
    in.invocation = &of;
    fr_code_result *r = log_result("1\n");
    assert_int_equal(fr_audit_started(a, &in, "puppet", &marks[0], NULL), 0);
    assert_int_equal(fr_audit_ended(a, &marks[0], r, NULL, &marks[1], NULL), 0);
    fr_code_result_free(r);

    const fr_code_input raw = {.struct_size = sizeof(raw), .code = {"a\xff\0b", 4}};
    fr_error failure = FR_ERROR_INIT;
    fr_fail(&failure, FR_EUNAVAILABLE, 0, "engine is down");
    assert_int_equal(fr_audit_started(a, &raw, "puppet", &marks[2], NULL), 0);
    assert_int_equal(fr_audit_ended(a, &marks[2], NULL, &failure, &marks[3], NULL), 0);
}

static void test_the_format_to_the_byte(void **state)
{
    (void)state;
    fr_audit_mark marks[4];
    fr_audit *a = log_open();
    write_expected_runs(a, marks);
    fr_audit_close(a);
    fri_buf bytes = log_read();
    char *line = bytes.p;
    for (size_t i = 0; i < 4; i++) {
        char hash[65];
        char *lf = strchr(line, '\n');
        *lf = '\0';
        char *hashed = strstr(line, ",\"hash\":\"");
        hex_of(fri_str(line, (size_t)(hashed - line)), hash);
        assert_int_equal(marks[i].sequence, i + 1);
        assert_string_equal(marks[i].hash, hash);
        mask(line, i ? marks[i - 1].hash : ZEROS, hash);
        assert_string_equal(line, expected[i]);
        line = lf + 1;
    }
    assert_ptr_equal(line, bytes.p + bytes.n);
    fri_buf_dispose(&bytes);
    log_expect_holds(4);
}

static void test_the_file_is_for_its_owner_alone(void **state)
{
    (void)state;
    struct stat st;
    mode_t before = umask(0);
    log_append_one();
    umask(before);
    assert_int_equal(stat(log_path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

/* ---- Bytes that would be something else ---- */

static const char hostile[] =
    "\n{\"seq\":9,\"event\":\"started\"}\n\r\n\x1b[2J\xe2\x80\xa8\xe2\x80\xa9\x7f\xc2\x85\""
    ",\"prev\":\"" ZEROS "\",\"hash\":\"" ZEROS "\"}\n\\u000a\t\b\f\\";

typedef struct seen {
    size_t lines;
    fri_buf code, out;
    char event[8][16];
    uint64_t run[8];
} seen;

static int see(void *user, const fr_audit_record *r)
{
    seen *s = user;
    fri_buf_append(&s->code, r->code.p, r->code.n);
    fri_buf_append(&s->out, r->out.p, r->out.n);
    snprintf(s->event[s->lines], sizeof(s->event[0]), "%s", r->event);
    s->run[s->lines++] = r->run;
    return s->lines == 8;
}

static seen see_all(void)
{
    seen s = {.lines = 0};
    fri_buf_init(&s.code, (size_t)1 << 30);
    fri_buf_init(&s.out, (size_t)1 << 30);
    assert_int_equal(fr_audit_each(log_path, see, &s, NULL), 0);
    return s;
}

static void seen_dispose(seen *s)
{
    fri_buf_dispose(&s->code);
    fri_buf_dispose(&s->out);
}

static void test_no_output_can_make_a_line_of_its_own(void **state)
{
    (void)state;
    size_t ends[8];
    fr_audit *a = log_open();
    log_run(a, hostile, hostile);
    fr_audit_close(a);
    fri_buf bytes = log_read();
    assert_int_equal(log_line_ends(fri_buf_str(&bytes), ends, 8), 2);
    for (size_t i = 0; i < bytes.n; i++)
        assert_true((unsigned char)bytes.p[i] >= 0x20 || bytes.p[i] == '\n');
    assert_null(strstr(bytes.p, "\x7f"));
    assert_null(strstr(bytes.p, "\xe2\x80\xa8"));
    assert_null(strstr(bytes.p, "\xe2\x80\xa9"));
    fri_buf_dispose(&bytes);
    log_expect_holds(2);

    seen s = see_all();
    assert_int_equal(s.lines, 2);
    assert_string_equal(s.code.p, hostile);
    assert_string_equal(s.out.p, hostile);
    seen_dispose(&s);
}

static void test_code_that_is_no_text_comes_back_as_it_was(void **state)
{
    (void)state;
    char all[512];
    for (size_t i = 0; i < sizeof(all); i++)
        all[i] = (char)i;
    for (size_t n = 0; n <= sizeof(all); n += 64) {
        fr_code_input in = FR_CODE_INPUT_INIT;
        in.code = fri_str(n ? all : NULL, n);
        fr_audit *a = log_open();
        fr_audit_mark mark;
        assert_int_equal(fr_audit_started(a, &in, "x", &mark, NULL), 0);
        fr_audit_close(a);
        seen s = see_all();
        assert_int_equal(s.code.n, n);
        assert_memory_equal(s.code.p, all, n);
        seen_dispose(&s);
        log_expect_holds(1);
        assert_int_equal(unlink(log_path), 0);
    }
}

static void test_a_record_that_is_too_long_is_refused(void **state)
{
    (void)state;
    fr_audit_mark mark = log_append_one();
    size_t n = FRI_MAX_AUDIT_RECORD - 200;
    char *code = malloc(n);
    assert_non_null(code);
    memset(code, 'x', n);
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = fri_str(code, n);
    fr_error err = FR_ERROR_INIT;
    fr_audit *a = log_open();
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, &err), FR_ELIMIT);
    assert_non_null(strstr(err.text, "67108864"));
    in.code.n -= 400;
    assert_int_equal(fr_audit_started(a, &in, "x", &mark, &err), 0);
    fr_audit_close(a);
    free(code);
    log_append_one(); /* finds its way back over all of it */
    log_expect_holds(3);
}

/* ---- Continuing ---- */

static void test_two_that_take_turns(void **state)
{
    (void)state;
    fr_audit *a = log_open(), *b = log_open();
    for (int i = 0; i < 6; i++) {
        log_run(a, "a", "1");
        log_run(b, "b", "2");
        log_run(b, "c", "3");
    }
    fr_audit_close(a);
    log_run(b, "d", "4");
    fr_audit_close(b);
    fr_audit_summary sum = log_expect_holds(38);
    assert_int_equal(sum.runs, 19);
    assert_int_equal(sum.runs_without_end, 0);
}

static void test_runs_that_overlap(void **state)
{
    (void)state;
    fr_audit_mark marks[100];
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_audit *a = log_open();
    fr_code_result *r = log_result("");
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(fr_audit_started(a, &in, "x", &marks[i], NULL), 0);
    for (size_t i = 0; i < 99; i++) /* 37 is prime to 100: every one but the last, far apart */
        assert_int_equal(fr_audit_ended(a, &marks[i * 37 % 100], r, NULL, NULL, NULL), 0);
    fr_code_result_free(r);
    fr_audit_close(a);
    fr_audit_summary sum = log_expect_holds(199);
    assert_int_equal(sum.runs_without_end, 1);
    assert_int_equal(sum.first_without_end, 99 * 37 % 100 + 1);
}

/* ---- Writes that were cut off ---- */

/* As far as a writer got who was killed: whatever it left, the next one goes on, and all of it is in the
 * chain. */
static void test_cut_off_at_every_byte(void **state)
{
    (void)state;
    fr_audit_mark marks[4];
    size_t ends[8], whole = 0;
    fr_audit *a = log_open();
    write_expected_runs(a, marks);
    fr_audit_close(a);
    fri_buf bytes = log_read();
    assert_int_equal(log_line_ends(fri_buf_str(&bytes), ends, 8), 4);
    for (size_t n = 0; n <= bytes.n; n++) {
        /* All of a record but its line feed is a record. */
        whole += whole < 4 && n + 1 >= ends[whole];
        size_t piece = whole && n < ends[whole - 1] ? 0 : n - (whole ? ends[whole - 1] : 0);
        log_write(fri_str(bytes.p, n));
        fr_audit_mark mark = log_append_one();
        assert_int_equal(mark.sequence, whole + 1);
        fr_audit_summary sum = log_expect_holds(whole + 1);
        assert_int_equal(sum.torn, piece > 0);
        assert_string_equal(sum.head.hash, mark.hash);
    }
    fri_buf_dispose(&bytes);
}

/* And the one who goes on may be cut off as well, and the next. */
static void test_cut_off_again_and_again(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 700; cut += 3) {
        fr_audit *a = log_open();
        log_run(a, "x", "y");
        fr_audit_close(a);
        for (size_t again = 0; again < 4; again++) {
            fri_buf bytes = log_read();
            log_append_one();
            fri_buf longer = log_read();
            size_t n = bytes.n + cut * (again + 1) / 4;
            log_write(fri_str(longer.p, n < longer.n ? n : longer.n));
            fri_buf_dispose(&bytes);
            fri_buf_dispose(&longer);
        }
        log_append_one();
        fr_audit_summary sum = log_verify(NULL);
        assert_string_equal(sum.broken, "");
        assert_int_equal(unlink(log_path), 0);
    }
}

static void append_bytes(const char *p, size_t n)
{
    fri_buf bytes = log_read();
    fri_buf_append(&bytes, p, n);
    log_write(fri_buf_str(&bytes));
    fri_buf_dispose(&bytes);
}

/* Also what no writer of ours would leave, and more than is looked at first. */
static void test_junk_at_the_end(void **state)
{
    (void)state;
    static char junk[100000];
    static const char *const fill[] = {"\n", "x", "{\n", "x\n\n", "{\"seq\":1,"};
    size_t torn = 0;
    log_append_one();
    for (size_t f = 0; f < sizeof(fill) / sizeof(fill[0]); f++)
        for (size_t n = 1; n <= sizeof(junk); n *= 10) {
            for (size_t i = 0; i < n; i++)
                junk[i] = fill[f][i % strlen(fill[f])];
            append_bytes(junk, n);
            log_append_one();
            torn++;
            assert_int_equal(log_expect_holds(torn + 1).torn, torn);
        }
}

static void test_the_record_tells_of_the_torn_piece(void **state)
{
    (void)state;
    log_append_one();
    append_bytes("{\"se", 4);
    log_append_one();
    fri_buf bytes = log_read();
    assert_non_null(strstr(
        bytes.p,
        "\"event\":\"started\",\"torn\":{\"bytes\":4,\"sha256\":\""
        "1fae4d0b49fbbcd70a0599598a1973d441aada03bb4e27abd93a6cd35a4e79e5\"},\"executor\":"));
    fri_buf_dispose(&bytes);
}

static void test_too_much_junk_is_refused(void **state)
{
    (void)state;
    fr_error err = FR_ERROR_INIT;
    fr_audit *a = NULL;
    log_append_one();
    assert_int_equal(truncate(log_path, (off_t)(2 * FRI_MAX_AUDIT_RECORD + 8192)), 0);
    assert_int_equal(fr_audit_open(log_path, 0, &a, &err), FR_EFORMAT);
    assert_non_null(strstr(err.text, "no records"));
    fr_audit_summary sum = log_verify(NULL);
    assert_int_equal(sum.records, 1);
    assert_int_equal(sum.broken_line, 2);
}

/* ---- Out of memory ---- */

static int write_a_run(void *user, fr_error *err)
{
    const fr_code_input raw = {.struct_size = sizeof(raw), .code = {"a\xff\0b", 4}};
    fr_audit *a = NULL;
    fr_audit_mark mark;
    (void)user;
    int rc = fr_audit_open(log_path, 0, &a, err);
    if (rc == 0)
        rc = fr_audit_started(a, &raw, "x", &mark, err);
    fr_audit_close(a);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(write_a_run, NULL) > 4);
    assert_true(torture(write_a_run, NULL) > 4); /* a log that is there already */
    log_expect_holds(log_verify(NULL).records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_test(test_the_format_to_the_byte),
        log_test(test_the_file_is_for_its_owner_alone),
        log_test(test_no_output_can_make_a_line_of_its_own),
        log_test(test_code_that_is_no_text_comes_back_as_it_was),
        log_test(test_a_record_that_is_too_long_is_refused),
        log_test(test_two_that_take_turns),
        log_test(test_runs_that_overlap),
        log_test(test_cut_off_at_every_byte),
        log_test(test_cut_off_again_and_again),
        log_test(test_junk_at_the_end),
        log_test(test_the_record_tells_of_the_torn_piece),
        log_test(test_too_much_junk_is_refused),
        log_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
