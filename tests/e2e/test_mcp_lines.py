"""The lines of `cotty mcp`, byte for byte."""

import json
import subprocess
import time

import pytest
from agents import agent_of, soon, soon_not_busy
from conftest import BINARY, LIMIT


def lines_of(cotty, *messages, more=lambda: None, until):
    """Sends raw JSON-RPC and returns every line of stdout. Closes stdin once the requests `until` are answered."""
    pipe = cotty.start("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for message in messages:
        pipe.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    pipe.stdin.flush()
    got = []
    waiting = set(until)
    while waiting:
        got.append(pipe.stdout.readline())
        waiting.discard(json.loads(got[-1]).get("id"))
    more()
    rest, _ = pipe.communicate(timeout=LIMIT)
    assert pipe.returncode == 0
    return got + rest.splitlines(keepends=True)


def request(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


INITIALIZE = [
    request(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "mcp", "version": "1"}),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


# R-T15
def test_stdout_has_nothing_but_json_lines(cotty):
    cotty.env["COTTY_LOG"] = "trace"
    call = {"name": "terminal__create_session", "arguments": {"program": "bash"}}
    lines = lines_of(
        cotty,
        *INITIALIZE,
        request(1, "tools/list"),
        request("two", "tools/call", **call),
        request(3, "tools/call", name="no_such_tool", arguments={}),
        request(4, "no/such/method"),
        more=cotty.kill_daemon,
        until=[0, 1, "two", 3, 4],
    )
    answers = {message["id"]: message for message in map(json.loads, lines)}
    assert set(answers) == {0, 1, "two", 3, 4}
    assert all(line.endswith("\n") for line in lines)
    assert answers["two"]["result"]["structuredContent"]["session_id"].startswith("sess_")
    assert "terminal__run" in answers[3]["error"]["message"]
    assert answers[4]["error"]["code"] == -32601


def test_wrong_lines_do_not_end_the_conversation(cotty):
    lines = lines_of(cotty, *INITIALIZE, "{not json", "[]", "42", '{"jsonrpc":"2.0"}', "\u00ff\u0000", request(1, "ping"), until=[0, 1])
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)


def test_answers_arrive_after_the_client_closed_its_input(cotty):
    """`printf … | cotty mcp`: the end of the input does not cut off the answers."""
    call = {"name": "terminal__create_session", "arguments": {"program": "cat"}}
    done = subprocess.run(
        [BINARY, "mcp"],
        input="\n".join(map(json.dumps, [*INITIALIZE, request(1, "tools/call", **call)])) + "\n",
        env=cotty.env,
        cwd=cotty.work,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == {0, 1}


def test_the_same_id_from_two_clients_means_two_requests(cotty):
    call = {"name": "terminal__create_session", "arguments": {"program": "cat"}}
    made = {
        json.loads(line)["result"]["structuredContent"]["session_id"]
        for _ in range(2)
        for line in lines_of(cotty, *INITIALIZE, request(1, "tools/call", **call), until=[0, 1])[1:]
    }
    assert len(made) == 2


@pytest.mark.anyio
async def test_a_dead_client_loses_its_input_lease(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        call = {"name": "terminal__run", "arguments": {"session_id": session, "command": "touch begun; sleep 1000"}}
        pipe = cotty.start("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for message in [*INITIALIZE, request(1, "tools/call", **call)]:
            pipe.stdin.write(json.dumps(message) + "\n")
        pipe.stdin.flush()
        await soon((cotty.work / "begun").exists)
        pipe.kill()
        pipe.wait()
        started = time.monotonic()
        await soon_not_busy(agent, session)
        # Sooner than the 5 s that the service waits for its calls, and than the end of the call.
        assert time.monotonic() - started < 4.5
