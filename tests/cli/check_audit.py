# SPDX-License-Identifier: MIT
"""check_audit.py FENCERUN: `fencerun audit` on logs that hold, that do not, and that lie."""

import json
import os
import re
import subprocess

from audit_log import Log
from harness import LIMIT, SOURCE, expect, expect_equal, main, run, scratch, tests_of

HOSTILE = ('x\n1 2026-12-01T05:00:00.000000Z started sandbox python\r\x1b[2J\x7f\x85\x9b1m'
           '\u2028\u2029\u202e\u2069\u200f\u061c\t\0end')


def two_runs():
    log = Log()
    log.end(log.start("print(1)\n", app="shop", user="ann"), stdout="1\n")
    log.end(log.start("1/0\n"), stderr="ZeroDivisionError\n", outcome="failed", exit_code=1)
    return log


def audit(command, *arguments, log=None, **options):
    """With the log's bytes in a file behind the arguments."""
    if log is not None:
        arguments = *arguments, scratch("audit.log", log)
    return run(command, "audit", *arguments, **options)


def verify(command, log, *options, status=0):
    done = audit(command, "verify", *options, log=log)
    expect_equal(done.returncode, status, done.stderr)
    return done.stdout.decode(), done.stderr.decode()


# ---- verify ----

def test_a_log_that_holds(command):
    log = two_runs()
    out, err = verify(command, log.bytes())
    expect_equal(out, "the chain holds: 4 records of 2 runs, from 2026-12-01T05:01:00Z to "
                 f"2026-12-01T05:04:00Z\nhead {log.head()}\n")
    expect_equal(err, "")
    out, err = verify(command, log.bytes(), "--anchor", log.head())
    expect(out.startswith("the chain holds: 4 records"), out)


def test_an_empty_log(command):
    expect_equal(verify(command, b""), ("the chain holds: 0 records of 0 runs\n", ""))


def test_one_record(command):
    log = Log()
    log.start("x")
    out, err = verify(command, log.bytes())
    expect(out.startswith("the chain holds: 1 record of 1 run, from"), out)
    expect("runs without an end: 1, the first is that of record 1" in err, err)


def test_what_is_told_besides(command):
    log = two_runs()
    log.tear(b'{"se')
    log.start("", minute=0)
    out, err = verify(command, log.bytes())
    expect("6 records of 4 runs" in out, out)
    for remark in ("runs without an end: 2, the first is that of record 5",
                   "writes that were cut off, as later records tell: 1",
                   "the clock was set back: record 6 has an earlier time"):
        expect(remark in err, remark, "is not in", err)


def test_a_changed_record(command):
    log = two_runs()
    changed = log.bytes().replace(b'"exit_code":1', b'"exit_code":0')
    out, _ = verify(command, changed, status=4)
    offset = len(b"".join(log.lines[:3]))
    expect_equal(out.splitlines()[0], f"the chain breaks at line 4, byte {offset}: record 4 was "
                 "changed: its hash is not that of its bytes")
    expect(out.splitlines()[1].startswith("before it: 3 records of 2 runs, from"), out)


def test_a_log_that_was_cut_off(command):
    log = two_runs()
    out, _ = verify(command, log.bytes()[:-1], status=4)
    expect("bytes are no whole record: a write was cut off, or the file was" in out, out)
    shorter = b"".join(log.lines[:3])
    verify(command, shorter)
    out, _ = verify(command, shorter, "--anchor", log.head(), status=4)
    expect(f"does not have record 4 with hash {log.prev}: it was cut off or rewritten" in out, out)


def test_what_is_no_log(command):
    for content in b"\n", b"text", b"text\n", b"\0" * 4096, os.urandom(4096), b'{"seq":1}\n':
        out, _ = verify(command, content, status=4)
        expect(out.startswith("the chain breaks at line 1, byte 0: "), out)


