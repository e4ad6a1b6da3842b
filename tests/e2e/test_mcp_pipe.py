"""`cotty mcp` itself: its flags, its lines, its end."""

import json
import os
import signal
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from agents import carriers
from conftest import BINARY, LIMIT, alive, eventually
from rpc import HELLO, Rpc
from test_host import box  # noqa: F401

ERAS = pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])


# Flags


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--tools", "termnal"], "did you mean `terminal`"),
        (["--tools", "terminal,colours"], "terminal, pty, panel, tui"),
        (["--only", "terminal__rum"], "did you mean `terminal__run`"),
        (["--only", "run"], "did you mean `terminal__run`"),
        (["--max-call", "0"], "--max-call"),
        (["--max-call", "soon"], "--max-call"),
    ],
)
def test_invalid_flags_are_refused_at_once(cotty, flags, said):
    assert cotty("mcp", *flags, code=2, stdin=subprocess.DEVNULL) == ""
    assert said in cotty.stderr
    assert not cotty.home.exists(), "no daemon was started"


@ERAS
def test_a_client_sees_the_chosen_tools(cotty, modern):
    only = ["terminal__create_session", "terminal__run"]
    with Rpc(cotty, "--only", ",".join(reversed(only)), modern=modern) as rpc:
        assert rpc.begin().tools() == only
        refused = rpc.answer(rpc.start_call("terminal__list_sessions"))
        assert "terminal__run" in refused["error"]["message"]
    with Rpc(cotty, modern=modern) as rpc:
        default = rpc.begin().tools()
    with Rpc(cotty, "--tools", "terminal,tui,terminal", modern=modern) as rpc:
        assert rpc.begin().tools()[: len(default)] == default


def test_max_call_limits_a_run(cotty):
    with Rpc(cotty, "--max-call", "1") as rpc:
        session = rpc.begin().call("terminal__create_session")["session_id"]
        ran = rpc.call("terminal__run", session_id=session, command="read x", timeout_ms=3_600_000)
        assert ran["outcome"] == "running"


# Ephemeral


def private(rpc):
    """The home and the processes of an ephemeral cotty, with a session that has a background job."""
    session = rpc.begin().call("terminal__create_session")["session_id"]
    run = rpc.call("terminal__run", session_id=session, command="sleep 1000 & echo $COTTY_HOME")
    home = Path(run["output"].split()[-1])
    keeper = int((home / "run" / "keeper.lock").read_text())
    daemons = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
    # The shell and its background job, which may not have exec'ed `sleep` yet.
    eventually(lambda: len(carriers(session)) >= 2)
    pids = {keeper, *map(int, daemons), *carriers(session)}
    assert len(pids) >= 4 and all(map(alive, pids)), pids
    return home, pids


def all_gone(home, pids):
    eventually(lambda: not any(map(alive, pids)))
    eventually(lambda: not home.exists())


@pytest.mark.as_root
@pytest.mark.parametrize("end", ["eof", signal.SIGTERM, signal.SIGKILL], ids=str)
def test_an_ephemeral_cotty_ends_with_its_client(cotty, end):
    with Rpc(cotty, "--ephemeral") as rpc, Rpc(cotty, "--ephemeral") as other:
        home, pids = private(rpc)
        assert home.stat().st_mode & 0o777 == 0o700 and home != cotty.home
        elsewhere, others = private(other)
        assert elsewhere != home and not others & pids
        assert cotty.json("ls")["sessions"] == [], "no other client sees it"
        if end == "eof":
            assert rpc.end() == ([], 0)
        else:
            rpc.process.send_signal(end)
            assert rpc.process.wait(LIMIT) == (0 if end == signal.SIGTERM else -9)
        all_gone(home, pids)
        assert all(map(alive, others)) and elsewhere.exists()
    all_gone(elsewhere, others)


