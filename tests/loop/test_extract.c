/* SPDX-License-Identifier: MIT */
/* What the cases cannot show: options and their errors, offsets, JSON, memory, splits into parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "fencerun/extract.h"
#include "fencerun/memory.h"
#include "tests/loop/invariants.h"
#include "tests/support/torture.h"

static const char reply[] = "Hi\n```json\n{}\n```\n> ```python\n> print(1)\n> ```\nBye\n"
                            "```py title=x\nprint(2)\n```\n```python\nprint(3)";

static fr_extraction *extract(const char *text, size_t n, const fr_extract_options *options)
{
    fr_extraction *x = NULL;
    fr_error err = FR_ERROR_INIT;
    if (fr_extract_text(text, n, options, &x, &err))
        fail_msg("%s", err.text);
    return x;
}

static void assert_str(fr_str actual, const char *expected)
{
    assert_int_equal(actual.n, strlen(expected));
    assert_string_equal(actual.p, expected);
}

static void offsets_and_members(void **state)
{
    (void)state;
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    options.all = 1;
    fr_extraction *x = extract(reply, strlen(reply), &options);
    const fr_block *b = fr_extraction_block(x, 0);
    assert_int_equal(b->skip, FR_SKIP_NONE);
    assert_int_equal(b->terminated, 1);
    assert_str(b->language, "python");
    assert_str(b->info, "python");
    assert_str(b->code, "print(1)\n");
    assert_int_equal(b->start, strstr(reply, "```python") - reply);
    assert_int_equal(b->end, strstr(reply, "\nBye") - reply);
    assert_str(fr_extraction_prefix(x), "Hi\n```json\n{}\n```\n> ");
    assert_str(fr_extraction_text(x), reply);

    b = fr_extraction_block(x, 1);
    assert_str(b->info, "py title=x");
    assert_str(b->code, "print(2)\n");
    assert_null(fr_extraction_block(x, 2));

    b = fr_extraction_skipped(x, 0);
    assert_int_equal(b->skip, FR_SKIP_LANGUAGE);
    assert_int_equal(b->terminated, 1);
    assert_str(b->language, "");
    assert_str(b->info, "json");
    assert_str(b->code, "");
    assert_int_equal(b->start, 3);
    assert_int_equal(b->end, strstr(reply, "\n> ") - reply);
    b = fr_extraction_skipped(x, 1);
    assert_int_equal(b->skip, FR_SKIP_UNTERMINATED);
    assert_int_equal(b->terminated, 0);
    assert_str(b->language, "python");
    assert_int_equal(b->end, strlen(reply));
    assert_null(fr_extraction_skipped(x, 2));
    assert_true(fr_extraction_unterminated(x));
    fr_extraction_free(x);
}

static void a_cut_reply_keeps_its_role(void **state)
{
    (void)state;
    static const char *const texts[] = {"```python\n1\n```\n", "no code"};
    for (unsigned i = 0; i < 4; i++) {
        fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
        options.compat = i & 2 ? FR_COMPAT_ADK : 0;
        const char *text = texts[i & 1];
        fr_content *content = NULL;
        fr_extraction *x = NULL;
        assert_int_equal(fr_content_new(&content, NULL), 0);
        assert_int_equal(fr_content_set_role(content, "model", NULL), 0);
        assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, text, strlen(text), NULL, NULL),
                         0);
        assert_int_equal(fr_extract(content, &options, &x, NULL), 0);
        assert_string_equal(fr_content_role(fr_extraction_content(x)), "model");
        fr_extraction_free(x);
        fr_content_free(content);
    }
}

static void executable_code_stands_where_it_is(void **state)
{
    (void)state;
    fr_content *content = NULL;
    fr_extraction *x = NULL;
    assert_int_equal(fr_content_new(&content, NULL), 0);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, "abc", 3, NULL, NULL), 0);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, FR_PART_THOUGHT, "hm", 2, NULL, NULL),
                     0);
    /* Neither a thought nor blanks are run. */
    assert_int_equal(
        fr_content_add(content, FR_PART_EXECUTABLE_CODE, FR_PART_THOUGHT, "no", 2, "PYTHON", NULL),
        0);
    assert_int_equal(fr_content_add(content, FR_PART_EXECUTABLE_CODE, 0, " \n", 2, NULL, NULL), 0);
    assert_int_equal(fr_content_add(content, FR_PART_EXECUTABLE_CODE, 0, "x\0y", 3, "rust", NULL),
                     0);
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, "def", 3, NULL, NULL), 0);
    assert_int_equal(fr_extract(content, NULL, &x, NULL), 0);
    const fr_block *b = fr_extraction_block(x, 0);
    assert_int_equal(b->start, 3);
    assert_int_equal(b->end, 3);
    assert_str(b->info, "");
    assert_str(b->language, "python");
    assert_int_equal(b->code.n, 3);
    assert_memory_equal(b->code.p, "x\0y", 4);
    assert_str(fr_extraction_prefix(x), "abc");
    assert_str(fr_extraction_text(x), "abcdef");
    assert_null(broken_invariant(content, NULL, x));
    assert_int_equal(fr_content_count(fr_extraction_content(x)), 5);
    fr_extraction_free(x);
    fr_content_free(content);
}

