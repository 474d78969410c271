# SPDX-License-Identifier: MIT
"""check_help.py FENCERUN: --help says what the option tables in the sources hold, and no option is
in a table that the command does not take."""

import re

from harness import SOURCE, Skipped, expect, expect_equal, main, run, tests_of

OPTION = re.compile(r"\{[\s\\]*(?:CLI_)?OPT_\w+,\s*(NULL|\"[\w-]+\"),\s*(NULL|\"[^\"]*\"),\s*\"([^\"]+)\"", re.S)
SHORT = re.compile(r"(OPT_\w+)\s*=\s*'(.)'")
COMMANDS = "ask", "audit show", "audit verify", "extract", "run"


def source(command):
    """The command's source; of one with subcommands, the subcommand's table."""
    name, _, sub = command.partition(" ")
    text = (SOURCE / "cli" / f"command_{name}.c").read_text()
    return re.search(rf"cli_option {sub}_options\[\].*?;\n", text, re.S).group() if sub else text


def table(command):
    """(long name or None, argument or None, help) of every option in the command's source."""
    text = source(command)
    shared = (SOURCE / "cli" / "cli.h").read_text()
    for macro in re.findall(r"^    (CLI_\w+_OPTIONS),$", text, re.M):
        text += re.search(rf"#define {macro} .*?[^\\]\n", shared, re.S).group()
    rows = [tuple(None if cell == "NULL" else cell.strip('"') for cell in row)
            for row in OPTION.findall(text)]
    expect(rows, "no option was found in the source of", command)
    return rows


def shorts(command):
    text = source(command)
    return [letter for _, letter in SHORT.findall(text)]


def test_every_option_is_in_the_help(command):
    for name in COMMANDS:
        done = run(command, *name.split(), "--help")
        expect_equal(done.returncode, 0, name)
        expect_equal(done.stderr, b"", name)
        text = done.stdout.decode()
        expect(text.startswith(f"usage: fencerun {name} "), text)
        for long, argument, what in table(name):
            words = (f"--{long}" if long else "") + (f" {argument}" if argument else "")
            expect(words in text, name, "does not mention", words)
            expect(what in text, name, "does not say", what)
        for letter in shorts(name):
            expect(re.search(rf"^  -{letter}\b", text, re.M), name, "does not mention", letter)
        expect("--help" in text, name, "does not mention --help")


def test_help_has_no_other_option(command):
    for name in COMMANDS:
        known = {long for long, _, _ in table(name) if long} | {"help"}
        text = run(command, *name.split(), "--help").stdout.decode()
        listed = set(re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.M))
        expect_equal(listed, known, name)


def test_help_fits_a_terminal(command):
    for arguments in ["--help"], *([*name.split(), "--help"] for name in COMMANDS):
        for line in run(command, *arguments).stdout.decode().splitlines():
            expect(len(line) <= 100, "too long:", line)


def test_overview(command):
    for option in "--help", "-h":
        done = run(command, option)
        expect_equal(done.returncode, 0)
        for name in COMMANDS:
            expect(f"\n  {name.split()[0]} " in done.stdout.decode(), "no", name)
    bare = run(command)
    expect_equal(bare.returncode, 2)
    expect_equal(bare.stdout, b"")
    expect_equal(bare.stderr, run(command, "--help").stdout)


def test_help_goes_before_everything(command):
    for name in COMMANDS:
        done = run(command, *name.split(), "--help", "/no/such/file")
        expect_equal(done.returncode, 0, name)


def test_an_option_without_its_argument(command):
    for name in COMMANDS:
        for long, argument, _ in table(name):
            if long and argument:
                done = run(command, *name.split(), f"--{long}")
                expect_equal(done.returncode, 2, long)
                expect(f"--{long}".encode() in done.stderr, done.stderr)


def test_an_argument_for_an_option_that_takes_none(command):
    for name in COMMANDS:
        for long, argument, _ in table(name):
            if long and not argument:
                done = run(command, *name.split(), f"--{long}=x")
                expect_equal(done.returncode, 2, long)
                expect_equal(done.stdout, b"", long)


def test_version(command):
    done = run(command, "--version")
    header = (SOURCE / "include" / "fencerun" / "version.h").read_text()
    numbers = [re.search(rf"FR_VERSION_{part} (\d+)", header).group(1)
               for part in ("MAJOR", "MINOR", "PATCH")]
    expect_equal(done.stdout.decode(), f"fencerun {'.'.join(numbers)}\n")
    expect_equal(done.returncode, 0)


def test_readme_lists_the_exit_codes(command):
    del command
    path = SOURCE / "README.md"
    if not path.exists():
        raise Skipped("there is no README.md")
    text = path.read_text()
    header = (SOURCE / "cli" / "cli.h").read_text()
    exits = re.search(r"enum cli_exit \{.*?\}", header, re.S).group()
    for number in re.findall(r"CLI_(?!SIGNAL)\w+ = (\d+)", exits):
        expect(re.search(rf"^\| {number} \|", text, re.M), "README.md has no exit code", number)


main(tests_of(globals()))