def test_an_ephemeral_cotty_survives_its_daemon(cotty):
    with Rpc(cotty, "--ephemeral") as rpc:
        home, pids = private(rpc)
        keeper = int((home / "run" / "keeper.lock").read_text())
        (daemon,) = (p for p in pids if b"__daemon" in Path(f"/proc/{p}/cmdline").read_bytes())
        os.kill(daemon, signal.SIGKILL)
        assert rpc.call("terminal__list_sessions")["count"] == 1
        # If its keeper is stopped, a new one starts when needed, and ends like the first.
        os.kill(keeper, signal.SIGTERM)
        eventually(lambda: not alive(keeper))
        home_again, more = private(rpc)
        assert home_again == home
        rpc.end()
        all_gone(home, more)


def test_an_ephemeral_cotty_uses_the_users_settings(cotty):
    cotty.home.mkdir(mode=0o700)
    (cotty.home / "config.toml").write_text("[terminal]\ndefault_rows = 31\n")
    with Rpc(cotty, "--ephemeral") as rpc:
        assert rpc.begin().call("terminal__create_session")["dimensions"]["rows"] == 31


def test_an_ephemeral_cotty_works_on_another_machine(cotty, box):  # noqa: F811
    with Rpc(cotty, command=[BINARY, "--host", "box", "mcp", "--ephemeral"]) as rpc:
        home, pids = private(rpc)
        assert home != box.top / "h"
    all_gone(home, pids)


# Lines


