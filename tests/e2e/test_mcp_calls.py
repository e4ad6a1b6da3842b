"""Progress of a call, cancelling it, and questions to the person behind the agent."""

import os

import anyio
import pytest
from agents import Gate, soon
from conftest import eventually_async, within
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult
from transports import TRANSPORTS, agent_over, over

pytestmark = pytest.mark.anyio


@TRANSPORTS
async def test_a_long_call_reports_progress(cotty, way, mode):
    gate = Gate(cotty)
    told = []
    first = anyio.Event()

    async def progress(done, total, message):
        told.append((done, message))
        first.set()

    async with agent_over(cotty, way, mode=mode) as agent:
        session = await agent.shell()
        answers = []

        async def call():
            arguments = {"session_id": session, "command": f"cat {gate}"}
            answers.append(await agent.client.call_tool("terminal__run", arguments, progress_callback=progress))

        with within("progress, and the answer once the gate is open"):
            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await first.wait()
                assert not answers
                await gate.open()
        assert answers[0].structured_content["outcome"] == "done"
        assert told[0][0] > 0 and "cat" in told[0][1] and [t for t, _ in told] == sorted({t for t, _ in told})
        # No progress without a progress token, and none after the answer.
        count = len(told)
        await agent.output(session, "true")
        assert len(told) == count


@TRANSPORTS
async def test_cancelling_a_call_ends_its_wait_but_not_the_program(cotty, way, mode):
    gate = Gate(cotty)
    async with agent_over(cotty, way, mode=mode) as agent:
        session = await agent.shell()
        with within("the command has begun and its call is cancelled"):
            async with anyio.create_task_group() as group:
                run = {"session_id": session, "command": f"cat {gate} -; echo after"}
                group.start_soon(agent.client.call_tool, "terminal__run", run)
                writer = await soon(gate.writer)
                group.cancel_scope.cancel()
        # The input lease is free, and the program still runs: it gets the input.
        typing = {"session_id": session, "text": "typed\n"}

        async def typed():
            return not (await agent.client.call_tool("terminal__send", typing)).is_error

        await eventually_async(typed)
        os.write(writer, b"through the gate\n")
        os.close(writer)
        await agent("wait", session_id=session, text="through the gate")
        await agent("send", session_id=session, key="d", ctrl=True)
        await agent("wait", session_id=session, prompt=True)
        screen = (await agent("read", session_id=session))["content"]
        assert "typed" in screen and "after" in screen
        assert await agent.output(session, "echo free") == "free\n"


@TRANSPORTS
async def test_a_tool_asks_the_person_behind_the_agent(cotty, way, mode):
    await ask_the_person(cotty, way, mode, "accept")


@over(("stdio", "auto"), ("http", "legacy"))
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_tool_learns_that_the_person_declined(cotty, way, mode, action):
    await ask_the_person(cotty, way, mode, action)


async def ask_the_person(cotty, way, mode, action):
    cotty.env["COTTY_TEST_MCP_FIXTURES"] = "1"
    asked = []

    async def ask(context, params):
        asked.append(params.message)
        content = {"username": "ann", "email": "ann@example.org"} if action == "accept" else None
        return ElicitResult(action=action, content=content)

    async with agent_over(cotty, way, mode=mode, elicitation_callback=ask) as agent:
        result = await agent.client.call_tool("test_elicitation", {"message": "Who?"})
    assert asked == ["Who?"] and f"action={action}" in result.content[0].text
    assert ("ann@example.org" in result.content[0].text) == (action == "accept")


@over(("stdio", "legacy"), ("http", "auto"))
async def test_a_tool_learns_that_the_client_cannot_ask(cotty, way, mode):
    cotty.env["COTTY_TEST_MCP_FIXTURES"] = "1"
    async with agent_over(cotty, way, mode=mode) as agent:
        result = await agent.client.call_tool("test_elicitation", {"message": "Who?"})
    assert "nobody can be asked" in result.content[0].text


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_an_answer_is_valid_only_for_its_question(cotty, way):
    cotty.env["COTTY_TEST_MCP_FIXTURES"] = "1"

    async def ask(context, params):
        raise AssertionError("asked by hand")

    async with agent_over(cotty, way, mode="auto", elicitation_callback=ask) as agent:
        session = agent.client.session

        async def call(message, **answer):
            return await session.call_tool(
                "test_elicitation", {"message": message}, allow_input_required=True, **answer
            )

        asked = await call("Who?")
        assert list(asked.input_requests) == ["user"]
        answer = {"user": ElicitResult(action="accept", content={"username": "a", "email": "b"})}
        # The answer is refused for another question or with another seal; without an answer, the question is repeated.
        for message, state in (("Who else?", asked.request_state), ("Who?", asked.request_state[:-2] + "xx")):
            with pytest.raises(MCPError) as refused:
                await call(message, input_responses=answer, request_state=state)
            assert refused.value.error.code == -32602
        assert (await call("Who?", request_state=asked.request_state)).input_requests
        assert (await call("Who?", input_responses=answer)).input_requests
        # It is also valid with the next daemon.
        killed = cotty.kill_daemon()
        await soon(lambda: cotty.status()["pid"] != killed)
        done = await call("Who?", input_responses=answer, request_state=asked.request_state)
        assert "action=accept" in done.content[0].text
