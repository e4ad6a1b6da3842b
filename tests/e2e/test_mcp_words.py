"""Texts of the tools: how a wait ended, what was left out, and hints that work."""

import pytest
from agents import Gate, agent_of, implementation
from toolsets import tools_of

pytestmark = pytest.mark.anyio


async def test_a_read_says_how_its_wait_ended(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        read = await agent.type(session, "echo $((6 * 7))\n", wait_for_text="42")
        assert read["met"] == "text" and "why" not in read
        await agent.type(session, "cat\n")
        await agent.doing(session, "waiting_for_input", "cat")
        read = await agent("read", session_id=session, wait_for_text="never", timeout_ms=200)
        assert read["met"] == "timeout" and "`cat`" in read["why"]
        read = await agent("read", session_id=session, wait_for_prompt=True, timeout_ms=50)
        assert read["met"] == "timeout" and read["why"]
        assert "met" not in await agent("read", session_id=session, timeout_ms=50)


async def test_left_out_says_which_lines_are_missing(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "seq -f 'line number %04g' 1 500")
        for view in ("scrollback", "screen", "whole"):
            read = await agent("read", session_id=session, view=view, max_bytes=200)
            left_out = read["left_out"]
            assert left_out.keys() == {"bytes", "lines", "after_lines"}, view
            assert "raise max_bytes or lower limit" in read["note"]
            # The lines before and after are whole, and the numbers say which are missing.
            whole = (await agent("read", session_id=session, view=view, max_bytes=100_000))["content"].splitlines()
            begin, end = left_out["after_lines"], left_out["after_lines"] + left_out["lines"]
            assert read["content"].splitlines() == whole[:begin] + whole[end:]
            assert 0 < left_out["bytes"] == sum(len(line) + 1 for line in whole[begin:end])
        read = await agent("read", session_id=session, view="new", since=0, max_bytes=200)
        assert read["left_out"].keys() == {"bytes", "lines", "after_lines", "offset", "since"} and "note" not in read


async def test_a_paste_is_reported(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert "pasted" not in await agent("send", session_id=session, text="true\n")
        assert (await agent("send", session_id=session, text="echo a\necho b"))["pasted"]
        await agent.interrupt(session)
        assert "pasted" not in await agent("send", session_id=session, text="true\ntrue\n", bracketed_paste=False)
        sent = await agent("send", session_id=session, steps=[{"key": "enter"}, {"text": "echo a\necho b"}])
        assert [step.get("pasted") for step in sent["steps"]] == [None, True]


async def test_hints_of_a_search_work(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for empty in ({"query": ""}, {"regex": ""}):
            assert "query" in (await agent.refused("INVALID_INPUT", "search", **empty))["hint"]
        error = await agent.refused("INVALID_PATTERN", "search", regex="(")
        assert "query" in error["hint"] and "text" not in error["hint"]
        await agent("destroy_session", session_id=session)
        error = await agent.refused("SESSION_DESTROYED", "search", session_id=session, query="x")
        assert 'where "recordings"' in error["hint"]


async def test_hints_for_programs_work(cotty):
    async with agent_of(cotty) as agent:
        error = await agent.refused("PROGRAM_NOT_FOUND", "create_session", program="vim a.txt")
        assert "args" in error["hint"]
        session = await agent.shell()
        await agent.run(session, "less /etc/passwd")
        assert '"q"' in (await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="true"))["hint"]


async def test_hints_for_leaving_a_program_work(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()

        async def kept(command):
            await agent.run(session, command)
            error = await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="true")
            # A wait would end at once, because the screen looks like a prompt.
            assert "terminal__wait" not in error["hint"], error
            return error

        error = await kept("echo 'unclosed")
        assert "not complete" in error["message"] and "ctrl+u" not in error["hint"]
        await agent("send", session_id=session, key="ctrl+c", read={"wait_for_prompt": True})
        assert await agent.output(session, "echo back") == "back\n"
        for command, leave in (("bash --norc", {"text": "exit\n"}), ("python3 -q", {"key": "ctrl+d"})):
            error = await kept(command)
            assert "waits for input" in error["message"] and f'"{next(iter(leave.values()))}"' in error["hint"].replace("\\n", "\n")
            await agent("send", session_id=session, **leave)
            await agent.doing(session, "prompt", None)
            assert await agent.output(session, "echo back") == "back\n"


async def test_the_hint_is_another_session_if_no_tool_helps(cotty):
    async with agent_of(cotty, args=["--only", "terminal__create_session,terminal__run"]) as agent:
        another = "create another session (terminal__create_session)"
        session = await agent.shell()
        ran = await agent.run(session, "sleep 1000", timeout_ms=100)
        assert ran["note"] == f"sleep is running: {another}"
        assert another in (await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="true"))["hint"]
        assert another in (await agent.refused("SESSION_NOT_FOUND", "run", session_id="none", command="true"))["hint"]
        assert not any(word in agent.client.instructions for word in ("Enter key", "no longer need", "next_since"))


async def test_a_number_addresses_a_session_and_a_taken_name_is_refused(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell(name="build")
        error = await agent.refused("INVALID_INPUT", "create_session", name="build")
        assert "`build`" in error["message"] and "another name" in error["hint"] and "letters" not in error["hint"]
        number = cotty.info(session)["number"]
        assert await agent.output(number, "echo mine; seq 50") == "mine\n" + "".join(f"{n}\n" for n in range(1, 51))
        # A repeated read by position is not called a repetition.
        for _ in range(2):
            assert "note" not in await agent("read", session_id=number, view="whole", limit=3)
        ran = await agent.run(number, "kill -KILL $$")
        assert (ran["outcome"], ran["exit_code"], ran["signal"]) == ("exited", None, 9)


async def test_instructions_name_only_offered_tools(cotty):
    only = "terminal__create_session,terminal__run"
    async with cotty.mcp(args=["--only", only]) as client:
        assert "terminal__run is for commands" in client.instructions
        assert not any(name in client.instructions for name in ("terminal__send", "terminal__wait", "terminal__read"))


async def test_search_finds_a_line_once(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "printf 'fo%s fo%s fo%s\\n' o o o; printf 'fo%s\\n' o")
        found = await agent("search", session_id=session, query="foo")
        assert [match["line"] for match in found["matches"]] == ["foo", "foo foo foo"] and found["count"] == 2
        found = await agent("search", session_id=session, query="foo", limit=1)
        assert (found["count"], found["more"]) == (1, True)
        error = await agent.refused("INVALID_INPUT", "search", query="foo", limit=0)
        assert "at least 1" in error["message"]


async def test_modifiers_without_an_encoding_are_refused(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for key in ("cmd+c", "super+c", "hyper+c"):
            error = await agent.refused("INVALID_KEY", "send", session_id=session, key=key)
            assert error["hint"] == "did you mean `ctrl+c`?"
        await agent.refused("INVALID_KEY", "send", session_id=session, key="super+up")
        # A program that enabled kitty's protocol can get the key.
        await agent.run(session, "printf '\\e[>1u'; cat -v")
        await agent("send", session_id=session, key="super+x")
        sent = await agent("send", session_id=session, text="\n", read={"wait_for_text": "[120;9u"})
        assert sent["read_result"]["met"] == "text"


async def test_pty_answers_use_the_sets_own_terms(cotty):
    async with tools_of(cotty, "pty") as tools:
        session = (await tools("pty_launch"))["session_id"]
        asked = await tools("pty_request_user_input", session_id=str(session), message="look", timeout_seconds=0.1)
        assert (asked["session_id"], asked["outcome"]) == (session, "timeout")
        for given in ({"start_line": 30}, {"start_line": 30, "end_line": 200}):
            error = await tools.refused("INVALID_INPUT", "pty_get_screen", session_id=session, **given)
            assert error["message"] == "line 30 is below the screen (0 to 23)"
        error = await tools.refused("INVALID_INPUT", "pty_get_screen", session_id=session, start_line=5, end_line=2)
        assert error["message"] == "start_line 5 is after end_line 2"


async def test_a_program_inside_another_terminal_cannot_be_seen(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "script -q /dev/null\n")
        await agent.doing(session, "running", "script")
        error = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="never", timeout_ms=50)
        assert "cannot see what runs inside" in error["hint"], error


async def test_resize_returns_the_state(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        resized = await agent("resize", session_id=session, rows=30)
        assert resized == {"dimensions": {"rows": 30, "cols": 80}, "state": "prompt"}


async def test_a_name_finds_only_the_owners_recordings(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell(name="build")
        await agent.output(session, "echo $((6 * 7))")
        await agent("destroy_session", session_id=session)
        async with agent_of(cotty, client_info=implementation("another")) as other:
            await other.shell(name="build")
            found = await agent("search", query="42", where="recordings", session_id="build")
            assert {match["session_id"] for match in found["matches"]} == {session}
            await agent.client.read_resource("terminal://build/recording")


async def test_read_screen_waits_while_a_command_runs(cotty):
    gate = Gate(cotty)
    async with tools_of(cotty, "panel") as tools:
        await tools("terminal_write", text=f"read line < {gate}; echo got $line\n")
        assert (await tools("terminal_read_screen", timeoutMs=300))["state"] == "running"
        await gate.open()
        read = await tools("terminal_read_screen", timeoutMs=10000)
        assert "got go" in read["snapshot"]["lines"] and read["state"] == "prompt"
