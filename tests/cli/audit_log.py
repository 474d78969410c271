# SPDX-License-Identifier: MIT
"""Writes audit logs from the description of the format alone (docs/audit.md), without the library."""

import hashlib
import json

NOBODY = "0" * 64
RECEIPT = {"executor": "sandbox", "language": "python", "run_ns": 1500000000}


class Log:
    def __init__(self):
        self.lines, self.sequence, self.prev, self.minute = [], 0, NOBODY, 0

    def add(self, event, minute=None, **members):
        self.sequence += 1
        self.minute = self.minute + 1 if minute is None else minute
        record = {"seq": self.sequence, "time": f"2026-12-01T05:{self.minute:02}:00.250000Z",
                  "event": event, **members, "prev": self.prev}
        text = json.dumps(record, separators=(",", ":"))[:-1]
        self.prev = hashlib.sha256(text.encode()).hexdigest()
        self.lines.append(f'{text},"hash":"{self.prev}"}}\n'.encode())
        return self.sequence

    def start(self, code, language="python", minute=None, **invocation):
        return self.add("started", minute, executor="sandbox", language=language,
                        invocation=invocation, code=code,
                        code_sha256=hashlib.sha256(code.encode()).hexdigest(), timeout_ms=60000)

    def end(self, run, stdout="", stderr="", outcome="ok", exit_code=0, signal=None, **members):
        return self.add("ended", run=run, outcome=outcome, exit_code=exit_code, signal=signal,
                        **members, stdout=stdout, stderr=stderr, receipt=RECEIPT)

    def fail(self, run, error="FR_EUNAVAILABLE", message="engine is down"):
        return self.add("failed", run=run, error=error, message=message)

    def tear(self, piece):
        """Half a write, and the start of a run that tells of it."""
        self.lines.append(piece + b"\n")
        return self.add("started", torn={"bytes": len(piece),
                                         "sha256": hashlib.sha256(piece).hexdigest()},
                        executor="sandbox", language=None, invocation={}, code="",
                        timeout_ms=None)

    def bytes(self):
        return b"".join(self.lines)

    def head(self):
        return f"{self.sequence}:{self.prev}"
