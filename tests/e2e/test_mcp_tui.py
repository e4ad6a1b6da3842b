"""The tool set `tui`, through the official Python client."""

import json
import shlex

import pytest
from conftest import BINARY, eventually
from agents import ERAS
from toolsets import described, hints, tools_of

pytestmark = pytest.mark.anyio


@ERAS
async def test_the_tools_and_their_schemas(cotty, mode):
    tools = await described(cotty, "tui", mode)
    assert tools.keys() == {"tui_create_window", "tui_terminal_write", "tui_terminal_read"}
    parameters = {name: set(tool.input_schema["properties"]) for name, tool in tools.items()}
    assert parameters == {
        "tui_create_window": {"window_type"},
        "tui_terminal_write": {"text", "window_id"},
        "tui_terminal_read": {"window_id"},
    }
    assert hints(tools["tui_create_window"]) == (False, False, False)
    assert hints(tools["tui_terminal_write"]) == (False, True, True)
    assert hints(tools["tui_terminal_read"]) == (True, False, False)


# R-U04, R-U01: the seed's usage pattern.
@ERAS
async def test_the_seeds_usage_pattern_works(cotty, mode):
    async with tools_of(cotty, "tui", mode=mode) as tools:
        window = (await tools("tui_create_window", window_type="terminal"))["window_id"]
        assert window == "win_1"
        written = await tools("tui_terminal_write", text="echo HELLO_$((1 + 1))\n", window_id=window)
        assert (written["success"], written["window_id"]) == (True, window)
        await tools.until(window, prompt=True)
        read = await tools("tui_terminal_read", window_id=window)
        assert (read["success"], read["window_id"], read["state"]) == (True, window, "prompt")
        assert read["text"].splitlines()[1] == "HELLO_2"


# R-U01
async def test_every_row_ends_in_a_newline(cotty):
    async with tools_of(cotty, "tui") as tools:
        await tools("tui_create_window")
        await tools("tui_terminal_write", text="clear; printf 'a \\t \\n\\n  漢字 b   \\nend'; cat\n")
        await tools.until("win_1", text="end")
        text = (await tools("tui_terminal_read"))["text"]
        assert text == "a\n\n  漢字 b\nend\n" + "\n" * 20


# R-U02


async def test_the_front_most_window_is_the_one_used_last(cotty):
    async with tools_of(cotty, "tui") as tools:
        for message in ("tui_terminal_read", "tui_terminal_write"):
            more = {"text": "x"} if message.endswith("write") else {}
            error = await tools.refused("SESSION_NOT_FOUND", message, **more)
            assert (error["message"], error["hint"]) == ("no terminal window", "open a window (tui_create_window)")

        async def front():
            return (await tools("tui_terminal_read"))["window_id"]

        for number in (1, 2, 3):
            assert (await tools("tui_create_window"))["window_id"] == f"win_{number}"
            # A new window is in front.
            assert await front() == f"win_{number}"
        await tools("tui_terminal_write", text="x", window_id="win_1")
        assert await front() == "win_1"
        # When the front window is gone, the one behind it is in front, not the newest.
        await tools("tui_terminal_read", window_id="win_2")
        await tools("tui_terminal_read", window_id="win_1")
        await tools.operation("destroy", session="win_1")
        assert await front() == "win_2"
        # An empty id means no id.
        assert (await tools("tui_terminal_read", window_id=""))["window_id"] == "win_2"


async def test_an_unknown_window_is_refused(cotty):
    other = cotty.call("create", client="another", program="cat")["number"]
    async with tools_of(cotty, "tui") as tools:
        await tools("tui_create_window")
        await tools("tui_create_window")
        await tools.operation("destroy", session="win_3")
        missing = {"win_99": "SESSION_NOT_FOUND", "win_3": "SESSION_DESTROYED", f"win_{other}": "NOT_YOURS", "chat": "SESSION_NOT_FOUND", "win_": "SESSION_NOT_FOUND"}
        for window, code in missing.items():
            for tool, more in (("tui_terminal_read", {}), ("tui_terminal_write", {"text": "x"})):
                error = await tools.refused(code, tool, window_id=window, **more)
                assert error["message"] == "window not found or not a terminal"
                assert error["hint"] == "choose one of: win_2"
        error = await tools.refused("INVALID_INPUT", "tui_create_window", window_type="browser")
        assert "browser" in error["message"] and error["hint"] == "choose one of: terminal"


async def test_invalid_input_is_refused(cotty):
    async with tools_of(cotty, "tui") as tools:
        await tools("tui_create_window")
        await tools.refused("NO_INPUT", "tui_terminal_write", text="")
        await tools.refused("INVALID_INPUT", "tui_terminal_write", window_id="win_1")
        await tools("tui_terminal_write", text="read -rs secret\n")
        await tools.until("win_1", secret=True)
        error = await tools.refused("SECRET_INPUT", "tui_terminal_write", text="guess\n")
        assert "Ctrl-C" in error["hint"]
        await tools("tui_terminal_write", text="\x03")
        await tools.until("win_1", prompt=True)
        await tools("tui_terminal_write", text="exit\n")
        await tools.until("win_1", exit=True)
        error = await tools.refused("PROCESS_EXITED", "tui_terminal_write", text="x")
        assert "tui_create_window" in error["hint"]
        assert (await tools("tui_terminal_read"))["state"] == "exited"


async def test_a_window_is_a_session_by_another_name(cotty):
    session = cotty.new("--", "cat")
    number = cotty.info(session)["number"]
    for reference in (f"win_{number}", str(number), session):
        assert cotty.call("info", actor="person", session=reference)["session_id"] == session
    for name in ("win_1", "win_007", "active"):
        cotty.call("create", actor="person", program="cat", name=name, error="INVALID_INPUT")
    assert cotty.call("create", actor="person", program="cat", name="win_ter")["number"]


async def test_a_process_inside_a_session_has_no_front_window(cotty):
    """It may not type into its own window, and `tui_terminal_read` without a window never means it."""
    cotty("ls")
    made = cotty.call("create", program="bash", args=["--norc", "--noprofile"])
    calls = [("tui_terminal_read", {}), ("tui_terminal_write", {"text": "x"}), ("tui_terminal_read", {"window_id": f"win_{made['number']}"})]
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "inside", "version": "1"}}}]
    lines += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines += [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": name, "arguments": given}} for n, (name, given) in enumerate(calls, 1)]
    asked, said = cotty.work / "asked", cotty.work / "said"
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = f"{shlex.quote(str(BINARY))} mcp --tools tui < {asked} > {said}.part; mv {said}.part {said}\n"
    cotty.call("send", actor="person", session=made["session_id"], text=command)
    eventually(said.exists)
    answers = {(answer := json.loads(line))["id"]: answer["result"]["structuredContent"] for line in said.read_text().splitlines() if json.loads(line)["id"]}
    for nth in (1, 2):
        assert answers[nth]["error"]["message"] == "no terminal window", answers[nth]
    # It may read its own window by id: it sees that screen anyway.
    assert "mcp --tools tui" in answers[3]["text"]
