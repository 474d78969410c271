/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "executor/guard/audit_lines.h"
#include "executor/guard/audit_read.h"

/* Fills in what the line says; a line that is no record says nothing. */
static int read_line(const fri_audit_line *line, fri_audit_reading *r, fr_error *err)
{
    fri_audit_frame frame;
    fr_error why = FR_ERROR_INIT;
    int rc = FR_EFORMAT;
    fri_audit_reading_init(r);
    if (line->whole && fri_audit_read_frame(line->text, &frame) == 0)
        rc = fri_audit_read(line->text, &frame, r, &why);
    if (rc && rc != FR_EFORMAT)
        return fr_fail(err, rc, why.sys_errno, "%s", why.text);
    if (rc) {
        fri_audit_reading_dispose(r);
        fri_audit_reading_init(r);
        r->record.json = line->text;
    }
    r->record.line = line->number;
    return 0;
}

int fr_audit_each(const char *path, fr_audit_fn fn, void *user, fr_error *err)
{
    fri_audit_lines lines;
    fri_audit_line line;
    int rc = fri_audit_lines_open(&lines, path, err);
    while (rc == 0 && (rc = fri_audit_lines_next(&lines, &line, err)) > 0) {
        fri_audit_reading reading;
        rc = read_line(&line, &reading, err);
        if (rc == 0)
            rc = fn(user, &reading.record);
        fri_audit_reading_dispose(&reading);
    }
    fri_audit_lines_dispose(&lines);
    return rc;
}
