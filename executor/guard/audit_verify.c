/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation
 *
 * The log is read line by line, and each record must have the hash of its own bytes, follow the one before
 * and end a run that goes on. A line without a record's frame may be what a killed writer left. It is kept
 * as the torn piece, with all such lines behind it, until the next record tells of it by length and hash;
 * a record that does not, or the end of the log, makes it the break. A cut-off write can never have the
 * frame, so a framed line with another hash was changed and is a break at once.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/str.h"
#include "executor/guard/audit_lines.h"
#include "executor/guard/audit_read.h"
#include "executor/guard/audit_runs.h"

typedef struct verifier {
    fri_audit_lines lines;
    fri_audit_line line;
    fr_audit_summary *sum;
    fri_audit_runs runs;
    fr_audit_mark anchor; /* sequence 0: none */
    int anchored;         /* and it was found */
    fr_error how;         /* it breaks */
    /* Lines that no record has told of yet. */
    fri_buf piece; /* with their line feeds */
    uint64_t piece_line, piece_offset;
    int piece_whole; /* the last of them has one */
} verifier;

/* ---- Breaks ---- */

/* What stops the reading with nothing wrong but the log. */
enum { BROKEN = 1 };

static int set_break(verifier *v, uint64_t line, uint64_t offset)
{
    memcpy(v->sum->broken, v->how.text, sizeof(v->sum->broken));
    v->sum->broken_line = line;
    v->sum->broken_offset = offset;
    return BROKEN;
}

/* The text becomes one clean line in the same way as that of an error. */
#define broken(v, line, offset, ...) \
    (fr_fail(&(v)->how, FR_EFORMAT, 0, __VA_ARGS__), set_break(v, line, offset))
#define broken_here(v, ...) broken(v, (v)->line.number, (v)->line.offset, __VA_ARGS__)

/* The lines that were kept turn out to be no torn write that was told of. */
static int broken_piece(verifier *v)
{
    if (v->piece_whole)
        return broken(v, v->piece_line, v->piece_offset, "line %" PRIu64 " is no record",
                      v->piece_line);
    return broken(v, v->piece_line, v->piece_offset,
                  "the last %zu bytes are no whole record: a write was cut off, or the file was",
                  v->piece.n);
}

/* ---- Torn pieces ---- */

static int keep_line(verifier *v, fr_error *err)
{
    const fri_audit_line *line = &v->line;
    if (!v->piece_line) {
        v->piece_line = line->number;
        v->piece_offset = line->offset;
    }
    v->piece_whole = line->whole;
    if (v->piece.n > FRI_MAX_AUDIT_RECORD || line->size > FRI_MAX_AUDIT_RECORD - v->piece.n)
        return broken(v, v->piece_line, v->piece_offset,
                      "from line %" PRIu64 " on more than %lu bytes are no record", v->piece_line,
                      FRI_MAX_AUDIT_RECORD);
    fri_buf_append(&v->piece, line->text.p, line->text.n);
    if (line->whole)
        fri_buf_putc(&v->piece, '\n');
    return fri_buf_check(&v->piece, "a torn piece of the audit log", err);
}

/* A record behind the lines that were kept: it tells of exactly them, or they are a break. */
static int check_torn(verifier *v, const fri_audit_reading *r, fr_error *err)
{
    char hash[65];
    if (!v->piece_line && !r->record.torn)
        return 0;
    if (!v->piece_line)
        return broken_here(
            v, "record %" PRIu64 " tells of a torn write of %" PRIu64 " bytes, which is not there",
            r->record.sequence, r->record.torn_bytes);
    fr_str piece = fri_str(v->piece.p, v->piece.n - 1);
    int rc = fri_audit_hash(piece, hash, err);
    if (rc)
        return rc;
    if (!r->record.torn || r->record.torn_bytes != piece.n || strcmp(hash, r->torn_sha256) != 0)
        return broken_piece(v);
    v->sum->torn++;
    v->piece_line = 0;
    fri_buf_truncate(&v->piece, 0);
    return 0;
}

/* ---- Records ---- */

static int follows(const fri_audit_frame *f, const fr_audit_mark *before)
{
    return f->mark.sequence == before->sequence + 1 && strcmp(f->prev, before->hash) == 0;
}

static int broken_place(verifier *v, const fri_audit_frame *f)
{
    uint64_t sequence = f->mark.sequence, before = v->sum->head.sequence;
    if (sequence == before + 1)
        return broken_here(v,
                           "record %" PRIu64 " does not follow record %" PRIu64
                           ": its prev is not the hash of that",
                           sequence, before);
    if (before == 0)
        return broken_here(v, "the log begins with record %" PRIu64 ", not with record 1",
                           sequence);
    return broken_here(v, "record %" PRIu64 " does not follow record %" PRIu64, sequence, before);
}

/* Where `line` is, or would be. */
static int broken_anchor(verifier *v, uint64_t line, uint64_t offset)
{
    return broken(v, line, offset,
                  "the log does not have record %" PRIu64
                  " with hash %s: it was cut off or rewritten",
                  v->anchor.sequence, v->anchor.hash);
}