def test_verify_as_json(command):
    log = two_runs()
    found = json.loads(verify(command, log.bytes(), "--json")[0])
    expect_equal(found, {
        "holds": True, "records": 4, "runs": 2, "runs_without_end": 0, "first_without_end": None,
        "torn": 0, "clock_back": None, "first": "2026-12-01T05:01:00.250000Z",
        "last": "2026-12-01T05:04:00.250000Z",
        "head": {"sequence": 4, "hash": log.prev}, "broken": None})
    found = json.loads(verify(command, log.bytes()[:-1], "--json", status=4)[0])
    expect_equal(found["holds"], False)
    expect_equal(found["broken"]["line"], 4)
    expect_equal(found["broken"]["offset"], len(b"".join(log.lines[:3])))


def test_files_that_cannot_be_read(command):
    fifo = scratch("fifo", b"")
    os.unlink(fifo)
    os.mkfifo(fifo)
    for sub in "verify", "show":
        for path, words in (("/no/such/file", "No such file"), ("/", "a regular file"),
                            (fifo, "a regular file"), ("/dev/null", "a regular file"),
                            ("-", "not from standard input")):
            done = audit(command, sub, path)
            expect_equal(done.returncode, 2, path)
            expect_equal(done.stdout, b"", path)
            expect(words in done.stderr.decode(), words, "is not in", done.stderr)


def test_arguments_that_make_no_sense(command):
    log = two_runs().bytes()
    path = scratch("audit.log", log)
    for arguments in ([], ["check", path], ["verify"], ["show"], ["verify", path, path],
                      ["verify", "--anchor", "1", path], ["verify", "--run", "1", path],
                      ["show", "--run", "0", path], ["show", "--run", "x", path],
                      ["show", "--anchor", "1", path], ["--json", "verify", path]):
        done = audit(command, *arguments)
        expect_equal(done.returncode, 2, arguments)
        expect_equal(done.stdout, b"", arguments)
        expect(done.stderr.startswith(b"fencerun: audit"), done.stderr)


# ---- show ----

def show(command, log, *options, status=0):
    done = audit(command, "show", *options, log=log)
    expect_equal(done.returncode, status, done.stderr)
    return done.stdout.decode(), done.stderr.decode()


def test_what_is_shown(command):
    log = two_runs()
    run_of = log.start("x" * 3, language=None, function_call="f1")
    log.fail(run_of)
    log.end(log.start(""), outcome="timeout", exit_code=None, signal=9, reason="over 1 s")
    out, err = show(command, log.bytes())
    expect_equal(err, "")
    expect_equal(out, """\
1 2026-12-01T05:01:00.250000Z started sandbox python app=shop user=ann
  code
    print(1)
2 2026-12-01T05:02:00.250000Z ended run 1: ok, exit code 0, 1.500 s
  stdout
    1
3 2026-12-01T05:03:00.250000Z started sandbox python
  code
    1/0
4 2026-12-01T05:04:00.250000Z ended run 3: failed, exit code 1, 1.500 s
  stderr
    ZeroDivisionError
5 2026-12-01T05:05:00.250000Z started sandbox function_call=f1
  code
    xxx
6 2026-12-01T05:06:00.250000Z failed run 5: FR_EUNAVAILABLE: engine is down
7 2026-12-01T05:07:00.250000Z started sandbox python
8 2026-12-01T05:08:00.250000Z ended run 7: timeout, signal 9, 1.500 s: over 1 s
""")


def test_nothing_can_pass_for_another_record(command):
    log = Log()
    log.end(log.start(HOSTILE, language=HOSTILE, app=HOSTILE), stdout=HOSTILE, stderr=HOSTILE,
            outcome=HOSTILE, reason=HOSTILE)
    log.fail(log.start(""), error=HOSTILE, message=HOSTILE)
    out, _ = show(command, log.bytes())
    heads = [line for line in out.split("\n") if line and not line.startswith("  ")]
    expect_equal([line[:2] for line in heads], ["1 ", "2 ", "3 ", "4 "], out)
    for character in set(HOSTILE) - set("\n\t"):
        if ord(character) < 32 or ord(character) > 126:
            expect(character not in out, repr(character), "is in", repr(out))
    expect(r"\x1b[2J\x7f\x85\x9b1m\u2028\u2029\u202e\u2069\u200f\u061c" "\t" r"\x00end" in out, out)