static void json_of(const char *text, const fr_extract_options *options, const char *expected)
{
    fr_extraction *x = extract(text, strlen(text), options);
    char *json = NULL;
    assert_int_equal(fr_extraction_json(x, &json, NULL), 0);
    assert_string_equal(json, expected);
    fr_free(json);
    fr_extraction_free(x);
}

static void json(void **state)
{
    (void)state;
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    json_of(
        "A\n```c\n```\n```py x\n\xff\n```\n", NULL,
        "{\"found\":true,\"language\":\"python\",\"info\":\"py x\",\"code\":\"\xef\xbf\xbd\\n\","
        "\"prefix\":\"A\\n```c\\n```\\n\",\"start\":11,\"end\":24,\"unterminated\":false,"
        "\"skipped\":[{\"info\":\"c\",\"reason\":\"language\",\"start\":2}]}");
    json_of("No.", NULL,
            "{\"found\":false,\"language\":\"\",\"info\":\"\",\"code\":\"\",\"prefix\":\"No.\","
            "\"start\":0,\"end\":0,\"unterminated\":false,\"skipped\":[]}");
    options.all = 1;
    json_of(
        "```py\n1\n```\n```\n", &options,
        "{\"found\":true,\"language\":\"python\",\"info\":\"py\",\"code\":\"1\\n\",\"prefix\":\"\","
        "\"start\":0,\"end\":11,\"unterminated\":true,"
        "\"skipped\":[{\"info\":\"\",\"reason\":\"unterminated\",\"start\":12}],"
        "\"blocks\":[{\"language\":\"python\",\"info\":\"py\",\"code\":\"1\\n\",\"start\":0,"
        "\"end\":11}]}");
}

static void skip_texts(void **state)
{
    (void)state;
    assert_string_equal(fr_skip_text(FR_SKIP_NONE), "runnable");
    assert_string_equal(fr_skip_text(FR_SKIP_LANGUAGE), "language");
    assert_string_equal(fr_skip_text(FR_SKIP_UNTAGGED), "untagged");
    assert_string_equal(fr_skip_text(FR_SKIP_EMPTY), "empty");
    assert_string_equal(fr_skip_text(FR_SKIP_UNTERMINATED), "unterminated");
    assert_string_equal(fr_skip_text(99), "unknown");
}

static void refuse(const fr_extract_options *options, const char *why)
{
    fr_error err = FR_ERROR_INIT;
    fr_extraction *x = NULL;
    assert_int_equal(fr_extract_text("x", 1, options, &x, &err), FR_EINVAL);
    assert_null(x);
    assert_non_null(strstr(err.text, why));
}

