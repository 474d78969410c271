# SPDX-License-Identifier: MIT
"""check_signals.py FENCERUN: SIGINT and SIGTERM during a run, and kill -9: nothing is left."""

import ctypes
import json
import os
import signal
import subprocess
import time

from harness import LIMIT, expect, expect_equal, main, script, tests_of

PR_SET_CHILD_SUBREAPER = 36
CLINGING = """
import os, signal, time
for s in signal.valid_signals():
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
if os.fork() == 0:
    os.setsid()
print('begun', flush=True)
while True: time.sleep(1000)
"""


def adopt_orphans():
    """From now on what the command leaves behind becomes our child."""
    expect_equal(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0, "prctl")


def children(pid):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as stat:
                state, parent = stat.read().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if int(parent) == pid and state not in "ZX":
            found.append(int(name))
    return found


def await_program(command):
    """Until the command's keeper has a run with a program in it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for keeper in children(command.pid):
            if any(children(init) for init in children(keeper)):
                return
        expect(command.poll() is None, "the command has ended:", command.returncode)
        time.sleep(0.002)
    raise AssertionError("no program has started within 20 seconds")


def expect_nothing_left():
    deadline = time.monotonic() + 20
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        expect(time.monotonic() < deadline, "a process is alive after 20 seconds")
        if pid == 0:
            time.sleep(0.002)


def start(command, *arguments):
    adopt_orphans()
    return subprocess.Popen([command, "run", *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupted(command, number, *arguments):
    """Sends a signal in the middle of a run; returns what the command made of it."""
    process = start(command, *arguments, "-c", CLINGING)
    await_program(process)
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=LIMIT)
    expect(time.monotonic() - began < 10, "it took too long")
    expect_nothing_left()
    return process.returncode, out, err


def test_interrupt_during_a_run(command):
    status, _, err = interrupted(command, signal.SIGINT)
    expect_equal(status, 130)
    expect(b"cancelled" in err, err)


def test_terminate_during_a_run(command):
    status, _, err = interrupted(command, signal.SIGTERM)
    expect_equal(status, 143)
    expect(b"cancelled" in err, err)


def test_interrupt_still_gives_the_result(command):
    status, out, err = interrupted(command, signal.SIGINT, "--json")
    expect_equal(status, 130)
    expect_equal(json.loads(out)["outcome"], "cancelled")
    expect_equal(err, b"")


def test_several_signals(command):
    """The first ends the run; one that comes when that is over ends the command by itself."""
    process = start(command, "-c", CLINGING)
    await_program(process)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LIMIT)
    expect(process.returncode in (130, 143, -signal.SIGINT, -signal.SIGTERM), process.returncode)
    expect_nothing_left()


def test_impatience_does_not_cost_the_result(command):
    """What was printed is put out whole, however many signals come meanwhile."""
    for i in range(10):
        process = start(command, "--json", "-c", "print('begun', flush=True)\nwhile True: pass")
        await_program(process)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.0005 * (i % 4))
        out, err = process.communicate(timeout=LIMIT)
        expect(process.returncode in (130, -signal.SIGINT), process.returncode, err)
        expect_equal(json.loads(out)["outcome"], "cancelled")
        expect_nothing_left()


def test_a_signal_that_is_ignored_stays_so(command):
    """As for what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start(command, "-c", "import time; time.sleep(0.5); print('done')")
    finally:
        signal.signal(signal.SIGINT, before)
    await_program(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=LIMIT)
    expect_equal((process.returncode, out), (0, b"done\n"))


def test_signals_at_any_moment(command):
    """From the first instruction on: ended by the signal, or with its exit code, or done before."""
    for i in range(30):
        process = start(command, "-c", "print('x')")
        time.sleep(i * 0.004)
        process.send_signal(signal.SIGTERM if i % 2 else signal.SIGINT)
        process.communicate(timeout=LIMIT)
        expect(process.returncode in (0, 130, 143, -signal.SIGINT, -signal.SIGTERM),
               process.returncode)
        expect_nothing_left()


def test_interrupt_of_a_scripted_delay(command):
    played = script({"delay_ms": 60000})
    for number in signal.SIGINT, signal.SIGTERM:
        process = start(command, "--executor", f"scripted:{played}", "-c", "")
        # Its one other thread waits for signals once the run has begun.
        deadline = time.monotonic() + 20
        while len(os.listdir(f"/proc/{process.pid}/task")) < 2 and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(number)
        process.communicate(timeout=LIMIT)
        expect_equal(process.returncode, 128 + number)


def test_killed_command_leaves_nothing(command):
    for i in range(10):
        process = start(command, "-c", CLINGING)
        if i % 2:
            await_program(process)
        else:
            time.sleep(i * 0.01)
        process.kill()
        process.communicate(timeout=LIMIT)
        expect_equal(process.returncode, -signal.SIGKILL)
        expect_nothing_left()


def test_hang_up_is_not_ours_to_ignore(command):
    process = start(command, "-c", CLINGING)
    await_program(process)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=LIMIT)
    expect_equal(process.returncode, -signal.SIGHUP)
    expect_nothing_left()


main(tests_of(globals()))
