# SPDX-License-Identifier: MIT
"""check_files.py FENCERUN: files that go into a run and come out of it."""

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

from harness import DIRECTORY, LIMIT, expect, expect_equal, main, run, scratch, tests_of


def out_of(command, code, *arguments, status=0):
    """A directory with what came out, and what was said."""
    directory = tempfile.mkdtemp(dir=DIRECTORY.name)
    done = run(command, "run", "--out", directory, *arguments, "-c", code)
    expect_equal(done.returncode, status, done.stderr)
    return Path(directory), done.stderr.decode()


def files_of(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_in(command):
    path = scratch("prices.csv", b"a,1\n")
    done = run(command, "run", "--file", path, "--file", f"deep/er/b.txt={path}", "-c",
               "print(open('prices.csv').read() + open('deep/er/b.txt').read())")
    expect_equal(done.stdout, b"a,1\na,1\n\n")
    expect(b"file " not in done.stderr, done.stderr)


def test_the_original_stays_as_it_is(command):
    path = scratch("original.csv", b"a,1\n")
    directory, _ = out_of(command, "open('original.csv', 'a').write('b,2\\n')", "--file", path)
    expect_equal(Path(path).read_bytes(), b"a,1\n")
    expect_equal(files_of(directory), {"original.csv": b"a,1\nb,2\n"})


def test_out(command):
    directory, said = out_of(command, "import os; os.makedirs('a/b'); open('a/b/c.json', 'w').write('{}')\n"
                                      "open('x', 'wb').write(bytes(range(256)) * 1000); os.symlink('/', 'l')")
    expect_equal(files_of(directory), {"a/b/c.json": b"{}", "x": bytes(range(256)) * 1000})
    expect(f"file {directory}/a/b/c.json, application/json, 2 bytes\n" in said, said)
    expect("skipped l: a symbolic link\n" in said, said)


def test_out_makes_its_directory_and_replaces_files(command):
    directory = f"{DIRECTORY.name}/new"
    for text in ("one", "two and more", "3"):
        run(command, "run", "--out", directory, "-c", f"open('x', 'w').write('{text}')")
        expect_equal(files_of(Path(directory)), {"x": text.encode()})


def test_without_out_files_are_only_named(command):
    done = run(command, "run", "-c", "open('x', 'w').write('1')", cwd=DIRECTORY.name)
    expect(b"file x, text/plain, 1 byte; --out DIR keeps it\n" in done.stderr, done.stderr)
    expect(not Path(DIRECTORY.name, "x").exists())


def test_names_that_would_lead_elsewhere_or_steer_a_terminal(command):
    directory, said = out_of(command, "import os\n"
                             "for n in (b'a\\nb', b'\\xff', b'\\x1b[2J', b'..x'): open(n, 'w').write('1')")
    expect_equal(set(files_of(directory)), {"a\\x0ab", "\\xff", "\\x1b[2J", "..x"})
    expect("\x1b" not in said, said)


def test_links_in_the_way_are_not_followed(command):
    """Somebody put links where files are to be written."""
    directory = Path(tempfile.mkdtemp(dir=DIRECTORY.name))
    elsewhere = Path(tempfile.mkdtemp(dir=DIRECTORY.name))
    (directory / "d").symlink_to(elsewhere)
    (directory / "f").symlink_to(elsewhere / "target")
    (elsewhere / "target").write_text("untouched")
    done = run(command, "run", "--out", str(directory), "-c",
               "import os; os.mkdir('d'); open('d/x', 'w').write('1'); open('f', 'w').write('2')")
    expect_equal(done.returncode, 5, done.stderr)
    expect(b"/d/x: " in done.stderr, done.stderr)
    expect_equal(files_of(elsewhere), {"target": b"untouched"})
    expect_equal((directory / "f").read_text(), "2")
    expect(not (directory / "f").is_symlink())


def test_what_cannot_be_written_is_told(command):
    done = run(command, "run", "--out", "/dev/null/x", "-c", "open('x', 'w').write('1')")
    expect_equal(done.returncode, 5)
    expect(b"cannot open the directory /dev/null/x" in done.stderr, done.stderr)


def test_files_named_like_ours(command):
    directory, _ = out_of(command, "for i in range(1, 90): open(f'.fencerun-{i}-0', 'w').write('1')")
    expect_equal(len(files_of(directory)), 89)


def test_files_that_say_no_size(command):
    done = run(command, "run", "--file", "/proc/version", "-c", "print(open('version').read(), end='')")
    expect_equal(done.stdout, Path("/proc/version").read_bytes())


def test_many_files_of_many_runs_at_once(command):
    """An ordinary user may have only so many descriptors on their way, over all runs together."""
    user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    running = [subprocess.Popen([*user, command, "run", "--json", "-c", "for i in range(1001): open(f'{i:04}', 'w').write('x')"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(16)]
    for process in running:
        result = json.loads(process.communicate(timeout=LIMIT)[0])
        expect_equal((len(result["files"]), len(result["skipped"])), (100, 901))


def test_json(command):
    done = run(command, "run", "--json", "-c", "import time; open('x', 'w').write('1'); time.sleep(9)",
               "--timeout", "500ms")
    expect_equal(json.loads(done.stdout)["files"],
                 [{"name": "x", "mime_type": "text/plain", "bytes": 1, "partial": True}])


def test_inputs_that_cannot_be(command):
    path = scratch("in", b"x")
    for argument, status, words in (("/no/such", 2, b"/no/such"), (f"../x={path}", 2, b"below the working directory"),
                                    (f"/x={path}", 2, b"below"), (f"={path}", 2, b"no name"), ("/dev/null", 2, b"regular"),
                                    (DIRECTORY.name, 2, b"regular"), (f"a\nb={path}", 2, b"control")):
        done = run(command, "run", "--file", argument, "-c", "print('ran')")
        expect_equal((done.returncode, done.stdout), (status, b""), argument)
        expect(words in done.stderr, argument, done.stderr)
    big = scratch("big", b"")
    os.truncate(big, 65 << 20)
    done = run(command, "run", "--file", big, "-c", "print('ran')")
    expect_equal((done.returncode, done.stdout), (3, b""))
    expect(b"does not fit any more into the writable space" in done.stderr, done.stderr)
    done = run(command, "run", "--file", path, "--file", path, "-c", "")
    expect(b"in each other's way" in done.stderr, done.stderr)


def test_mounts(command):
    path = scratch("set.csv", b"x,y\n")
    os.chmod(path, 0o644)
    done = run(command, "run", "--mount", f"/data={DIRECTORY.name}", "--mount", f"/one.csv={path}", "-c",
               "print(open('/data/set.csv').read() + open('/one.csv').read(), end='')\n"
               "try: open('/data/fresh', 'w')\nexcept OSError as e: print(e.strerror)")
    expect_equal(done.stdout, b"x,y\nx,y\nRead-only file system\n", done.stderr)
    for argument, words in (("/tmp", b"a place of its own"), ("/no/such", b"/no/such"), ("data=/usr", b"no absolute path"),
                            ("=/usr", b"no absolute path")):
        done = run(command, "run", "--mount", argument, "-c", "print('ran')")
        expect_equal((done.returncode, done.stdout), (2, b""), argument)
        expect(words in done.stderr, argument, done.stderr)
    script = scratch("mounts.json", b'{"results": [{}]}')
    expect_equal(run(command, "run", "--executor", f"scripted:{script}", "--mount", "/usr", "-c", "").returncode, 2)


def test_audit(command):
    path, log = scratch("audited.csv", b"x"), f"{DIRECTORY.name}/files.log"
    run(command, "run", "--audit", log, "--file", path, "-c", "open('out', 'w').write('abc')")
    started, ended = map(json.loads, Path(log).read_text().splitlines())
    expect_equal(started["files"], [{"name": "audited.csv", "path": path}])
    expect_equal(ended["files"], [{"name": "out", "mime_type": "text/plain", "bytes": 3,
                                   "sha256": hashlib.sha256(b"abc").hexdigest()}])
    expect_equal(run(command, "audit", "verify", log).returncode, 0)


def test_scripted_takes_no_files(command):
    script = scratch("files.json", b'{"results": [{}]}')
    done = run(command, "run", "--executor", f"scripted:{script}", "--file", script, "-c", "")
    expect_equal(done.returncode, 2)
    expect(b"takes no input files" in done.stderr, done.stderr)


main(tests_of(globals()))
