/* SPDX-License-Identifier: MIT */
#include "base/json_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static void free_member(const fri_json_member *m)
{
    fri_free((void *)(uintptr_t)m->key.p);
    fri_free((void *)(uintptr_t)m->value.p);
}

void fri_json_map_dispose(fri_json_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        free_member(&map->members[i]);
    fri_free(map->members);
    *map = (fri_json_map){NULL, 0, 0};
}

static int make_room(fri_json_map *map, fr_error *err)
{
    if (map->count < map->room)
        return 0;
    size_t room = map->room ? map->room * 2 : 8;
    fri_json_member *members = fri_realloc(map->members, room, sizeof(*members), err);
    if (!members)
        return FR_ENOMEM;
    map->members = members;
    map->room = room;
    return 0;
}

static int add(fri_json_map *map, fr_str key, fr_str value, fr_error *err)
{
    if (make_room(map, err))
        return FR_ENOMEM;
    FRI_AUTO(fri_freep) char *k = fri_memdup(key.p, key.n, err);
    char *v = k ? fri_memdup(value.p, value.n, err) : NULL;
    if (!v)
        return FR_ENOMEM;
    map->members[map->count++] =
        (fri_json_member){fri_str(fri_steal(&k), key.n), fri_str(v, value.n)};
    return 0;
}

int fri_json_map_read(fri_json_map *map, const fri_json *doc, fri_json_ref v, const char *what,
                      fr_error *err)
{
    if (v != FRI_JSON_NONE && fri_json_type(doc, v) != FRI_JSON_OBJECT)
        return fr_fail(err, FR_EFORMAT, 0, "%s must be an object", what);
    for (fri_json_ref k = fri_json_first(doc, v); k != FRI_JSON_NONE; k = fri_json_next(doc, k)) {
        FRI_AUTO(fri_freep) char *key = NULL;
        size_t n;
        int rc = fri_json_string(doc, k, what, &key, &n, err);
        if (rc == 0)
            rc = add(map, fri_str(key, n), fri_json_source(doc, fri_json_value(doc, k)), err);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- merging ---- */

/* A member of either map, and what becomes of its key: only the first of that key tells. */
typedef struct slot {
    const fri_json_member *member;
    int changes;             /* it is one of the changes */
    const struct slot *last; /* of that key; NULL: this is not the first */
} slot;

static int by_key_and_place(const void *a, const void *b)
{
    const slot *x = *(slot *const *)a, *y = *(slot *const *)b;
    fr_str k = x->member->key, l = y->member->key;
    size_t n = k.n < l.n ? k.n : l.n;
    int order = n > 0 ? memcmp(k.p, l.p, n) : 0;
    if (order == 0 && k.n != l.n)
        order = k.n < l.n ? -1 : 1;
    return order ? order : (x > y) - (x < y);
}

static void find_last(slot **sorted, size_t n)
{
    for (size_t first = 0, i = 0; i < n; i++) {
        if (!fri_str_equal(sorted[i]->member->key, sorted[first]->member->key))
            first = i;
        sorted[first]->last = sorted[i];
    }
}

static int is_removal(const slot *s)
{
    return s->changes && fri_str_equal(s->member->value, fri_cstr("null"));
}

int fri_json_map_merge(const fri_json_map *map, const fri_json_map *changes, fri_json_map *out,
                       fr_error *err)
{
    size_t n = map->count + changes->count;
    int rc = 0;
    FRI_AUTO(fri_freep) slot *slots = fri_calloc(n + 1, sizeof(*slots), err);
    FRI_AUTO(fri_freep) slot **sorted = fri_calloc(n + 1, sizeof(slot *), err);
    if (!slots || !sorted)
        return FR_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        slots[i].changes = i >= map->count;
        slots[i].member = slots[i].changes ? &changes->members[i - map->count] : &map->members[i];
        sorted[i] = &slots[i];
    }
    qsort(sorted, n, sizeof(slot *), by_key_and_place);
    find_last(sorted, n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (slots[i].last && !is_removal(slots[i].last))
            rc = add(out, slots[i].member->key, slots[i].last->member->value, err);
    return rc;
}

/* ---- the rest ---- */

void fri_json_map_remove(fri_json_map *map, fr_str key)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++) {
        if (fri_str_equal(map->members[i].key, key))
            free_member(&map->members[i]);
        else
            map->members[kept++] = map->members[i];
    }
    map->count = kept;
}

void fri_json_map_put(const fri_json_map *map, fri_json_out *w)
{
    for (size_t i = 0; i < map->count; i++) {
        fri_json_key_str(w, map->members[i].key);
        fri_json_put_checked(w, map->members[i].value);
    }
}
