# SPDX-License-Identifier: MIT
"""check_ask.py FENCERUN: `fencerun ask` with a scripted model, and real and scripted executors."""

import http.server
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

from harness import DIRECTORY, LIMIT, SOURCE, expect, expect_equal, main, run, scratch, script, tests_of

FAIL = {"exit_code": 1, "stderr": "ValueError: no\n"}
LOAN = f"scripted:{SOURCE}/samples/models/loan.json"


def block(code):
    return f"```python\n{code}\n```\n"


def model(*replies):
    name = f"model-{len(list(Path(DIRECTORY.name).iterdir()))}.json"
    return "scripted:" + scratch(name, json.dumps({"replies": replies}).encode())


def executor(*results):
    return f"scripted:{script(*results)}"


def ask(command, *arguments, **options):
    return run(command, "ask", *arguments, **options)


def answer(command, *arguments, status=0):
    done = ask(command, "--json", *arguments, "?")
    expect_equal(done.returncode, status, done.stderr)
    return json.loads(done.stdout)


def test_answer_on_stdout(command):
    done = ask(command, "--model", LOAN, "How much?")
    expect_equal((done.returncode, done.stdout.count(b"\n")), (0, 1))
    expect(b"1,459.51" in done.stdout, done.stdout)
    expect_equal(done.stderr, b"fencerun: ok: 2 model calls, 1 run\n")


def test_question_from_standard_input(command):
    done = ask(command, "--model", model("So it is."), "--events", "-", stdin="Is 数 a number?\n".encode())
    first = json.loads(done.stdout.splitlines()[0])
    expect_equal(first["content"]["parts"], [{"text": "Is 数 a number?\n"}])


def test_answer_as_json(command):
    got = answer(command, "--model", LOAN)
    expect_equal(set(got), {"status", "answer", "invocation_id", "model_calls", "runs", "failures_in_a_row",
                            "prompt_tokens", "output_tokens"})
    expect_equal((got["status"], got["model_calls"], got["runs"]), ("ok", 2, 1))


def test_events(command):
    done = ask(command, "--model", LOAN, "--events", "How much?")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    expect_equal([e["author"] for e in events], ["user", "agent", "agent", "agent"])
    expect_equal(len({e["invocationId"] for e in events}), 1)
    expect_equal(len({e["id"] for e in events}), 4)
    question, code, result, reply = (e["content"] for e in events)
    expect_equal([c["role"] for c in (question, code, result, reply)],
                 ["user", "model", "model", "model"])
    expect_equal(code["parts"][-1]["executableCode"]["language"], "PYTHON")
    expect_equal(result["parts"][0]["codeExecutionResult"]["outcome"], "OUTCOME_OK")
    expect("1459.51 197853.54" in result["parts"][0]["codeExecutionResult"]["output"])
    expect("1,500" not in done.stdout.decode(), "the invented result was not cut off")
    expect("_code_execution_context" in events[2]["actions"]["stateDelta"])


def test_compat(command):
    done = ask(command, "--compat", "adk", "--model", LOAN, "--events", "How much?")
    result = json.loads(done.stdout.splitlines()[2])
    expect_equal(result["content"]["parts"][0]["codeExecutionResult"]["output"],
                 "Code execution result:\n1459.51 197853.54\n\n")
    expect_equal(result["actions"]["stateDelta"], {"_code_execution_context": {}})
    expect("customMetadata" not in result)
    long = executor({"stdout": "x" * 10000})
    done = ask(command, "--compat", "adk", "--model", model(block("x"), "ok"), "--executor", long,
               "--events", "?")
    expect("x" * 10000 in done.stdout.decode(), "compat mode shortened the output")


def test_function_calls_stay(command):
    call = {"functionCall": {"name": "look", "args": {}}}
    done = ask(command, "--model", model({"parts": [call, {"text": block("print(1)")}]}, "1"),
               "--events", "?")
    code = json.loads(done.stdout.splitlines()[1])["content"]["parts"]
    expect_equal([next(iter(part)) for part in code], ["functionCall", "executableCode"])
    expect_equal(code[0], call)


def test_second_try_is_told_the_first_error(command):
    chat = model(block("print(1 / 0)"), {"text": block("print(2)"), "expect": "ZeroDivisionError"},
                 {"text": "2", "expect": "stdout:\n```\n2\n```"})
    got = answer(command, "--model", chat)
    expect_equal((got["status"], got["answer"], got["runs"], got["failures_in_a_row"]), ("ok", "2", 2, 0))