static void bad_options(void **state)
{
    (void)state;
    static const char *const words[] = {"x", NULL};
    static char long_text[FRI_MAX_DELIMITER_LEN + 2];
    fr_language nameless = {NULL, words, 0}, wordless = {"x", NULL, 0};
    fr_delimiters empty = {"", "b"}, half = {"a", NULL}, longer = {"a", long_text};
    memset(long_text, 'x', sizeof(long_text) - 1);

    fr_extract_options o = FR_EXTRACT_OPTIONS_INIT;
    o.struct_size = 0;
    refuse(&o, "struct_size");
    o = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    o.compat = 2;
    refuse(&o, "compat");
    o = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    o.language_count = 1;
    refuse(&o, "languages");
    o.languages = &nameless;
    refuse(&o, "language 1");
    o.languages = &wordless;
    refuse(&o, "language 1");
    o.language_count = 0;
    refuse(&o, "languages");
    o.language_count = FRI_MAX_LANGUAGES + 1;
    refuse(&o, "languages");
    o = (fr_extract_options)FR_EXTRACT_OPTIONS_INIT;
    o.delimiter_count = 1;
    refuse(&o, "delimiters");
    o.delimiters = &empty;
    refuse(&o, "pair 1");
    o.delimiters = &half;
    refuse(&o, "pair 1");
    o.delimiters = &longer;
    refuse(&o, "pair 1");
    o.delimiter_count = FRI_MAX_DELIMITERS + 1;
    refuse(&o, "delimiters");
}

static void bad_arguments(void **state)
{
    (void)state;
    fr_extraction *x = NULL;
    assert_int_equal(fr_extract_text(NULL, 1, NULL, &x, NULL), FR_EINVAL);
    assert_int_equal(fr_extract(NULL, NULL, &x, NULL), FR_EINVAL);
    fr_extraction_free(NULL);
    x = extract(NULL, 0, NULL);
    assert_str(fr_extraction_text(x), "");
    assert_str(fr_extraction_prefix(x), "");
    fr_extraction_free(x);
}

static void options_of_another_version(void **state)
{
    (void)state;
    /* An older caller's struct ends before `all`; what is behind it is not ours to read. */
    fr_extract_options old = FR_EXTRACT_OPTIONS_INIT;
    old.struct_size = offsetof(fr_extract_options, all);
    old.all = 1;
    fr_extraction *x = extract(reply, strlen(reply), &old);
    assert_null(fr_extraction_block(x, 1));
    fr_extraction_free(x);

    struct {
        fr_extract_options options;
        int newer;
    } larger = {FR_EXTRACT_OPTIONS_INIT, 1};
    larger.options.struct_size = sizeof(larger);
    larger.options.all = 1;
    x = extract(reply, strlen(reply), &larger.options);
    assert_non_null(fr_extraction_block(x, 1));
    fr_extraction_free(x);
}

static void text_limit(void **state)
{
    (void)state;
    /* Never touched: the sizes alone are over the limit. */
    static const char text[1];
    fr_extraction *x = NULL;
    fr_error err = FR_ERROR_INIT;
    assert_int_equal(fr_extract_text(text, FRI_MAX_REPLY_BYTES + 1, NULL, &x, &err), FR_ELIMIT);
    assert_non_null(strstr(err.text, "text of a reply"));
}

static void most_delimiters(void **state)
{
    (void)state;
    static char open[FRI_MAX_DELIMITERS][FRI_MAX_DELIMITER_LEN + 1];
    fr_delimiters pairs[FRI_MAX_DELIMITERS];
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    for (size_t i = 0; i < FRI_MAX_DELIMITERS; i++) {
        memset(open[i], '(', FRI_MAX_DELIMITER_LEN - 1);
        open[i][FRI_MAX_DELIMITER_LEN - 1] = (char)('0' + i);
        pairs[i] = (fr_delimiters){open[i], "]"};
    }
    options.delimiters = pairs;
    options.delimiter_count = FRI_MAX_DELIMITERS;
    fri_buf text;
    fri_buf_init(&text, 1024);
    fri_buf_puts(&text, open[FRI_MAX_DELIMITERS - 1]);
    fri_buf_puts(&text, "code]");
    fr_extraction *x = extract(text.p, text.n, &options);
    assert_str(fr_extraction_block(x, 0)->code, "code");
    fr_extraction_free(x);
    fri_buf_dispose(&text);
}

