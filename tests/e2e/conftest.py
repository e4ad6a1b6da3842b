"""Each test has its own cotty: its own COTTY_HOME, keeper and daemon, which are removed at the end."""

import http.client
import inspect
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import textwrap
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("COTTY_BIN", ROOT / "target" / "debug" / "cotty"))
# Long enough for a loaded machine, short enough to see that something hangs.
LIMIT = 30
# `make soak`: all parameters, more seeds and more kills than `make test` has time for.
SOAK = os.environ.get("SOAK") == "1"


def seeds(few, more):
    """Seeds for a random test: `few`, or `more` in a soak."""
    return pytest.mark.parametrize("seed", range(more if SOAK else few))


def pytest_collection_modifyitems(config, items):
    """Deselects tests that need root if we are not root. Slow tests start first, so that the run does not end with them."""
    if os.geteuid() != 0:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("root_only")])
        items[:] = [item for item in items if not item.get_closest_marker("root_only")]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def alive(pid):
    """Whether a process runs. A zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def source(what):
    """The source text of a condition, for messages: a lambda has no name."""
    try:
        text = inspect.getsource(what) if inspect.isfunction(what) else repr(what)
    except OSError:
        text = repr(what)
    return textwrap.shorten(text, 300)


def timeout_message(limit, what, label, last):
    """The message of a wait that timed out: the condition and its last value."""
    return f"not within {limit} s: {(label() if callable(label) else label) or source(what)}\nlast seen: {textwrap.shorten(repr(last), 2000)}"


def eventually(what, limit=LIMIT, label=None):
    """Polls `what()` until it is true and returns the value. For facts that no event announces."""
    end = time.monotonic() + limit
    while True:
        value = what()
        if value:
            return value
        assert time.monotonic() < end, timeout_message(limit, what, label, value)
        time.sleep(0.01)


def eventually_same(pair):
    """Waits until the two values that `pair()` returns are equal, and returns one. Shows both on a timeout."""
    shown = None

    def same():
        nonlocal shown
        shown = pair()
        return shown[0] == shown[1]

    try:
        eventually(same, label=source(pair))
    except AssertionError as error:
        assert shown[0] == shown[1], str(error)
        raise
    return shown[1]


async def eventually_async(what, label=None):
    """`eventually` for a condition that must be awaited."""
    value = None
    with within(lambda: timeout_message(LIMIT, what, label, value)):
        while True:
            value = await what()
            if value:
                return value
            await anyio.sleep(0.01)


@contextmanager
def within(label, limit=LIMIT):
    """Limits the time of the block. On a timeout it fails with `label`: a text, or a function that returns one."""
    try:
        with anyio.fail_after(limit):
            yield
    except TimeoutError as error:
        raise AssertionError(label() if callable(label) else f"not within {limit} s: {label}") from error


@asynccontextmanager
async def with_plain_errors(connecting):
    """A client whose body raises a failed assertion itself, not buried in the client's exception groups."""
    failure = None
    async with connecting as client:
        try:
            yield client
        except Exception as error:
            failure = error
    if failure:
        raise failure


