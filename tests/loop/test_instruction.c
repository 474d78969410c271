/* SPDX-License-Identifier: MIT */
/* The instruction says what the executor can do, and nothing that it cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "fencerun/memory.h"
#include "fencerun/postprocess.h"
#include "tests/executor/puppet.h"

/* The instruction of a puppet with these attributes. */
static char *instruction(const char *name, const fr_executor_options *attributes, uint32_t compat)
{
    puppet p = {0}, *handed = &p;
    fr_executor_options o = *attributes;
    fr_executor *ex = NULL;
    char *text = NULL;
    fr_error err = FR_ERROR_INIT;
    puppet_register();
    o.config = &handed;
    if (fr_executor_open(name, &o, &ex, &err) || fr_instruction(ex, compat, &text, &err))
        fail_msg("%s", err.text);
    fr_executor_close(ex);
    return text;
}

static void expect(char *text, const char *const *says, const char *const *silent)
{
    for (; *says; says++)
        if (!strstr(text, *says))
            fail_msg("not said: %s\n%s", *says, text);
    for (; *silent; silent++)
        if (strstr(text, *silent))
            fail_msg("said: %s\n%s", *silent, text);
    fr_free(text);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NOTHING    ((const char *const[]){NULL})

static void test_defaults(void **state)
{
    (void)state;
    const fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    expect(instruction("plain-puppet", &o, 0),
           WORDS("```python\nprint(6 * 7)\n```\n", "Print every result", "Each block runs alone",
                 "may take 60 seconds.", "no network", "Files it writes are gone",
                 "After 2 failures in a row", "Never state a computed number"),
           WORDS("MiB", "Variables stay"));
}

static void test_abilities(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.stateful = 1;
    o.network = 1;
    o.memory_bytes = 100 << 20;
    o.timeout_ms = 1500;
    o.error_retry_attempts = 1;
    expect(instruction("puppet", &o, 0),
           WORDS("Variables stay from one block to the next", "1.500 seconds and 100 MiB of memory",
                 "After 1 failure in a row", "are listed to you"),
           WORDS("runs alone", "no network", "are gone"));
}

static void test_delimiters(void **state)
{
    (void)state;
    const fr_delimiters pair = {"[py]", "[/py]"};
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    expect(instruction("puppet", &o, FR_COMPAT_ADK), WORDS("```tool_code\nprint(6 * 7)\n```\n"),
           WORDS("```python"));
    o.code_block_delimiters = &pair;
    o.code_block_delimiter_count = 1;
    expect(instruction("puppet", &o, 0), WORDS("[py]print(6 * 7)[/py]\n"), WORDS("```"));
}

/* Where no code is run, nothing is said about it. */
static void test_no_attempts(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.error_retry_attempts = FR_NO_ATTEMPTS;
    char *text = instruction("puppet", &o, 0);
    assert_string_equal(text, "");
    expect(text, NOTHING, NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_abilities),
        cmocka_unit_test(test_delimiters),
        cmocka_unit_test(test_no_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
