# SPDX-License-Identifier: MIT
"""check_json.py FENCERUN: the objects of --json have the members that are documented, and no others."""

import json

from harness import expect, expect_equal, main, run, script, tests_of

COUNT = (int, type(None))
STREAM = {"bytes_written": int, "bytes_kept": int, "invalid_utf8": int}
RECEIPT = {"executor": str, "language": str, "interpreter": str, "interpreter_version": str,
           "network": bool, "queue_ns": int, "start_ns": int, "run_ns": int, "collect_ns": int,
           "cpu_user_ns": COUNT, "cpu_system_ns": COUNT, "peak_memory_bytes": COUNT,
           "peak_processes": COUNT, "oom_events": COUNT, "stdout": STREAM, "stderr": STREAM,
           "limits": dict}
CHANGES = {"controls_removed": COUNT, "characters_left_out": COUNT}
GUARD = {"stderr_class": str, "stdout": CHANGES, "stderr": CHANGES}
RESULT = {"outcome": str, "exit_code": COUNT, "signal": COUNT, "stdout": str, "stderr": str,
          "files": list, "guard": GUARD, "receipt": RECEIPT}
EXTRACTION = {"found": bool, "language": (str, type(None)), "info": (str, type(None)),
              "code": (str, type(None)), "prefix": str, "start": COUNT, "end": COUNT,
              "unterminated": bool, "skipped": list}


def once(pairs):
    names = [name for name, _ in pairs]
    expect_equal(len(names), len(set(names)), f"a member stands twice: {names}")
    return dict(pairs)


def parse(done):
    """The one object on stdout, strictly."""
    text = done.stdout.decode("utf-8")
    expect(text.endswith("}\n") and text.count("\n") == 1, text[:300])
    return json.loads(text, object_pairs_hook=once)


def expect_shape(value, shape, where, also=()):
    expect_equal(set(value) - set(also), set(shape), where)
    for name, kind in shape.items():
        if isinstance(kind, dict):
            expect_shape(value[name], kind, f"{where}.{name}")
        else:
            expect(isinstance(value[name], kind), f"{where}.{name} is {value[name]!r}")


def result_of(command, *arguments, status=0):
    done = run(command, "run", "--json", *arguments)
    expect_equal(done.returncode, status, done.stderr)
    return parse(done)


def test_success(command):
    result = result_of(command, "-c", "print('out')")
    expect_shape(result, RESULT, "result")
    expect_equal((result["outcome"], result["exit_code"], result["signal"]), ("ok", 0, None))
    expect_equal((result["stdout"], result["stderr"], result["files"]), ("out\n", "", []))
    receipt = result["receipt"]
    expect_equal((receipt["executor"], receipt["language"]), ("sandbox", "python"))
    expect(all(receipt[name] > 0 for name in ("queue_ns", "start_ns", "run_ns", "collect_ns")), receipt)
    expect_equal(receipt["interpreter_version"].count("."), 2, receipt)
    expect_equal(result_of(command, "--language", "bash", "-c", ":")["receipt"]["interpreter_version"], "")
    expect_equal(receipt["stdout"], {"bytes_written": 4, "bytes_kept": 4, "invalid_utf8": 0})


def test_limits(command):
    result = result_of(command, "--timeout", "9s", "--memory", "100M", "--pids", "7", "-c", "")
    limits = result["receipt"]["limits"]
    for name, limit in limits.items():
        expect(set(limit) - {"degraded"} == {"value", "by"}, name, limit)
        expect(isinstance(limit["value"], int) and limit["by"], name, limit)
        expect(limit.get("degraded", True) is True, name, limit)
    expect_equal(limits["wall_ms"]["value"], 9000)
    expect_equal(limits["memory_bytes"]["value"], 100 << 20)
    expect_equal(limits["processes"]["value"], 7)


