/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation. Walls are tried by one program in one run (doctor.py), whose lines are its findings; each
 * limit by a run of its own that goes beyond it, where the outcome is the finding. By what a limit is enforced
 * stands in the receipt of that run.
 */
#include "fencerun/doctor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/str.h"
#include "base/word.h"
#include "executor/sandbox/embedded.h"

typedef struct doctor {
    const fr_sandbox_options *sandbox;
    fr_check_fn report;
    void *user;
    int failed;
} doctor;

const char *fr_check_text(int status)
{
    static const fri_word words[] = {FR_CHECK_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, status);
}

int fr_check_json(const fr_check *check, char **json, fr_error *err)
{
    fri_buf buf;
    fri_json_out w;
    fri_buf_init(&buf, FRI_MAX_JSON_OUT);
    fri_json_out_init(&w, &buf);
    fri_json_begin_object(&w);
    fri_json_member_cstring(&w, "status", fr_check_text(check->status));
    fri_json_member_cstring(&w, "name", check->name);
    fri_json_member_cstring(&w, "found", check->found);
    fri_json_member_cstring(&w, "advice", check->advice);
    fri_json_end_object(&w);
    int rc = fri_json_out_steal(&w, "a check as JSON", json, err);
    fri_buf_dispose(&buf);
    return rc;
}

static void say(doctor *d, int status, const char *name, const char *found, const char *advice)
{
    const fr_check check = {status, name, found, advice};
    d->failed += status == FR_CHECK_FAILS;
    d->report(d->user, &check);
}

/* ---- limits ---- */

/* How a limit is gone beyond, and what then has to come of it. */
typedef struct attempt {
    const char *name;
    const char *limit; /* in the receipt */
    fr_executor_options options;
    const char *code;
    int outcome;     /* with which the run ends; 0: the code prints "held" */
    const char *how; /* in words */
} attempt;

#define SMALL 33554432 /* 32 MiB */

static const attempt attempts[] = {
    {"wall time",
     "wall_ms",
     {.timeout_ms = 500},
     "while True: pass\n",
     FR_OUTCOME_TIMEOUT,
     "a loop without end was stopped after 0.5 s"},
    {"cpu time",
     "cpu_ms",
     {.cpu_ms = 200, .timeout_ms = 20000},
     "import os\nfor i in range(3): os.fork()\nwhile True: pass\n",
     FR_OUTCOME_CPU_LIMIT,
     "eight processes were stopped when they had used 0.2 s together"},
    {"memory",
     "memory_bytes",
     {.memory_bytes = SMALL},
     "import os\nkeep = []\nfor i in range(3):\n    if os.fork() == 0: break\n"
     "while len(keep) < 1000: keep.append(b'x' * 65536)\n"
     "while True:\n    try: os.wait()\n    except ChildProcessError: break\n",
     FR_OUTCOME_MEMORY,
     "processes that took more than 32 MiB together were stopped"},
    {"processes",
     "processes",
     {.max_processes = 8},
     "import os, time\nn = 1\ntry:\n    while n < 20:\n        if os.fork() == 0: time.sleep(10)\n"
     "        n += 1\nexcept BlockingIOError:\n    if n == 8: print('held')\n",
     0,
     "the ninth was refused"},
    {"space",
     "tmp_bytes",
     {.tmp_bytes = 1 << 20},
     "try:\n    for name in '/work/x', '/tmp/x', '/dev/shm/x':\n"
     "        open(name, 'wb').write(bytes(600000))\nexcept OSError as e:\n"
     "    if e.errno == 28: print('held')\n",
     0,
     "what was more than 1 MiB in all was refused"},
    {"open files",
     "open_files",
     {.timeout_ms = 0},
     "import os\ntry:\n    for i in range(10000): os.dup(0)\nexcept OSError as e:\n"
     "    if e.errno == 24: print('held')\n",
     0,
     "the 513th was refused"},
    {"core dumps",
     NULL,
     {.timeout_ms = 0},
     "import resource\nif resource.getrlimit(resource.RLIMIT_CORE) == (1, 1): print('held')\n",
     0,
     "off"},
    {"output",
     "output_bytes",
     {.output_max_bytes = 1000},
     "while True: print('x' * 100)\n",
     FR_OUTCOME_OUTPUT_LIMIT,
     "output without end was stopped after 1,000 bytes"},
};