def test_whom_it_was_for_cannot_be_made_up(command):
    log = Log()
    log.start("", app="a b", user='x id=9 "', session="", id="e-1/2:3", agent="ann\\")
    out, _ = show(command, log.bytes())
    expect(r'python app="a b" user="x id=9 \"" session="" id=e-1/2:3 agent="ann\\"' in out, out)


def test_text_of_other_scripts_is_shown_as_it_is(command):
    log = Log()
    text = "größe 数据 😀 é"
    log.end(log.start(text, user=text), stdout=text)
    expect_equal(show(command, log.bytes())[0].count(text), 3)


def test_one_run(command):
    log = two_runs()
    out, _ = show(command, log.bytes(), "--run", "3")
    expect_equal([line[0] for line in out.split("\n") if line and line[0] != " "], ["3", "4"])
    out, err = show(command, log.bytes(), "--run", "9", status=1)
    expect_equal(out, "")
    expect("no record of run 9" in err, err)


def test_show_as_json_is_the_lines(command):
    log = two_runs()
    log.tear(b'{"se')
    expect_equal(audit(command, "show", "--json", log=log.bytes()).stdout,
                 b"".join(line for line in log.lines if line != b'{"se\n'))
    expect_equal(show(command, log.bytes(), "--json", "--run", "1")[0].encode(),
                 b"".join(log.lines[:2]))


def test_show_of_a_log_that_does_not_hold(command):
    log = two_runs()
    broken = log.lines[0] + b"\x1b[2J junk\n" + b"".join(log.lines[1:])
    out, err = show(command, broken, status=4)
    expect_equal(re.findall(r"^\S+", out, re.M), ["1", "line", "2", "3", "4"])
    expect("line 2: no record, 9 bytes" in out and "\x1b" not in out, repr(out))
    expect("the chain breaks at line 2: line 2 is no record" in err, err)
    show(command, broken, "--json", status=4)


def test_output_that_is_not_taken(command):
    path = scratch("audit.log", two_runs().bytes())
    for sub in "verify", "show":
        with open("/dev/full", "wb") as full:
            done = subprocess.run([command, "audit", sub, path], stdout=full, timeout=LIMIT,
                                  stderr=subprocess.PIPE, check=False)
        expect_equal(done.returncode, 5, sub)
        expect(b"No space left" in done.stderr, done.stderr)


# ---- docs/audit.md ----

def shell_blocks():
    text = (SOURCE / "docs" / "audit.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    expect_equal(len(blocks), 2, "blocks of shell in docs/audit.md")
    return blocks


def check_by_hand(log):
    """What the two blocks of docs/audit.md say of a log: its hashes, its chain."""
    path = scratch("audit.log", log)
    said = []
    for block in shell_blocks():
        done = subprocess.run(["/bin/sh", "-c", block], cwd=os.path.dirname(path), timeout=LIMIT,
                              capture_output=True, check=False)
        expect_equal(done.stderr, b"")
        said.append(done.returncode == 0 and done.stdout.endswith(b"right\n"))
    return said


def test_the_check_by_hand_in_the_docs(command):
    del command
    log = two_runs()
    log.end(log.start(HOSTILE + ',"hash":"', app="a\\"), stdout=HOSTILE)
    expect_equal(check_by_hand(log.bytes()), [True, True])
    expect_equal(check_by_hand(log.bytes().replace(b'"exit_code":1', b'"exit_code":0'))[0], False)
    expect_equal(check_by_hand(b"".join(log.lines[:2] + log.lines[3:])), [True, False])


def test_the_example_in_the_docs_is_a_log_that_holds(command):
    text = (SOURCE / "docs" / "audit.md").read_text()
    lines = re.findall(r'^\{"seq":.*$', text, re.M)
    expect_equal(len(lines), 2)
    out, _ = verify(command, "".join(line + "\n" for line in lines).encode())
    expect(out in text, out)


main(tests_of(globals()))
