"""Refused calls: each has its error code (R-T07) and had no effect."""

import anyio
import pytest
from agents import OF_A_SESSION, Gate, agent_of, in_era, soon

pytestmark = pytest.mark.anyio


async def test_errors_about_sessions(cotty):
    async with agent_of(cotty) as agent:
        for tool, more in OF_A_SESSION:
            error = await agent.refused("SESSION_NOT_FOUND", tool, session_id="sess_zzzzzzzz", **more)
            assert error["message"] == "Session not found: sess_zzzzzzzz"
        session = await agent.shell()
        await agent("destroy_session", session_id=session)
        error = await agent.refused("SESSION_DESTROYED", "destroy_session", session_id=session)
        assert error["message"] == f"Session already destroyed: {session}"
        await agent.refused("SESSION_DESTROYED", "read", session_id=session)


async def test_errors_about_input(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        error = await agent.refused("NO_INPUT", "send", session_id=session)
        assert error["message"] == "No input provided (need text or key)"
        await agent.refused("NO_INPUT", "send", session_id=session, text="")
        error = await agent.refused("INVALID_KEY", "send", session_id=session, key="escpae")
        assert error["message"] == "Invalid key: escpae" and "did you mean `escape`" in error["hint"]
        await agent.refused("INVALID_INPUT", "send", session_id=session, text="x", key="enter")
        await agent.refused("INVALID_INPUT", "send", session_id=session, text="c", ctrl=True)
        error = await agent.refused("INVALID_PATTERN", "wait", session_id=session, regex="(")
        assert error["message"].startswith("Invalid pattern: ")
        await agent.refused("INVALID_PATTERN", "wait", session_id=session, regex="(a{1000}){1000}")
        await agent.refused("INVALID_INPUT", "wait", session_id=session)
        await agent.refused("INVALID_INPUT", "wait", session_id=session, text="")
        await agent.refused("INVALID_INPUT", "run", session_id=session, command=" \n ")
        # None of that was typed.
        assert await agent.output(session, "echo clean") == "clean\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("send", {"text": "x", "enter": True}, "enter"),
        ("read", {"veiw": "new"}, "veiw"),
        ("send", {"text": "x", "read": {"veiw": "new"}}, "veiw"),
        ("run", {"command": "true", "timeout": 5}, "timeout"),
        ("wait", {"idle": 5}, "idle"),
        ("get_info", {"x": 1}, "x"),
        ("run", {}, "command"),
        ("read", {"view": "sideways"}, "sideways"),
        ("read", {"timeout_ms": -1}, "-1"),
    ],
)
async def test_wrong_parameters_are_named(cotty, tool, arguments, named):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat"))["session_id"]
        error = await agent.refused("INVALID_INPUT", tool, session_id=session, **arguments)
        assert named in error["message"], error


async def test_errors_about_creating(cotty):
    async with agent_of(cotty) as agent:
        error = await agent.refused("PROGRAM_NOT_FOUND", "create_session", program="no-such-program")
        assert error["message"] == "Program not found: no-such-program"
        (cotty.work / "plain").write_text("not executable")
        (cotty.work / "broken").write_text("#!/no/such/interpreter\n")
        (cotty.work / "broken").chmod(0o755)
        await agent.refused("PROGRAM_NOT_FOUND", "create_session", program="./plain")
        await agent.refused("PROGRAM_NOT_FOUND", "create_session", program="./broken")
        await agent.refused("PROGRAM_NOT_FOUND", "create_session", program="/tmp")
        for wrong in [
            {"rows": 0},
            {"cols": 0},
            {"cols": 1},
            {"rows": 5000},
            {"rows": 70000},
            {"cwd": "/no/such/place"},
            {"cwd": "/etc/passwd"},
            {"name": "1"},
            {"name": "a b"},
            {"name": "sess_a"},
            {"env": {"A=B": "c"}},
            {"env": {"": "c"}},
            {"env": {"A": "b\0c"}},
            {"program": "a\0b"},
            {"args": ["a\0b"]},
            {"shell": "bash"},
        ]:
            await agent.refused("INVALID_INPUT", "create_session", **{"program": "cat", **wrong})
        assert (await agent("list_sessions"))["count"] == 0


async def test_the_eleventh_session_is_refused(cotty):
    async with agent_of(cotty) as agent:
        made = [await agent("create_session", program="cat") for _ in range(10)]
        error = await agent.refused("MAX_SESSIONS", "create_session", program="cat")
        assert error["message"] == "Maximum sessions reached (10)"
        assert made[0]["session_id"] in error["hint"]
        # An exited session does not count.
        await agent("send", session_id=made[3]["session_id"], key="d", ctrl=True)
        await agent("wait", session_id=made[3]["session_id"], exit=True)
        await agent("create_session", program="cat")
        await agent.refused("MAX_SESSIONS", "create_session", program="cat")


async def test_the_limit_holds_for_concurrent_creates(cotty):
    async with agent_of(cotty) as agent:
        answers = []

        async def create():
            answers.append(await agent.client.call_tool("terminal__create_session", {"program": "cat"}))

        async with anyio.create_task_group() as tasks:
            for _ in range(15):
                tasks.start_soon(create)
        assert sum(not answer.is_error for answer in answers) == 10
        assert (await agent("list_sessions"))["count"] == 10


async def test_a_run_without_a_prompt_is_refused(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "cat")
        error = await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo no")
        assert "`cat` is running" in error["message"]
        await agent.interrupt(session)
        await agent.type(session, "echo half a li", wait_idle_ms=50)
        error = await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo no")
        assert "ctrl+u" in error["hint"]
        await agent("send", session_id=session, key="u", ctrl=True, read={"wait_idle_ms": 200})
        assert await agent.output(session, "echo yes") == "yes\n"
        other = (await agent("create_session", program="cat"))["session_id"]
        await agent.refused("NO_SHELL", "run", session_id=other, command="echo no")


async def test_an_ended_program_cannot_be_typed_into(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "exit 3")
        error = await agent.refused("PROCESS_EXITED", "send", session_id=session, text="x")
        assert error["message"] == "Process has exited with code 3"
        await agent.refused("PROCESS_EXITED", "run", session_id=session, command="true")
        read = await agent("read", session_id=session)
        assert (read["exited"], read["exit_code"]) == (True, 3)


@in_era("legacy")
async def test_a_second_run_is_refused_while_one_runs(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        gate = Gate(cotty)
        results = []

        async def first():
            results.append(await agent.run(session, f"touch begun; read x < {gate}; echo $x"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first)
            await soon((cotty.work / "begun").exists)
            await agent.refused("BUSY", "run", session_id=session, command="echo second")
            await agent.refused("BUSY", "send", session_id=session, text="x")
            # Reading is always possible, and another session is not affected.
            await agent("read", session_id=session)
            assert await agent.output(await agent.shell(), "echo other") == "other\n"
            await gate.open("first")
        assert (results[0]["output"], results[0]["exit_code"]) == ("first\n", 0)


async def test_a_name_belongs_to_one_session(cotty):
    async with agent_of(cotty) as agent:
        answers = []

        async def create():
            answers.append(await agent.client.call_tool("terminal__create_session", {"program": "cat", "name": "twin"}))

        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(create)
        assert sum(not answer.is_error for answer in answers) == 1
