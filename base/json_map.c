/* SPDX-License-Identifier: MIT */
#include "base/json_map.h"

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

static fri_json_member *find(const fri_json_map *map, fr_str key)
{
    for (size_t i = map->count; i > 0; i--)
        if (fri_str_equal(map->members[i - 1].key, key))
            return &map->members[i - 1];
    return NULL;
}

fr_str fri_json_map_get(const fri_json_map *map, const char *key)
{
    const fri_json_member *m = find(map, fri_cstr(key));
    return m ? m->value : fri_str("", 0);
}

int fri_json_map_set(fri_json_map *map, fr_str key, fr_str value, fr_error *err)
{
    fri_json_member *m = find(map, key);
    if (!m)
        return add(map, key, value, err);
    char *copy = fri_memdup(value.p, value.n, err);
    if (!copy)
        return FR_ENOMEM;
    fri_free((void *)(uintptr_t)m->value.p);
    m->value = fri_str(copy, value.n);
    return 0;
}

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