static const fr_limit *find_limit(const fr_code_result *r, const char *name)
{
    for (size_t i = 0; name && i < r->receipt->limit_count; i++)
        if (strcmp(r->receipt->limits[i].name, name) == 0)
            return &r->receipt->limits[i];
    return NULL;
}

static const char *cgroup_advice(void)
{
    return geteuid() == 0
               ? "mount a cgroup hierarchy with this controller, writable"
               : "run in a cgroup that is delegated to you, such as that of 'systemd-run "
                 "--user --scope -p Delegate=yes', or as root";
}

static void judge(doctor *d, const attempt *a, const fr_code_result *r)
{
    char found[256];
    const fr_limit *limit = find_limit(r, a->limit);
    int held = a->outcome ? r->outcome == a->outcome : fri_str_equal(r->out, fri_cstr("held\n"));
    if (limit && limit->degraded) {
        snprintf(found, sizeof(found), "by %s: each process for itself, not all together",
                 limit->mechanism);
        say(d, FR_CHECK_DEGRADED, a->name, found, cgroup_advice());
        return;
    }
    if (held)
        snprintf(found, sizeof(found), "%s%s%s", limit ? limit->mechanism : "", limit ? ": " : "",
                 a->how);
    else
        snprintf(found, sizeof(found), "the run that went beyond it ended as %s",
                 fr_outcome_text(r->outcome));
    say(d, held ? FR_CHECK_HOLDS : FR_CHECK_FAILS, a->name, found,
        held ? "" : "run no code here; please report this with the output of 'uname -r'");
}

/* Runs something in a sandbox of its own. */
static int run_once(const doctor *d, const fr_executor_options *given, fr_str code,
                    const char *language, fr_code_result **out, fr_error *err)
{
    fr_executor_options options = *given;
    fr_executor *ex = NULL;
    options.struct_size = sizeof(options);
    options.config = d->sandbox;
    int rc = fr_executor_open("sandbox", &options, &ex, err);
    if (rc)
        return rc;
    fr_code_input in = FR_CODE_INPUT_INIT;
    in.code = code;
    in.language = language;
    rc = fr_executor_execute(ex, &in, out, err);
    fr_executor_close(ex);
    return rc;
}

static void try_limit(doctor *d, const attempt *a)
{
    fr_code_result *r = NULL;
    fr_error why = FR_ERROR_INIT;
    if (run_once(d, &a->options, fri_cstr(a->code), "python", &r, &why))
        say(d, FR_CHECK_FAILS, a->name, why.text, "");
    else
        judge(d, a, r);
    fr_code_result_free(r);
}

/* ---- walls ---- */

/* The next of the parts of a line, which tabs are between. */
static fr_str take_part(fr_str *line)
{
    const char *tab = memchr(line->p, '\t', line->n);
    size_t n = tab ? (size_t)(tab - line->p) : line->n;
    fr_str part = fri_str(line->p, n);
    n += tab != NULL;
    *line = fri_str(line->p + n, line->n - n);
    return part;
}

static void say_line(doctor *d, fr_str line)
{
    char name[64], found[512];
    fr_str first = take_part(&line), second = take_part(&line);
    int status = fri_str_equal(second, fri_cstr("holds"))    ? FR_CHECK_HOLDS
                 : fri_str_equal(second, fri_cstr("absent")) ? FR_CHECK_ABSENT
                                                             : FR_CHECK_FAILS;
    snprintf(name, sizeof(name), "%.*s", (int)first.n, first.p);
    snprintf(found, sizeof(found), "%.*s", (int)line.n, line.p);
    say(d, status, name, found,
        status == FR_CHECK_FAILS
            ? "run no code here; please report this with the output of 'uname -r'"
            : "");
}

