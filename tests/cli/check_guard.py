# SPDX-License-Identifier: MIT
"""check_guard.py FENCERUN: the guard of `fencerun run`, and the audit log it writes."""

import json
import os
from pathlib import Path

from harness import DIRECTORY, expect, expect_equal, main, run, script, tests_of


def guarded(command, code, *arguments):
    done = run(command, "run", "--json", *arguments, "-c", code)
    expect_equal(done.returncode, 0, done.stderr)
    return json.loads(done.stdout)


def log(name):
    return str(Path(DIRECTORY.name) / name)


def verify(command, path, *arguments):
    done = run(command, "audit", "verify", "--json", *arguments, path)
    return done.returncode, json.loads(done.stdout)


def test_warnings_are_told_from_errors(command):
    warn = guarded(command, "import warnings; warnings.warn('old', DeprecationWarning)")
    expect_equal(warn["guard"]["stderr_class"], "warning")
    error = guarded(command, "import threading\n"
                    "t = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n")
    expect_equal(error["guard"]["stderr_class"], "error")
    expect_equal(guarded(command, "print(1)")["guard"]["stderr_class"], "empty")


def test_terminal_sequences_are_removed(command):
    code = r"print('\x1b]0;title\x07\x1b[31mred\x1b[0m'); print('10%\r20%\r100%')"
    result = guarded(command, code)
    expect_equal(result["stdout"], "red\n100%\n")
    expect(result["guard"]["stdout"]["controls_removed"] >= 3, result["guard"])
    expect_equal(run(command, "run", "--no-guard", "-c", code).stdout,
                 b"\x1b]0;title\x07\x1b[31mred\x1b[0m\n10%\r20%\r100%\n")


def test_long_output_is_shortened_and_the_end_is_seen(command):
    result = guarded(command, "for i in range(100000): print('noise')\nprint('ANSWER=42')")
    expect(result["stdout"].endswith("\nANSWER=42\n"), result["stdout"][-100:])
    expect_equal(result["guard"]["stdout"]["characters_left_out"], 600010 - 4000)
    expect_equal(result["receipt"]["stdout"]["bytes_written"], 600010)
    expect("[... 596010 characters left out ...]" in result["stdout"])
    plain = run(command, "run", "-c", "print('x' * 5000)")
    expect(b"not kept" not in plain.stderr, plain.stderr)
    expect(b"1001 characters of stdout are left out; --no-guard shows them" in plain.stderr,
           plain.stderr)


def test_what_was_not_kept_is_told(command):
    """The executor keeps 1 MiB of each stream before the guard has a look, and 64 MiB without one."""
    def lost(mib, *arguments):
        code = f"import sys\nfor i in range({mib}): sys.stdout.write('x' * 1048576)"
        done = run(command, "run", *arguments, "-c", code)
        return [line for line in done.stderr.decode().splitlines() if "not kept" in line]
    expect_equal(lost(3), ["fencerun: run: 2097152 bytes of stdout were not kept; --no-guard shows them"])
    expect_equal(lost(65), ["fencerun: run: 67108864 bytes of stdout were not kept; --no-guard shows more"])
    expect_equal(lost(3, "--no-guard"), [])
    expect_equal(lost(65, "--no-guard"), ["fencerun: run: 1048576 bytes of stdout were not kept"])


def test_characters_are_not_cut(command):
    result = guarded(command, "print('\\u754c' * 5000, end='')")
    expect_equal(result["stdout"],
                 "\u754c" * 2000 + "\n[... 1000 characters left out ...]\n" + "\u754c" * 2000)


def test_audit_log(command):
    path = log("runs.log")
    for code, status in ("print(1)", 0), ("1/0", 1), ("raise SystemExit(3)", 1):
        done = run(command, "run", "--audit", path, "--invocation", "e-1", "-c", code)
        expect_equal(done.returncode, status, done.stderr)
    status, summary = verify(command, path)
    expect_equal((status, summary["records"], summary["runs"]), (0, 6, 3))
    records = [json.loads(line) for line in Path(path).read_text().splitlines()]
    expect_equal([r["event"] for r in records], ["started", "ended"] * 3)
    expect_equal(records[0]["invocation"], {"id": "e-1"})
    expect_equal(records[3]["outcome"], "failed")
    expect("ZeroDivisionError" in records[3]["stderr"])
    expect_equal(os.stat(path).st_mode & 0o777, 0o600)


def test_result_names_its_record(command):
    path = log("named.log")
    result = guarded(command, "print(1)", "--audit", path)
    _, summary = verify(command, path)
    head = summary["head"]
    expect_equal(result["guard"]["audit"], {"seq": head["sequence"], "hash": head["hash"]})


def test_output_cannot_forge_records(command):
    path = log("forged.log")
    lines = Path(log("runs.log")).read_text() if os.path.exists(log("runs.log")) else "{}\n"
    guarded(command, f"print({lines!r})\nprint('\\r\\u2028\\x1b[2J')", "--audit", path)
    expect_equal(len(Path(path).read_bytes().splitlines()), 2)
    expect_equal(verify(command, path)[1]["records"], 2)


def test_no_log_no_run(command):
    marker = log("nothing")
    for path, words in (DIRECTORY.name, b"regular"), (log("no/such/dir.log"), b"No such file"):
        done = run(command, "run", "--audit", path, "-c", "print(1)")
        expect(done.returncode in (2, 5), done.returncode)
        expect_equal(done.stdout, b"")
        expect(words in done.stderr, done.stderr)
    expect(not os.path.exists(marker))
    foreign = Path(log("foreign.txt"))
    foreign.write_text("dear diary\n")
    done = run(command, "run", "--audit", str(foreign), "-c", "print(1)")
    expect_equal((done.returncode, done.stdout), (3, b""))
    expect_equal(foreign.read_text(), "dear diary\n")


def test_a_failed_call_is_recorded(command):
    path = log("failed.log")
    down = script({"error": "FR_EUNAVAILABLE", "message": "engine is down"})
    done = run(command, "run", "--executor", f"scripted:{down}", "--audit", path, "-c", "x")
    expect_equal(done.returncode, 5)
    last = json.loads(Path(path).read_text().splitlines()[-1])
    expect_equal((last["event"], last["error"]), ("failed", "FR_EUNAVAILABLE"))


def test_what_does_not_go_together(command):
    done = run(command, "run", "--no-guard", "--audit", log("x"), "-c", "1")
    expect_equal(done.returncode, 2)
    expect(b"--no-guard" in done.stderr, done.stderr)
    done = run(command, "run", "--invocation", "e-1", "-c", "1")
    expect_equal(done.returncode, 2)


main(tests_of(globals()))