static void add_text(fr_content *content, const char *p, size_t n)
{
    assert_int_equal(fr_content_add(content, FR_PART_TEXT, 0, p, n, NULL, NULL), 0);
}

static void assert_same(const fr_extraction *a, const fr_extraction *b)
{
    char *left = NULL, *right = NULL;
    assert_int_equal(fr_extraction_json(a, &left, NULL), 0);
    assert_int_equal(fr_extraction_json(b, &right, NULL), 0);
    assert_string_equal(left, right);
    fr_free(left);
    fr_free(right);
}

/* All splits of a reply into three adjacent text parts. */
static void split_everywhere(const char *text, const fr_extract_options *options)
{
    size_t n = strlen(text);
    fr_extraction *whole = extract(text, n, options);
    for (size_t i = 0; i <= n; i++) {
        for (size_t k = i; k <= n; k++) {
            fr_content *content = NULL;
            fr_extraction *x = NULL;
            assert_int_equal(fr_content_new(&content, NULL), 0);
            add_text(content, text, i);
            add_text(content, text + i, k - i);
            add_text(content, text + k, n - k);
            assert_int_equal(fr_extract(content, options, &x, NULL), 0);
            assert_same(x, whole);
            assert_null(broken_invariant(content, options, x));
            fr_extraction_free(x);
            fr_content_free(content);
        }
    }
    fr_extraction_free(whole);
}

static void splits(void **state)
{
    (void)state;
    static const fr_delimiters code = {"<code>", "</code>"};
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    options.all = 1;
    split_everywhere(reply, &options);
    split_everywhere("\xef\xbb\xbf- ```py\r\n  s = \"\"\"\r\n  ```\r\n  \"\"\"\r\n  ```\r\nx",
                     &options);
    split_everywhere("see `a` or ```b``` run: ```python a=1\n1\n```\n> x\n~~~py\n", &options);
    options.delimiters = &code;
    options.delimiter_count = 1;
    split_everywhere("a <code>\n```\n</code> ```py\nx\n``` \n<code>", &options);
}

static int use(void *user, fr_error *err)
{
    const fr_extract_options *options = user;
    fr_content *content = NULL;
    fr_extraction *x = NULL;
    char *json_text = NULL;
    int rc = fr_content_new(&content, err);
    if (rc == 0)
        rc = fr_content_add(content, FR_PART_TEXT, 0, "Hi\n```js\n1\n```\n", 15, NULL, err);
    if (rc == 0)
        rc = fr_content_add(content, FR_PART_INLINE_DATA, 0, "PNG", 3, "image/png", err);
    if (rc == 0)
        rc = fr_content_add(content, FR_PART_TEXT, 0, reply, strlen(reply), NULL, err);
    if (rc == 0)
        rc = fr_extract(content, options, &x, err);
    if (rc == 0)
        rc = fr_extraction_json(x, &json_text, err);
    fr_free(json_text);
    fr_extraction_free(x);
    fr_content_free(content);
    return rc;
}

static void no_memory(void **state)
{
    (void)state;
    static const fr_delimiters code = {"<code>", "</code>"};
    fr_extract_options options = FR_EXTRACT_OPTIONS_INIT;
    /* The pattern of fences is compiled once and kept. */
    fr_extraction_free(extract("", 0, NULL));
    options.all = 1;
    assert_true(torture(use, &options) > 20);
    options.delimiters = &code;
    options.delimiter_count = 1;
    assert_true(torture(use, &options) > 20);
    options.compat = FR_COMPAT_ADK;
    assert_true(torture(use, &options) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_reply_keeps_its_role),
        cmocka_unit_test(offsets_and_members),
        cmocka_unit_test(executable_code_stands_where_it_is),
        cmocka_unit_test(json),
        cmocka_unit_test(skip_texts),
        cmocka_unit_test(bad_options),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(options_of_another_version),
        cmocka_unit_test(text_limit),
        cmocka_unit_test(most_delimiters),
        cmocka_unit_test(splits),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
