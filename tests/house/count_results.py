# SPDX-License-Identifier: MIT
"""count_results.py FILE...: sums up ctest's JUnit files as "N passed, N failed, N skipped".

What counts is the single case: a cmocka program reports its own, and a script may end with a line
like ours. Any other test is one case. A file that is missing stands for a build that failed.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

OURS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
CMOCKA = re.compile(r"\[ +(PASSED|FAILED|SKIPPED) +\] (\d+) test\(s\)")


def cases(output):
    """What the output of one test says about its cases: passed, failed, skipped."""
    ours = OURS.findall(output)
    if ours:
        return [int(n) for n in ours[-1]]
    counts = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for word, n in CMOCKA.findall(output):
        counts[word] += int(n)
    return list(counts.values())


def count(test):
    output = test.findtext("system-out") or ""
    skipped = test.find("skipped")
    if skipped is not None:
        # ctest also calls tests skipped that it could not start.
        chosen = "SKIP_" in skipped.get("message", "")
        return [0, 0, 1] if chosen else [0, 1, 0]
    passed, failed, skipped = cases(output)
    if test.get("status") == "disabled":
        return [0, 0, 1]
    if test.get("status") != "run":
        return [passed, max(failed, 1), skipped]
    return [passed, failed, skipped] if passed or skipped else [1, 0, 0]


def main(paths):
    total = [0, 0, 0]
    for path in paths:
        tests = list(ElementTree.parse(path).iter("testcase")) if Path(path).exists() else []
        found = [count(test) for test in tests] or [[0, 1, 0]]
        total = [sum(column) for column in zip(total, *found)]
        for test, (_, _, skipped) in zip(tests, found):
            if skipped:
                print(f"skipped in {Path(path).stem}: {skipped} of {test.get('name')}")
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] else 0


sys.exit(main(sys.argv[1:]))
