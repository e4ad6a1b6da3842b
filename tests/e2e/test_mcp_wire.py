"""Misuse by clients, which affects only themselves: ids, timeouts, names, floods."""

import os
import time
from pathlib import Path

import anyio
import pytest
from agents import Gate, soon
from conftest import LIMIT
from rpc import HELLO, Rpc
from test_actors import Inside, call
from test_mcp_http import agent_of, post

RUN = "terminal__run"


def called(rpc, id, tool, **arguments):
    rpc.say(id=id, method="tools/call", params={"name": tool, "arguments": arguments})
    return rpc.answer(id)["result"]["structuredContent"]


def test_a_reused_id_is_a_new_call(cotty):
    with Rpc(cotty) as rpc:
        session = rpc.begin().call("terminal__create_session")["session_id"]
        for word in ("AAA", "BBB"):
            ran = called(rpc, 500, RUN, session_id=session, command=f"echo {word}")
            assert (ran["outcome"], ran["output"]) == ("done", f"{word}\n")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (RUN, {"command": "sleep 3600"}),
        ("terminal__wait", {"text": "never"}),
        ("terminal__read", {"wait_for_text": "never"}),
        ("terminal__send", {"text": " ", "read": {"wait_for_text": "never"}}),
        ("terminal__send", {"steps": [{"text": " "}, {"wait": {"text": "never"}}], "read": {"wait_for_text": "never"}}),
    ],
)
def test_max_call_limits_a_call_without_a_timeout(cotty, tool, arguments):
    with Rpc(cotty, "--max-call", "1") as rpc:
        session = rpc.begin().call("terminal__create_session")["session_id"]
        begun = time.monotonic()
        rpc.answer(rpc.start_call(tool, session_id=session, **arguments))
        # One deadline for all parts of a call; without it, each would take the default 30 s.
        assert time.monotonic() - begun < 20


def test_max_call_limits_the_wait_for_a_slow_shell(cotty):
    (cotty.work / ".bashrc").write_text("read x\n")
    with Rpc(cotty, "--max-call", "1") as rpc:
        begun = time.monotonic()
        assert not rpc.begin().call("terminal__create_session", program="bash", ready_timeout_ms=40_000)["ready"]
        assert time.monotonic() - begun < 30


def test_an_unreadable_request_gets_an_error_with_its_id(cotty):
    with Rpc(cotty) as rpc:
        rpc.begin()
        text = r'{"session_id":"x","text":"\ud83d"}'
        for id, rest, code in [
            (901, r'"method":"tools/call","params":{"name":"terminal__send","arguments":%s}' % text, -32700),
            (902, '"method":"ping","params":' + '{"a":' * 200 + "1" + "}" * 200, -32700),
            (1.5, '"method":"ping"', -32600),
            (904, '"method":"ping","params":[1]', -32600),
            (905, '"method":"ping","params":{"_meta":"x"}', -32600),
            (906, '"method":"tools/call"', -32602),
            (907, '"method":"tools/call","params":{"name":"terminal__run","arguments":"x"}', -32602),
        ]:
            rpc.write(f'{{"jsonrpc":"2.0","id":{id},{rest}}}\n'.encode())
            assert rpc.answer(id)["error"]["code"] == code, rest
        assert rpc.end() == ([], 0)


@pytest.mark.anyio
async def test_a_call_over_http_ends_with_its_daemon(cotty):
    cotty("ls")
    gate = Gate(cotty)
    async with agent_of(cotty, mode="legacy") as agent:
        session = await agent.shell()

        async def kill():
            await soon(gate.writer)
            await anyio.to_thread.run_sync(cotty.kill_daemon)

        begun = time.monotonic()
        async with anyio.create_task_group() as group:
            group.start_soon(kill)
            with pytest.raises(Exception):
                await agent.client.call_tool(RUN, {"session_id": session, "command": f"cat {gate}; cat {gate}"})
        assert time.monotonic() - begun < LIMIT


@pytest.mark.anyio
async def test_a_client_name_cannot_imitate_a_tokens_owner(cotty):
    cotty("ls")
    async with agent_of(cotty, token=cotty.token("ci"), mode="auto") as agent:
        session = await agent.shell()
    owner = cotty.info(session)["owner"]
    name = owner.removeprefix("[ci] ").removesuffix(f" in {cotty.work}")
    assert owner == f"[ci] {name} in {cotty.work}"
    for client, directory in [(f"[ci] {name}", str(cotty.work)), (name, f"{cotty.work} by ci")]:
        os.makedirs(directory, exist_ok=True)
        with Rpc(cotty, cwd=directory) as rpc:
            rpc.result("initialize", {**HELLO, "clientInfo": {"name": client, "version": "1"}})
            rpc.say(method="notifications/initialized")
            refused = rpc.answer(rpc.start_call("terminal__read", session_id=session))["result"]
            assert refused["structuredContent"]["error"]["code"] == "NOT_YOURS", client