static int say_lines(doctor *d, fr_str text)
{
    int n = 0;
    while (text.n > 0) {
        const char *lf = memchr(text.p, '\n', text.n);
        size_t length = lf ? (size_t)(lf - text.p) : text.n;
        say_line(d, fri_str(text.p, length));
        length += lf != NULL;
        text = fri_str(text.p + length, text.n - length);
        n++;
    }
    return n;
}

#define WALLS 13 /* lines of doctor.py */

static void try_walls(doctor *d)
{
    const fr_executor_options none = FR_EXECUTOR_OPTIONS_INIT;
    fr_code_result *r = NULL;
    fr_error why = FR_ERROR_INIT;
    if (run_once(d, &none, fri_cstr(fri_doctor), "python", &r, &why))
        say(d, FR_CHECK_FAILS, "walls", why.text, "");
    else if (say_lines(d, r->out) != WALLS || r->outcome != FR_OUTCOME_OK)
        say(d, FR_CHECK_FAILS, "walls", "the program that tries them did not come to its end",
            "please report this with the output of 'fencerun doctor --json'");
    fr_code_result_free(r);
}

/* ---- languages ---- */

static void say_language(doctor *d, fr_executor *ex, const char *name)
{
    char row[80], found[256];
    fr_code_input in = FR_CODE_INPUT_INIT;
    fr_code_result *r = NULL;
    fr_error why = FR_ERROR_INIT;
    in.language = name;
    snprintf(row, sizeof(row), "language %.60s", name);
    if (fr_executor_execute(ex, &in, &r, &why)) {
        say(d, FR_CHECK_ABSENT, row, why.text, "");
        return;
    }
    int ok = r->outcome == FR_OUTCOME_OK;
    snprintf(found, sizeof(found), "%.200s%s%.30s%s", r->receipt->interpreter,
             r->receipt->interpreter_version[0] ? " " : "", r->receipt->interpreter_version,
             ok ? "" : " does not run an empty program");
    say(d, ok ? FR_CHECK_HOLDS : FR_CHECK_ABSENT, row, found, "");
    fr_code_result_free(r);
}

static void say_languages(doctor *d, fr_executor *ex)
{
    size_t count;
    const fr_language *table = fr_executor_languages(ex, &count);
    for (size_t i = 0; i < count; i++)
        say_language(d, ex, table[i].name);
}

/* ---- all ---- */

int fr_sandbox_check(const fr_sandbox_options *sandbox, fr_check_fn report, void *user,
                     fr_error *err)
{
    fr_sandbox_options own;
    fr_executor_options options = FR_EXECUTOR_OPTIONS_INIT;
    fr_executor *ex = NULL;
    fr_error why = FR_ERROR_INIT;
    int rc = fri_read_sized(&own, sizeof(own), sandbox, "fr_sandbox_options", err);
    if (rc)
        return rc;
    own.struct_size = sizeof(own);
    own.no_wait = 0;
    doctor d = {.sandbox = &own, .report = report, .user = user};
    options.config = &own;
    rc = fr_executor_open("sandbox", &options, &ex, &why);
    if (rc == FR_EINVAL || rc == FR_ENOMEM)
        return fr_fail(err, rc, 0, "%s", why.text);
    if (rc) {
        say(&d, FR_CHECK_FAILS, "sandbox", why.text, "");
        return d.failed;
    }
    say(&d, FR_CHECK_HOLDS, "sandbox", "namespaces, a root and a filter can be had", "");
    say_languages(&d, ex);
    fr_executor_close(ex);
    try_walls(&d);
    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
        try_limit(&d, &attempts[i]);
    return d.failed;
}
