# SPDX-License-Identifier: MIT
"""openai_peer.py: a model provider that speaks OpenAI's chat completions and also has its bad days.

What it does is in the path before /chat/completions, that is, in the base url; whatever else is in the path
only keeps tests apart, since requests are counted by path:

    /chat                 TEXT, whole or streamed, as was asked
    /bytes                the same, one byte at a time
    /json                 the same, whole, also where a stream was asked for
    /loan                 code that computes a loan; once it is told what that printed, the answer
    /echo, /head          the text is the body, or the head, of the request
    /refuse/STATUS/BODY   that status, with one of BODIES
    /flaky/STATUS/N       that status N times, then as /chat; asks for 20 ms of patience
    /later/STATUS/HEADER  that status; HEADER "Retry-After: 7" is spelled retry-after=7
    /drop/N               closes the connection N times, then as /chat
    /redirect             302 to /chat

and as streams:

    /cut/N     breaks the connection after N pieces of text;   /broke/N   ends properly after as many
    /thinks    breaks the connection after a thought, once, then as /chat
    /undone    finish_reason, but no [DONE];                    /open      [DONE], but no end of the body
    /named/N   the same as an event of the name error
    /error/N   an error after N pieces;                         /invalid   bytes that are no UTF-8
    /stall/N   N pieces, then nothing;                          /empty     no event
    /comments  comments without end;                            /line      an event without end
    /garbage   no HTTP;                                         /html      a page

    GET /asked/PATH       how often that was asked
"""

import json
import threading

from peer_server import END, answer, chunk, pause, run, start_chunks

PIECES = ["Four: ", "\u00fc", " \u6570", " \U0001f600", "."]
TEXT = "".join(PIECES)

BODIES = {
    "openai": {"error": {"message": "as OpenAI says", "type": "t", "param": None, "code": "c"}},
    "quota": {"error": {"message": "no money", "type": "insufficient_quota",
                        "code": "insufficient_quota"}},
    "string": {"error": "as a string"},
    "vllm": {"object": "error", "message": "as vLLM says", "type": "t", "code": 1},
    "detail": {"detail": "in detail"},
    "empty": None,
}

asked = {}
lock = threading.Lock()


def count(path):
    with lock:
        asked[path] = asked.get(path, 0) + 1
        return asked[path]


def whole(text):
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "peer",
            "choices": [{"index": 0, "logprobs": None, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text, "refusal": None}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}


def delta(finish=None, **words):
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "peer",
            "choices": [{"index": 0, "delta": words, "finish_reason": finish}]}


def usage():
    return {**delta(), "choices": [], "usage": whole("")["usage"]}


