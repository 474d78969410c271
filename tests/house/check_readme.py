# SPDX-License-Identifier: MIT
"""check_readme.py FENCERUN FILE.md...: what the documents show is true.

A fenced block behind the line
    <!-- from: PATH -->        stands in that file, line for line
    <!-- output: COMMAND -->   is what the command prints to stdout, run at the top of the tree
"""

import os
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^<!-- (from|output): (.+) -->\n+```.*\n((?:.*\n)*?)```$", re.MULTILINE)
TREE = Path(__file__).parents[2]


def shown(kind, source, environment):
    """The text that must contain (from) or equal (output) the block."""
    if kind == "from":
        return (TREE / source).read_text(encoding="utf-8")
    done = subprocess.run(source, shell=True, cwd=TREE, env=environment, text=True,
                          stdout=subprocess.PIPE, timeout=60)
    return done.stdout


def main(fencerun, *documents):
    path = f"{Path(fencerun).resolve().parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    checked = failed = 0
    for document in documents:
        for kind, source, block in BLOCK.findall((TREE / document).read_text(encoding="utf-8")):
            text = shown(kind, source, environment)
            checked += 1
            if block != text and not (kind == "from" and block in text):
                failed += 1
                print(f"{document}: the block '{kind}: {source}' differs from:\n{text}")
    print(f"{checked - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not checked else 0


sys.exit(main(*sys.argv[1:]))
