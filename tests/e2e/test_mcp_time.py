"""A call's time includes earlier daemons: a kill makes no call last longer, and answers report the whole time."""

import json
import os
import socket
import time
from contextlib import contextmanager

import pytest
from conftest import LIMIT
from rpc import HELLO, MODERN, Rpc
from test_mcp_pipe import ERAS, daemons


def test_the_next_daemon_learns_how_old_a_call_is(cotty):
    with daemons(cotty) as accept, Rpc(cotty) as rpc:
        with accept() as daemon:
            rpc.ask("initialize", HELLO)
            daemon.say(id=daemon.next()["id"], result={"protocolVersion": "2025-11-25"})
            rpc.answer(1)
            assert "open" not in daemon.hello
            before = time.monotonic()
            listing = rpc.ask("tools/list")
            call = rpc.start_call("terminal__run", command="x")
            assert [daemon.next()["id"], daemon.next()["id"]] == [listing, call]
            heard = time.monotonic()
        for _ in range(2):
            closed = time.monotonic()
            with accept() as daemon:
                [told] = daemon.hello["open"]
                assert told["id"] == call
                assert (closed - heard) * 1000 - 1 <= told["ms"] <= (time.monotonic() - before) * 1000
                while daemon.next()["id"] != call:
                    pass


@ERAS
def test_a_wait_continues_with_the_next_daemon(cotty, modern):
    with Rpc(cotty, modern=modern) as rpc:
        session = rpc.begin().call("terminal__create_session", program="cat")["session_id"]
        arguments = {"session_id": session, "text": "now"}
        call = {"name": "terminal__wait", "arguments": arguments, "_meta": {"progressToken": "t"}}
        waiting = rpc.ask("tools/call", call)

        def progress():
            said = rpc.until(lambda message: message.get("method") == "notifications/progress")
            return said["params"]["progress"]

        reached = progress()
        then = time.monotonic()
        cotty.kill_daemon()
        # The next daemon's first progress, a second after its start, continues from there.
        assert progress() >= reached + 1
        whole = reached + time.monotonic() - then
        cotty.call("send", actor="person", session=session, text="now\n")
        waited = rpc.answer(waiting)["result"]["structuredContent"]
        # The transfer of the pipe's first line may be missing, but no more: a forgotten age would be a second or more.
        assert waited["met"] == "text" and waited["elapsed_ms"] >= whole * 1000 - 200, (waited, whole)


@contextmanager
def pipe(cotty, *open_calls):
    """A connection like a pipe's, which declares calls as open."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(LIMIT)
        connection.connect(cotty.status()["socket"])
        with connection.makefile("rwb") as file:
            file.write(b"POST /v1/mcp HTTP/1.1\r\nhost: cotty\r\nconnection: upgrade\r\nupgrade: cotty-mcp\r\n\r\n")
            hello = {"instance": os.urandom(8).hex(), "origin": {"cwd": str(cotty.work), "env": {}}}
            hello["open"] = [{"id": id, "ms": ms} for id, ms in open_calls]
            file.write(json.dumps(hello).encode() + b"\n")
            file.flush()
            while file.readline() != b"\r\n":
                pass

            def call(id, tool, **arguments):
                params = {"name": f"terminal__{tool}", "arguments": arguments, "_meta": MODERN}
                message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
                file.write(json.dumps(message).encode() + b"\n")
                file.flush()
                answer = json.loads(file.readline())
                assert answer["id"] == id
                return answer["result"]["structuredContent"]

            yield call


HUGE = (1 << 64) - 1


@pytest.mark.parametrize("age", [49_999, 3_600_000, HUGE])
def test_a_call_past_its_limit_is_answered_at_once(cotty, age):
    cotty("ls")
    with pipe(cotty, (1, age), ("1", age), ("b", age)) as call:
        session = call(0, "create_session")["session_id"]
        # `1` and `"1"` are different calls.
        ran = call(1, "run", session_id=session, command="cat", timeout_ms=3_600_000)
        assert ran["outcome"] == "running"
        waited = call("1", "wait", session_id=session, text="never", timeout_ms=3_600_000)["error"]
        assert waited["code"] == "WAIT_TIMEOUT" and int(waited["message"].split()[3].split("ms")[0]) >= age
        sent = call("b", "send", session_id=session, text="x\n", read={"wait_for_text": "never"})
        assert sent["sent"] and sent["read_result"]["met"] == "timeout"
        # The age applies once: the next call with that id has its whole time.
        assert call(1, "wait", session_id=session, idle_ms=100)["met"] == "idle"


def test_a_timeout_includes_the_age_of_the_call(cotty):
    cotty("ls")
    with pipe(cotty, (1, 39_900), (2, 39_900)) as call:
        session = call(0, "create_session", program="cat")["session_id"]
        waited = call(1, "wait", session_id=session, text="never", timeout_ms=40_000)["error"]
        assert waited["code"] == "WAIT_TIMEOUT" and 39_900 <= int(waited["message"].split()[3].split("ms")[0])
        # For steps, the daemon does not know which step used the time: each has its own timeout, within the call's.
        steps = [{"wait": {"idle_ms": 100, "timeout_ms": 5_000}}]
        assert call(2, "send", session_id=session, steps=steps)["steps"][0]["met"] == "idle"
