"""MCP over HTTP, through the official Python client, with a token and on the Unix socket, in both eras."""

import http.client
import json
import os
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from agents import ERAS, TOOLS, Agent, Gate, soon
from conftest import LIMIT, UnixConnection, with_plain_errors

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def agent_of(cotty, **options):
    async with with_plain_errors(cotty.mcp_http(read_timeout_seconds=2 * LIMIT, **options)) as client:
        yield Agent(client)


# Over a Unix socket, the client library fails when it closes the stream that only the older era has.
@pytest.mark.parametrize(("mode", "socket"), [("legacy", False), ("auto", False), ("auto", True)])
async def test_a_terminal_over_http(cotty, mode, socket):
    cotty("ls")
    async with agent_of(cotty, mode=mode, socket=socket) as agent:
        assert {tool.name for tool in (await agent.client.list_tools()).tools} >= TOOLS
        session = await agent.shell()
        assert await agent.output(session, "echo $((6 * 7)); pwd") == f"42\n{cotty.work}\n"
    # The next client of the same owner has the session; an agent made it.
    async with agent_of(cotty, mode=mode, socket=socket) as agent:
        listed = (await agent("list_sessions"))["sessions"]
        assert [s["session_id"] for s in listed] == [session]


def test_an_older_mcp_revision_works_on_the_socket(cotty):
    cotty("ls")
    connection = UnixConnection(cotty.status()["socket"])
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    connection.request("POST", "/mcp", json.dumps(message), headers)
    answer = connection.getresponse()
    said = [line[6:] for line in answer.read().decode().splitlines() if line.startswith("data: {")]
    assert json.loads(said[0])["result"]["protocolVersion"] == "2025-06-18"
    assert answer.status == 200 and answer.headers["mcp-session-id"]


@ERAS
async def test_token_directory_and_client_name_choose_the_owner(cotty, mode):
    cotty("ls")
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
    # Another token, another directory, another name: another owner.
    others = [
        {"token": cotty.token("other")},
        {"headers": {"cotty-directory": "/"}},
        {"headers": {"cotty-directory": "", "cotty-owner": "somebody"}},
    ]
    for other in others:
        async with agent_of(cotty, mode=mode, **other) as agent:
            assert (await agent("list_sessions"))["count"] == 0, other
            await agent.refused("NOT_YOURS", "run", session_id=session, command="id")
    # Without a directory, `Cotty-Owner` chooses the owner.
    nowhere = {"cotty-directory": "", "cotty-owner": "somebody"}
    async with agent_of(cotty, mode=mode, headers=nowhere) as agent:
        mine = await agent.shell()
    async with agent_of(cotty, mode=mode, headers=nowhere) as agent:
        assert [s["session_id"] for s in (await agent("list_sessions"))["sessions"]] == [mine]


@ERAS
async def test_a_read_only_token_only_reads(cotty, mode):
    watch = cotty.token("watch", "--read-only")
    async with agent_of(cotty, mode=mode, token=watch) as agent:
        assert (await agent("list_sessions"))["count"] == 0
        await agent.refused("READ_ONLY", "create_session")


async def test_tools_are_chosen_by_the_address_or_by_headers(cotty):
    cotty("ls")
    async with agent_of(cotty, query="?only=terminal__run,terminal__read&max_call_ms=100") as agent:
        tools = (await agent.client.list_tools()).tools
        assert {tool.name for tool in tools} == {"terminal__run", "terminal__read"}
    only = {"cotty-tools": "terminal", "cotty-only": "terminal__run"}
    async with agent_of(cotty, headers=only) as agent:
        assert [tool.name for tool in (await agent.client.list_tools()).tools] == ["terminal__run"]
    for query in ("?tools=none", "?only=terminal__fly", "?tool=pty", "?max_call_ms=soon"):
        status, answer = post(cotty, {}, query=query)
        assert (status, answer["error"]["code"]) == (400, "INVALID_INPUT"), answer


async def test_max_call_ms_limits_a_call(cotty):
    cotty("ls")
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
    async with agent_of(cotty, query="?max_call_ms=50") as agent:
        ran = await agent.run(session, f"cat {gate}", timeout_ms=600_000)
        assert ran["outcome"] == "running"
        await gate.open()


def post(cotty, message, query="", **headers):
    """Sends one request without a client library. Returns the status and the body."""
    address = cotty.status()["http"]
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "authorization": f"Bearer {cotty.token()}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=4 * LIMIT)
    body = message if message is None or isinstance(message, bytes) else json.dumps(message)
    connection.request("POST", f"/mcp{query}", body, headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, json.loads(body) if body.startswith(b"{") else body.decode()


def modern(method, id=1, **params):
    """A request of revision 2026-07-28, and its headers."""
    about = "io.modelcontextprotocol/"
    meta = {
        f"{about}protocolVersion": "2026-07-28",
        f"{about}clientInfo": {"name": "tests", "version": "1"},
        f"{about}clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": meta}}
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": method}
    if "name" in params:
        headers["mcp_name"] = params["name"]
    return message, headers


