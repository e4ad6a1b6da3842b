"""The daemon may be killed at any moment: nothing is lost or repeated. The child process checks it."""

import contextlib
import os
import random
import signal
import sys
import threading
from pathlib import Path

import anyio
import pytest

from driving import Terminal
from conftest import eventually, seeds

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.anyio


def program(name, *args):
    return [sys.executable, str(PROGRAMS / f"{name}.py"), *map(str, args)]


class Killer(threading.Thread):
    """Kills the daemon again and again at random moments, while it serves or starts. `cotty mcp` gives up a call when six
    daemons in a row die before they answer anything. So with a `client`, at most five do, however slow the machine is."""

    PAUSE, IN_A_ROW = 0.3, 5

    def __init__(self, cotty, seed, client=None):
        super().__init__(daemon=True)
        self.random, self.over, self.killed = random.Random(seed), threading.Event(), set()
        self.client, self.spoken = client, 0
        cotty("ls")
        self.keeper = cotty.status()["keeper_pid"]

    def daemon(self):
        for child in Path(f"/proc/{self.keeper}/task/{self.keeper}/children").read_text().split():
            try:
                if b"__daemon" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
            except OSError:
                pass
        return None

    def run(self):
        while not self.over.wait(self.random.uniform(0, self.PAUSE)):
            pid = self.daemon()
            if pid and (self.client is None or len(self.killed) - self.spoken < self.IN_A_ROW):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                self.killed.add(pid)

    def __enter__(self):
        if self.client:
            self.call_tool, self.client.call_tool = self.client.call_tool, self.call
        self.start()
        return self

    async def call(self, *args, **more):
        """A call of the client. The daemon answered after the call began, maybe long before the answer arrives here."""
        asked = len(self.killed)
        result = await self.call_tool(*args, **more)
        self.spoken = max(self.spoken, asked)
        return result

    def __exit__(self, *_):
        self.over.set()
        self.join()
        if self.client:
            self.client.call_tool = self.call_tool

    def has_killed(self, count):
        return len(self.killed) >= count


# More than a journal holds.
COUNT, WIDTH = 9000, 300
NUMBERED = [f"{i:06d} " + "x" * (WIDTH - 8 - i % 7) for i in range(COUNT)] + [""]


def numbered(cotty, session):
    """The output of `numbers`. Screen rows are wrapped, history lines are not, so each line has its own end mark."""
    lines = cotty("view", session, "--history").rstrip("\n").split("\n")
    return "".join(lines).split("$")


@seeds(2, 20)
def test_numbered_output_is_neither_lost_nor_doubled(cotty, seed):
    may_end, done = cotty.work / "may_end", cotty.work / "done"
    # A terminal wider than the lines on odd seeds, one that wraps them on even ones.
    cols = 80 if seed % 2 == 0 else 320
    session = cotty.new("--cols", cols, "--", *program("numbers", COUNT, WIDTH, may_end, done))
    with Killer(cotty, seed) as killer:
        eventually(lambda: killer.has_killed(6))
        may_end.touch()
        eventually(done.exists, limit=120)
        cotty("wait", session, "--exit")
    assert numbered(cotty, session) == NUMBERED


def test_a_restart_during_output_neither_loses_nor_doubles_any(cotty):
    may_end, done = cotty.work / "may_end", cotty.work / "done"
    session = cotty.new("--cols", 320, "--", *program("numbers", COUNT, WIDTH, may_end, done))
    seqs = []
    for _ in range(3):
        cotty("restart")
        assert "history was lost" not in cotty.stderr, cotty.stderr
        seqs.append(cotty.info(session)["seq"])
    may_end.touch()
    cotty("wait", session, "--exit")
    assert seqs[0] < seqs[-1] < cotty.info(session)["seq"], "the program printed meanwhile"
    assert numbered(cotty, session) == NUMBERED


def test_a_build_finishes_with_no_client_connected(cotty):
    done = cotty.work / "done"
    # Far more than a terminal buffers: the daemon has to read it.
    cotty.new("--", *program("numbers", 20_000, 200, done.parent, done))
    cotty.kill_daemon()
    assert eventually(done.exists, limit=120)


@seeds(1, 20)
def test_each_terminal_query_is_answered_once(cotty, seed):
    may_end, verdict = cotty.work / "may_end", cotty.work / "verdict"
    with Killer(cotty, seed) as killer:
        cotty.new("--", *program("asks", may_end, verdict))
        eventually(lambda: killer.has_killed(10) or verdict.exists())
        may_end.touch()
        assert eventually(lambda: verdict.exists() and verdict.read_text()) == "ok"


def test_each_typed_line_arrives_once(cotty):
    heard = cotty.work / "heard"
    session = cotty.new("--", *program("listens", heard))
    cotty("wait", session, "--text", "listening")
    lines = []
    with Killer(cotty, 1) as killer:
        while not killer.has_killed(8):
            lines.append(f"line {len(lines)} " + "y" * (len(lines) * 13 % 900))
            cotty("send", session, lines[-1], "--enter")
        cotty("send", session, "end", "--enter")
        cotty("wait", session, "--exit")
    assert heard.read_text().split("\n") == [*lines, "end", ""]


