# SPDX-License-Identifier: MIT
"""check_abuse.py FENCERUN [nobody]: what hostile programs try, what comes of it, and that the host is as before.

Cases have
    code, language          the program
    options                 of `fencerun run`
    outcome                 one of these words; ok when left out
    outcome-degraded        the same, where memory is bounded by rlimits only
    exit                    the exit code
    stdout, stdout-has      all of it, or a part; an empty one that nothing was achieved
    oom                     at least as many kills for want of memory, where a cgroup counts them
    skipped                 names in the working directory that do not come out
    within                  seconds it may take
    then, then-stdout, then-stdout-has      a second run behind it, and what that prints

Prints a table: attempt, outcome, what is different on the host. With "nobody" everything runs as an ordinary user.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
sys.argv, AS_NOBODY = sys.argv[:2], sys.argv[2:] == ["nobody"]

from harness import LIMIT, Skipped, Wrong, expect, expect_equal, main, read_cases  # noqa: E402

HERE = Path(__file__).parent
KEYS = {"code", "language", "options", "outcome", "outcome-degraded", "exit", "stdout", "stdout-has", "oom", "skipped",
        "within", "then", "then-stdout", "then-stdout-has"}
NOBODY = 65534
# What must never change: programs and names that every run can see.
SENTINELS = ["/etc/passwd", "/etc/shadow", "/etc/hosts", "/usr/bin/python3", "/usr/bin/bash", "/usr/bin/env"]


def become_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def fencerun(command, case, key):
    options = case.get("options", b"").decode().split()
    language = case.get("language")
    if language:
        options += ["--language", language.decode()]
    began = time.monotonic()
    done = subprocess.run([command, "run", "--json", *options, "--code", "-"], input=case.get(key), capture_output=True,
                          timeout=LIMIT, check=False, cwd="/", preexec_fn=become_nobody if AS_NOBODY else None)
    expect(done.stdout.startswith(b'{"outcome"'), done.stderr.decode())
    return json.loads(done.stdout), time.monotonic() - began


# ---- the host ----

def namespace(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return None


def ours(pid):
    """Processes that belong to a run or a keeper."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return False
    return name.startswith("fencerun") or namespace(pid) not in (None, namespace("self"))


def processes():
    return {int(name) for name in os.listdir("/proc") if name.isdigit() and ours(name)}


def cgroups():
    return {str(path) for path in Path("/sys/fs/cgroup").glob("**/fencerun-*")} if Path("/sys/fs/cgroup").is_dir() else set()


def digest(path):
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def places():
    return {str(path) for top in ("/tmp", "/dev/shm", "/var/tmp") if os.path.isdir(top)
            for path in Path(top).iterdir() if "fencerun" in path.name}


def system_v():
    return {(table, line.split()[1]) for table in ("shm", "msg", "sem")
            for line in Path(f"/proc/sysvipc/{table}").read_text().splitlines()[1:]}


def host():
    return {"processes": processes(), "mounts": Path("/proc/self/mountinfo").read_text(), "cgroups": cgroups(),
            "files": {path: digest(path) for path in SENTINELS}, "names": places(), "System V": system_v(),
            "host name": os.uname().nodename, "clock": round(time.time() - time.monotonic())}


def difference(before):
    """What is different, once the kernel has had time to clean up."""
    for _ in range(100):
        after = host()
        after["clock"] = before["clock"] if abs(after["clock"] - before["clock"]) <= 2 else after["clock"]
        changed = [name for name in before if name == "processes" and after[name] - before[name]
                   or name != "processes" and after[name] != before[name]]
        if not changed:
            return ""
        time.sleep(0.05)
    return ", ".join(changed)


# ---- cases ----

def check_result(case, result, took):
    degraded = result["receipt"]["limits"].get("memory_bytes", {}).get("degraded", False)
    words = case.get("outcome", b"ok")
    if degraded:
        words = case.get("outcome-degraded", words)
    expect(result["outcome"] in words.decode().split(), case.where, result)
    if case.get("exit") is not None:
        expect_equal(result["exit_code"], int(case.get("exit")), case.where)
    if case.get("stdout") is not None:
        expect_equal(result["stdout"], case.get("stdout").decode(), f"{case.where} {result['stderr']}")
    for part in case.all("stdout-has"):
        expect(part.decode() in result["stdout"], case.where, result)
    if case.get("oom") and result["receipt"]["oom_events"] is not None:
        expect(result["receipt"]["oom_events"] >= int(case.get("oom")), case.where, result)
    if case.get("skipped") is not None:
        expect_equal(" ".join(s["name"] for s in result.get("skipped", [])), case.get("skipped").decode(), case.where)
    expect(took < float(case.get("within", b"60")), case.where, f"took {took:.1f} s")


def attempt(command, case):
    expect(not {key for key, _ in case.sections} - KEYS, case.where, "has a key that there is not")
    before = host()
    result, took = fencerun(command, case, "code")
    check_result(case, result, took)
    if case.get("then"):
        then, _ = fencerun(command, case, "then")
        for part in case.all("then-stdout-has"):
            expect(part.decode() in then["stdout"], case.where, then)
        if case.get("then-stdout") is not None:
            expect_equal(then["stdout"], case.get("then-stdout").decode(), case.where)
    changed = difference(before)
    print(f"{case.name[:52]:52} {result['outcome']:12} {took:5.1f} s  "
          f"{'host as before' if not changed else 'HOST CHANGED: ' + changed}", flush=True)
    expect(not changed, case.where, "the host is not as before:", changed)


def test_of(case):
    return lambda command: attempt(command, case)


def only_as_root(_):
    raise Skipped("only root can become another user")


if AS_NOBODY and os.geteuid() != 0:
    main([("as nobody", only_as_root)])
cases = [case for name in ("files.case", "processes.case") for case in read_cases(HERE / name)]
main([(case.name, test_of(case)) for case in cases])
