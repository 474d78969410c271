# SPDX-License-Identifier: MIT
"""check_doctor.py FENCERUN: what holds on this machine, as root, as an ordinary user, and where nothing can be had."""

import json
import os
import subprocess
from pathlib import Path

from harness import LIMIT, Skipped, expect, expect_equal, main, run, scratch, tests_of

WALLS = ["sandbox", "network", "root", "host files", "devices", "writable space", "host processes", "privileges",
         "system calls", "environment", "descriptors", "terminal", "kernel machinery"]
LIMITS = ["wall time", "cpu time", "memory", "processes", "space", "open files", "core dumps", "output"]


def checks(command, *before, status=0):
    done = subprocess.run([*before, command, "doctor", "--json"], capture_output=True, timeout=LIMIT, check=False)
    expect_equal(done.returncode, status, done.stderr)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    expect(all(set(row) == {"status", "name", "found", "advice"} for row in rows), rows)
    return {row["name"]: row for row in rows}


def expect_all(rows):
    for name in WALLS:
        expect_equal(rows[name]["status"], "holds", rows[name])
    for name in LIMITS:
        expect(rows[name]["status"] in ("holds", "degraded"), rows[name])
        expect(rows[name]["status"] == "holds" or "Delegate" in rows[name]["advice"] or os.geteuid() == 0, rows[name])
    expect_equal(rows["language python"]["found"].count("."), 3, rows["language python"])


def test_as_who_runs_it(command):
    expect_all(checks(command))


def as_nobody():
    if os.geteuid() != 0:
        raise Skipped("only root can become another user")
    return "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"


def test_as_nobody(command):
    rows = checks(command, *as_nobody())
    expect_all(rows)
    for name in "cpu time", "memory":
        expect(rows[name]["status"] == "degraded", rows[name])
        expect("Delegate" in rows[name]["advice"], rows[name])


def without_user_namespaces():
    """A user namespace in which no further ones can be made."""
    return ("unshare", "--user", "--map-root-user", "sh", "-c",
            'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh")


def test_without_user_namespaces(command):
    rows = checks(command, *without_user_namespaces(), status=5)
    expect_equal(list(rows), ["sandbox"])
    expect_equal(rows["sandbox"]["status"], "fails")
    expect("user.max_user_namespaces=0" in rows["sandbox"]["found"], rows)


def test_table(command):
    done = run(command, "doctor")
    expect_equal((done.returncode, done.stderr), (0, b""))
    lines = done.stdout.decode().splitlines()
    expect(all(line.startswith(("holds ", "degraded ", "absent ", " ")) for line in lines), done.stdout)
    expect("holds     memory " in done.stdout.decode() or "degraded  memory " in done.stdout.decode(), done.stdout)
    done = subprocess.run([*without_user_namespaces(), command, "doctor"], capture_output=True, timeout=LIMIT, check=False)
    expect_equal(done.returncode, 5)
    expect(done.stdout.startswith(b"fails     sandbox"), done.stdout)
    expect(b"1 check failed" in done.stderr, done.stderr)


def test_a_root_without_anything(command):
    empty = Path(scratch("x", b"")).parent / "empty-root"
    (empty / "usr").mkdir(parents=True)
    done = run(command, "doctor", "--root", str(empty))
    expect_equal(done.returncode, 5, done.stdout)
    expect(b"absent    language python" in done.stdout, done.stdout)
    expect(b"fails     walls" in done.stdout, done.stdout)
    expect_equal(run(command, "doctor", "--root", "/no/such").returncode, 2)
    expect_equal(run(command, "doctor", "x").returncode, 2)


def cgroup_of_memory():
    """A directory in which groups can be made, or None."""
    for path in map(Path, ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")):
        if path.is_dir() and os.access(path, os.W_OK):
            return path
    return None


def test_sweep(command):
    done = run(command, "sweep")
    expect_equal((done.returncode, done.stdout), (0, b""), done.stderr)
    parent = cgroup_of_memory()
    mine = next((line.split(":")[2] for line in Path("/proc/self/cgroup").read_text().splitlines()
                 if "memory" in line.split(":")[1].split(",")), None)
    if os.geteuid() != 0 or parent is None or mine is None:
        raise Skipped("there is no cgroup in which to leave something behind")
    dead = subprocess.Popen(["true"])
    dead.wait()
    namespace = os.stat("/proc/self/ns/pid").st_ino
    here = parent / mine.lstrip("/")
    orphan, foreign = here / f"fencerun-{dead.pid}-{namespace:x}-0", here / f"fencerun-{os.getpid()}-{namespace:x}-0"
    foreign.mkdir()
    said = []
    try:
        # Any other program's first run sweeps as well, and may come first.
        while b"fencerun: sweep: 1 cgroup removed\n" not in said and len(said) < 50:
            orphan.mkdir()
            said.append(run(command, "sweep").stderr)
            expect(not orphan.exists() and foreign.exists())
        expect(len(said) < 50, said[-1])
    finally:
        for group in orphan, foreign:
            if group.exists():
                group.rmdir()


main(tests_of(globals()))
