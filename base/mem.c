/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fencerun/memory.h"

static atomic_size_t made;
static atomic_size_t fail_at;
static atomic_size_t live;

size_t fri_fail_allocation(size_t n)
{
    size_t before = atomic_exchange(&made, 0);
    atomic_store(&fail_at, n);
    return before;
}

static int must_fail(void)
{
    size_t nth = atomic_fetch_add(&made, 1) + 1;
    return nth == atomic_load(&fail_at);
}

size_t fri_live_allocations(void)
{
    return atomic_load(&live);
}

static void *no_memory(size_t count, size_t size, fr_error *err)
{
    fr_fail(err, FR_ENOMEM, 0, "out of memory (%zu items of %zu bytes)", count, size);
    return NULL;
}

void *fri_calloc(size_t count, size_t size, fr_error *err)
{
    void *p = must_fail() ? NULL : calloc(count ? count : 1, size ? size : 1);
    if (!p)
        return no_memory(count, size, err);
    atomic_fetch_add(&live, 1);
    return p;
}

void *fri_realloc(void *p, size_t count, size_t size, fr_error *err)
{
    void *q = must_fail() ? NULL : reallocarray(p, count ? count : 1, size ? size : 1);
    if (!q)
        return no_memory(count, size, err);
    if (!p)
        atomic_fetch_add(&live, 1);
    return q;
}

char *fri_memdup(const void *p, size_t n, fr_error *err)
{
    char *copy = n < SIZE_MAX ? fri_calloc(n + 1, 1, err) : no_memory(n, 1, err);
    if (copy && n > 0)
        memcpy(copy, p, n);
    return copy;
}

char *fri_strdup(const char *s, fr_error *err)
{
    return fri_memdup(s, strlen(s), err);
}

void fri_free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    free(p);
}

void fr_free(void *p)
{
    fri_free(p);
}
