# SPDX-License-Identifier: MIT
"""check_streams.py FENCERUN: standard input, output and error in every state they can be in."""

import os
import subprocess

from harness import LIMIT, Skipped, expect, expect_equal, main, run, scratch, script, tests_of

REPLY = b"Here:\n\n```python\nprint('ran')\n```\n"


def run_with(command, *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
             closed=()):
    """With descriptors of our own; those in `closed` are not open at all."""
    def close():
        for fd in closed:
            os.close(fd)
    return subprocess.run([command, *arguments], stdin=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=LIMIT, check=False, preexec_fn=close)


def test_reply_from_stdin_and_from_a_file(command):
    path = scratch("reply.md", REPLY)
    for arguments, stdin in ([], REPLY), (["-"], REPLY), ([path], b""), (["/dev/stdin"], REPLY):
        done = run(command, "extract", *arguments, stdin=stdin)
        expect_equal(done.stdout, b"print('ran')\n", arguments)
        expect_equal(done.returncode, 0, arguments)
        done = run(command, "run", *arguments, stdin=stdin)
        expect_equal(done.stdout, b"ran\n", arguments)
        expect_equal(done.returncode, 0, arguments)


def test_code_from_stdin_and_from_a_file(command):
    code = b"print('```python')\n"
    path = scratch("code.py", code)
    for where, stdin in ("-", code), ("/dev/stdin", code), (path, b""):
        done = run(command, "run", "--code", where, stdin=stdin)
        expect_equal(done.stdout, b"```python\n", where)
        expect_equal(done.returncode, 0, where)


def test_the_code_does_not_read_our_stdin(command):
    code = "import sys; print(repr(sys.stdin.read()))"
    done = run(command, "run", "-c", code, stdin=b"secret\n")
    expect_equal(done.stdout, b"''\n")


def test_stdout_that_is_full(command):
    played = script({"stdout": "x" * 100})
    for arguments in (["extract", scratch("r.md", REPLY)], ["extract", "--json", scratch("r.md", REPLY)],
                      ["run", "--executor", f"scripted:{played}", "-c", ""],
                      ["run", "--json", "--executor", f"scripted:{played}", "-c", ""],
                      ["--help"], ["run", "--help"], ["--version"]):
        with open("/dev/full", "wb") as full:
            done = run_with(command, *arguments, stdout=full)
        expect(done.returncode not in (0, 2), arguments, done.returncode)
        expect(b"No space left" in done.stderr, arguments, done.stderr)


def test_stdout_that_is_closed(command):
    for arguments in ["extract", scratch("r.md", REPLY)], ["--version"], ["run", "--help"]:
        done = run_with(command, *arguments, stdout=None, closed=(1,))
        expect(done.returncode not in (0, 2), arguments, done.returncode)
        expect(b"standard output" in done.stderr, arguments, done.stderr)


def test_stdout_that_is_closed_while_code_runs(command):
    """The number is free then, and what the library opens must not take the output in its place."""
    done = run_with(command, "run", "-c", "print(1)", stdout=None, closed=(1,))
    expect(done.returncode not in (0, 2), done.returncode, done.stderr)
    expect(b"standard output" in done.stderr, done.stderr)


def test_stdout_whose_reader_is_gone(command):
    """As in `fencerun ... | head -1`: an error, not a death by signal."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = run_with(command, "run", "-c", "print('x' * 1000000)", stdout=theirs)
    os.close(theirs)
    expect_equal(done.returncode, 5)
    expect_equal(done.stderr.count(b"Broken pipe"), 1)


def test_stderr_that_is_full(command):
    """The program's stderr is half of the result."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([command, "run", "-c", "import sys; sys.stderr.write('x')"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=full,
                              timeout=LIMIT, check=False)
    expect_equal(done.returncode, 5)


def test_stdin_that_is_closed(command):
    for name in "extract", "run":
        done = run_with(command, name, stdin=None, closed=(0,))
        expect_equal(done.returncode, 2, name)
        expect(b"cannot read" in done.stderr, done.stderr)


def test_stdin_closed_while_it_is_not_needed(command):
    done = run_with(command, "run", "-c", "print('fine')", stdin=None, closed=(0,))
    expect_equal((done.returncode, done.stdout), (0, b"fine\n"))


def test_all_streams_closed(command):
    done = run_with(command, "run", "-c", "print(1)", stdin=None, stdout=None, closed=(0, 1, 2))
    expect(done.returncode in (1, 5), done.returncode)


