#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""adk_vectors.py [BUILD]: the vectors of ADK's own tests, and the probes of how it finds code, as a table.

BUILD is a build tree with tests (build/dev). For each vector, by its number in the suites of adk-python,
adk-java and adk-js: whether it holds in compat mode, and where there are cases for it, what the default
mode makes of it. Fails when one does not hold.
"""

import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
BETTER = SOURCE / "tests" / "data" / "extract" / "adk_better.case"
PROGRAMS = "test_extract_cases", "test_adk_vectors", "test_adk_flow"
ID = re.compile(r"[UCFX]\d\d?$")
DONE = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] (\S+) (.*)")

NOT_OURS = {
    "U04": "content that is base64 already is kept as it is: raw bytes that look like base64 get lost so",
    "U10": "parts that are undefined: C has no such thing (empty: U09)",
    "U27": "the part's text repeats the code: of adk-js alone, and not to be copied",
    "U35": "parts that are undefined: C has no such thing (empty: U34)",
    "F06": "request processor and an agent that is no LLM agent: there are no other agents here",
    "F10": "response processor and an agent that is no LLM agent: there are no other agents here",
}


def results(build):
    """(mode, id, what, holds) of every case that has a number."""
    better = re.findall(r"^=== (.*)$", BETTER.read_text(), re.MULTILINE)
    for program in PROGRAMS:
        path = build / "tests" / "loop" / program
        done = subprocess.run([path], capture_output=True, text=True, errors="replace", timeout=300,
                              check=False)
        names = [line for line in (done.stdout + done.stderr).splitlines() if DONE.match(line)]
        if not names:
            sys.exit(f"{path} ran nothing")
        seen = set()
        for line in names:
            word, number, what = DONE.match(line).groups()
            if not ID.match(number):
                continue
            name = f"{number} {what}"
            # Of two cases of one name the one of the default rules runs second.
            mode = "default" if name in seen and name in better else "compat"
            seen.add(name)
            yield mode, number, what, word == "OK"


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build" / "dev").resolve()
    rows = {}
    for mode, number, what, holds in results(build):
        rows.setdefault((number, what), {})[mode] = "pass" if holds else "FAIL"
    print(f"{'id':<4}{'compat':<8}{'default':<9}")
    for (number, what), modes in sorted(rows.items()):
        print(f"{number:<4}{modes.get('compat', '-'):<8}{modes.get('default', '-'):<9}{what}")
    for number, why in NOT_OURS.items():
        print(f"{number:<4}{'not ours':<17}{why}")
    failed = sum("FAIL" in modes.values() for modes in rows.values())
    ids = {number for number, _ in rows}
    print(f"{len(ids)} vectors in {len(rows)} cases, {failed} failed, {len(NOT_OURS)} not ours")
    sys.exit(1 if failed or not rows else 0)


main()