@ERAS
def test_malformed_lines_get_errors(cotty, modern):
    with Rpc(cotty, modern=modern) as rpc:
        rpc.begin()
        rpc.write(b"\r\n\n")
        for line, code in ((b"[]", -32600), (b'[{"id":1}]', -32600), (b"{no", -32700), (b'"\xff"', -32700)):
            rpc.write(line + b"\r\n")
            answer = rpc.next()
            assert answer["error"]["code"] == code and "id" not in answer, (line, answer)
        long = json.dumps({"text": "x" * (16 << 20), "jsonrpc": "2.0", "method": "tools/call", "id": "long"})
        rpc.write(long.encode() + b"\n")
        answer = rpc.answer("long")
        assert answer["error"]["code"] == -32600 and str(16 << 20) in answer["error"]["message"]
        # The longest allowed line reaches the tool, which refuses it for other reasons.
        refused = rpc.answer(rpc.start_call("terminal__send", session_id="sess_00000000", text="x" * (15 << 20)))
        assert refused["result"]["isError"]
        # A last line without a newline is a line.
        rpc.write(json.dumps({"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {}}).encode())
        (answer,), code = rpc.end()
        assert answer["id"] == "last" and code == 0


@pytest.mark.slow
def test_a_client_that_does_not_read_delays_no_other(cotty):
    with Rpc(cotty, reads=False) as rpc:
        rpc.ask("initialize", HELLO)
        rpc.say(method="notifications/initialized")
        asked = [rpc.ask("tools/list") for _ in range(600)]
        # Far more than all buffers hold. The daemon still serves others.
        with Rpc(cotty) as other:
            assert other.begin().call("terminal__list_sessions")["count"] == 0
        old = cotty.kill_daemon()
        eventually(lambda: cotty.status()["pid"] != old)
        rpc.reader.start()
        for id in asked:
            assert rpc.answer(id)["result"]["tools"]
        assert rpc.end() == ([], 0)


# Ends


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=str)
def test_a_signal_ends_the_pipe_cleanly(cotty, sent):
    with Rpc(cotty) as rpc:
        session = rpc.begin().call("terminal__create_session", program="cat")["session_id"]
        rpc.start_call("terminal__wait", session_id=session, text="never")
        for _ in range(50):
            rpc.ask("tools/list")
        rpc.process.send_signal(sent)
        while (message := rpc.next()) is not None:
            assert message["result"]["tools"]
        assert rpc.process.wait(LIMIT) == 0 and rpc.process.stderr.read() == b""
    assert cotty.info(session)["healthy"], "sessions continue without the pipe"


def test_a_closed_client_ends_the_pipe(cotty):
    with Rpc(cotty, reads=False) as rpc:
        rpc.process.stdout.close()
        rpc.ask("initialize", HELLO)
        assert rpc.process.wait(LIMIT) == 0


# R-T15
def test_a_panic_writes_nothing_to_stdout(cotty):
    with Rpc(cotty, "--panic-at", "now") as rpc:
        rpc.begin().tools()
        rpc.say(method="notifications/now")
        assert rpc.next() is None
        assert rpc.process.wait(LIMIT) == 101
        assert b"told to panic" in rpc.process.stderr.read()


def test_a_daemon_that_does_not_start_is_reported_on_stderr(cotty):
    cotty.home.mkdir(mode=0o700)
    (cotty.home / "config.toml").write_text("[terminal]\nrows = 'many'\n")
    with Rpc(cotty) as rpc:
        assert rpc.next() is None and rpc.process.wait(LIMIT) == 1
        assert b"config.toml:2" in rpc.process.stderr.read()


# One conversation across daemons


class Daemon:
    """One connection of a pipe, seen from the daemon's side."""

    def __init__(self, connection):
        self.file = connection.makefile("rwb")
        while self.file.readline() != b"\r\n":
            pass
        self.file.write(b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: cotty-mcp\r\n\r\n")
        self.file.flush()
        self.hello = self.next()
        assert set(self.hello) >= {"instance", "origin"}

    def next(self):
        return json.loads(self.file.readline())

    def say(self, **message):
        self.file.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.file.flush()

    def close(self, connection):
        self.file.close()
        connection.close()


@contextmanager
def daemons(cotty):
    """Fake daemons, scripted by the test: each call accepts the pipe's next connection."""
    run = cotty.home / "run"
    run.mkdir(parents=True, mode=0o700)
    cotty.home.chmod(0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(run / "cotty.sock"))
        listener.listen()
        listener.settimeout(LIMIT)

        @contextmanager
        def accept():
            while True:
                connection, _ = listener.accept()
                connection.settimeout(LIMIT)
                # A connection that only probes for a daemon sends nothing.
                if connection.recv(1, socket.MSG_PEEK):
                    break
                connection.close()
            daemon = Daemon(connection)
            yield daemon
            daemon.close(connection)

        yield accept
    (run / "cotty.sock").unlink()


def test_an_open_question_of_a_dead_daemon_is_cancelled(cotty):
    with daemons(cotty) as accept, Rpc(cotty) as rpc:
        question = {"id": 0, "method": "elicitation/create", "params": {"message": "sure?"}}
        with accept() as daemon:
            rpc.ask("initialize", HELLO)
            daemon.say(id=daemon.next()["id"], result={"protocolVersion": "2025-11-25"})
            rpc.answer(1)
            rpc.say(method="notifications/initialized")
            call = rpc.start_call("terminal__run", command="x")
            assert daemon.next()["method"] == "notifications/initialized"
            assert daemon.next()["id"] == call
            daemon.say(**question)
            first = rpc.until(lambda m: m.get("method") == "elicitation/create")
        gone = rpc.next()
        assert gone["method"] == "notifications/cancelled" and gone["params"]["requestId"] == first["id"]
        with accept() as daemon:
            begun = daemon.next()
            assert begun["method"] == "initialize" and begun["params"] == HELLO
            daemon.say(id=begun["id"], result={})
            assert daemon.next()["method"] == "notifications/initialized"
            assert daemon.next()["id"] == call
            daemon.say(**question)
            second = rpc.until(lambda m: m.get("method") == "elicitation/create")
            assert second["id"] != first["id"]
            # The person answers the old question, then the new one: the daemon receives only the answer to its own.
            rpc.say(id=first["id"], result={"action": "cancel"})
            rpc.say(id=second["id"], result={"action": "accept"})
            assert daemon.next() == {"jsonrpc": "2.0", "id": 0, "result": {"action": "accept"}}
            daemon.say(id=call, result={"content": []})
            assert rpc.answer(call)["result"] == {"content": []}
        assert rpc.heard == []


def test_a_daemon_that_always_hangs_up_is_reported_as_an_error(cotty):
    with daemons(cotty) as accept, Rpc(cotty) as rpc:
        rpc.ask("initialize", HELLO)
        for _ in range(6):
            with accept() as daemon:
                assert daemon.next()["method"] == "initialize"
        assert "hangs up" in rpc.answer(1)["error"]["message"]
