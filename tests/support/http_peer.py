# SPDX-License-Identifier: MIT
"""http_peer.py [UNIX-SOCKET]: a server that also misbehaves, for tests of what speaks HTTP.

What it answers is in the path of the request:

    /echo            what was asked: request line, headers, body, one behind the other
    /status/CODE     that status, with "Retry-After: 7" and a body "status CODE"
    /redirect        302 to /echo
    /bytes/N         N bytes, of a declared length;   /chunks/N   the same in chunks
    /slow/N          N bytes, one at a time, 5 ms between them
    /interim         103 with a header of its own, then 200
    /endless         a body without end;              /endless-head   headers without end
    /endless-line    a header without end
    /cut             ten bytes of a declared hundred; /cut-chunks     a chunk, and no last one
    /stall           half of a body, then nothing;    /silent         nothing at all
    /garbage         no HTTP;                         /close          closes at once
"""

import time

from peer_server import END, answer, chunk, pause, run, start_chunks


def pattern(n):
    return (b"0123456789" * (n // 10 + 1))[:n]


def misbehave(conn, kind, argument, head, body):
    if kind == "echo":
        answer(conn, head + END + body)
    elif kind == "status":
        answer(conn, b"status " + argument.encode(), f"{argument} Whatever", ["Retry-After: 7"])
    elif kind == "redirect":
        answer(conn, b"", "302 Found", ["Location: /echo"])
    elif kind == "bytes":
        answer(conn, pattern(int(argument)))
    elif kind == "chunks":
        start_chunks(conn)
        data = pattern(int(argument))
        for at in range(0, len(data), 1000):
            conn.sendall(chunk(data[at:at + 1000]))
        conn.sendall(chunk(b""))
    elif kind == "slow":
        data = b"HTTP/1.1 200 OK\r\nContent-Length: %d" % int(argument) + END + pattern(int(argument))
        for byte in data:
            conn.sendall(bytes([byte]))
            time.sleep(0.005)
    elif kind == "interim":
        conn.sendall(b"HTTP/1.1 103 Early Hints\r\nX-Interim: yes" + END)
        answer(conn, b"done", headers=["X-Final:  spaced \t", "x-twice: 1", "X-TWICE: 2"])
    elif kind == "endless":
        start_chunks(conn)
        while True:
            conn.sendall(chunk(pattern(50000)))
    elif kind == "endless-head":
        conn.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            conn.sendall(b"X-More: and more\r\n" * 1000)
    elif kind == "endless-line":
        conn.sendall(b"HTTP/1.1 200 OK\r\nX-More: ")
        while True:
            conn.sendall(b"and more" * 1000)
    elif kind == "cut":
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100" + END + pattern(10))
    elif kind == "cut-chunks":
        start_chunks(conn)
        conn.sendall(chunk(pattern(10)))
    elif kind == "stall":
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100" + END + pattern(50))
        pause()
    elif kind == "silent":
        pause()
    elif kind == "garbage":
        conn.sendall(b"\x00\x01\x02 this is no HTTP" + END)


def serve(conn, head, body):
    _, kind, *rest = head.split()[1].decode().split("/")
    misbehave(conn, kind, rest[0] if rest else "", head, body)
    return kind in ("echo", "status", "redirect", "bytes", "chunks")


run(serve)