def test_input_that_is_a_directory(command):
    for arguments in ["extract", "/usr"], ["run", "/usr"], ["run", "--code", "/usr"]:
        done = run(command, *arguments)
        expect_equal(done.returncode, 2, arguments)
        expect(b"/usr" in done.stderr and b"directory" in done.stderr, done.stderr)


def test_input_that_is_missing(command):
    for arguments in ["extract"], ["run"], ["run", "--code"]:
        done = run(command, *arguments, "/no/such/file")
        expect_equal(done.returncode, 2, arguments)
        expect(b"/no/such/file: No such file" in done.stderr, done.stderr)


def test_input_that_cannot_be_read(command):
    path, user = scratch("secret", REPLY), {}
    if os.geteuid() == 0:
        user = {"user": 65534, "group": 65534, "extra_groups": []}
    os.chmod(path, 0)
    try:
        done = run(command, "extract", path, **user)
    except PermissionError:
        raise Skipped("another user cannot reach the command where it was built") from None
    expect_equal(done.returncode, 2)
    expect(b"Permission denied" in done.stderr, done.stderr)


def test_results_and_chatter_do_not_mix(command):
    done = run(command, "run", "-c", "import sys; print('out'); sys.stderr.write('err\\n')")
    expect_equal(done.stdout, b"out\n")
    lines = done.stderr.splitlines()
    expect_equal(lines[0], b"err")
    expect(lines[1].startswith(b"fencerun: ok: exit code 0, "), lines)
    expect_equal(len(lines), 2)


def test_json_has_one_object_and_no_chatter(command):
    done = run(command, "run", "--json", "-c", "import sys; print('out'); sys.stderr.write('err')")
    expect_equal(done.stdout.count(b"\n"), 1)
    expect_equal(done.stderr, b"")


def test_50_mb_of_reply(command):
    prose = b"The quick brown fox says `code` and ``more``.\n" * (50 * 1024 * 1024 // 46)
    done = run(command, "extract", stdin=prose + REPLY)
    expect_equal((done.returncode, done.stdout), (0, b"print('ran')\n"))
    done = run(command, "run", "-", stdin=prose + REPLY)
    expect_equal((done.returncode, done.stdout), (0, b"ran\n"))


def test_50_mb_in_one_line_and_100000_fences(command):
    done = run(command, "extract", stdin=b"x" * (50 << 20) + b"\n" + REPLY)
    expect_equal((done.returncode, done.stdout), (0, b"print('ran')\n"))
    done = run(command, "extract", stdin=b"```json\n{}\n```\n" * 100000 + REPLY)
    expect_equal((done.returncode, done.stdout), (0, b"print('ran')\n"))


def test_more_than_is_taken(command):
    """256 MiB are the library's limit; a device without end must not fill the memory."""
    with open("/dev/zero", "rb") as zero:
        done = run_with(command, "extract", stdin=zero)
    expect_equal(done.returncode, 3)
    expect(b"256 MiB" in done.stderr, done.stderr)


def test_messages_do_not_steer_a_terminal(command):
    """Info strings, names and arguments are other people's words; a message is one line."""
    done = run(command, "extract", stdin=b"```\x1b]0;title\x07 \xe2\x80\xae\xff\nx\n```\n")
    expect(b"'\\x1b]0;title\\x07 \\u202e\\xff'" in done.stderr, done.stderr)
    for arguments in (("\x1b[2J",), ("run", "--\x1b[2J"), ("run", "/no\n/such\x1b[2Jfile"),
                      ("run", "--executor", "\x1b[2J", "-c", ""), ("ask", "--model", "\x1b[2J", "?")):
        done = run(command, *arguments)
        expect_equal(done.returncode, 2, arguments)
        expect(b"[2J" in done.stderr and b"\x1b" not in done.stderr, arguments, done.stderr)
        expect_equal(done.stderr.count(b"\n"), 1, done.stderr)


def test_big_output_comes_through_whole(command):
    done = run(command, "run", "--no-guard", "-c", "for i in range(100000): print(i)")
    expect_equal(done.stdout, b"".join(b"%d\n" % i for i in range(100000)))


def test_code_of_200_kb_and_bytes_of_every_kind(command):
    code = b"text = '" + b"x" * 200000 + b"'\nprint(len(text))\n"
    done = run(command, "run", "--code", "-", stdin=code)
    expect_equal((done.returncode, done.stdout), (0, b"200000\n"))
    done = run(command, "run", "--code", "-", stdin=b"print(1)\0\n")
    expect_equal(done.returncode, 1)
    expect(b"null bytes" in done.stderr, done.stderr)


main(tests_of(globals()))
