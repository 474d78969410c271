/* SPDX-License-Identifier: MIT */
/* Languages and mounts of one's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "fencerun/sandbox.h"
#include "tests/support/execute.h"
#include "tests/support/leaks.h"
#include "tests/support/user.h"

static fr_executor *open_with(const fr_sandbox_options *s)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    o.config = s;
    return open_executor("sandbox", &o);
}

static void expect_refused(const fr_sandbox_options *s, const char *text)
{
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error err = FR_ERROR_INIT;
    o.config = s;
    int rc = fr_executor_open("sandbox", &o, &ex, &err);
    fr_executor_close(ex);
    if (rc != FR_EINVAL || !strstr(err.text, text))
        fail_msg("%s: %s, not '%s'", fr_error_name(rc), err.text, text);
}

static void expect_run(fr_executor *ex, const char *language, const char *code, const char *out)
{
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    in.code = fri_cstr(code);
    in.language = language;
    if (fr_executor_execute(ex, &in, &r, &err))
        fail_msg("%s", err.text);
    if (strcmp(r->out.p, out) != 0)
        fail_msg("'%s' '%s', not '%s'", r->out.p, r->err.p, out);
    fr_code_result_free(r);
}

/* ---- languages ---- */

static void test_a_language_of_ones_own(void **state)
{
    (void)state;
    const char *words[] = {"perl", "pl", NULL}, *args[] = {"-w", "-T", NULL};
    char name[] = "perl", interpreter[] = "/usr/bin/perl";
    const fr_sandbox_language perl = {name, words, 0, interpreter, args, ".pl"};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.languages = &perl;
    s.language_count = 1;
    fr_executor *ex = open_with(&s);
    memset(name, 'x', 4);
    memset(interpreter, 'x', 4);
    words[0] = words[1] = args[0] = "gone";
    size_t count;
    const fr_language *table = fr_executor_languages(ex, &count);
    assert_string_equal(table[0].name, "python");
    assert_string_equal(table[count - 1].name, "perl");
    assert_string_equal(table[count - 1].words[1], "pl");
    assert_null(table[count - 1].words[2]);
    expect_run(ex, "perl", "print \"$0 ${^TAINT} $^W\\n\";", "/code/main.pl 1 1\n");
    expect_run(ex, "bash", "echo $0", "/code/main.sh\n");
    fr_executor_close(ex);
}

/* /bin is a link of the root. */
static void test_an_interpreter_behind_a_link(void **state)
{
    (void)state;
    const fr_sandbox_language shell = {"mine", NULL, 0, "/bin/bash", NULL, NULL};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.languages = &shell;
    s.language_count = 1;
    fr_executor *ex = open_with(&s);
    expect_run(ex, "mine", "echo $0", "/code/main\n");
    fr_executor_close(ex);
}

static void test_a_language_replaced(void **state)
{
    (void)state;
    const char *const args[] = {"-O", NULL};
    const fr_sandbox_language python = {"python", NULL, 0, "/usr/bin/python3", args, NULL};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.languages = &python;
    s.language_count = 1;
    fr_executor *ex = open_with(&s);
    size_t count;
    const fr_language *table = fr_executor_languages(ex, &count);
    assert_string_equal(table[0].name, "python");
    assert_string_equal(table[0].words[0], "python");
    assert_null(table[0].words[1]);
    expect_run(ex, "python", "import sys; print(sys.argv, sys.flags.optimize)",
               "['/code/main'] 1\n");
    fr_executor_close(ex);
}

static void test_an_interpreter_that_is_not_there(void **state)
{
    (void)state;
    const fr_sandbox_language cobol = {"cobol", NULL, 0, "/usr/bin/no-such-cobol", NULL, ".cob"};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error err = FR_ERROR_INIT;
    s.languages = &cobol;
    s.language_count = 1;
    fr_executor *ex = open_with(&s);
    in.language = "cobol";
    assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_EUNAVAILABLE);
    assert_non_null(strstr(err.text, "no interpreter for cobol"));
    assert_null(r);
    expect_run(ex, "python", "print(1)", "1\n");
    fr_executor_close(ex);
}

static void test_languages_that_cannot_be(void **state)
{
    (void)state;
    static const fr_sandbox_language bad[] = {{NULL, NULL, 0, "/usr/bin/perl", NULL, NULL},
                                              {"", NULL, 0, "/usr/bin/perl", NULL, NULL},
                                              {"x", NULL, 0, NULL, NULL, NULL},
                                              {"x", NULL, 0, "perl", NULL, NULL},
                                              {"x", NULL, 0, "/usr/bin/perl", NULL, "/../x"}};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.language_count = 1;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        s.languages = &bad[i];
        expect_refused(&s, "sandbox: ");
    }
    char names[40][8];
    fr_sandbox_language many[40];
    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof(names[i]), "l%zu", i);
        many[i] = (fr_sandbox_language){names[i], NULL, 0, "/usr/bin/perl", NULL, NULL};
    }
    s.languages = many;
    s.language_count = 29;
    expect_refused(&s, "more than 32 languages");
    s.language_count = 28;
    fr_executor_close(open_with(&s));
}

static void test_javascript(void **state)
{
    (void)state;
    fr_executor_options o = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = open_executor("sandbox", &o);
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    in.code = fri_cstr("console.log([1, 2, 3].map(x => x * x).join(), process.argv[1]);\n"
                       "require('fs').writeFileSync('out.json', JSON.stringify({a: 1}));\n");
    in.language = "javascript";
    fr_error err = FR_ERROR_INIT;
    if (access("/usr/bin/node", X_OK) != 0) {
        assert_int_equal(fr_executor_execute(ex, &in, &r, &err), FR_EUNAVAILABLE);
    } else {
        assert_int_equal(fr_executor_execute(ex, &in, &r, &err), 0);
        const fr_limit *memory = find_limit(r, "memory_bytes");
        /* An rlimit on addresses is nothing V8 can live with; that must show as what it is. */
        if (memory->degraded) {
            assert_int_equal(r->outcome, FR_OUTCOME_FAILED);
        } else {
            assert_string_equal(r->out.p, "1,4,9 /code/main.js\n");
            assert_int_equal(r->file_count, 1);
            assert_string_equal(r->files[0].mime_type, "application/json");
        }
    }
    fr_code_result_free(r);
    fr_executor_close(ex);
}

