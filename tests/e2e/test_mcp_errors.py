"""Every error of the default tools: its code, the seed's message, and a hint to act on (R-T07)."""

import resource

import anyio
import pytest
from agents import Gate, agent_of, soon
from test_faults import served

pytestmark = pytest.mark.anyio


async def test_errors_for_unknown_sessions(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell(name="builder")
        error = await agent.refused("SESSION_NOT_FOUND", "read", session_id="bulider")
        assert error["message"] == "Session not found: bulider" and error["hint"] == "did you mean `builder`?"
        error = await agent.refused("SESSION_NOT_FOUND", "destroy_session", session_id=session[:-1])
        assert session in error["hint"]
        error = await agent.refused("SESSION_NOT_FOUND", "run", session_id="another", command="true")
        assert error["hint"] == "list your sessions (terminal__list_sessions)"
        await agent("destroy_session", session_id=session)
        error = await agent.refused("SESSION_DESTROYED", "run", session_id=session, command="true")
        assert error["message"] == f"Session already destroyed: {session}" and "terminal__create_session" in error["hint"]


async def test_errors_for_programs_that_cannot_start_or_are_too_many(cotty):
    cotty.env["COTTY_LIMITS_MAX_PER_OWNER"] = "2"
    async with agent_of(cotty) as agent:
        error = await agent.refused("PROGRAM_NOT_FOUND", "create_session", program="no-such-program")
        assert error["message"] == "Program not found: no-such-program" and "path" in error["hint"]
        sessions = [(await agent("create_session", program="cat"))["session_id"] for _ in range(2)]
        error = await agent.refused("MAX_SESSIONS", "create_session", program="cat")
        assert error["message"] == "Maximum sessions reached (2)" and all(session in error["hint"] for session in sessions)


async def test_errors_for_system_limits(cotty):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

    with served(cotty, preexec_fn=few):
        async with agent_of(cotty) as agent:
            made, refused = 0, None
            while refused is None and made < 100:
                answer = await agent.client.call_tool("terminal__create_session", {"program": "cat"})
                made += not answer.is_error
                refused = answer.structured_content.get("error")
            assert refused["code"] == "PTY_ERROR" and "open files" in refused["message"] and "ulimit" in refused["hint"]


async def test_error_for_an_unreadable_recording(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "echo something")
        await agent("destroy_session", session_id=session)
        (described,) = cotty.home.rglob(f"{session}/meta.json")
        described.write_text("{")
        error = await agent.refused("IO_ERROR", "search", query="something", where="recordings", session_id=session)
        assert error["message"].startswith("IO error: ") and error["hint"]
        # A search in recordings skips an unreadable one that was not named.
        assert (await agent("search", query="something", where="recordings"))["count"] == 0


async def test_errors_for_invalid_input(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        error = await agent.refused("NO_INPUT", "send", session_id=session)
        assert error["message"] == "No input provided (need text or key)" and "text, key" in error["hint"]
        error = await agent.refused("INVALID_KEY", "send", session_id=session, key="pagdown")
        assert (error["message"], error["hint"]) == ("Invalid key: pagdown", "did you mean `pagedown`?")
        await agent.refused("INVALID_KEY", "send", session_id=session, key="")
        error = await agent.refused("INVALID_INPUT", "send", session_id=session, text="x", key="enter")
        await agent.run(session, "exit 7")
        error = await agent.refused("PROCESS_EXITED", "send", session_id=session, text="x")
        assert error["message"] == "Process has exited with code 7" and "terminal__read" in error["hint"]
        session = (await agent("create_session", program="sh", args=["-c", "kill -9 $$"]))["session_id"]
        await agent("wait", session_id=session, exit=True)
        assert (await agent.refused("PROCESS_EXITED", "send", session_id=session, text="x"))["message"] == "Process has exited by a signal"


async def test_errors_for_invalid_patterns(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for tool, arguments in [
            ("wait", {"regex": "("}),
            ("wait", {"text": "x", "stop": "[z-a]"}),
            ("wait", {"regex": "(?:(?:a{1000}){1000}){1000}"}),
            ("search", {"regex": "*"}),
            ("send", {"steps": [{"wait": {"regex": "("}}]}),
        ]:
            error = await agent.refused("INVALID_PATTERN", tool, session_id=session, **arguments)
            assert "Invalid pattern: " in error["message"] and error["hint"]
    cotty.env["COTTY_TERMINAL_PROMPT_PATTERN"] = "("
    async with agent_of(cotty) as agent:
        error = await agent.refused("INVALID_PATTERN", "create_session")
        assert "COTTY_TERMINAL_PROMPT_PATTERN" in error["message"] and "environment" in error["hint"]


async def test_errors_for_waits_that_time_out(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for command, doing, hint in [
            ("sleep 1000", ("running", "sleep"), "terminal__wait"),
            ("cat", ("waiting_for_input", "cat"), "terminal__send"),
            ("less /etc/passwd", ("pager", "less"), 'leave it (terminal__send key "q")'),
        ]:
            await agent.type(session, f"{command}\n")
            await agent.doing(session, *doing)
            error = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="never", timeout_ms=50)
            assert error["message"].startswith("Wait timeout after ") and "ms: text not found; `" in error["message"]
            assert hint in error["hint"] and "since" in error["hint"]
            await agent("send", session_id=session, steps=[{"key": "q" if "less" in command else "ctrl+c"}, {"wait": {"prompt": True}}])


async def test_errors_for_forbidden_actions(cotty, mkfs):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        error = await agent.refused("POLICY_DENIED", "run", session_id=session, command="mkfs.ext4 /dev/null")
        assert "rule `mkfs`" in error["message"] and error["hint"]
        cotty.call("keyboard", actor="person", session=session, action="take")
        for tool, arguments in [("send", {"text": "x"}), ("run", {"command": "true"}), ("send", {"steps": [{"key": "enter"}]})]:
            error = await agent.refused("KEYBOARD_HELD", tool, session_id=session, **arguments)
            assert "keyboard" in error["hint"]
        cotty.call("keyboard", actor="person", session=session, action="give")
        ran = await agent.run(session, "read -s secret")
        assert ran["state"] == "secret_input" and "request_user_input" in ran["note"]
        error = await agent.refused("SECRET_INPUT", "send", session_id=session, text="guess\n")
        assert "terminal__request_user_input" in error["hint"]
        await agent.interrupt(session)
    assert not mkfs.exists()


async def test_errors_for_a_busy_shell(cotty):
    gate = Gate(cotty)
    async with agent_of(cotty) as agent, anyio.create_task_group() as tasks:
        session = await agent.shell()
        tasks.start_soon(agent.run, session, f"touch begun; read x < {gate}")
        await soon((cotty.work / "begun").exists)
        assert (await agent.refused("BUSY", "send", session_id=session, text="x"))["hint"]
        error = await agent.refused("BUSY", "run", session_id=session, command="true")
        assert "another" in error["message"]
        await gate.open()


@pytest.mark.parametrize(
    ("tool", "arguments", "message", "hint"),
    [
        ("read", {"veiw": "new"}, "has no parameter `veiw`", "did you mean `view`?"),
        ("read", {"view": "scren"}, "`view` must be one of: screen, new", "did you mean `screen`?"),
        ("send", {"text": "x", "read": {"timout_ms": 5}}, "has no parameter `read.timout_ms`", "did you mean `timeout_ms`?"),
        ("send", {"steps": [{"text": "x"}, {"wait": {"txt": "x"}}]}, "has no parameter `steps[1].wait.txt`", "did you mean `text`?"),
        ("send", {"text": 5}, "`text` must be a string; got 5", ""),
        ("send", {"text": "x", "ctrl": "yes"}, '`ctrl` must be true or false; got the string "yes"', ""),
        ("send", {"text": "x", "bracketed_paste": "perhaps"}, '`bracketed_paste` must be true or false or one of: auto; got the string "perhaps"', ""),
        ("run", {"command": ["ls"]}, '`command` must be a string; got the list ["ls"]', ""),
        ("run", {}, "`command` is missing", ""),
        ("run", {"command": "true", "timeout": 5}, "has no parameter `timeout`", "did you mean `timeout_ms`?"),
        ("resize", {"rows": 70000}, "`rows` must be a whole number from 0 to 65535; got 70000", ""),
        ("wait", {"idle_ms": -1}, "`idle_ms` must be a whole number of at least 0; got -1", ""),
        ("wait", {"idle_ms": 1.5}, "`idle_ms` must be a whole number of at least 0; got 1.5", ""),
    ],
)
async def test_errors_name_the_wrong_parameter(cotty, tool, arguments, message, hint):
    async with agent_of(cotty) as agent:
        error = await agent.refused("INVALID_INPUT", tool, session_id="any", **arguments)
        said = error["message"].removeprefix(f"terminal__{tool}").lstrip(": ")
        assert said.startswith(message) and hint in error.get("hint", ""), error


async def test_null_means_an_omitted_parameter(cotty):
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="cat", args=None, env=None, cwd=None, rows=None, wait_ready=None)
        sent = await agent("send", session_id=made["session_id"], text="hi\n", key=None, ctrl=None, read={"view": None, "wait_for_text": "hi"})
        assert "hi" in sent["read_result"]["content"]
        error = await agent.refused("INVALID_INPUT", "read", session_id=None)
        assert "`session_id`" in error["message"]


async def test_a_crashed_session_is_reported_and_restored(cotty):
    cotty.env["COTTY_TEST_MCP_FIXTURES"] = "1"
    cotty.may_panic = True
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "echo be''fore\n")
        await agent("wait", session_id=session, text="before")
        refused = []

        async def waits():
            refused.append(await agent.refused("SESSION_ERROR", "wait", session_id=session, text="never"))

        async with anyio.create_task_group() as group:
            group.start_soon(waits)
            # The first crash may come before the wait: the daemon handles requests of one client concurrently.
            while not refused:
                broken = await agent.client.call_tool("test_session_breaks", {"session_id": session})
                assert broken.is_error and "SESSION_ERROR" in broken.content[0].text, broken
                await agent("get_info", session_id=session)
        assert refused[0]["message"].startswith("Session has error: ") and "terminal__get_info" in refused[0]["hint"], refused
        assert "before" in (await agent("read", session_id=session))["content"]
        assert await agent.output(session, "echo on") == "on\n"