def test_budget_used_up(command):
    replies = [block(f"f({i})") for i in range(6)]
    def used_up(*arguments, results=(FAIL, FAIL, FAIL)):
        got = answer(command, "--model", model(*replies), "--executor", executor(*results),
                     *arguments, status=1)
        return got["status"], got["model_calls"], got["runs"]
    expect_equal(used_up(), ("budget_exhausted", 4, 2))
    expect_equal(used_up("--when-used-up", "final_turn"), ("budget_exhausted", 4, 2))
    expect_equal(used_up("--when-used-up", "passthrough"), ("budget_exhausted", 3, 2))
    expect_equal(used_up("--when-used-up", "fail"), ("failed", 3, 2))
    expect_equal(used_up("--budget", "3"), ("budget_exhausted", 5, 3))
    expect_equal(used_up("--budget", "0"), ("budget_exhausted", 2, 0))
    expect_equal(used_up("--max-runs", "2", results=({}, {})), ("budget_exhausted", 4, 2))
    expect_equal(used_up("--max-model-calls", "1"), ("model_calls", 1, 1))
    expect_equal(used_up("--compat", "adk"), ("budget_exhausted", 3, 2))


def test_warnings_cost_nothing(command):
    warn = {"stdout": "1\n", "stderr": "/code/main.py:1: DeprecationWarning: old\n"}
    got = answer(command, "--model", model(*[block(f"f({i})") for i in range(3)], "done"),
                 "--executor", executor(warn, warn, warn))
    expect_equal((got["status"], got["runs"], got["failures_in_a_row"]), ("ok", 3, 0))
    got = answer(command, "--model", model(block("a"), block("b"), block("c"), "done"), "--budget-rule", "adk",
                 "--executor", executor(warn, warn, warn))
    expect_equal((got["status"], got["runs"], got["failures_in_a_row"]), ("ok", 2, 2))


def test_model_that_heeds_the_last_word(command):
    chat = model(block("a"), block("b"), {"text": "I cannot tell.", "expect": "Answer now without code"})
    got = answer(command, "--model", chat, "--executor", executor(FAIL, FAIL))
    expect_equal((got["status"], got["answer"]), ("ok", "I cannot tell."))


def test_answers_that_are_none(command):
    for reply, status in ({"text": "It is", "finish": "MAX_TOKENS"}, "truncated"), \
                         ("```python\nprint(1", "truncated"), \
                         ({"text": "", "finish": "SAFETY"}, "withheld"), ("", "empty"):
        expect_equal(answer(command, "--model", model(reply), status=1)["status"], status)


def test_failures_of_calls(command):
    done = ask(command, "--model", model({"error": "FR_EMODEL", "message": "out of order"}), "?")
    expect_equal((done.returncode, done.stdout), (6, b""))
    expect(b"out of order" in done.stderr, done.stderr)
    done = ask(command, "--model", model({"text": "x", "expect": "another question"}), "?")
    expect_equal((done.returncode, done.stdout), (6, b""))
    down = executor({"error": "FR_EUNAVAILABLE", "message": "engine is down"})
    done = ask(command, "--model", model(block("x")), "--executor", down, "?")
    expect_equal((done.returncode, done.stdout), (5, b""))
    expect(b"engine is down" in done.stderr, done.stderr)
    done = ask(command, "--model", "openai:m", "--base-url", "http://127.0.0.1:1/v1", "?",
               env={"PATH": os.environ["PATH"], "OPENAI_API_KEY": "sk-secret-key"})
    expect_equal(done.returncode, 6)
    expect(b"sk-secret" not in done.stderr, done.stderr)


def test_failures_as_json(command):
    down = executor({"error": "FR_EUNAVAILABLE", "message": "engine is down"})
    for arguments, status, code in ((("--model", model({"error": "FR_EMODEL"})), 6, "FR_EMODEL"),
                                    (("--model", "scripted:/no/such/file"), 2, "FR_ENOTFOUND"),
                                    (("--model", LOAN, "--executor", down), 5, "FR_EUNAVAILABLE"),
                                    (("--model", LOAN, "--executor", "nobody"), 2, "FR_ENOTFOUND")):
        failed = answer(command, *arguments, status=status)
        expect_equal(list(failed), ["error"])
        expect_equal(failed["error"]["code"], code)
        expect(failed["error"]["message"], failed)


def test_expectations_that_fail_say_where(command):
    chat = model(block("print(1)"), {"text": "x", "expect": "stdout: 2"})
    done = ask(command, "--model", chat, "?")
    expect_equal(done.returncode, 6)
    expect(b".json: replies[1]: what the model is told last does not say 'stdout: 2'; it says '" in done.stderr,
           done.stderr)
    done = ask(command, "--model", model(block("print(1)")), "--executor", executor({"expect": "print(2)\n"}), "?")
    expect_equal(done.returncode, 2)
    expect(b".json: results[0]: the code is not the expected 'print(2) '; it is 'print(1) '" in done.stderr, done.stderr)


