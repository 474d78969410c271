/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_runs.h"

#include "base/limits.h"
#include "base/mem.h"

void fri_audit_runs_dispose(fri_audit_runs *r)
{
    fri_free(r->entries);
    *r = (fri_audit_runs){.n = 0};
}

/* Drops what has ended. Done when that is at least half, which makes an end cheap whatever the order. */
static void compact(fri_audit_runs *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++)
        if (!(r->entries[i] & 1))
            r->entries[kept++] = r->entries[i];
    r->n = kept;
    r->ended = 0;
}

int fri_audit_runs_reserve(fri_audit_runs *r, fr_error *err)
{
    if (r->n < r->cap)
        return 0;
    size_t cap = r->cap ? r->cap * 2 : 64;
    if (cap > 2 * FRI_MAX_AUDIT_OPEN)
        return fr_fail(err, FR_ELIMIT, 0, "audit: the log has over %d runs without an end",
                       FRI_MAX_AUDIT_OPEN);
    uint64_t *entries = fri_realloc(r->entries, cap, sizeof(*entries), err);
    if (!entries)
        return FR_ENOMEM;
    r->entries = entries;
    r->cap = cap;
    return 0;
}

int fri_audit_runs_begin(fri_audit_runs *r, uint64_t run, fr_error *err)
{
    int rc = fri_audit_runs_reserve(r, err);
    if (rc)
        return rc;
    r->entries[r->n++] = run * 2;
    return 0;
}

/* The entry of a run that is going on; NULL when there is none. */
static uint64_t *find(const fri_audit_runs *r, uint64_t run)
{
    size_t from = 0, to = r->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (r->entries[middle] / 2 < run)
            from = middle + 1;
        else
            to = middle;
    }
    return from < r->n && r->entries[from] == run * 2 ? &r->entries[from] : NULL;
}

int fri_audit_runs_has(const fri_audit_runs *r, uint64_t run)
{
    return find(r, run) != NULL;
}

int fri_audit_runs_end(fri_audit_runs *r, uint64_t run)
{
    uint64_t *entry = find(r, run);
    if (!entry)
        return -1;
    *entry |= 1;
    if (++r->ended * 2 >= r->n)
        compact(r);
    return 0;
}

size_t fri_audit_runs_count(const fri_audit_runs *r)
{
    return r->n - r->ended;
}

uint64_t fri_audit_runs_first(const fri_audit_runs *r)
{
    size_t i = 0;
    while (i < r->n && (r->entries[i] & 1))
        i++;
    return i < r->n ? r->entries[i] / 2 : 0;
}
