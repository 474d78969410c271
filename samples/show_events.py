#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""show_events.py: reads the events of `fencerun ask --events` from standard input and shows them to people."""

import json
import sys


def show(part):
    if "executableCode" in part:
        return part["executableCode"]["code"]
    if "codeExecutionResult" in part:
        result = part["codeExecutionResult"]
        return f"{result['outcome']}\n{result['output']}"
    return part.get("text", json.dumps(part))


for number, line in enumerate(sys.stdin, 1):
    event = json.loads(line)
    content = event.get("content", {})
    kinds = " ".join(name for part in content.get("parts", []) for name in part)
    print(f"event {number}  {event['author']}  {kinds}  {event.get('errorCode', '')}".rstrip())
    for part in content.get("parts", []):
        for shown in show(part).splitlines():
            print(f"    {shown}")
