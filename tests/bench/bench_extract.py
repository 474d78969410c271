# SPDX-License-Identifier: MIT
"""bench_extract.py BENCH_EXTRACT FOLDER: one table of how fast code is found in replies.

BENCH_EXTRACT is the program built from bench_extract.c, FOLDER holds replies as *.md. Beside what the
program measures stands the regular expression that ADK uses, in Python, over the same replies; over
prose without a fence it takes quadratic time, so there it gets only a little.
"""

import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ADK = re.compile(
    rb"(?P<prefix>.*?)(```tool_code\n|```python\n)(?P<code>.*?)(\n```|\n```)(?P<suffix>.*?)$",
    re.DOTALL,
)
PROSE = b"The method is simple: sort the list, then walk through it once and keep the value.\n"
ROUNDS = 5


def rate(texts):
    """Median MB/s of ADK's expression over some texts."""
    size = sum(map(len, texts))
    rates = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for text in texts:
            ADK.search(text)
        rates.append(size / 1e6 / (time.perf_counter() - start))
    return statistics.median(rates)


def main(program, folder):
    files = sorted(Path(folder).glob("*.md"))
    if not files:
        sys.exit(f"{folder}: no replies")
    output = subprocess.run([program, *files], capture_output=True, text=True, check=True).stdout
    rows = [(name, float(value)) for name, value in
            (line.split("\t") for line in output.splitlines())]
    rows.append(("ADK's expression, replies", rate([file.read_bytes() for file in files])))
    rows.append(("ADK's expression, 4 kB of prose", rate([PROSE * 50])))
    base = rows[0][1]
    size = sum(file.stat().st_size for file in files) // len(files)
    print(f"{len(files)} replies, {size} bytes on average; 16 MB of prose")
    print(f"{'':34}{'MB/s':>12}{'of memchr':>12}")
    for name, value in rows:
        print(f"{name:34}{value:12.1f}{value / base:12.5f}")
    print("Medians of one run, taken in turn. Machines are noisy and memory is what limits memchr:\n"
          "compare the ratios, and run it again before believing a small difference.")


main(*sys.argv[1:])