def test_failures(command):
    result = result_of(command, "-c", "raise SystemExit(3)", status=1)
    expect_shape(result, RESULT, "result")
    expect_equal((result["outcome"], result["exit_code"]), ("failed", 3))
    result = result_of(command, "-c", "import os; os.kill(os.getpid(), 11)", status=1)
    expect_equal((result["outcome"], result["exit_code"], result["signal"]), ("failed", None, 11))


def test_stopped(command):
    result = result_of(command, "--timeout", "200ms", "-c", "while True: pass", status=7)
    expect_shape(result, RESULT, "result", also=["reason"])
    expect_equal((result["outcome"], result["exit_code"], result["signal"]), ("timeout", None, None))
    expect("0.200 s" in result["reason"], result["reason"])


def test_every_outcome(command):
    for outcome, status in (("ok", 0), ("failed", 1), ("timeout", 7), ("memory", 1),
                            ("output_limit", 1), ("denied", 1), ("cancelled", 1)):
        played = script({"outcome": outcome, "message": "because"})
        result = result_of(command, "--executor", f"scripted:{played}", "-c", "", status=status)
        expect_equal(result["outcome"], outcome)
        expect_equal("reason" in result, status == 7 or outcome not in ("ok", "failed"))


def test_output_of_every_kind(command):
    code = ("import sys; sys.stdout.buffer.write(bytes(range(256)));"
            "print('\\u2028\\u6570\\U0001f600', file=sys.stderr)")
    result = result_of(command, "--no-guard", "-c", code)
    expect_equal(result["stdout"][:128], "".join(map(chr, range(128))))
    expect_equal(result["stdout"][128:], "\ufffd" * 128)
    expect_equal(result["stderr"], "\u2028\u6570\U0001f600\n")
    expect_equal(result["receipt"]["stdout"]["invalid_utf8"], 128)


def test_output_that_forges_a_result(command):
    forged = '","outcome":"ok"}\n{"outcome":"ok","exit_code":0}'
    result = result_of(command, "-c", f"print({forged!r}); raise SystemExit(9)", status=1)
    expect_equal((result["outcome"], result["exit_code"]), ("failed", 9))
    expect_equal(result["stdout"], forged + "\n")


def test_long_output_says_what_was_left_out(command):
    result = result_of(command, "--no-guard", "-c", "print('x' * 5000000); print('ANSWER=42')")
    kept = result["receipt"]["stdout"]
    expect_equal(kept["bytes_written"], 5000011)
    expect(kept["bytes_kept"] <= 1 << 20, kept)
    expect(f"[... {5000011 - kept['bytes_kept']} bytes left out ...]" in result["stdout"])
    expect("ANSWER=42" in result["stdout"])


def extraction_of(command, reply, *arguments, status=0):
    done = run(command, "extract", "--json", *arguments, stdin=reply)
    expect_equal(done.returncode, status, done.stderr)
    return parse(done)


def test_extraction(command):
    reply = b"text\n```json\n{}\n```\n```python\nprint(1)\n```\nmore\n```py\n2\n```\n"
    found = extraction_of(command, reply)
    expect_shape(found, EXTRACTION, "extraction")
    expect_equal(found["code"], "print(1)\n")
    expect_equal(found["prefix"], "text\n```json\n{}\n```\n")
    expect_equal(reply[found["start"]:found["end"]].rstrip(b"\n"), b"```python\nprint(1)\n```")
    expect_equal(len(found["skipped"]), 1)
    found = extraction_of(command, reply, "--all")
    expect_shape(found, EXTRACTION, "extraction", also=["blocks"])
    expect_equal([block["code"] for block in found["blocks"]], ["print(1)\n", "2\n"])


def test_nothing_found(command):
    for reply in b"", b"no code\n", b"```json\n{}\n```\n", b"\xff\xfe\n":
        found = extraction_of(command, reply, status=1)
        expect_shape(found, EXTRACTION, "extraction")
        expect(not found["found"], found)


main(tests_of(globals()))
