/* SPDX-License-Identifier: MIT */
/* Code and results as text in the default mode; compat mode's are among ADK's vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "fencerun/event.h"
#include "fencerun/extract.h"
#include "fencerun/memory.h"
#include "tests/loop/reply.h"

static fr_content *converted(const char *parts)
{
    fr_content *in = parts_content(parts), *out = NULL;
    assert_int_equal(fr_convert_code_execution_parts(in, NULL, 0, &out, NULL), 0);
    fr_content_free(in);
    return out;
}

static void expect_converted(const char *parts, const char *want)
{
    fr_content *out = converted(parts);
    char *json = NULL;
    assert_int_equal(fr_content_json(out, &json, NULL), 0);
    assert_string_equal(json, want);
    fr_free(json);
    fr_content_free(out);
}

/* The info string is of the language and nothing else, whatever the label says. */
static void test_labels(void **state)
{
    (void)state;
    static const struct {
        const char *label, *info;
    } cases[] = {
        {"PYTHON", "python"},
        {"", ""},
        {"C++", "c++"},
        {"c#", "c#"},
        {"objective-c", "objective-c"},
        {"PYTHON 3", "python"},
        {"python\\n\\u0060\\u0060\\u0060\\nrun", "python"},
        {"\\u0060\\u0060\\u0060", ""},
        {"python\\u0000x", "python"},
        {"a_language_of_a_name_that_does_not_end", "a_language_of_a_name_that_does_n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char parts[200], want[200];
        snprintf(parts, sizeof(parts),
                 "[{\"executableCode\":{\"language\":\"%s\",\"code\":\"x\"}}]", cases[i].label);
        snprintf(want, sizeof(want),
                 "{\"parts\":[{\"text\":\"```%s\\nx\\n```\\n\"}],\"role\":\"model\"}",
                 cases[i].info);
        expect_converted(parts, want);
    }
}

/* Made text, a thought is still none of what was said. */
static void test_thoughts(void **state)
{
    (void)state;
    expect_converted(
        "[{\"thought\":true,\"executableCode\":{\"code\":\"x\"}}]",
        "{\"parts\":[{\"thought\":true,\"text\":\"```\\nx\\n```\\n\"}],\"role\":\"model\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_thoughts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
