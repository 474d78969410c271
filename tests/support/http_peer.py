# SPDX-License-Identifier: MIT
"""http_peer.py [UNIX-SOCKET]: a server that also misbehaves, for tests of what speaks HTTP.

Listens on a free port of the loopback interface, or on the socket; prints the port (or 0) and serves until
its standard input ends. What it answers is in the path of the request:

    /echo            what was asked: request line, headers, body, one behind the other
    /status/CODE     that status, with "Retry-After: 7" and a body "status CODE"
    /redirect        302 to /echo
    /bytes/N         N bytes, of a declared length;   /chunks/N   the same in chunks
    /slow/N          N bytes, one at a time, 5 ms between them
    /interim         103 with a header of its own, then 200
    /endless         a body without end;              /endless-head   headers without end
    /cut             ten bytes of a declared hundred; /cut-chunks     a chunk, and no last one
    /stall           half of a body, then nothing;    /silent         nothing at all
    /garbage         no HTTP;                         /close          closes at once
"""

import os
import socket
import sys
import threading
import time

END = b"\r\n\r\n"


def read_request(conn):
    data = b""
    while END not in data:
        piece = conn.recv(65536)
        if not piece:
            return None, None
        data += piece
    head, _, body = data.partition(END)
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += conn.recv(65536)
    return head, body


def answer(conn, body, status="200 OK", headers=()):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    conn.sendall("\r\n".join(lines).encode() + END + body)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def start_chunks(conn):
    conn.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" + END)


def pattern(n):
    return (b"0123456789" * (n // 10 + 1))[:n]


def pause():
    time.sleep(60)


def serve(conn, kind, argument, head, body):
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


def handle(conn):
    with conn:
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        try:
            while True:
                head, body = read_request(conn)
                if head is None:
                    return
                _, kind, *rest = head.split()[1].decode().split("/")
                serve(conn, kind, rest[0] if rest else "", head, body)
                if kind not in ("echo", "status", "redirect", "bytes", "chunks"):
                    return
        except OSError:
            pass


def listen():
    if len(sys.argv) > 1:
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        server.listen()
        return server, 0
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()[1]


def accept(server):
    while True:
        conn, _ = server.accept()
        threading.Thread(target=handle, args=(conn,), daemon=True).start()


def run():
    server, port = listen()
    print(port, flush=True)
    threading.Thread(target=accept, args=(server,), daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)


run()
