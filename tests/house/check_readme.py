# SPDX-License-Identifier: MIT
"""check_readme.py DOCUMENT PROGRAM...: what the document shows is true.

A ```console block is a transcript: behind each "$ COMMAND" stands what the command prints when it runs
at the top of the tree with the programs in reach; only durations may differ. A block behind
"<!-- from: PATH -->" stands in that file, line for line.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).parents[2]
TRANSCRIPT = re.compile(r"^```console\n((?:.*\n)*?)```$", re.MULTILINE)
COPY = re.compile(r"^<!-- from: (.+) -->\n\n?```.*\n((?:.*\n)*?)```$", re.MULTILINE)


def without_durations(text):
    return re.sub(r"\d+\.\d{3} s", "N s", text)


def replay(transcript, environment):
    """The transcript as it would read today."""
    for command in re.findall(r"^\$ (.*)$", transcript, re.MULTILINE):
        done = subprocess.run(command, shell=True, cwd=TREE, env=environment, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        yield f"$ {command}\n{done.stdout}"


def main(document, *programs):
    folders = [str(Path(program).resolve().parent) for program in programs]
    environment = os.environ | {"PATH": ":".join([*folders, os.environ["PATH"]])}
    text = (TREE / document).read_text(encoding="utf-8")
    wrong = []
    transcripts = TRANSCRIPT.findall(text)
    copies = COPY.findall(text)
    for shown in transcripts:
        actual = "".join(replay(shown, environment))
        if without_durations(shown) != without_durations(actual):
            wrong.append(f"shown:\n{shown}now:\n{actual}")
    for path, shown in copies:
        if shown not in (TREE / path).read_text(encoding="utf-8"):
            wrong.append(f"no longer in {path}:\n{shown}")
    print(*wrong, sep="\n")
    checked = len(transcripts) + len(copies)
    print(f"{checked - len(wrong)} passed, {len(wrong)} failed, 0 skipped")
    return 1 if wrong or not checked else 0


sys.exit(main(*sys.argv[1:]))
