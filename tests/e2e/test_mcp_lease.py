"""The input lease: no other call types between the steps of one call, but a person always can."""

import shlex

import anyio
import pytest
from conftest import within
from agents import Gate, agent_of, soon
from toolsets import tools_of

pytestmark = pytest.mark.anyio


def begun(cotty):
    return soon((cotty.work / "begun").exists)


def waiting(gate):
    """Steps that type, wait for the gate, and type again."""
    return [{"text": f"touch begun; read x < {gate}; echo $x\n"}, {"wait": {"text": "through"}}, {"text": "echo last\n"}]


async def until_free(agent, session):
    """Types as soon as no other call has the input lease."""
    with within("no other call types"):
        while True:
            result = await agent.client.call_tool("terminal__send", {"session_id": session, "key": "ctrl+l"})
            if not result.is_error:
                return
            assert result.structured_content["error"]["code"] == "BUSY"


async def test_no_other_call_types_between_two_steps(cotty):
    async with agent_of(cotty) as agent, agent_of(cotty) as other:
        session = await agent.shell()
        gate, answers = Gate(cotty), []

        async def steps():
            answers.append(await agent("send", session_id=session, steps=waiting(gate)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(steps)
            await begun(cotty)
            for tool, arguments in [
                ("send", {"text": "intruder"}),
                ("send", {"steps": [{"text": "intruder"}]}),
                ("run", {"command": "echo intruder"}),
            ]:
                error = await other.refused("BUSY", tool, session_id=session, **arguments)
                assert "send of 3 steps" in error["message"] and error["hint"]
            # All calls may read and wait.
            assert (await other("read", session_id=session))["state"] != "prompt"
            await gate.open("through")
        assert answers[0]["sent"], answers
        await other("wait", session_id=session, prompt=True)
        assert "last\n" in await other.output(session, "echo free again; echo last")
        assert "intruder" not in (await agent("read", session_id=session, view="whole"))["content"]


async def test_steps_do_not_block_a_person(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate, answers = Gate(cotty), []

        async def steps():
            answers.append(await agent("send", session_id=session, steps=[*waiting(gate), {"key": "enter"}]))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(steps)
            await begun(cotty)
            await anyio.to_thread.run_sync(lambda: cotty.call("send", actor="person", client="someone", session=session, text="x"))
            await gate.open("through")
        sent = answers[0]
        assert not sent["sent"] and sent["steps_not_done"] == 1
        assert sent["steps"][1]["met"] == "text" and sent["steps"][2]["error"]["code"] == "KEYBOARD_HELD", sent


@pytest.mark.parametrize("end", ["cancelled", "gone", "killed"])
async def test_the_input_lease_ends_with_its_call(cotty, end):
    async with agent_of(cotty) as other:
        session = await other.shell()
        gate = Gate(cotty)
        steps = waiting(gate)
        if end == "killed":
            # Retried with the next daemon, the call takes the lease again and releases it after its last step.
            async with agent_of(cotty) as agent, anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: agent("send", session_id=session, steps=steps))
                await begun(cotty)
                cotty.kill_daemon()
                await gate.open("through")
        elif end == "gone":
            async with agent_of(cotty) as agent, anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: agent.client.call_tool("terminal__send", {"session_id": session, "steps": steps}))
                await begun(cotty)
                tasks.cancel_scope.cancel()
        else:
            async with agent_of(cotty) as agent:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(lambda: agent("send", session_id=session, steps=steps))
                    await begun(cotty)
                    tasks.cancel_scope.cancel()
                await until_free(other, session)
        await until_free(other, session)


async def test_no_other_call_types_between_the_keys_of_a_list(cotty):
    async with tools_of(cotty, "pty") as tools, agent_of(cotty) as other:
        # The program reports its first line. Then it reads nothing until the gate is open, so the daemon waits the full
        # 80 ms for each of the other keys.
        gate, heard = Gate(cotty), cotty.work / "heard"
        script = f"read first; touch begun; read go < {gate}; (echo $first; head -n 24) > {heard}"
        number = (await tools("pty_launch", command=shlex.join(["sh", "-c", script])))["session_id"]
        keys, answers, refused = [f"{n}\n" for n in range(25)], [], 0

        async def type_many():
            answers.append(await tools("pty_send_keys", session_id=number, keys=keys))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(type_many)
            await begun(cotty)
            while not answers:
                result = await other.client.call_tool("terminal__send", {"session_id": str(number), "text": "x\n"})
                if not answers:
                    assert result.structured_content["error"]["code"] == "BUSY", result
                    refused += 1
        assert answers[0]["sent"] and refused
        await gate.open()
        await tools.until(number, exit=True)
        assert heard.read_text() == "".join(keys)