async def test_a_run_is_answered_by_the_next_daemon_and_runs_once(cotty):
    async with cotty.mcp() as client:
        made = await client.call_tool("terminal__create_session", {})
        session = made.structured_content["session_id"]
        ran, go = cotty.work / "ran", cotty.work / "go"
        command = f"echo run >> {ran}; echo before; until [ -e {go} ]; do sleep 0.02; done; echo after; exit_code() {{ return 5; }}; exit_code"
        result = {}

        async def run():
            result["run"] = await client.call_tool("terminal__run", {"session_id": session, "command": command})

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            # One kill while the command runs, and one just after the next daemon has adopted the session.
            await anyio.to_thread.run_sync(lambda: eventually(ran.exists))
            for _ in range(3):
                old = await anyio.to_thread.run_sync(cotty.kill_daemon)
                await anyio.to_thread.run_sync(lambda old=old: eventually(lambda: cotty.status()["pid"] != old))
            go.touch()
        answer = result["run"].structured_content
        assert (answer["outcome"], answer["exit_code"], answer["output"]) == ("done", 5, "before\nafter\n")
        assert ran.read_text() == "run\n"
        # The client has noticed nothing.
        again = await client.call_tool("terminal__run", {"session_id": session, "command": "echo still here"})
        assert again.structured_content["output"] == "still here\n"


async def test_a_session_is_made_and_ended_once_however_often_the_daemon_dies(cotty):
    async with cotty.mcp() as client:
        with Killer(cotty, 7, client) as killer:
            made = []
            while not killer.has_killed(8):
                answer = await client.call_tool("terminal__create_session", {"program": "cat"})
                assert not answer.is_error, answer
                made.append(answer.structured_content["session_id"])
                assert [s["session_id"] for s in cotty.json("ls")["sessions"]] == made[-1:]
                answer = await client.call_tool("terminal__destroy_session", {"session_id": made[-1]})
                assert not answer.is_error, answer
        assert len(set(made)) == len(made)


def test_a_retried_read_returns_the_same(cotty):
    """The first answer was lost with the daemon."""
    shell = Terminal(cotty)
    shell.line("echo $((6 * 7))").prompt()
    first = cotty.any_call("read", request="one", session=shell.id, view="new")["ok"]
    assert "42" in first["content"]
    cotty.kill_daemon()
    again = cotty.any_call("read", request="one", session=shell.id, view="new")["ok"]
    assert again["content"] == first["content"]
    assert cotty.any_call("read", request="two", session=shell.id, view="new")["ok"]["content"] == ""
    # The answer before that is forgotten then.
    assert cotty.any_call("read", request="one", session=shell.id, view="new")["ok"]["content"] == ""


def test_the_active_session_survives_a_daemon_kill(cotty):
    """A call for the active session that is retried after a kill must not go to another session."""
    first, second = Terminal(cotty, "cat"), Terminal(cotty, "cat")
    assert cotty.call("info", session="active")["session_id"] == second.id
    first.line("here")
    cotty.kill_daemon()
    assert cotty.call("info", session="active")["session_id"] == first.id
    for request in ("one", "one"):
        cotty.any_call("send", request=request, session="active", text="once\n")
        cotty.kill_daemon()
    assert "once" not in second.screen()


def test_a_retried_call_uses_the_session_that_was_active_first(cotty):
    """Even if another session was used before the retry."""
    first, second = Terminal(cotty, "cat"), Terminal(cotty, "cat")
    for _ in range(2):
        sent = cotty.any_call("send", request="one", session="active", text="once\n")
        assert "ok" in sent, sent
        first.line("meanwhile")
        cotty.kill_daemon()
    second.text("once", since=0)
    assert "once" not in first.screen()
    # A session that was only read is active, too: `wait` uses it.
    second.screen()
    waited = cotty.any_call("wait", request="two", session="active", text="once", since=0, timeout_ms=1)
    first.line("more")
    cotty.kill_daemon()
    again = cotty.any_call("wait", request="two", session="active", text="once", since=0, timeout_ms=1)
    assert waited["ok"]["met"] == again["ok"]["met"] == "text"
    assert cotty.call("info", session="active")["session_id"] == second.id


def test_a_retried_destroy_ends_one_session(cotty):
    first, second = Terminal(cotty, "cat"), Terminal(cotty, "cat")
    ended = [cotty.any_call("destroy", request="one", session="active")]
    cotty.kill_daemon()
    ended.append(cotty.any_call("destroy", request="one", session="active"))
    assert "ok" in ended[0] and ended[1] == ended[0]
    cotty.call("info", session=second.id, error="SESSION_DESTROYED")
    assert cotty.call("info", session="active")["session_id"] == first.id


def test_a_retried_signal_is_sent_once(cotty):
    heard = cotty.work / "heard"
    session = cotty.new("--", "bash", "-c", f"trap 'echo heard >> {heard}' USR1; echo ready; while :; do sleep 0.1; done")
    cotty("wait", session, "--text", "ready")
    first = cotty.call("signal", session=session, signal="USR1", actor="person", request="once")
    eventually(heard.exists)
    assert cotty.call("signal", session=session, signal="USR1", actor="person", request="once") == first
    cotty.kill_daemon()
    again = cotty.call("signal", session=session, signal="USR1", actor="person", request="once")
    assert again == first
    # A new call sends another signal, after all earlier ones.
    cotty.call("signal", session=session, signal="USR1", actor="person", request="twice")
    eventually(lambda: heard.read_text().count("heard") >= 2)
    assert heard.read_text().count("heard") == 2
