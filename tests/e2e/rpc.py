"""A bare JSON-RPC client over stdio. It can send what the official client never sends, and sees every byte of stdout."""

import json
import queue
import subprocess
import threading

from conftest import BINARY, LIMIT

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Rpc:
    """`cotty mcp`, driven line by line."""

    def __init__(self, cotty, *args, command=None, modern=False, reads=True, **options):
        options.setdefault("env", cotty.env)
        options.setdefault("cwd", cotty.work)
        command = command or [BINARY, "mcp", *args]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(list(map(str, command)), **pipes, **options)
        self.modern, self.count, self.lines, self.heard = modern, 0, queue.Queue(), []
        self.reader = threading.Thread(target=self.read, daemon=True)
        if reads:
            self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def say(self, **message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, method, params=None, **fields):
        """Sends a request and returns its id."""
        self.count += 1
        params = params or {}
        if self.modern:
            params = {**params, "_meta": {**MODERN, **params.get("_meta", {})}}
        self.say(id=self.count, method=method, params=params, **fields)
        return self.count

    def next(self):
        """The next message, or `None` at the end. Fails if a line is not JSON."""
        try:
            line = self.lines.get(timeout=2 * LIMIT)
        except queue.Empty as error:
            raise AssertionError(f"no line within {2 * LIMIT} s; received before: {self.heard}") from error
        if line is None:
            return None
        assert line.endswith(b"\n"), line[-200:]
        return json.loads(line)

    def until(self, wanted):
        """The first message for which `wanted` is true. The others are kept in `heard`."""
        for at, message in enumerate(self.heard):
            if wanted(message):
                return self.heard.pop(at)
        while True:
            message = self.next()
            assert message is not None, (self.process.wait(LIMIT), self.process.stderr.read())
            if wanted(message):
                return message
            self.heard.append(message)

    def answer(self, id):
        return self.until(lambda message: message.get("id") == id and "method" not in message)

    def result(self, method, params=None):
        answer = self.answer(self.ask(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def begin(self):
        """The handshake, if this era has one."""
        if not self.modern:
            self.result("initialize", HELLO)
            self.say(method="notifications/initialized")
        return self

    def start_call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool, **arguments):
        result = self.answer(self.start_call(tool, **arguments))["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    def tools(self):
        return [tool["name"] for tool in self.result("tools/list")["tools"]]

    def end(self):
        """Closes stdin. Returns the messages that were still received, and the exit code."""
        self.process.stdin.close()
        rest = []
        while (message := self.next()) is not None:
            rest.append(message)
        return rest, self.process.wait(LIMIT)
