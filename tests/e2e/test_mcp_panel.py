"""The tool set `panel`, through the official Python client."""

import time

import pytest
from agents import ERAS
from toolsets import described, hints, tools_of

pytestmark = pytest.mark.anyio


@ERAS
async def test_the_tools_and_their_schemas(cotty, mode):
    tools = await described(cotty, "panel", mode)
    assert tools.keys() == {"terminal_write", "terminal_read_screen"}
    write, read = tools["terminal_write"], tools["terminal_read_screen"]
    assert (hints(write), hints(read)) == ((False, True, True), (True, False, False))
    assert write.input_schema["properties"].keys() == {"text", "panelId"}
    assert write.input_schema["required"] == ["text"]
    assert read.input_schema["properties"].keys() == {"panelId", "timeoutMs"}
    assert "required" not in read.input_schema


async def session_of(tools, panel):
    """The session of an agent's panel."""
    listed = (await tools.operation("list"))["sessions"]
    (only,) = [info["session_id"] for info in listed if info.get("panel_id") == panel and not info["exited"]]
    return only


# R-W03
@ERAS
async def test_write_opens_a_panel_and_read_screen_shows_it(cotty, mode):
    async with tools_of(cotty, "panel", mode=mode) as tools:
        written = await tools("terminal_write", text="echo $((6 * 7)) && tty\n")
        assert (written["ok"], written["panelId"], written["opened"]) == (True, "terminal", True)
        await tools.until(await session_of(tools, "terminal"), prompt=True)
        read = await tools("terminal_read_screen")
        snapshot = read["snapshot"]
        assert (read["panelId"], read["state"]) == ("terminal", "prompt")
        assert (snapshot["rows"], snapshot["cols"], len(snapshot["lines"])) == (24, 80, 24)
        assert snapshot["lines"][1] == "42" and snapshot["lines"][2].startswith("/dev/pts/")
        assert (snapshot["cursor"]["y"], snapshot["alternate"]) == (3, False)
        # A single panel needs no name, and is not opened twice.
        again = await tools("terminal_write", text="cd /; pwd\n")
        assert again["panelId"] == "terminal" and "opened" not in again
        assert (await tools.operation("list"))["count"] == 1


async def test_read_screen_waits_until_the_screen_is_still(cotty):
    async with tools_of(cotty, "panel") as tools:
        await tools("terminal_write", text="yes\n")
        await tools.until(await session_of(tools, "terminal"), regex="(?m)^y$")
        # A screen that is never still is returned after the timeout; with timeout 0, at once.
        begun = time.monotonic()
        assert (await tools("terminal_read_screen", timeoutMs=300))["program"] == "yes"
        assert time.monotonic() - begun >= 0.3
        assert "y" in (await tools("terminal_read_screen", timeoutMs=0))["snapshot"]["lines"]
        await tools("terminal_write", text="\x03")
        await tools.until(await session_of(tools, "terminal"), prompt=True)
        # The timeout exceeds a call's limit, but a still screen is returned at once.
        assert (await tools("terminal_read_screen", timeoutMs=10**9))["state"] == "prompt"


async def test_with_several_panels_a_call_must_name_one(cotty):
    async with tools_of(cotty, "panel") as tools:
        error = await tools.refused("SESSION_NOT_FOUND", "terminal_read_screen")
        assert "(terminal_write)" in error["hint"]
        for panel in ("build: 1", "логи"):
            opened = await tools("terminal_write", text=f"echo in '{panel}'; cat\n", panelId=panel)
            assert (opened["panelId"], opened["opened"]) == (panel, True)
            await tools.until(await session_of(tools, panel), regex=f"(?m)^in {panel}")
        for panel in ("build: 1", "логи"):
            read = await tools("terminal_read_screen", panelId=panel)
            assert f"in {panel}" in read["snapshot"]["lines"] and read["panelId"] == panel
        for tool, more in (("terminal_write", {"text": "x"}), ("terminal_read_screen", {})):
            error = await tools.refused("INVALID_INPUT", tool, **more)
            assert error["hint"] == "choose one of: build: 1, логи"
        error = await tools.refused("SESSION_NOT_FOUND", "terminal_read_screen", panelId="other")
        assert "other" in error["message"] and error["hint"] == "choose one of: build: 1, логи"
        assert (await tools.operation("list"))["count"] == 2


async def test_a_panel_whose_shell_ended_is_readable_and_opens_again(cotty):
    async with tools_of(cotty, "panel") as tools:
        await tools("terminal_write", text="echo once; exit 3\n", panelId="p")
        (only,) = (await tools.operation("list"))["sessions"]
        await tools.until(only["session_id"], exit=True)
        read = await tools("terminal_read_screen")
        assert read["state"] == "exited" and "once" in read["snapshot"]["lines"]
        again = await tools("terminal_write", text="echo again\n")
        assert (again["panelId"], again["opened"]) == ("p", True)
        await tools.until(await session_of(tools, "p"), prompt=True)
        read = await tools("terminal_read_screen", panelId="p")
        assert "again" in read["snapshot"]["lines"] and "once" not in read["snapshot"]["lines"]


async def test_invalid_writes_are_refused(cotty):
    async with tools_of(cotty, "panel") as tools:
        for panel in ("x" * 65, "two\nlines"):
            error = await tools.refused("INVALID_INPUT", "terminal_write", text="x", panelId=panel)
            assert "panel" in error["message"]
        await tools.refused("INVALID_INPUT", "terminal_write")
        await tools.refused("INVALID_INPUT", "terminal_write", text=5)
        await tools.refused("INVALID_INPUT", "terminal_read_screen", timeoutMs=-1)
        error = await tools.refused("INVALID_INPUT", "terminal_write", text="x", panel_id="p")
        assert "panelId" in error["hint"]
        assert (await tools.operation("list"))["count"] == 0
        await tools("terminal_write", text="read -rs secret\n")
        session = await session_of(tools, "terminal")
        await tools.until(session, secret=True)
        assert (await tools("terminal_read_screen"))["state"] == "secret_input"
        await tools.refused("SECRET_INPUT", "terminal_write", text="guess\n")
        await tools("terminal_write", text="\x03")
        await tools.until(session, prompt=True)
        await tools.operation("keyboard", session=session, action="take")
        error = await tools.refused("KEYBOARD_HELD", "terminal_write", text="x")
        assert "terminal_read_screen" in error["hint"]
        assert (await tools("terminal_read_screen"))["keyboard_held_by"] == "tests"


async def test_panels_belong_to_their_owner_and_outlive_client_and_daemon(cotty):
    async with tools_of(cotty, "panel") as tools:
        await tools("terminal_write", text="here=kept\n")
    cotty.kill_daemon()
    # Another owner has another scope.
    assert cotty.call("panels", client="another") == {"panels": []}
    other = cotty.call("panel_open", client="another")
    assert (other["panel_id"], other["opened"]) == ("terminal", True)
    assert cotty.call("panel_open", client="another") == other | {"opened": False}
    async with tools_of(cotty, "panel") as tools:
        written = await tools("terminal_write", text="echo $here\n")
        assert written["panelId"] == "terminal" and "opened" not in written
        (own,) = [i for i in (await tools.operation("list"))["sessions"] if i["session_id"] != other["session_id"]]
        await tools.until(own["session_id"], prompt=True)
        assert "kept" in (await tools("terminal_read_screen"))["snapshot"]["lines"]
