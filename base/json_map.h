/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_JSON_MAP_H
#define FR_BASE_JSON_MAP_H

#include "base/json_read.h"
#include "base/json_write.h"

/*
 * A JSON object that can be changed: its members in their order, each value kept as the text it was
 * written as. For objects of which only some members are understood and all must survive.
 */
typedef struct fri_json_member {
    fr_str key;   /* unescaped */
    fr_str value; /* JSON text */
} fri_json_member;

/* Zeroed it is empty. */
typedef struct fri_json_map {
    fri_json_member *members;
    size_t count;
    size_t room;
} fri_json_map;

void fri_json_map_dispose(fri_json_map *map);

/* Adds the members of an object; of a value that is absent, none. `what` names it in the error's text.
 * Errors: FR_EFORMAT, FR_ENOMEM. */
FR_CHECK int fri_json_map_read(fri_json_map *map, const fri_json *doc, fri_json_ref v,
                               const char *what, fr_error *err);

/* Adds to `out`, which is empty, what `map` is with `changes` made: each of their members replaces the one
 * of its key, or comes behind all; null removes it. A key has the place where it stands first and the value
 * where it stands last. Errors: FR_ENOMEM. */
FR_CHECK int fri_json_map_merge(const fri_json_map *map, const fri_json_map *changes,
                                fri_json_map *out, fr_error *err);

/* Removes every member of that key. */
void fri_json_map_remove(fri_json_map *map, fr_str key);

/* Writes its members into the object that w is in. */
void fri_json_map_put(const fri_json_map *map, fri_json_out *w);

#endif
