# SPDX-License-Identifier: MIT
"""check_ask_openai.py SAMPLE FENCERUN: the sample and the command put the question about the loan to a
server that speaks OpenAI's chat completions."""

import os
import subprocess
import sys
from pathlib import Path

PEER = Path(__file__).resolve().parents[1] / "support" / "openai_peer.py"
ANSWER = "It is 1,459.51 a month."


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False,
                          env=os.environ | {"OPENAI_API_KEY": "sk-test"})


def main(sample, command):
    peer = subprocess.Popen(["/usr/bin/python3", PEER], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    url = f"http://127.0.0.1:{peer.stdout.readline().strip()}"
    ask = command, "ask", "--model", "openai:peer", "--base-url"
    done = {
        "sample": run(sample, "peer", f"{url}/loan"),
        "whole": run(*ask, f"{url}/loan", "How much?"),
        "streamed": run(*ask, f"{url}/loan", "--stream", "How much?"),
        "after a 429": run(*ask, f"{url}/flaky/429/1", "How much?"),
        "refused": run(*ask, f"{url}/refuse/401/openai", "How much?"),
        "unreachable": run(*ask, "http://127.0.0.1:9/v1", "How much?"),
    }
    peer.stdin.close()
    peer.wait(timeout=60)
    right = {
        "sample": done["sample"].returncode == 0 and
                  done["sample"].stdout.endswith(f"{ANSWER}\nok: 2 model calls, 1 runs of code\n"),
        "whole": (done["whole"].returncode, done["whole"].stdout) == (0, ANSWER + "\n"),
        "streamed": done["streamed"].returncode == 0
                    and done["streamed"].stdout.startswith("I will compute it.\n")
                    and done["streamed"].stdout.endswith("\n```\n" + ANSWER + "\n"),
        "after a 429": done["after a 429"].stdout.startswith("Four: "),
        "refused": done["refused"].returncode == 6 and "OPENAI_API_KEY" in done["refused"].stderr,
        "unreachable": done["unreachable"].returncode == 6,
    }
    for name in done:
        if not right[name]:
            print(f"FAILED {name}: {done[name]}")
        if "sk-test" in done[name].stderr + done[name].stdout:
            print(f"FAILED {name}: the key is shown")
            right[name] = False
    failed = list(right.values()).count(False)
    print(f"{len(right) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
