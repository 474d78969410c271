# SPDX-License-Identifier: MIT
"""What the servers of the tests share. A server listens on a free port of the loopback interface, or on the
unix socket its command line names; prints the port (or 0) and serves until its standard input ends."""

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


def start_chunks(conn, headers=()):
    lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers]
    conn.sendall("\r\n".join(lines).encode() + END)


def pause():
    time.sleep(60)


def handle(conn, serve):
    with conn:
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        try:
            while True:
                head, body = read_request(conn)
                if head is None or not serve(conn, head, body):
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


def accept(server, serve):
    while True:
        conn, _ = server.accept()
        threading.Thread(target=handle, args=(conn, serve), daemon=True).start()


def run(serve):
    """serve(conn, head, body) answers one request; true: another may follow on the connection."""
    server, port = listen()
    print(port, flush=True)
    threading.Thread(target=accept, args=(server, serve), daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)
