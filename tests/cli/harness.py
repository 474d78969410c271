# SPDX-License-Identifier: MIT
"""What the tests of the command share: running it, reading .case files, counting.

A test is a function that takes the command's path and raises Wrong, or Skipped with a reason.
"""

import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests" / "data"
LIMIT = 120  # seconds, for any one command


class Wrong(AssertionError):
    pass


class Skipped(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Wrong(" ".join(str(w) for w in what))


def expect_equal(actual, expected, what=""):
    expect(actual == expected, f"{what}: {actual!r}, not {expected!r}")


def run(command, *arguments, stdin=b"", **options):
    """Runs the command to its end; stdout and stderr are bytes."""
    return subprocess.run([command, *arguments], input=stdin, capture_output=True, timeout=LIMIT,
                          check=False, **options)


def script(*results):
    """Path of a script for the executor "scripted"; the file goes with the tests' directory."""
    number = len(list(Path(DIRECTORY.name).iterdir()))
    path = Path(DIRECTORY.name) / f"script-{number}.json"
    path.write_text(json.dumps({"results": results}))
    return str(path)


def scratch(name, content):
    """A file with that content, in a directory that goes with the tests."""
    path = Path(DIRECTORY.name) / name
    path.write_bytes(content)
    return str(path)


DIRECTORY = tempfile.TemporaryDirectory(prefix="fencerun-cli-")
# The command may run as another user than the tests.
os.chmod(DIRECTORY.name, 0o755)


# ---- .case files, as tests/support/cases.h describes them ----

ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "0": b"\0", "\\": b"\\"}


def unescape(line):
    out, at = bytearray(), 0
    while at < len(line):
        if line[at:at + 1] != b"\\":
            out += line[at:at + 1]
            at += 1
        elif at + 1 == len(line):
            return bytes(out)
        elif line[at + 1:at + 2] == b"x":
            out.append(int(line[at + 2:at + 4], 16))
            at += 4
        else:
            out += ESCAPES[line[at + 1:at + 2].decode()]
            at += 2
    return bytes(out) + b"\n"


class Case:
    def __init__(self, name, where):
        self.name, self.where, self.sections = name, where, []

    def all(self, key):
        return [value for k, value in self.sections if k == key]

    def get(self, key, absent=None):
        return next(iter(self.all(key)), absent)


def read_cases(path):
    cases, escaped, is_open, blank = [], False, False, False

    def end_case():
        # The one blank line before the next case is there for the eye only.
        if blank:
            key, content = cases[-1].sections[-1]
            cases[-1].sections[-1] = (key, content[:-1])

    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        if line.startswith(b"=== "):
            end_case()
            cases.append(Case(line[4:].decode(), f"{path.name}:{number}"))
            is_open = blank = False
        elif line.startswith(b"--- "):
            key, colon, value = line[4:].decode("utf-8", "surrogateescape").partition(":")
            escaped = key.endswith(" (escaped)")
            key = key.removesuffix(" (escaped)")
            content = value.removeprefix(" ").encode("utf-8", "surrogateescape") if colon else b""
            cases[-1].sections.append((key, content))
            is_open, blank = not colon, False
        elif is_open:
            blank = line == b""
            key, content = cases[-1].sections[-1]
            content += unescape(line) if escaped else line + b"\n"
            cases[-1].sections[-1] = (key, content)
    end_case()
    return cases


# ---- counting ----

def main(tests):
    """Runs (name, function) pairs and exits."""
    command = sys.argv[1]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, test in tests:
        try:
            test(command)
            counts["passed"] += 1
        except Skipped as why:
            counts["skipped"] += 1
            print(f"SKIPPED {name}: {why}", flush=True)
        except (Wrong, subprocess.TimeoutExpired) as why:
            counts["failed"] += 1
            print(f"FAILED {name}: {why}", flush=True)
        except Exception:  # a fault of the test itself must not hide the other tests
            counts["failed"] += 1
            print(f"FAILED {name}: {traceback.format_exc()}", flush=True)
    DIRECTORY.cleanup()
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    sys.exit(1 if counts["failed"] or not counts["passed"] else 0)


def tests_of(names):
    """The test_… functions among a module's globals()."""
    return [(name, f) for name, f in names.items() if name.startswith("test_")]