async def test_refused_requests_get_an_error_code(cotty):
    cotty("ls")
    message, headers = modern("tools/list")
    assert post(cotty, message, **headers)[0] == 200
    for wrong in ({"authorization": ""}, {"authorization": "Bearer nothing"}, {"origin": "http://evil.example"}):
        status, answer = post(cotty, message, **(headers | wrong))
        assert (status, answer["error"]["code"]) == (401, "UNAUTHORIZED"), answer
    status, _ = post(cotty, message, **(headers | {"host": "evil.example"}))
    assert status == 401


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_invalid_messages_get_the_errors_that_mcp_prescribes(cotty, version):
    cotty("ls")
    headers = {"mcp_protocol_version": version, "mcp_method": "tools/list"}
    deep = b'{"jsonrpc":"2.0","id":3,"method":"tools/list","params":' + b"[" * 200 + b"]" * 200 + b"}"
    for body, code, id in (
        (b"", -32700, None),
        (b"{no", -32700, None),
        (b'"\xff"', -32700, None),
        (b"[]", -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b'{"id":1,"method":"tools/list"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":"two"}', -32600, "two"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":2,"method":7}', -32600, None),
        (deep, -32600, 3),
    ):
        status, answer = post(cotty, body, **headers)
        assert (status, answer["jsonrpc"], answer["error"]["code"]) == (400, "2.0", code), (body, answer)
        assert answer.get("id") == id and answer["error"]["message"], (body, answer)
    for kind in ("text/plain", ""):
        status, answer = post(cotty, b"{}", content_type=kind, **headers)
        assert status == 415 and "application/json" in answer, answer


async def test_ten_mebibytes_of_text_in_one_call_are_answered(cotty):
    cotty("ls")
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat"))["session_id"]
        result = await agent.client.call_tool(
            "terminal__send", {"session_id": session, "text": "x" * (10 << 20), "read": {"timeout_ms": 0}}
        )
        # Typed or refused, but answered.
        assert not result.is_error or result.structured_content["error"]["code"], result
        assert (await agent("get_info", session_id=session))["session_id"] == session
    # Only announced: the daemon refuses the body without reading it.
    status, answer = post(cotty, None, content_length=str(17 << 20))
    assert (status, answer["error"]["code"]) == (413, "TOO_LARGE")


@ERAS
async def test_a_hundred_calls_at_once_on_one_session_are_all_answered(cotty, mode):
    cotty("ls")
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        answers = []

        async def call(number):
            tool = ("read", "get_info", "list_sessions", "run")[number % 4]
            arguments = {} if tool == "list_sessions" else {"session_id": session}
            if tool == "run":
                arguments["command"] = f"echo number-{number}"
            answers.append((tool, number, await agent.client.call_tool(f"terminal__{tool}", arguments)))

        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(call, number)
        assert len(answers) == 100
        ran = 0
        for tool, number, answer in answers:
            if answer.is_error:
                assert tool == "run" and answer.structured_content["error"]["code"] in ("BUSY", "NOT_AT_PROMPT"), answer
            elif tool == "run":
                ran += 1
                assert answer.structured_content["output"] == f"number-{number}\n"
        assert ran >= 1
        # The session still works.
        assert await agent.output(session, "echo fine") == "fine\n"


async def test_a_revoked_token_gets_no_answers(cotty):
    cotty("ls")
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
    run = {"session_id": session, "command": f"cat {gate}"}
    message, headers = modern("tools/call", name="terminal__run", arguments=run)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {cotty.token()}",
        "cotty-directory": str(cotty.work),
        # The owner made the session.
    }
    message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = "mcp"
    answers = []

    async def call(client):
        answers.append(await client.post(f"{cotty.status()['http']}/mcp", json=message, headers=headers))

    async with httpx2.AsyncClient(timeout=4 * LIMIT) as client, anyio.create_task_group() as group:
        group.start_soon(call, client)
        fd = await soon(gate.writer)
        cotty("token", "revoke", "mcp")
    assert answers[0].status_code == 401 and "revoked" in answers[0].text
    # The command that it started continues.
    os.write(fd, b"go\n")
    os.close(fd)
    cotty.call("wait", actor="person", session=session, prompt=True)


@ERAS
async def test_a_client_continues_with_the_next_daemon(cotty, mode):
    cotty("ls")
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        await agent.output(session, "here=still")
        killed = cotty.kill_daemon()
        await soon(lambda: cotty.status()["pid"] != killed)
        answers = []

        async def read():
            answers.append((await agent("get_info", session_id=session))["session_id"])

        # Several calls at once: each is answered.
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(read)
        assert answers == [session] * 5
        assert await agent.output(session, "echo $here") == "still\n"


def test_a_token_cannot_use_another_tokens_mcp_session(cotty):
    cotty("ls")
    address = cotty.status()["http"].removeprefix("http://")

    def ask(method, token, message=None, session=None):
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "authorization": f"Bearer {cotty.token(token)}",
        }
        if session:
            headers["mcp-session-id"] = session
        connection = http.client.HTTPConnection(address, timeout=LIMIT)
        connection.request(method, "/mcp", json.dumps(message) if message else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("mcp-session-id"), connection

    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    tools = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    status, session, _ = ask("POST", "mine", begin)
    assert status == 200 and session
    assert ask("POST", "mine", begun, session)[0] == 202
    for method, message in (("POST", tools), ("GET", None), ("DELETE", None)):
        assert ask(method, "other", message, session)[0] == 404, method
    assert ask("POST", "mine", tools, session)[0] == 200
    assert ask("DELETE", "mine", None, session)[0] == 202
    assert ask("POST", "mine", tools, session)[0] == 404
    assert ask("POST", "mine", tools, "../token")[0] == 404
