"""`cotty mcp` as an agent sees it, through the official Python client: tools, sessions, reading."""

from pathlib import Path

import jsonschema
import pytest
from agents import ERAS, OF_A_SESSION, TOOLS, agent_of, implementation
from conftest import alive

pytestmark = pytest.mark.anyio


# The tools


@ERAS
async def test_the_tools_and_their_schemas(cotty, mode):
    async with cotty.mcp(mode=mode) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.description
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False


# R-T01, R-T03, R-T06
@ERAS
async def test_create_list_info_destroy(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        made = await agent("create_session", rows=30, cols=100)
        session = made["session_id"]
        assert made["dimensions"] == {"rows": 30, "cols": 100}
        assert Path(made["program"]).name == "bash" and alive(made["pid"])
        assert session.startswith("sess_") and len(session) == 13 and session[5:].isalnum()
        listed = await agent("list_sessions")
        assert listed["count"] == 1
        (only,) = listed["sessions"]
        info = await agent("get_info", session_id=session)
        for seen in (only, info):
            assert (seen["session_id"], seen["pid"], seen["args"]) == (session, made["pid"], [])
            assert (seen["exited"], seen["healthy"], seen.get("exit_code")) == (False, True, None)
            assert seen["created_at"].endswith("Z")
        assert info["cwd"] == str(cotty.work)
        assert info["cursor"]["row"] == 1
        gone = await agent("destroy_session", session_id=session)
        assert gone["destroyed"]
        assert (await agent("list_sessions"))["count"] == 0


async def test_answers_match_their_schemas(cotty):
    """The client checks each structured answer against the tool's schema. These answers lack optional fields."""
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "true")
        assert (await agent.run(session, "read x"))["outcome"] == "running"
        await agent.type(session, "x\n", view="new", wait_for_prompt=True)
        for view in ("screen", "new", "scrollback"):
            await agent("read", session_id=session, view=view)
        await agent("wait", session_id=session, idle_ms=10)
        await agent.run(session, "kill -9 $$")
        await agent("wait", session_id=session, exit=True)
        await agent("get_info", session_id=session)
        await agent("list_sessions")
        await agent("read", session_id=session)
        assert (await agent("destroy_session", session_id=session)).get("exit_code") is None


# Full-screen programs


# R-P15 (vim)
async def test_vim_changes_a_file(cotty):
    file = cotty.work / "notes.txt"
    file.write_text("first\nsecond\n")
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="vim", args=["-u", "NONE", "-n", str(file)])
        session = made["session_id"]
        assert "second" in (await agent("wait", session_id=session, text="second"))["screen"]
        await agent("send", session_id=session, key="down")
        read = await agent.type(session, "oinserted", wait_idle_ms=50)
        assert read["content"].splitlines()[:3] == ["first", "second", "inserted"]
        assert read["cursor"] == {"row": 3, "col": 9}
        await agent("send", session_id=session, key="escape")
        await agent.type(session, ":wq\n")
        waited = await agent("wait", session_id=session, exit=True)
        assert (waited["met"], waited["exit_code"]) == ("exit", 0)
    assert file.read_text() == "first\nsecond\ninserted\n"


async def test_vim_inside_a_shell_gives_the_prompt_back(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "vim -u NONE -n new.txt")
        assert (ran["outcome"], ran["state"], ran["program"]) == ("running", "editor", "vim")
        await agent.type(session, "ihello")
        await agent("send", session_id=session, key="<Esc>")
        read = await agent.type(session, ":wq\n", wait_for_prompt=True)
        assert read["prompt_detected"] and "~" not in read["content"].splitlines()
        assert await agent.output(session, "echo $?; cat new.txt") == "0\nhello\n"


# Reading


# R-T05, R-T12
async def test_the_views_new_screen_and_scrollback(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell(rows=10)
        await agent("read", session_id=session, view="new")
        await agent.type(session, "seq 100; printf '\\e[31mred\\e[0m'; echo\n")
        read = await agent("read", session_id=session, view="new", wait_for_prompt=True)
        assert read["prompt_detected"] and read["cursor"] is None and read["has_new_content"]
        assert read["content"].startswith("1\n2\n") and "100\nred\n" in read["content"]
        again = await agent("read", session_id=session, view="new")
        assert (again["content"], again["has_new_content"]) == ("", False)
        screen = await agent("read", session_id=session)
        rows = screen["content"].split("\n")
        assert len(rows) == 10 and rows[-2] == "red" and rows[0] == "93"
        assert screen["cursor"]["row"] == 10
        raw = await agent("read", session_id=session, format="raw")
        assert "\x1b[" in raw["content"] and "red" in raw["content"]
        page = await agent("read", session_id=session, view="scrollback", offset=1, limit=3)
        assert page["content"] == "89\n90\n91"
        assert page["lines"] == 3


async def test_readers_do_not_steal_each_others_output(cotty):
    async with agent_of(cotty) as one, agent_of(cotty) as two:
        session = await one.shell()
        await two("read", session_id=session, view="new", reader="two")
        await one("send", session_id=session, steps=[{"text": "echo for both\n"}, {"wait": {"prompt": True}}])
        assert "for both" in (await one("read", session_id=session, view="new"))["content"]
        assert "for both" in (await two("read", session_id=session, view="new", reader="two"))["content"]
        assert "for both" not in (await two("read", session_id=session, view="new"))["content"], "the owner has read it"


# Owners


# R-T19
async def test_an_agent_has_its_own_sessions_and_no_others(cotty):
    async with agent_of(cotty) as one, agent_of(cotty, client_info=implementation("another")) as two:
        session = await one.shell()
        number = (await one("get_info", session_id=session))["number"]
        for reference in (session, str(number)):
            for tool, more in OF_A_SESSION:
                await two.refused("NOT_YOURS", tool, session_id=reference, **more)
        assert (await two("list_sessions"))["sessions"] == []
        others = (await two("list_sessions", all=True))["others"]
        assert [other["session_id"] for other in others] == [session] and "mcp in " in others[0]["owner"]
        assert (await one.output(session, "echo alive")) == "alive\n"
        await two.refused("SESSION_NOT_FOUND", "read", session_id="active")
        assert (await one("get_info", session_id="active"))["session_id"] == session


async def test_sessions_outlive_their_client(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "x=kept")
    async with agent_of(cotty) as agent:
        assert await agent.output(session, "echo $x") == "kept\n"