def test_code_in_the_answer_is_told_of(command):
    for reply, words in (("```bash\nls\n```", b"passed over the block 'bash' at byte 0: language (--all-languages takes it)"),
                         ("```\nx\n```", b"untagged (--untagged takes it)"),
                         ("```python\nx", b"unterminated (--unterminated takes it)"),
                         ("```cobol\nx\n```", b"language\n")):
        done = ask(command, "--model", model(reply), "?")
        expect(words in done.stderr, done.stderr)
    done = ask(command, "--model", model(block("x"), "."), "--executor", executor({}), "?")
    expect(b"passed over" not in done.stderr, done.stderr)


def test_endings_say_what_they_mean(command):
    for reply, words in (({"text": "It is", "finish": "MAX_TOKENS"}, b"truncated (the answer was cut off"),
                         ({"text": "", "finish": "SAFETY"}, b"withheld (by the filter"),
                         ("", b"empty (the model said nothing)")):
        done = ask(command, "--model", model(reply), "?")
        expect(words in done.stderr, done.stderr)
    for how, words in (("final_turn", b"budget_exhausted (the answer is code"), ("fail", b"failed (the code failed")):
        done = ask(command, "--model", model(block("x"), block("y")), "--budget", "0", "--when-used-up", how, "?")
        expect(words in done.stderr, done.stderr)
    done = ask(command, "--model", model(block("x")), "--executor", executor({}), "--max-model-calls", "1", "?")
    expect(b"model_calls (no answer within --max-model-calls)" in done.stderr, done.stderr)


def test_audit(command):
    path = str(Path(DIRECTORY.name) / "ask.log")
    ask(command, "--model", LOAN, "--audit", path, "?")
    done = run(command, "audit", "show", "--json", path)
    started, ended = map(json.loads, done.stdout.splitlines())
    expect_equal(started["invocation"]["agent"], "agent")
    expect_equal(ended["stdout"], "1459.51 197853.54\n")
    expect_equal(run(command, "audit", "verify", path).returncode, 0)


def test_nothing_is_loaded_that_is_not_used(command):
    def loaded(*arguments):
        done = ask(command, *arguments, env=os.environ | {"LD_DEBUG": "files"})
        return [name for name in (b"libcurl", b"libcrypto") if name + b".so" in done.stderr]
    expect_equal(loaded("--model", LOAN, "?"), [])
    path = str(Path(DIRECTORY.name) / "loaded.log")
    expect_equal(loaded("--model", LOAN, "--audit", path, "?"), [b"libcrypto"])


def test_stream(command):
    said = model("Let me see.\n" + block("print(1)"), "It is 1.")
    done = ask(command, "--model", said, "--stream", "?")
    expect_equal(done.stdout.decode(), f"Let me see.\n{block('print(1)')}It is 1.\n")
    done = ask(command, "--model", model("```python\nprint(1)\n```", "One."), "--stream", "?")
    expect_equal(done.stdout.decode(), "```python\nprint(1)\n```\nOne.\n")
    expect_equal(answer(command, "--model", said, "--stream")["answer"], "It is 1.")
    events = ask(command, "--model", said, "--stream", "--events", "?").stdout.splitlines()
    expect_equal([json.loads(line)["author"] for line in events], ["user", "agent", "agent", "agent"])


