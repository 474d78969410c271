# SPDX-License-Identifier: MIT
"""check_cases.py FENCERUN: every case of tests/data/cli.

    arguments    of the command, as a shell would read them; $REPLY and $SCRIPT are paths of files
    reply        what the file $REPLY holds
    script       what the file $SCRIPT holds, for --executor scripted:$SCRIPT
    stdin        bytes on standard input; without it: nothing
    status       the exit status; without it: 0
    stdout, stderr           exactly this
    stdout-has, stderr-has   this is in it; may stand several times
    json         NAME=VALUE, in the object on stdout; VALUE is JSON, NAME may be a path: a.b
"""

import json
import shlex

from harness import DATA, expect, expect_equal, main, read_cases, run, scratch

KEYS = {"arguments", "reply", "script", "stdin", "status", "stdout", "stderr", "stdout-has",
        "stderr-has", "json"}


def arguments_of(case):
    text = case.get("arguments", b"").decode()
    for name in "reply", "script":
        if case.get(name) is not None:
            path = scratch(f"{name}.{'json' if name == 'script' else 'md'}", case.get(name))
            text = text.replace("$" + name.upper(), path)
    return shlex.split(text)


def member(value, path):
    for name in path.split("."):
        value = value[int(name) if name.isdigit() else name]
    return value


def check(case, command):
    unknown = {key for key, _ in case.sections} - KEYS
    expect(not unknown, case.where, "unknown keys:", unknown)
    done = run(command, *arguments_of(case), stdin=case.get("stdin", b""))
    said = f"{case.where}: status {done.returncode}, stderr {done.stderr[-300:]!r}"
    expect_equal(done.returncode, int(case.get("status", b"0")), said)
    for key, actual in ("stdout", done.stdout), ("stderr", done.stderr):
        if case.get(key) is not None:
            expect_equal(actual, case.get(key), f"{case.where}: {key}")
        for part in case.all(key + "-has"):
            expect(part in actual, f"{case.where}: {part!r} is not in {key}: {actual[-2000:]!r}")
    for line in case.all("json"):
        name, _, value = line.decode().partition("=")
        expect_equal(member(json.loads(done.stdout), name), json.loads(value),
                     f"{case.where}: {name}")


def tests():
    for path in sorted((DATA / "cli").glob("*.case")):
        for case in read_cases(path):
            yield case.name, lambda command, case=case: check(case, command)


main(tests())
