/* SPDX-License-Identifier: MIT */
#include "executor/sandbox/languages.h"

#include <stddef.h>

/*
 * What Python's `site` would do at start, as far as programs notice, without the quarter it adds to
 * the start of an interpreter: distribution packages can be imported, exit() and quit() exist. Then
 * the code runs as __main__ under its own name, and tracebacks begin with its frames. stdout is
 * flushed at every line, so that what was printed before a run is killed is not lost.
 */
static const char python_start[] =
    "def start():\n"
    "    import sys, builtins\n"
    "    path = sys.argv[1]\n"
    "    sys.argv[:] = [path]\n"
    "    version = 'python%d.%d' % sys.version_info[:2]\n"
    "    sys.path += ['/usr/local/lib/' + version + '/dist-packages',\n"
    "                 '/usr/local/lib/' + version + '/site-packages',\n"
    "                 '/usr/lib/python3/dist-packages',\n"
    "                 '/usr/lib/' + version + '/site-packages']\n"
    "    def leave(code=None):\n"
    "        raise SystemExit(code)\n"
    "    builtins.exit = builtins.quit = leave\n"
    "    def hook(kind, value, trace):\n"
    "        while trace and trace.tb_frame.f_code.co_filename == '<string>':\n"
    "            trace = trace.tb_next\n"
    "        value.__traceback__ = trace\n"
    "        sys.__excepthook__(kind, value, trace)\n"
    "    sys.excepthook = hook\n"
    "    sys.stdout.reconfigure(line_buffering=True)\n"
    "    with open(path, 'rb') as f:\n"
    "        code = f.read()\n"
    "    names = globals()\n"
    "    names['__file__'] = path\n"
    "    exec(compile(code, path, 'exec', dont_inherit=True), names)\n"
    "globals().pop('start')()\n";

static const char *const python_words[] = {"python", "py", "python3", "tool_code", NULL};
static const char *const python_interpreters[] = {"/usr/bin/python3", "/usr/local/bin/python3",
                                                  NULL};
static const char *const python_args[] = {"-I", "-S", "-X", "utf8", "-c", python_start, NULL};

static const char *const bash_words[] = {"bash", NULL};
static const char *const bash_interpreters[] = {"/usr/bin/bash", "/bin/bash", NULL};
static const char *const sh_words[] = {"sh", "shell", NULL};
static const char *const sh_interpreters[] = {"/usr/bin/sh", "/bin/sh", NULL};
static const char *const no_args[] = {NULL};

const fr_language fri_sandbox_languages[FRI_SANDBOX_LANGUAGES] = {
    {"python", python_words, FR_LANGUAGE_TRIPLE_QUOTES},
    {"bash", bash_words, 0},
    {"sh", sh_words, 0},
};

const fri_sandbox_language fri_sandbox_language_table[FRI_SANDBOX_LANGUAGES] = {
    {"python", "main.py", python_interpreters, python_args},
    {"bash", "main.sh", bash_interpreters, no_args},
    {"sh", "main.sh", sh_interpreters, no_args},
};