/* ---- mounts ---- */

static char directory[] = "/tmp/fencerun-mount-XXXXXX";

static int make_data(void **state)
{
    char path[64];
    (void)state;
    memcpy(directory + sizeof(directory) - 7, "XXXXXX", 6);
    if (!mkdtemp(directory) || chmod(directory, 0755))
        return -1;
    snprintf(path, sizeof(path), "%s/a.csv", directory);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, "x,y\n", 4) != 4)
        return -1;
    close(fd);
    return leaks_note(state);
}

static int remove_data(void **state)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/a.csv", directory);
    unlink(path);
    rmdir(directory);
    return leaks_check(state);
}

static void test_mounts_can_be_read_and_no_more(void **state)
{
    (void)state;
    char file[64];
    snprintf(file, sizeof(file), "%s/a.csv", directory);
    const fr_sandbox_mount mounts[] = {{directory, "/data/sets"}, {file, "/only.csv"}};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.mounts = mounts;
    s.mount_count = 2;
    fr_executor *ex = open_with(&s);
    expect_run(ex, "python",
               "import os\n"
               "print(open('/data/sets/a.csv').read() + open('/only.csv').read(), end='')\n"
               "for path in '/data/sets/a.csv', '/data/sets/new', '/data/new', '/only.csv':\n"
               "    try: open(path, 'a')\n"
               "    except OSError as e: print(e.errno in (13, 30))\n"
               "for f in os.unlink, os.rmdir:\n"
               "    try: f('/data/sets/a.csv')\n"
               "    except OSError as e: print(e.errno in (13, 20, 30))\n"
               "try: os.chmod('/only.csv', 0o777)\n"
               "except OSError as e: print(e.errno in (1, 30))\n",
               "x,y\nx,y\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\n");
    fr_executor_close(ex);
}

static void test_mounts_that_cannot_be(void **state)
{
    (void)state;
    const struct {
        fr_sandbox_mount mount;
        const char *text;
    } bad[] = {
        {{NULL, "/data"}, "no source"},
        {{"", "/data"}, "no source"},
        {{"/no/such/thing", "/data"}, "/no/such/thing"},
        {{directory, "data"}, "no absolute path"},
        {{directory, "/"}, "no absolute path"},
        {{directory, ""}, "no absolute path"},
        {{directory, "/a/../b"}, "no absolute path"},
        {{directory, "//a"}, "no absolute path"},
        {{directory, "/tmp"}, "a place of its own"},
        {{directory, "/tmp/x"}, "a place of its own"},
        {{directory, "/proc/x"}, "a place of its own"},
        {{directory, "/work"}, "a place of its own"},
        {{directory, "/code/x"}, "a place of its own"},
        {{directory, "/usr"}, "something else"},
        {{directory, "/usr/local/data"}, "something else"},
        {{directory, "/etc"}, "something else"},
        {{directory, "/bin/x"}, "something else"},
    };
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.mount_count = 1;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        s.mounts = &bad[i].mount;
        expect_refused(&s, bad[i].text);
    }
    const fr_sandbox_mount twice[] = {{directory, "/data"}, {directory, "/data/x"}};
    s.mounts = twice;
    s.mount_count = 2;
    expect_refused(&s, "something else");
}

/* An environment's interpreter is a link to that of the system, known by where it was started. */
static void test_a_virtual_environment(void **state)
{
    (void)state;
    char path[64], bin[64];
    snprintf(bin, sizeof(bin), "%s/bin", directory);
    assert_int_equal(mkdir(bin, 0755), 0);
    snprintf(path, sizeof(path), "%s/bin/python", directory);
    assert_int_equal(symlink("/usr/bin/python3", path), 0);
    char config[64];
    snprintf(config, sizeof(config), "%s/pyvenv.cfg", directory);
    int fd = open(config, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, "home = /usr/bin\n", 16), 16);
    close(fd);
    const fr_sandbox_mount venv = {directory, "/venv"};
    const char *const args[] = {"-I", NULL};
    const fr_sandbox_language python = {"python", NULL, 0, "/venv/bin/python", args, ".py"};
    fr_sandbox_options s = FR_SANDBOX_OPTIONS_INIT;
    s.mounts = &venv;
    s.mount_count = 1;
    s.languages = &python;
    s.language_count = 1;
    fr_executor *ex = open_with(&s);
    expect_run(ex, "python", "import sys; print(sys.prefix)", "/venv\n");
    fr_executor_close(ex);
    unlink(config);
    unlink(path);
    rmdir(bin);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        leaks_test(test_a_language_of_ones_own),
        leaks_test(test_an_interpreter_behind_a_link),
        leaks_test(test_a_language_replaced),
        leaks_test(test_an_interpreter_that_is_not_there),
        leaks_test(test_languages_that_cannot_be),
        leaks_test(test_javascript),
        cmocka_unit_test_setup_teardown(test_mounts_can_be_read_and_no_more, make_data,
                                        remove_data),
        cmocka_unit_test_setup_teardown(test_mounts_that_cannot_be, make_data, remove_data),
        cmocka_unit_test_setup_teardown(test_a_virtual_environment, make_data, remove_data),
    };
    return user_run_tests(argc, argv, tests);
}