/* A record that is none, behind lines that were kept, cannot tell of them; so the break is there. */
static int check_chain(verifier *v, const fri_audit_frame *f, fr_error *err)
{
    int match = 0;
    int rc = fri_audit_check_hash(f, &match, err);
    if (rc)
        return rc;
    int in_place = follows(f, &v->sum->head);
    if (v->piece_line && (!match || !in_place))
        return broken_piece(v);
    if (!match)
        return broken_here(v, "record %" PRIu64 " was changed: its hash is not that of its bytes",
                           f->mark.sequence);
    if (!in_place)
        return broken_place(v, f);
    if (f->mark.sequence != v->anchor.sequence)
        return 0;
    v->anchored = strcmp(f->mark.hash, v->anchor.hash) == 0;
    return v->anchored ? 0 : broken_anchor(v, v->line.number, v->line.offset);
}

static int check_run(verifier *v, const fr_audit_record *r, fr_error *err)
{
    if (strcmp(r->event, "started") == 0) {
        v->sum->runs++;
        return fri_audit_runs_begin(&v->runs, r->sequence, err);
    }
    if (fri_audit_runs_end(&v->runs, r->run))
        return broken_here(
            v, "record %" PRIu64 " ends run %" PRIu64 ", which did not begin or has ended already",
            r->sequence, r->run);
    return 0;
}

static void note_time(fr_audit_summary *sum, const fr_audit_record *r)
{
    if (sum->records == 0)
        sum->first_us = r->time_us;
    else if (r->time_us < sum->last_us && !sum->clock_back)
        sum->clock_back = r->sequence;
    sum->last_us = r->time_us;
}

static int check_content(verifier *v, const fri_audit_frame *frame, fr_error *err)
{
    FRI_AUTO(fri_audit_reading_dispose) fri_audit_reading r;
    fr_error why = FR_ERROR_INIT;
    int rc = fri_audit_read(v->line.text, frame, &r, &why);
    if (rc == FR_EFORMAT)
        return broken_here(v, "line %" PRIu64 " is no record: %s", v->line.number, why.text);
    if (rc)
        return fr_fail(err, rc, why.sys_errno, "%s", why.text);
    rc = check_torn(v, &r, err);
    if (rc == 0)
        rc = check_run(v, &r.record, err);
    if (rc)
        return rc;
    note_time(v->sum, &r.record);
    v->sum->records++;
    v->sum->head = frame->mark;
    return 0;
}

static int check_line(verifier *v, fr_error *err)
{
    fri_audit_frame frame;
    if (!v->line.whole || fri_audit_read_frame(v->line.text, &frame))
        return keep_line(v, err);
    int rc = check_chain(v, &frame, err);
    return rc ? rc : check_content(v, &frame, err);
}

/* ---- The log ---- */

static int check_end(verifier *v)
{
    if (v->piece_line)
        return broken_piece(v);
    if (v->anchor.sequence && !v->anchored)
        return broken_anchor(v, v->lines.number + 1, v->lines.offset);
    return 0;
}

static int check_lines(verifier *v, fr_error *err)
{
    int rc;
    while ((rc = fri_audit_lines_next(&v->lines, &v->line, err)) > 0) {
        rc = check_line(v, err);
        if (rc)
            return rc;
    }
    return rc ? rc : check_end(v);
}

static int read_anchor(const char *text, fr_audit_mark *out, fr_error *err)
{
    if (!text)
        return 0;
    size_t n = strcspn(text, ":"),
           digits = strspn(text + n + (text[n] != '\0'), "0123456789abcdef");
    if (text[n] != ':' || digits != 64 || text[n + 1 + digits] || n > 18 ||
        fri_decimal(text, n, &out->sequence) || out->sequence == 0)
        return fr_fail(
            err, FR_EINVAL, 0,
            "audit: the anchor '%.100s' is not SEQUENCE:HASH, as the head of a log is told", text);
    memcpy(out->hash, text + n + 1, sizeof(out->hash));
    return 0;
}

int fr_audit_verify(const char *path, const char *anchor, fr_audit_summary *out, fr_error *err)
{
    fr_audit_summary sum = {.records = 0};
    verifier v = {.sum = &sum};
    memcpy(sum.head.hash, fri_audit_no_hash, sizeof(sum.head.hash));
    int rc = read_anchor(anchor, &v.anchor, err);
    if (rc)
        return rc;
    fri_buf_init(&v.piece, FRI_MAX_AUDIT_RECORD + 1);
    rc = fri_audit_lines_open(&v.lines, path, err);
    if (rc == 0)
        rc = check_lines(&v, err);
    sum.runs_without_end = fri_audit_runs_count(&v.runs);
    sum.first_without_end = fri_audit_runs_first(&v.runs);
    fri_audit_lines_dispose(&v.lines);
    fri_audit_runs_dispose(&v.runs);
    fri_buf_dispose(&v.piece);
    if (rc < 0)
        return rc;
    *out = sum;
    return 0;
}
