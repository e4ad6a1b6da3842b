"""Clients that request much and read nothing: the daemon holds a few large answers for each, and queues the rest."""

import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import UnixConnection, eventually
from rpc import HELLO, Rpc
from test_mcp_http import modern

# Megabytes of text: more than any buffer between the daemon and a client.
LINES = "seq -f %0400.0f 10000"
URI = "terminal://big/history"


@pytest.fixture
def history(cotty):
    """The history of a session, which is large."""
    with Rpc(cotty) as rpc:
        session = rpc.begin().call("terminal__create_session", name="big")["session_id"]
        rpc.call("terminal__run", session_id=session, command=LINES, max_bytes=100)
        text = rpc.result("resources/read", {"uri": URI})["contents"][0]["text"]
    assert len(text) > 3_500_000
    return text


def anonymous(pid):
    """The anonymous memory of a process, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024


def rests(pid):
    """Waits until a process is idle."""
    last, same = None, 0

    def is_at_rest():
        nonlocal last, same
        now = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        last, same = now, same + 1 if now == last else 0
        return same >= 50

    eventually(is_at_rest, limit=120)


@pytest.mark.slow
def test_many_unread_answers_over_stdio_use_little_memory(cotty, history):
    daemon = cotty.status()["pid"]
    with Rpc(cotty, reads=False) as rpc:
        rpc.ask("initialize", HELLO)
        rpc.say(method="notifications/initialized")
        before = anonymous(daemon)
        asked = [rpc.ask("resources/read", {"uri": URI}) for _ in range(24)]
        cancelled = asked.pop()
        rpc.say(method="notifications/cancelled", params={"requestId": cancelled})
        # Another call is answered meanwhile.
        small = rpc.start_call("terminal__create_session", program="cat", name="small")
        eventually(lambda: "small" in [session.get("name") for session in cotty.json("ls")["sessions"]])
        rests(daemon)
        grown = anonymous(daemon) - before
        assert grown < 80, f"{grown} MiB"
        rpc.reader.start()
        for id in asked:
            assert rpc.answer(id)["result"]["contents"][0]["text"] == history
        assert rpc.answer(small)["result"]["structuredContent"]["session_id"]
        assert [answer["id"] for answer in rpc.heard] == [1] and rpc.end() == ([], 0)


@pytest.mark.slow
def test_many_unread_answers_over_http_use_little_memory(cotty, history):
    socket = cotty.status()["socket"]

    def ask(method, query="", **params):
        message, headers = modern(method, **params)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        headers |= {"cotty-directory": str(cotty.work)} | ({"mcp-name": URI} if "uri" in params else {})
        message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = "bare"
        connection = UnixConnection(socket)
        opened.callback(connection.close)
        connection.request("POST", f"/mcp{query}", json.dumps(message), headers)
        return connection.getresponse()

    def refused():
        answer = ask("resources/read", "?max_call_ms=1", uri=URI)
        return answer.status == 409 and json.loads(answer.read())["error"]["hint"]

    with ExitStack() as opened:
        unread = [ask("resources/read", uri=URI) for _ in range(4)]
        assert [answer.status for answer in unread] == [200] * 4
        assert "close the connections" in refused()
        assert ask("tools/list").status == 200, "a small answer is not delayed"
        for answer in unread[1:]:
            assert json.loads(answer.read())["result"]["contents"][0]["text"] == history
            assert ask("resources/read", uri=URI).status == 200
        assert refused()
    # A client that disconnects makes room.
    with ExitStack() as opened:
        for _ in range(4):
            assert ask("resources/read", uri=URI).status == 200