def test_pieces_come_as_they_are_said(command):
    """The code is on stdout before it has run."""
    process = subprocess.Popen([command, "ask", "--model", model(block("x"), "."), "--executor",
                                executor({"delay_ms": 60000}), "--stream", "?"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    expect_equal([process.stdout.readline() for _ in range(3)], [b"```python\n", b"x\n", b"```\n"])
    process.send_signal(signal.SIGTERM)
    expect_equal(process.wait(LIMIT), 143)
    process.stdout.close()


def test_which_blocks(command):
    for reply, option, status in (("```\nprint(6)\n```", "--untagged", 0),
                                  ("```python\nprint(6)", "--unterminated", 1),
                                  ("```bash\necho 6\n```", "--all-languages", 0)):
        expect_equal(answer(command, "--model", model(reply, "."), status=status)["runs"], 0, option)
        expect_equal(answer(command, "--model", model(reply, "Six."), option)["runs"], 1, option)


def test_terminal_is_not_steered(command):
    """What a model says is shown as it is, but not acted upon by a terminal."""
    said = model("\x1b[2Ja\tb\u202e\r\n数")
    expect_equal(ask(command, "--model", said, "?").stdout.decode(), "\x1b[2Ja\tb\u202e\r\n数\n")
    for options in ((), ("--stream",)):
        ours, theirs = os.openpty()
        process = subprocess.Popen([command, "ask", "--model", said, *options, "?"], stdout=theirs,
                                   stderr=subprocess.DEVNULL)
        expect_equal(process.wait(LIMIT), 0)
        os.close(theirs)
        expect_equal(os.read(ours, 1000).decode(), "\\x1b[2Ja\tb\\u202e\\x0d\r\n数\r\n")
        os.close(ours)


class Server(http.server.HTTPServer):
    """Answers with the next of `answers`, (type, body), and keeps what it was asked."""

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests = list(answers), []
        self.thread = threading.Thread(target=self.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()

    def ask(self, command, *options):
        return ask(command, "--model", "openai:m", "--base-url", f"http://127.0.0.1:{self.server_port}/v1", *options,
                   "?", env=os.environ | {"OPENAI_API_KEY": "k"})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        kind, body = self.server.answers.pop(0)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def message(**members):
    choices = [{"index": 0, "message": {"role": "assistant"} | members}]
    return "application/json", json.dumps({"choices": choices}).encode()


def test_calls_beside_code_do_not_end_the_conversation(command):
    """Nothing was offered that could be called: the call stays in the events, and the loop goes on."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    with Server(message(content=block("print(6 * 7)"), tool_calls=[call]), message(content="It is 42.")) as server:
        done = server.ask(command, "--events")
    expect_equal(done.returncode, 0, done.stderr)
    code = json.loads(done.stdout.splitlines()[1])["content"]["parts"]
    expect_equal({key for part in code for key in part}, {"executableCode", "functionCall"})
    messages = server.requests[1]["messages"]
    expect_equal([m["role"] for m in messages], ["system", "user", "assistant", "user"])
    expect_equal(messages[2]["content"], block("print(6 * 7)"))


def test_a_page_is_no_answer(command):
    with Server(("text/html; charset=utf-8", b"<html>Sign in</html>")) as server:
        done = server.ask(command)
    expect_equal((done.returncode, done.stdout), (6, b""))
    expect(b"a page of HTML: check the base url http://127.0.0.1" in done.stderr, done.stderr)


def test_what_was_said_before_a_stream_broke_off(command):
    said = b'data: {"choices":[{"index":0,"delta":{"content":"It is"}}]}\n\n'
    with Server(("text/event-stream", said)) as server:
        done = server.ask(command, "--stream")
    expect_equal((done.returncode, done.stdout), (6, b"It is\n"))
    expect(b"broke off" in done.stderr, done.stderr)
    expect_equal(len(server.requests), 1)


def test_usage(command):
    for arguments, words in (
            ((), b"one question"), (("--model", LOAN, ""), b"empty"), (("a", "b"), b"one question"), (("?",), b"--model"),
            (("--model", "gpt", "?"), b"openai:NAME"),
            (("--model", LOAN, "--budget", "-1", "?"), b"--budget"),
            (("--model", LOAN, "--when-used-up", "never", "?"), b"final_turn"),
            (("--model", LOAN, "--budget-rule", "x", "?"), b"classified and adk"),
            (("--model", LOAN, "--compat", "x", "?"), b"adk"),
            (("--model", LOAN, "--json", "--events", "?"), b"not both"),
            (("--model", LOAN, "--base-url", "http://127.0.0.1/v1", "?"), b"for openai:NAME"),
            (("--model", LOAN, "--key-env", "KEY", "?"), b"for openai:NAME"),
            (("--model", LOAN, "--max-runs", "0", "?"), b"--max-runs"),
            (("--model", "openai:m", "--key-env", "FENCERUN_NO_SUCH_KEY", "?"), b"FENCERUN_NO_SUCH_KEY"),
            (("--model", "openai:", "?"), b"model"),
            (("--model", "scripted:/no/such/file", "?"), b"/no/such/file"),
            (("--model", "openai:m", "--base-url", "ftp://x", "?"), b"ftp://x")):
        done = ask(command, *arguments)
        expect_equal(done.returncode, 2, arguments)
        expect(words in done.stderr, arguments, done.stderr)
        expect_equal(done.stdout, b"")


def test_scripts_with_members_that_there_are_not(command):
    done = ask(command, "--model", model({"txt": ""}), "?")
    expect_equal((done.returncode, done.stdout), (3, b""))
    expect(b".json: replies[0]: there is no member 'txt'" in done.stderr, done.stderr)


def test_interrupted(command):
    slow = executor({"delay_ms": 60000})
    process = subprocess.Popen([command, "ask", "--model", model(block("x")), "--executor", slow,
                                "--events", "?"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(2):  # the question, and the code that is now running
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    process.communicate(timeout=LIMIT)
    expect_equal(process.returncode, 130)
    expect(time.monotonic() - began < 30, "it took long to stop")


main(tests_of(globals()))
