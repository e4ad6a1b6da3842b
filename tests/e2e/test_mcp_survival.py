"""SIGKILLs of the daemon at random moments, under an agent: each call has its true answer, and each thing happens once."""

import shlex

import anyio
import pytest
from test_mcp import agent_of
from test_survival import Killer

pytestmark = pytest.mark.anyio
# Both eras; the kills fall elsewhere in each.
CASES = pytest.mark.parametrize(("mode", "seed"), [("legacy", 1), ("auto", 2), ("legacy", 3), ("auto", 4)])
KILLS = 8


@CASES
async def test_each_command_runs_once_and_is_answered_truly(cotty, mode, seed):
    trace = cotty.work / "ran"
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        count = 0
        with Killer(cotty, seed) as killer:
            while not killer.has_killed(KILLS):
                # Short ones and ones that a kill falls into; with much output and with little.
                pause, lines = 0.05 * (count % 5), 1 + count % 3 * 40
                command = f"echo {count} >> {shlex.quote(str(trace))}; sleep {pause}; seq -f 'line %g of {count}' {lines}; (exit {count % 7})"
                ran = await agent.run(session, command)
                assert (ran["outcome"], ran["exit_code"]) == ("done", count % 7), ran
                assert ran["output"] == "".join(f"line {n} of {count}\n" for n in range(1, lines + 1))
                count += 1
    assert trace.read_text().split() == [str(n) for n in range(count)]


@CASES
async def test_what_is_typed_arrives_once(cotty, mode, seed):
    trace = cotty.work / "typed"
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        count = 0
        with Killer(cotty, seed) as killer:
            while not killer.has_killed(KILLS):
                text = f"echo {count} >> {shlex.quote(str(trace))}; echo done {count}.\n"
                read = {"view": "new", "wait_for_prompt": True}
                sent = await agent("send", session_id=session, text=text, read=read)
                assert sent["read_result"]["prompt_detected"], sent
                seen = await agent("read", session_id=session, view="new", since=sent["since"])
                assert f"done {count}.\n" in seen["content"], seen
                count += 1
    assert trace.read_text().split() == [str(n) for n in range(count)]


@CASES
async def test_sessions_are_made_and_ended_once_and_waits_are_answered(cotty, mode, seed):
    async with agent_of(cotty, mode=mode) as agent:
        made = []
        with Killer(cotty, seed) as killer:
            while not killer.has_killed(KILLS):
                made.append((await agent("create_session", program="cat"))["session_id"])
                assert [s["session_id"] for s in (await agent("list_sessions"))["sessions"]] == made[-1:]
                answers = {}

                async def wait(session, text, answers=answers):
                    answers[text] = await agent("wait", session_id=session, text=text)

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(wait, made[-1], "hello")
                    tasks.start_soon(wait, made[-1], "world")
                    await agent("send", session_id=made[-1], text="hello world\n")
                assert set(answers) == {"hello", "world"}
                gone = await agent("destroy_session", session_id=made[-1])
                assert gone["destroyed"]
                await agent.refused("SESSION_DESTROYED", "read", session_id=made[-1])
        assert len(set(made)) == len(made)
        assert (await agent("list_sessions"))["count"] == 0
