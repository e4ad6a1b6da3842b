"""Sessions as MCP resources: listed, read and subscribed to, in both eras and over both transports."""

import json
import warnings

import anyio
import pytest
from conftest import LIMIT, within
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError
from transports import TRANSPORTS, agent_over, over

pytestmark = pytest.mark.anyio
PARTS = ["screen", "history", "commands", "recording"]


async def text(client, uri, mime_type):
    [content] = (await client.read_resource(uri)).contents
    assert (str(content.uri), content.mime_type) == (uri, mime_type)
    return content.text


@TRANSPORTS
async def test_a_session_is_four_resources(cotty, way, mode):
    async with agent_over(cotty, way, mode=mode) as agent:
        client = agent.client
        templates = (await client.list_resource_templates()).resource_templates
        assert [t.uri_template for t in templates] == [f"terminal://{{session}}/{part}" for part in PARTS]
        assert (await client.list_resources()).resources == []
        session = await agent.shell(name="work")
        listed = (await client.list_resources()).resources
        assert [str(r.uri) for r in listed] == [f"terminal://{session}/{part}" for part in PARTS]
        assert listed[0].name == "work screen" and all(r.description and r.mime_type for r in listed)
        # Not `run`: its output would not be new.
        await agent.type(session, "seq 100\n")
        await agent("wait", session_id=session, prompt=True)
        screen = await text(client, f"terminal://{session}/screen", "text/plain")
        assert "100" in screen.split() and "20" not in screen.split()
        # Also by the session's name.
        history = await text(client, "terminal://work/history", "text/plain")
        assert {"1", "20", "50"} <= set(history.split())
        ran = json.loads(await text(client, f"terminal://{session}/commands", "application/json"))
        assert [(c["text"], c["exit_code"]) for c in ran["commands"]] == [("seq 100", 0)]
        cast = (await text(client, f"terminal://{session}/recording", "application/x-asciicast")).splitlines()
        assert json.loads(cast[0])["version"] == 3 and any("100" in line for line in cast[1:])
        # Reading a resource moves no reader's position: new output is still new.
        assert "100" in (await agent("read", session_id=session, view="new"))["content"]


@over(("stdio", "auto"), ("http", "legacy"))
async def test_unknown_and_foreign_sessions_are_not_found(cotty, way, mode):
    other = cotty.call("create", actor="person", program="/bin/cat")["session_id"]
    code = -32002 if mode == "legacy" else -32602
    async with agent_over(cotty, way, mode=mode) as agent:
        wrong = [("sess_nothing/screen", "SESSION_NOT_FOUND"), (f"{other}/screen", "NOT_YOURS"), ("a/b/c", None)]
        for place, reason in wrong:
            with pytest.raises(MCPError) as refused:
                await agent.client.read_resource(f"terminal://{place}")
            assert refused.value.error.code == code, refused.value.error
            assert reason is None or refused.value.error.data["code"] == reason
        assert (await agent.client.list_resources()).resources == []
        if mode == "legacy":
            with pytest.raises(MCPError):
                await subscribe(agent.client, f"terminal://{other}/screen")


async def subscribe(client, uri):
    with warnings.catch_warnings():
        # Deprecated in the client, because the newer era has another method.
        warnings.simplefilter("ignore")
        await client.subscribe_resource(uri)


class Heard:
    """The notifications that a client of the older era receives."""

    def __init__(self):
        self.send, self.receive = anyio.create_memory_object_stream(1000)

    async def __call__(self, message):
        method = getattr(message, "method", "")
        if method == "notifications/resources/updated":
            await self.send.send(str(message.params.uri))
        elif method == "notifications/resources/list_changed":
            await self.send.send("list")

    async def next(self, limit=LIMIT):
        with within("a notification", limit):
            return await self.receive.receive()

    def drain(self):
        count = 0
        while True:
            try:
                self.receive.receive_nowait()
                count += 1
            except anyio.WouldBlock:
                return count


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_clients_of_older_mcp_revisions_are_notified_of_changes(cotty, way):
    heard = Heard()
    async with agent_over(cotty, way, mode="legacy", message_handler=heard) as agent:
        # A client that has read the list is notified when it changes.
        await agent.client.list_resources()
        session = (await agent("create_session", program="cat"))["session_id"]
        assert await heard.next() == "list"
        uri = f"terminal://{session}/screen"
        await subscribe(agent.client, uri)
        heard.drain()
        await agent("send", session_id=session, text="hello\n")
        assert await heard.next() == uri
        assert "hello" in await text(agent.client, uri, "text/plain")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await agent.client.unsubscribe_resource(uri)
        heard.drain()
        await agent("send", session_id=session, text="more\n")
        await agent("wait", session_id=session, text="more")
        await agent("destroy_session", session_id=session)
        late = 0
        while await heard.next() != "list":
            late += 1
        # One may have been on its way. The input and the exit would have made two more.
        assert late <= 1


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_clients_of_the_newest_mcp_revision_are_notified_of_changes(cotty, way):
    async with agent_over(cotty, way, mode="auto") as agent:
        session = (await agent("create_session", program="cat"))["session_id"]
        uri = f"terminal://{session}/screen"
        client = agent.client
        async with client.listen(resources_list_changed=True, resource_subscriptions=[uri, "file:///x"]) as events:
            assert events.honored.resource_subscriptions == [uri]
            await agent("send", session_id=session, text="hello\n")
            with within(f"{uri} has changed"):
                assert await anext(events) == ResourceUpdated(uri=uri)
            other = (await agent("create_session", program="cat"))["session_id"]
            with within("the list has changed"):
                while await anext(events) != ResourcesListChanged():
                    pass
            await agent("destroy_session", session_id=other)
            # The session is not affected by listeners.
            assert "hello" in await text(client, uri, "text/plain")


@TRANSPORTS
async def test_the_first_change_after_the_answer_is_notified(cotty, way, mode):
    heard = Heard()
    async with agent_over(cotty, way, mode=mode, message_handler=heard) as agent:
        for _ in range(5):
            session = (await agent("create_session", program="cat"))["session_id"]
            uri = f"terminal://{session}/screen"
            if mode == "legacy":
                await subscribe(agent.client, uri)
                await agent("send", session_id=session, text="x")
                assert await heard.next() == uri
                heard.drain()
                continue
            async with agent.client.listen(resource_subscriptions=[uri]) as events:
                await agent("send", session_id=session, text="x")
                with anyio.fail_after(LIMIT):
                    assert await anext(events) == ResourceUpdated(uri=uri)


@TRANSPORTS
async def test_the_first_session_after_the_answer_is_notified(cotty, way, mode):
    heard = Heard()
    async with agent_over(cotty, way, mode=mode, message_handler=heard) as agent:
        if mode == "legacy":
            await agent.client.list_resources()
            await agent("create_session", program="cat")
            assert await heard.next() == "list"
            return
        for _ in range(5):
            async with agent.client.listen(resources_list_changed=True) as events:
                await agent("create_session", program="cat")
                with anyio.fail_after(LIMIT):
                    assert await anext(events) == ResourcesListChanged()


async def test_a_busy_session_sends_a_few_notifications_a_second(cotty):
    heard = Heard()
    async with agent_over(cotty, "stdio", mode="legacy", message_handler=heard) as agent:
        session = await agent.shell()
        await subscribe(agent.client, f"terminal://{session}/screen")
        ran = await agent.run(session, "for i in $(seq 200); do echo $i; sleep 0.005; done")
        # Two hundred notifications would be too many, none too few.
        told = heard.drain()
        assert 1 <= told <= 3 + ran["duration_ms"] / 250
