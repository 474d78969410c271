# SPDX-License-Identifier: MIT
"""check_replies.py FENCERUN FOLDER: runs every NAME.md in FOLDER and compares with NAME.expect.

A NAME.expect has one "KEY VALUE" per line, "#" begins a comment:
    arguments    further arguments for `fencerun run`
    status       exit status of the command; without the other keys nothing was run
    outcome      as in the JSON result, or several of which it must be one: memory|failed
    exit_code    as in the JSON result, which may be null
    stdout_has, stderr_has
                 a line of the stream; may be given more than once
    --- stdout   from the next line to the end of the file: stdout, to the byte
"""

import json
import subprocess
import sys
from pathlib import Path


def read_expectation(path):
    head, mark, stdout = path.read_text(encoding="utf-8").partition("--- stdout\n")
    pairs = [line.split(" ", 1) for line in head.splitlines() if line and line[0] != "#"]
    lines = {"stdout": [], "stderr": []}
    expected = {"stdout": stdout} if mark else {}
    for key, value in pairs:
        if key in ("stdout_has", "stderr_has"):
            lines[key[:6]].append(value)
        elif key in ("status", "exit_code"):
            expected[key] = json.loads(value)
        elif key in ("outcome", "arguments"):
            expected[key] = value
        else:
            raise ValueError(f"{path}: unknown key {key}")
    return expected, lines


def run(fencerun, reply, arguments):
    """One flat mapping of what happened."""
    command = [fencerun, "run", "--json", *arguments.split(), str(reply)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    actual = {"status": done.returncode, "said": done.stderr.decode()[-300:]}
    if done.stdout:
        result = json.loads(done.stdout)
        keys = "outcome", "exit_code", "stdout", "stderr"
        actual |= {key: result[key] for key in keys if key in result}
    return actual


def differences(expected, lines, actual):
    for key, value in expected.items():
        allowed = value.split("|") if key == "outcome" else [value]
        if actual.get(key) not in allowed:
            yield f"{key}: expected {value!r}, not {actual.get(key)!r}"
    if "outcome" in actual and "outcome" not in expected:
        yield f"nothing should have run, but something did: {actual['outcome']}"
    for stream, wanted in lines.items():
        for line in wanted:
            if not any(line in found for found in actual.get(stream, "").splitlines()):
                yield f"{stream}: no line has {line!r}"


def main(fencerun, folder):
    replies = sorted(Path(folder).glob("*.md"))
    failed = 0
    for reply in replies:
        expected, lines = read_expectation(reply.with_suffix(".expect"))
        actual = run(fencerun, reply, expected.pop("arguments", ""))
        wrong = list(differences(expected, lines, actual))
        if wrong:
            failed += 1
            print(f"{reply.name}: the command said {actual['said']!r}", *wrong, sep="\n    ")
    print(f"{len(replies) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not replies else 0


sys.exit(main(*sys.argv[1:]))
