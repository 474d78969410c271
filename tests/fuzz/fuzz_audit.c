/* SPDX-License-Identifier: MIT */
/* Any bytes as an audit log. They can be read, what holds is made of records, and a log that holds still
 * does when it is continued. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "fencerun/audit.h"
#include "tests/fuzz/fuzz.h"

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
    if (!path[0]) {
        snprintf(path, sizeof(path), "/tmp/fencerun-fuzz-audit-%d", (int)getpid());
        atexit(remove_file);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_CHECK(fd >= 0 && fri_write_all(fd, data, size) == 0);
    close(fd);
}

static fr_audit_summary verify(void)
{
    fr_audit_summary sum;
    FUZZ_CHECK(fr_audit_verify(path, NULL, &sum, NULL) == 0);
    FUZZ_CHECK((sum.broken_line != 0) == (sum.broken[0] != '\0'));
    FUZZ_CHECK(sum.runs <= sum.records && sum.head.sequence == sum.records);
    FUZZ_CHECK(strlen(sum.head.hash) == 64);
    return sum;
}

static int count(void *user, const fr_audit_record *r)
{
    uint64_t *counts = user; /* lines, records */
    FUZZ_CHECK(r->line == ++counts[0]);
    FUZZ_CHECK(!r->event[0] || r->sequence > 0);
    FUZZ_CHECK(!memchr(r->json.p, '\n', r->json.n));
    counts[1] += r->event[0] != '\0';
    return 0;
}

/* Not 0 when it was refused. */
static int append_one(void)
{
    const fr_code_input in = FR_CODE_INPUT_INIT;
    fr_audit *a = NULL;
    fr_audit_mark mark;
    int rc = fr_audit_open(path, FR_AUDIT_NO_SYNC, &a, NULL);
    if (rc == 0)
        rc = fr_audit_started(a, &in, "fuzz", &mark, NULL);
    fr_audit_close(a);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t counts[2] = {0, 0};
    write_file(data, size);
    fr_audit_summary before = verify();
    FUZZ_CHECK(before.broken_line || before.records > 0 || size == 0);
    FUZZ_CHECK(before.broken_line <= size + 1 && before.broken_offset <= size);
    FUZZ_CHECK(fr_audit_each(path, count, counts, NULL) == 0);
    FUZZ_CHECK(counts[1] >= before.records);
    int refused = append_one();
    fr_audit_summary after = verify();
    FUZZ_CHECK(after.records >= before.records);
    if (!before.broken_line)
        FUZZ_CHECK(!refused && !after.broken_line && after.records == before.records + 1);
    return 0;
}