class UnixConnection(http.client.HTTPConnection):
    """HTTP over the daemon's socket."""

    def __init__(self, path):
        super().__init__("cotty", timeout=4 * LIMIT)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Cotty:
    """The command line, for one home."""

    def __init__(self, home, work):
        self.binary = BINARY
        self.home = home
        self.work = work
        self.tokens = {}
        # Set by tests that cause a panic.
        self.may_panic = False
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(work),
            "USER": os.environ.get("USER", "user"),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "COTTY_HOME": str(home),
            "COTTY_HTTP_LISTEN": "127.0.0.1:0",
        }

    def start(self, *args, **options):
        """Starts a command without waiting for it."""
        options.setdefault("env", self.env)
        options.setdefault("cwd", self.work)
        return subprocess.Popen([self.binary, *map(str, args)], **options)

    def __call__(self, *args, code=0, **options):
        """Runs a command, checks its exit code, and returns its stdout."""
        options.setdefault("env", self.env)
        options.setdefault("cwd", self.work)
        done = subprocess.run(
            [self.binary, *map(str, args)], capture_output=True, text=True, timeout=4 * LIMIT, check=False, **options
        )
        assert done.returncode == code, f"cotty {args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        self.stderr = done.stderr
        return done.stdout

    def json(self, *args, **options):
        return json.loads(self(*args, "--json", **options))

    def new(self, *args):
        return self("new", *args).strip()

    def info(self, session):
        return next(s for s in self.json("ls")["sessions"] if session in (s["session_id"], s.get("name")))

    def status(self):
        return self.json("status")

    def metrics(self):
        """The daemon's metrics, in the text format of Prometheus."""
        connection = UnixConnection(self.status()["socket"])
        connection.request("GET", "/metrics", headers={"host": "cotty"})
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def kill_daemon(self):
        """Kills the daemon with SIGKILL. The keeper has to notice by itself."""
        pid = self.status()["pid"]
        os.kill(pid, signal.SIGKILL)
        return pid

    def call(self, op, actor="agent", error=None, **params):
        """One operation over the socket, as any client may call it. With `error`, expects that code and returns the error."""
        answer = self.any_call(op, actor, **params)
        if error:
            assert answer.get("error", {}).get("code") == error, answer
            return answer["error"]
        assert "ok" in answer, answer
        # A test that sets no timeout for a wait expects it to be met.
        assert op != "wait" or "timeout_ms" in params or answer["ok"]["met"] != "timeout", f"{params} timed out: {answer}"
        return answer["ok"]

    def any_call(self, op, actor="agent", client="tests", request=None, **params):
        """The same, with the answer unchecked."""
        if not hasattr(self, "socket"):
            self("ls")
            self.socket = self.status()["socket"]
        call = {
            "op": op,
            "retry_id": request or os.urandom(8).hex(),
            "caller": {"kind": actor, "client": client},
            "origin": {"cwd": str(self.work), "env": self.env},
            "params": params,
        }
        connection = UnixConnection(self.socket)
        connection.request("POST", "/v1/call", json.dumps(call), {"host": "cotty", "content-type": "application/json"})
        try:
            answer = json.loads(connection.getresponse().read())
        except TimeoutError as error:
            raise AssertionError(f"no answer within {connection.timeout} s: {op} {params}") from error
        connection.close()
        return answer

    @asynccontextmanager
    async def mcp(self, args=(), **options):
        """The official client over stdio. `args` are arguments of `cotty mcp`."""
        from mcp import Client, StdioServerParameters

        server = StdioServerParameters(command=str(BINARY), args=["mcp", *args], env=self.env, cwd=str(self.work))
        async with Client(server, **options) as client:
            yield client

    @asynccontextmanager
    async def mcp_http(self, token=None, query="", headers=None, socket=False, **options):
        """The official client over HTTP with a token (by default a new one), or on the Unix socket."""
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        status = self.status()
        headers = {"cotty-directory": str(self.work), **(headers or {})}
        if socket:
            address, transport = "http://cotty", httpx2.AsyncHTTPTransport(uds=status["socket"])
        else:
            address, transport = status["http"], None
            headers["authorization"] = f"Bearer {token or self.token()}"
        async with httpx2.AsyncClient(headers=headers, timeout=4 * LIMIT, transport=transport) as http:
            async with Client(streamable_http_client(f"{address}/mcp{query}", http_client=http), **options) as client:
                yield client

    def token(self, name="mcp", *args):
        """A token of that name, made at the first call."""
        if name not in self.tokens:
            # The last line of the output is the token.
            self.tokens[name] = self("token", "new", "--name", name, *args).splitlines()[-1]
        return self.tokens[name]


@pytest.fixture
def cotty():
    # Short: a Unix socket's path has at most 107 bytes.
    top = Path(tempfile.mkdtemp(prefix="cotty-"))
    home, work = top / "home", top / "work"
    work.mkdir()
    cotty = Cotty(home, work)
    yield cotty
    pids = []
    if home.exists():
        status = subprocess.run(
            [BINARY, "status", "--json"], env=cotty.env, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        if status.returncode == 0:
            found = json.loads(status.stdout)
            pids = [found["pid"], found["keeper_pid"]]
            cotty("stop")
    for pid in pids:
        eventually(lambda pid=pid: not alive(pid))
    log = home / "cotty.log"
    said = log.read_text() if log.exists() else ""
    shutil.rmtree(top, ignore_errors=True)
    assert cotty.may_panic or "panicked" not in said, said


@pytest.fixture
def mkfs(cotty):
    """A fake `mkfs.ext4`, first on the PATH, which only creates a file."""
    (cotty.work / "bin").mkdir()
    trace = cotty.work / "formatted"
    script = cotty.work / "bin" / "mkfs.ext4"
    script.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(trace))}\n")
    script.chmod(0o755)
    cotty.env["PATH"] = f"{cotty.work}/bin:{cotty.env['PATH']}"
    return trace


@pytest.fixture
def anyio_backend():
    return "asyncio"