def test_client_names_are_cleaned_and_shortened(cotty):
    with Rpc(cotty) as rpc:
        loud = "a\x1b[31m\n" + "x" * 100_000
        rpc.result("initialize", {**HELLO, "clientInfo": {"name": loud, "version": "1"}})
        rpc.say(method="notifications/initialized")
        session = rpc.call("terminal__create_session")["session_id"]
        assert rpc.call(RUN, session_id=session, command="echo fine")["output"] == "fine\n"
        owner = cotty.info(session)["owner"]
        assert owner == f"{('a[31m' + 'x' * 100)[:64]} in {cotty.work}"
        for uri in (f"terminal://{'y' * 100_000}/screen", "z" * 100_000):
            answer = rpc.answer(rpc.ask("resources/read", {"uri": uri}))
            assert len(str(answer)) < 10_000


def test_a_program_inside_cannot_withdraw_its_agents_request(cotty):
    inside = Inside(cotty, "agent")
    request_id = cotty.call("ask", session=inside.session, message="Look", wait_ms=0)["request_id"]
    about = {"session": inside.session}
    answers = inside.ask(
        call("ask", **about, message="Me, too", wait_ms=0),
        call("withdraw", **about, request_id=request_id),
        call("ask", **about, request_id=request_id, wait_ms=0),
    )
    assert [body["error"]["code"] for _, body in answers] == ["ALREADY_ASKED", "REQUEST_NOT_FOUND", "REQUEST_NOT_FOUND"]
    assert request_id not in str(answers[0]) and "Look" not in str(answers[0])
    assert cotty.call("ask", **about, request_id=request_id, wait_ms=0)["state"] == "waiting"
    # It may withdraw its own.
    cotty.call("withdraw", **about, request_id=request_id)
    (_, own), = inside.ask(call("ask", **about, message="Mine", wait_ms=0))
    assert inside.codes(call("withdraw", **about, request_id=own["ok"]["request_id"])) == ["ok"]


def test_duplicate_subscriptions_notify_once_and_their_number_is_limited(cotty):
    with Rpc(cotty, modern=True) as rpc:
        session = rpc.begin().call("terminal__create_session", program="cat")["session_id"]
        uri = f"terminal://{session}/screen"
        wanted = {"notifications": {"resourceSubscriptions": [uri] * 100}}
        listening = rpc.ask("subscriptions/listen", wanted)
        rpc.until(lambda message: message.get("method") == "notifications/subscriptions/acknowledged")
        rpc.call("terminal__send", session_id=session, text="x")
        rpc.until(lambda message: message.get("method") == "notifications/resources/updated")
        rpc.result("tools/list")
        # The next notification about this resource is not due yet.
        assert sum(message.get("method") == "notifications/resources/updated" for message in rpc.heard) == 0
        many = [f"terminal://{session}x{n}/screen" for n in range(100)]
        refused = rpc.answer(rpc.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": many}}))
        assert "too many" in refused["error"]["message"], refused
        assert listening


def test_an_acknowledged_subscription_is_notified_of_the_next_change(cotty):
    with Rpc(cotty, modern=True) as rpc:
        rpc.begin()
        for _ in range(5):
            session = rpc.call("terminal__create_session", program="cat")["session_id"]
            # The first listener makes a frame due: the second has to wait for the next.
            for part in ("history", "screen"):
                uri = f"terminal://{session}/{part}"
                listening = rpc.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}})
                rpc.until(lambda message: about(message, listening) == "notifications/subscriptions/acknowledged")
            rpc.call("terminal__send", session_id=session, text="x")
            told = rpc.until(lambda message: about(message, listening) == "notifications/resources/updated")
            assert told["params"]["uri"] == uri


def about(message, listening):
    """The method of a message, if it belongs to the subscription."""
    meta = message.get("params", {}).get("_meta", {})
    return message.get("method") if meta.get("io.modelcontextprotocol/subscriptionId") == listening else None


def test_the_number_of_mcp_sessions_over_http_is_limited(cotty):
    cotty("ls")
    for _ in range(70):
        status, _ = post(cotty, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
        assert status == 200
    folders = [Path(at) for at, _, files in os.walk(cotty.home) if len(files) >= 60 and "mcp" in at]
    assert [len(list(folder.iterdir())) for folder in folders] == [64]