def event(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def pieces_of(text, n=None):
    pieces = PIECES if text == TEXT else [text]
    return b"".join([b": hello\n\n", event(delta(role="assistant", content=""))] +
                    [event(delta(content=piece)) for piece in pieces[:n]])


def stream_of(text):
    return pieces_of(text) + event(delta("stop")) + event(usage()) + event("[DONE]")


def send_json(conn, value, status="200 OK", headers=()):
    body = b"" if value is None else json.dumps(value).encode()
    answer(conn, body, status, ["Content-Type: application/json; charset=utf-8", *headers])


def send_error(conn, status, value, headers=()):
    send_json(conn, value, f"{status} Whatever", headers)


def start_stream(conn):
    start_chunks(conn, ["Content-Type: text/event-stream; charset=utf-8"])


def send_stream(conn, data):
    start_stream(conn)
    conn.sendall(chunk(data) + chunk(b""))


def say(conn, body, text):
    if json.loads(body).get("stream"):
        send_stream(conn, stream_of(text))
    else:
        send_json(conn, whole(text))
    return True


def say_byte_by_byte(conn, body):
    class Slowly:
        def sendall(self, data):
            for byte in data:
                conn.sendall(bytes([byte]))

    return say(Slowly(), body, TEXT)


LOAN = ("I will compute it.\n\n```python\nP, r, n = 240000, 0.054 / 12, 25 * 12\n"
        "pay = P * r / (1 - (1 + r) ** -n)\nprint(round(pay, 2), round(pay * n - P, 2))\n```\n")


def say_loan(conn, body):
    told = json.loads(body)["messages"][-1]["content"]
    return say(conn, body, "It is 1,459.51 a month." if "1459.51 197853.54" in told else LOAN)


def authorization(head):
    for line in head.decode().split("\r\n"):
        if line.lower().startswith("authorization:"):
            return line
    return "no authorization"


def refuse(conn, head, status, name):
    if name == "echo":
        # Padded so that a text cut short would end within the key.
        value = {"error": {"message": "x" * 170 + authorization(head)}}
    elif name == "html":
        answer(conn, b"<h1>Bad\nGateway</h1>" * 40, f"{status} Whatever",
               ["retry-after-ms: 20"])
        return True
    else:
        value = BODIES[name]
    send_error(conn, status, value, ["retry-after-ms: 20"])
    return True


def endless(conn, first, more):
    start_stream(conn)
    conn.sendall(chunk(first))
    while True:
        conn.sendall(chunk(more))


def misbehave(conn, kind, n):
    """Streams that do not end well; nothing more can come on the connection."""
    if kind == "garbage":
        conn.sendall(b"\x00\x01\x02 this is no HTTP" + END)
    elif kind == "html":
        answer(conn, b"<h1>Welcome to the hotel</h1>", headers=["Content-Type: text/html"])
    elif kind == "comments":
        endless(conn, b": hello\n\n", (b": " + b"x" * 1000 + b"\n\n") * 64)
    elif kind == "line":
        endless(conn, b"data: ", b"x" * 65536)
    elif kind == "invalid":
        send_stream(conn, b'data: {"choices":[{"index":0,"delta":{"content":"\xff"}}]}\n\n')
    elif kind == "empty":
        send_stream(conn, b"")
    elif kind == "broke":
        send_stream(conn, pieces_of(TEXT, n))
    elif kind == "undone":
        send_stream(conn, pieces_of(TEXT) + event(delta("stop")))
    elif kind == "error":
        send_stream(conn, pieces_of(TEXT, n) +
                    event({"error": {"message": "the model fell over", "code": 500}}))
    elif kind == "named":
        send_stream(conn, pieces_of(TEXT, n) + b"event: error\n" + event({"message": "so it is named"}))
    else:
        start_stream(conn)
        conn.sendall(chunk(stream_of(TEXT) if kind == "open" else pieces_of(TEXT, n)))
        if kind in ("stall", "open"):
            pause()


def think(conn):
    start_stream(conn)
    conn.sendall(chunk(event(delta(reasoning_content="half a thought"))))


def behave(conn, path, head, body):
    """Answers one request; true when another may follow on the connection."""
    times = count("/".join(path))
    kind, *rest = path
    if kind == "bytes":
        return say_byte_by_byte(conn, body)
    if kind == "loan":
        return say_loan(conn, body)
    if kind == "json":
        send_json(conn, whole(TEXT))
        return True
    if kind == "echo":
        return say(conn, body, body.decode())
    if kind == "head":
        return say(conn, body, head.decode())
    if kind == "refuse":
        return refuse(conn, head, *rest[:2])
    if kind == "later":
        send_error(conn, rest[0], BODIES["openai"], [rest[1].replace("=", ": ")])
        return True
    if kind == "flaky" and times <= int(rest[1]):
        send_error(conn, rest[0], BODIES["openai"], ["retry-after-ms: 20"])
        return True
    if kind == "redirect":
        answer(conn, b"", "302 Found", ["Location: /chat/chat/completions"])
        return True
    if kind == "drop" and times <= int(rest[0]):
        return False
    if kind == "thinks" and times == 1:
        return think(conn)
    if kind in ("chat", "flaky", "drop", "thinks"):
        return say(conn, body, TEXT)
    return misbehave(conn, kind, int(rest[0]) if rest and rest[0].isdigit() else None)


def serve(conn, head, body):
    method, target = head.split()[:2]
    path = target.decode().strip("/").split("/")
    if method == b"GET":
        answer(conn, str(asked.get("/".join(path[1:]), 0)).encode())
        return True
    if method != b"POST" or path[-2:] != ["chat", "completions"]:
        send_error(conn, 404, {"error": {"message": "no such path"}})
        return True
    return behave(conn, path[:-2], head, body)


run(serve)
