/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/json_map.h"
#include "base/str.h"
#include "tests/support/torture.h"

/* The map as JSON, in memory of the buffer. */
static const char *written(const fri_json_map *map, fri_buf *buf)
{
    fri_json_out w;
    fri_buf_init(buf, 100000);
    fri_json_out_init(&w, buf);
    fri_json_begin_object(&w);
    fri_json_map_put(map, &w);
    fri_json_end_object(&w);
    assert_int_equal(fri_json_out_finish(&w, "a map", NULL), 0);
    return buf->p;
}

static void expect(const fri_json_map *map, const char *json)
{
    fri_buf buf;
    assert_string_equal(written(map, &buf), json);
    fri_buf_dispose(&buf);
}

static int read_map(fri_json_map *map, const char *text, fr_error *err)
{
    FRI_AUTO(fri_json_freep) fri_json *doc = NULL;
    *map = (fri_json_map){0};
    int rc = fri_json_parse(text, strlen(text), FRI_JSON_REPAIR, &doc, err);
    return rc ? rc : fri_json_map_read(map, doc, 0, "the map", err);
}

static void test_members_survive(void **state)
{
    (void)state;
    fri_json_map map;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(
        read_map(&map,
                 " { \"a\" : [ 1 , 2.50e-3 ,\n{ \"b c\" : null } ] ,\r\n\t\"\\u0041\\n\" : "
                 "\"x \\\" y\\\\\" , \"t\": true, \"e\": {}, \"n\\u0000l\": -0 } ",
                 &err),
        0);
    expect(&map, "{\"a\":[1,2.50e-3,{\"b c\":null}],\"A\\n\":\"x \\\" y\\\\\",\"t\":true,\"e\":{},"
                 "\"n\\u0000l\":-0}");
    fri_json_map_dispose(&map);
    expect(&map, "{}");
}

static void test_remove(void **state)
{
    (void)state;
    fri_json_map map;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(read_map(&map, "{\"a\":1,\"b\":2,\"a\":3}", &err), 0);
    fri_json_map_remove(&map, fri_cstr("a"));
    expect(&map, "{\"b\":2}");
    fri_json_map_dispose(&map);
}

static int merge(const char *map, const char *changes, fri_json_map *out, fr_error *err)
{
    FRI_AUTO(fri_json_map_dispose) fri_json_map a = {0};
    FRI_AUTO(fri_json_map_dispose) fri_json_map b = {0};
    int rc = read_map(&a, map, err);
    if (rc == 0)
        rc = read_map(&b, changes, err);
    return rc ? rc : fri_json_map_merge(&a, &b, out, err);
}

static void test_merge(void **state)
{
    (void)state;
    static const struct {
        const char *map, *changes, *merged;
    } cases[] = {
        {"{}", "{}", "{}"},
        {"{\"b\":1,\"a\":null}", "{}", "{\"b\":1,\"a\":null}"},
        {"{\"b\":1,\"a\":2}", "{\"a\":[3],\"c\":4,\"\":5}", "{\"b\":1,\"a\":[3],\"c\":4,\"\":5}"},
        {"{\"a\":1,\"ab\":2,\"b\":3}", "{\"a\":null,\"b\":null,\"c\":null}", "{\"ab\":2}"},
        {"{\"a\":1}", "{\"a\":null,\"a\":2}", "{\"a\":2}"},
        {"{\"a\":1}", "{\"a\":2,\"a\":null}", "{}"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":\"null\"}", "{\"a\":3,\"b\":\"null\"}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fri_json_map out = {0};
        assert_int_equal(merge(cases[i].map, cases[i].changes, &out, NULL), 0);
        expect(&out, cases[i].merged);
        fri_json_map_dispose(&out);
    }
}

static void test_no_object(void **state)
{
    (void)state;
    fri_json_map map;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(read_map(&map, "[1]", &err), FR_EFORMAT);
    assert_string_equal(err.text, "the map must be an object");
    assert_int_equal(fri_json_map_read(&map, NULL, FRI_JSON_NONE, "the map", &err), 0);
    expect(&map, "{}");
}

static int use_map(void *user, fr_error *err)
{
    fri_json_map out = {0};
    (void)user;
    int rc = merge("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8}",
                   "{\"a\":10,\"i\":9}", &out, err);
    fri_json_map_dispose(&out);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_true(torture(use_map, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_survive), cmocka_unit_test(test_remove),
        cmocka_unit_test(test_merge),           cmocka_unit_test(test_no_object),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
