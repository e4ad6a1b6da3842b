"""The tool set `pty`, through the official Python client."""

import json
import re
import signal
from pathlib import Path

import anyio
import pytest
from conftest import alive, eventually, eventually_async
from agents import ERAS, in_era
from toolsets import described, hints, tools_of

pytestmark = pytest.mark.anyio

READS, TYPES, CHANGES, ENDS = (True, False, False), (False, True, True), (False, False, False), (False, True, False)
TOOLS = {
    "pty_launch": (TYPES, {"command", "working_dir", "cols", "rows"}, set()),
    "pty_send_keys": (TYPES, {"session_id", "keys", "special"}, {"session_id", "keys"}),
    "pty_get_screen": (
        READS,
        {"session_id", "include_colors", "include_cursor", "start_line", "end_line"},
        {"session_id"},
    ),
    "pty_get_cursor": (READS, {"session_id"}, {"session_id"}),
    "pty_resize": (CHANGES, {"session_id", "cols", "rows"}, {"session_id", "cols", "rows"}),
    "pty_start_capture": (CHANGES, {"session_id"}, {"session_id"}),
    "pty_stop_capture": (CHANGES, {"session_id"}, {"session_id"}),
    "pty_list": (READS, set(), set()),
    "pty_kill": (ENDS, {"session_id", "signal"}, {"session_id"}),
    "pty_set_scrollback": (CHANGES, {"session_id", "lines"}, {"session_id", "lines"}),
}


class Pty:
    """One session of the tool set."""

    def __init__(self, tools, number):
        self.tools, self.number = tools, number

    async def __call__(self, tool, **arguments):
        return await self.tools(f"pty_{tool}", session_id=self.number, **arguments)

    async def keys(self, keys, special=None):
        given = {} if special is None else {"special": special}
        return await self("send_keys", keys=keys, **given)

    async def until(self, **conditions):
        return await self.tools.until(self.number, **conditions)

    async def contents(self, **arguments):
        return (await self("get_screen", **arguments))["contents"]

    async def run(self, line):
        """Runs a command in a shell and waits for its end."""
        await self.keys(line + "\n")
        await self.until(prompt=True)


async def launch(tools, command=None, **arguments):
    given = {} if command is None else {"command": command}
    return Pty(tools, (await tools("pty_launch", **given, **arguments))["session_id"])


async def exit_of(tools, command):
    """Launches a command line, waits for its exit, and returns the screen."""
    pty = await launch(tools, command)
    await pty.until(exit=True)
    return await pty.contents()


@ERAS
async def test_the_tools_and_their_schemas(cotty, mode):
    tools = await described(cotty, "pty", mode)
    # `pty_request_user_input` has its own tests.
    assert TOOLS.keys() <= tools.keys() <= TOOLS.keys() | {"pty_request_user_input"}
    for name, (said, parameters, required) in TOOLS.items():
        schema = tools[name].input_schema
        assert hints(tools[name]) == said, name
        assert (set(schema.get("properties", {})), set(schema.get("required", []))) == (parameters, required), name
    screen = tools["pty_get_screen"]
    taken = screen.input_schema["properties"]["session_id"]["anyOf"]
    assert [one["type"] for one in taken] == ["integer", "string"]
    assert "from 0" in screen.output_schema["properties"]["cursor_position"]["description"]
    assert "columns, rows" in screen.output_schema["properties"]["size"]["description"]


# R-P01


@in_era("auto")
async def test_launch_without_arguments_starts_the_callers_shell_in_its_directory(cotty, mode):
    async with tools_of(cotty, "pty", mode=mode) as tools:
        made = await tools("pty_launch")
        expected = {"session_id": 1, "command": "bash", "working_dir": str(cotty.work), "size": [80, 24]}
        assert {name: made[name] for name in expected} == expected
        assert made["state"] == "prompt"
        assert (await launch(tools, "")).number == 2


async def test_launch_takes_directory_and_size(cotty):
    (cotty.work / "a project").mkdir()
    async with tools_of(cotty, "pty") as tools:
        made = await tools("pty_launch", command="bash", working_dir="a project", cols=100, rows=30)
        assert (made["working_dir"], made["size"]) == (str(cotty.work / "a project"), [100, 30])
        pty = Pty(tools, made["session_id"])
        await pty.run("stty size; pwd")
        assert ["30 100", str(cotty.work / "a project")] == (await pty.contents()).splitlines()[1:3]


async def test_launch_refuses_what_it_cannot_start(cotty):
    async with tools_of(cotty, "pty") as tools:
        await tools.refused("PROGRAM_NOT_FOUND", "pty_launch", command="no-such-program --x")
        error = await tools.refused("INVALID_INPUT", "pty_launch", command="echo 'open")
        assert "not closed" in error["message"]
        await tools.refused("INVALID_INPUT", "pty_launch", working_dir="/nowhere")
        await tools.refused("INVALID_INPUT", "pty_launch", cols=1)
        await tools.refused("INVALID_INPUT", "pty_launch", rows=-1)
        await tools.refused("INVALID_INPUT", "pty_launch", rows=100_000)
        error = await tools.refused("INVALID_INPUT", "pty_launch", program="bash")
        assert "command" in error["hint"]
        assert await tools("pty_list") == {"sessions": []}


# R-P01, R-P15 (injection on launch)
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("printf '%s\\n' 'a; touch made' '$(touch made)' '`touch made`'", ["a; touch made", "$(touch made)", "`touch made`"]),
        ('printf "%s\\n" "a; touch made" "| touch made" "> made"', ["a; touch made", "| touch made", "> made"]),
        ("printf '%s\\n' a\\;touch\\ made \\$HOME '&& touch made'", ["a;touch made", "$HOME", "&& touch made"]),
        ("printf '%s\\n' 'two\ntouch made' \"it's\" ''", ["two", "touch made", "it's"]),
    ],
)
async def test_quoted_words_are_never_a_command(cotty, command, shown):
    async with tools_of(cotty, "pty") as tools:
        assert (await exit_of(tools, command)).splitlines() == shown
        await tools.refused("INVALID_INPUT", "pty_launch", command="true", working_dir="$(touch made)")
    assert not (cotty.work / "made").exists()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo one; echo two | tr a-z A-Z", "one\nTWO"),
        ("X=1 sh -c 'echo $X'", "1"),
        ("cd / && pwd", "/"),
        ("echo $(echo inner)", "inner"),
        ("echo one\necho two", "one\ntwo"),
        ("ls *.txt", "a.txt  b.txt"),
    ],
)
async def test_shell_syntax_goes_through_a_shell(cotty, command, shown):
    for name in ("a.txt", "b.txt"):
        (cotty.work / name).touch()
    async with tools_of(cotty, "pty") as tools:
        assert await exit_of(tools, command) == shown
        (only,) = (await tools("pty_list"))["sessions"]
        assert (only["command"], only["status"], only["exit_code"]) == (command, "exited", 0)


@pytest.mark.parametrize(
    "command", ["mkfs.ext4 x", "true; mkfs.ext4 x", "sh -c 'true; mkfs.ext4 x'", "sudo mkfs.ext4 x", "(mkfs.ext4 x)"]
)
async def test_policy_judges_a_launched_line(cotty, mkfs, command):
    async with tools_of(cotty, "pty") as tools:
        await tools.refused("POLICY_DENIED", "pty_launch", command=command)
        assert await exit_of(tools, "echo 'a; mkfs.ext4 x'") == "a; mkfs.ext4 x"
    assert not mkfs.exists()


# R-P09, R-P14 (limits)
async def test_fifteen_sessions_of_a_thousand_lines(cotty):
    async with tools_of(cotty, "pty") as tools:
        for number in range(1, 16):
            assert (await launch(tools, "cat")).number == number
        error = await tools.refused("MAX_SESSIONS", "pty_launch", command="cat")
        assert "15" in error["message"]
        assert {(await tools.operation("info", session=str(n)))["history_lines"] for n in (1, 15)} == {1000}
        # An exited session does not count.
        await tools("pty_kill", session_id=3)
        assert (await launch(tools, "cat")).number > 15
    # Other tools of the same agent have their own limits.
    async with tools_of(cotty, "terminal") as tools:
        error = await tools.refused("MAX_SESSIONS", "terminal__create_session", program="cat")
        assert "10" in error["message"]


async def test_client_settings_override_the_tool_sets_defaults(cotty):
    cotty("ls")
    cotty.env |= {"COTTY_TERMINAL_SCROLLBACK_LIMIT": "77", "COTTY_LIMITS_MAX_PER_OWNER": "1"}
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, "cat")
        assert (await tools.operation("info", session=str(pty.number)))["history_lines"] == 77
        await tools.refused("MAX_SESSIONS", "pty_launch")


# R-P02


@in_era("legacy")
async def test_keys_are_text_unless_special(cotty, mode):
    async with tools_of(cotty, "pty", mode=mode) as tools:
        pty = await launch(tools, "cat -v")
        assert (await pty.keys("grep '^Cargo' [UP] \\^ \t|\n"))["sent"]
        await pty.until(regex=r"(?s)\[UP\].*\[UP\]")
        assert (await pty.contents()).splitlines() == ["grep '^Cargo' [UP] \\^   |"] * 2
        await pty.keys("x\n", special=False)
        sent = await pty.keys("^C", special=True)
        assert sent["session_id"] == pty.number
        assert (await pty.until(exit=True))["exited"]


async def test_special_keys_are_encoded(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, "stty raw -echo; cat -v", cols=100)
        await pty.until(reads=True)
        await pty.keys("a[UP][DOWN][LEFT][RIGHT][HOME][END][PGUP][PGDN][F1][F12]^A^Z^[b\t\n", special=True)
        await pty.until(text="^M")
        # `cat -v` prints a tab unchanged: it reaches column 57.
        keys = "a^[[A^[[B^[[D^[[C^[[H^[[F^[[5~^[[6~^[OP^[[24~^A^Z^[b    ^M"
        assert await pty.contents() == keys
        await pty.keys([" ", "\\^C", "\\[UP]", "[NOKEY]", "^", "C", "[U", "P]"], special=True)
        await pty.until(text="P]")
        assert (await pty.contents()) == keys + " ^C[UP][NOKEY]^C[UP]"


async def test_keys_may_be_a_list(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools)
        await pty.keys(["echo ", "", "one", "; echo two\n"])
        await pty.until(prompt=True)
        assert (await pty.contents()).splitlines()[1:3] == ["one", "two"]


# R-P15 (injection on send_keys): text typed into a program is data to that program, whatever it contains.
async def test_text_is_typed_literally(cotty):
    nasty = ["; touch made", "$(touch made)", "`touch made`", "^C^D^Z", "[UP][HOME]", "a'\"\\", "é漢🙂"]
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, f"cat > {cotty.work}/said")
        await pty.until(reads=True)
        await pty.keys("\n".join(nasty) + "\n")
        eventually(lambda: (cotty.work / "said").read_text().splitlines() == nasty)
        # No paste brackets are added: the program did not ask for them.
        await pty.keys("\x04")
        await pty.until(exit=True)
    assert (cotty.work / "said").read_text().splitlines() == nasty
    assert not (cotty.work / "made").exists()


async def test_invalid_input_is_refused(cotty):
    async with tools_of(cotty, "pty") as tools:
        for session in (99, "99", "sess_nowhere", -1, "", "no name"):
            error = await tools.refused("SESSION_NOT_FOUND", "pty_send_keys", session_id=session, keys="x")
            assert "pty_list" in error["hint"]
        pty = await launch(tools, "cat")
        for keys in ("", [], ["", ""]):
            await tools.refused("NO_INPUT", "pty_send_keys", session_id=pty.number, keys=keys)
        for keys in (5, None, {"key": "x"}, ["a", 5]):
            error = await tools.refused("INVALID_INPUT", "pty_send_keys", session_id=pty.number, keys=keys)
            assert "keys" in error["message"]
        await tools.refused("INVALID_INPUT", "pty_send_keys", session_id=pty.number)
        for session in (None, 1.5, [1], {}):
            await tools.refused("INVALID_INPUT", "pty_send_keys", session_id=session, keys="x")
        await tools.operation("send", session=str(pty.number), text="mine")
        error = await tools.refused("KEYBOARD_HELD", "pty_send_keys", session_id=pty.number, keys="x")
        assert "keyboard_held_by" in error["hint"]
        assert (await pty("get_screen"))["keyboard_held_by"] == "tests"
        await tools.operation("keyboard", session=str(pty.number), action="give")
        await pty.keys("^C", special=True)
        await pty.until(exit=True)
        error = await tools.refused("PROCESS_EXITED", "pty_send_keys", session_id=pty.number, keys="x")
        assert "pty_launch" in error["hint"]


async def test_an_agent_cannot_type_a_secret(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools)
        await pty.keys("read -rs secret\n")
        await pty.until(secret=True)
        assert (await pty("get_screen"))["state"] == "secret_input"
        error = await tools.refused("SECRET_INPUT", "pty_send_keys", session_id=pty.number, keys="x\n")
        assert "pty_request_user_input" in error["hint"]
        await pty.keys("^C", special=True)
        await pty.until(prompt=True)


async def test_a_session_is_found_by_number_text_id_and_name(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, "cat")
        info = await tools.operation("info", session=str(pty.number))
        for reference in (1, "1", " 1 ", info["session_id"], "win_1", "active"):
            assert await tools("pty_get_cursor", session_id=reference) == {"session_id": 1, "position": [0, 0]}


# R-T19 for the small numbers of this tool set.
async def test_another_owners_number_opens_nothing(cotty):
    other = cotty.call("create", client="another", program="cat")["number"]
    async with tools_of(cotty, "pty") as tools:
        for tool, more in {"send_keys": {"keys": "x"}, "get_screen": {}, "kill": {}, "start_capture": {}}.items():
            await tools.refused("NOT_YOURS", f"pty_{tool}", session_id=other, **more)
        assert await tools("pty_list") == {"sessions": []}
    assert not cotty.call("info", actor="person", session=str(other))["exited"]


# R-P03, R-P04


async def test_get_screen_returns_cursor_and_colours(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, "sh -c 'printf \"\\033[31mred\\033[0m plain\\n\\n  in\"; cat'")
        await pty.until(text="in")
        screen = await pty("get_screen")
        assert screen == {
            "session_id": 1,
            "contents": "red plain\n\n  in",
            "cursor_position": [4, 2],
            "size": [80, 24],
            "lines_above": 0,
            "state": screen["state"],
            "program": "cat",
        }
        assert await pty("get_cursor") == {"session_id": 1, "position": [4, 2]}
        coloured = await pty("get_screen", include_colors=True, include_cursor=False)
        assert "cursor_position" not in coloured and coloured["contents"] == screen["contents"]
        assert re.match("\x1b\\[[0-9;]*31m", coloured["colors"])
        assert re.sub("\x1b\\[[0-9;]*m", "", coloured["colors"]) == screen["contents"]


# R-P14 (line ranges)
async def test_get_screen_returns_ranges_of_lines(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, "seq 100", rows=10)
        await pty.until(exit=True)
        lines = lambda **given: pty("get_screen", **given)
        screen = await lines()
        # The last row is empty, below 100.
        assert screen["contents"].splitlines() == [str(n) for n in range(92, 101)]
        assert (screen["lines_above"], screen["state"], screen["exit_code"]) == (91, "exited", 0)

        async def numbers(**given):
            return (await lines(**given))["contents"].split("\n")

        assert await numbers(start_line=0, end_line=1) == ["92", "93"]
        assert await numbers(start_line=-2) == ["90", "91", *map(str, range(92, 101)), ""]
        assert await numbers(start_line=-3, end_line=-2) == ["89", "90"]
        assert await numbers(start_line=-91, end_line=-91) == ["1"]
        assert await numbers(start_line=-500, end_line=-91) == ["1"]
        assert await numbers(start_line=-500, end_line=-92) == [""]
        assert await numbers(start_line=8, end_line=500) == ["100", ""]
        assert await numbers(end_line=0) == ["92"]
        coloured = await lines(start_line=-1, end_line=0, include_colors=True)
        assert coloured["colors"] == coloured["contents"] == "91\n92"
        error = await tools.refused("INVALID_INPUT", "pty_get_screen", session_id=1, start_line=3, end_line=2)
        assert "0 to 9" in error["hint"]
        error = await tools.refused("INVALID_INPUT", "pty_get_screen", session_id=1, start_line=-(10**18))
        assert "pty_start_capture" in error["hint"]
        for wrong in ("one", 10**30, 1.5):
            await tools.refused("INVALID_INPUT", "pty_get_screen", session_id=1, start_line=wrong)


# R-P05
async def test_resize(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools)
        assert await pty("resize", cols=100, rows=30) == {"session_id": 1, "size": [100, 30]}
        await pty.run("stty size")
        screen = await pty("get_screen")
        assert "30 100" in screen["contents"].splitlines() and screen["size"] == [100, 30]
        for size in ({"cols": 1, "rows": 30}, {"cols": 100, "rows": 0}, {"cols": 5000, "rows": 5}, {"cols": -1, "rows": 5}, {"cols": 80}):
            await tools.refused("INVALID_INPUT", "pty_resize", session_id=1, **size)
        assert (await pty("get_screen"))["size"] == [100, 30]


# R-P06
async def test_a_capture_continues_after_a_restart(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools)
        assert "pty_start_capture" in (await tools.refused("NO_CAPTURE", "pty_stop_capture", session_id=1))["hint"]
        file = (await pty("start_capture"))["capture_file"]
        assert re.fullmatch(r"session-1-capture-\d{8}-\d{6}\.log", Path(file).name)
        assert "pty_stop_capture" in (await tools.refused("CAPTURE_RUNNING", "pty_start_capture", session_id=1))["hint"]
        await pty.run("echo before")
        cotty.kill_daemon()
        await pty.run("echo after")
        stopped = await pty("stop_capture")
        assert (stopped["session_id"], stopped["capture_file"]) == (1, file)
        lines = [json.loads(line) for line in Path(file).read_text().splitlines()]
        assert all(line.keys() == {"timestamp", "data"} for line in lines)
        said = "".join(line["data"] for line in lines)
        assert "\abefore\r\n" in said and "\aafter\r\n" in said
        assert stopped["bytes_captured"] == len(said.encode()) and stopped["duration_seconds"] > 0
        await pty.run("echo too late")
        assert "too late" not in Path(file).read_text()
        await tools.refused("NO_CAPTURE", "pty_stop_capture", session_id=1)


# R-P07
async def test_list_shows_running_stopped_and_exited(cotty):
    async with tools_of(cotty, "pty") as tools:
        assert await tools("pty_list") == {"sessions": []}
        pty = await launch(tools, "cat -v", cols=90)
        ended = await launch(tools, "sh -c 'exit 3'")
        await ended.until(exit=True)
        first, second = (await tools("pty_list"))["sessions"]
        expected = {"id": 1, "command": "cat -v", "working_dir": str(cotty.work), "status": "running", "size": [90, 24]}
        assert {name: first[name] for name in expected} == expected
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", first["created_at"])
        assert "exit_code" not in first
        assert (second["status"], second["exit_code"], second["working_dir"]) == ("exited", 3, str(cotty.work))

        async def is_now(status):
            return (await tools("pty_list"))["sessions"][0]["status"] == status

        for name, then in (("STOP", "stopped"), ("CONT", "running")):
            await tools.operation("signal", actor="person", session=str(pty.number), signal=name)
            await eventually_async(lambda: is_now(then), label=f"the first session is {then}")


# R-P08
@pytest.mark.parametrize(
    ("given", "code"), [({}, None), ({"signal": "SIGTERM"}, None), ({"signal": "SIGHUP"}, None), ({"signal": "SIGKILL"}, None)]
)
async def test_kill_ends_the_session_and_everything_it_started(cotty, given, code):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, "sh -c 'sleep 1000 & echo pid $!.; cat'")
        await pty.until(regex=r"pid \d+\.")
        child = int(re.search(r"pid (\d+)\.", await pty.contents())[1])
        killed = await pty("kill", **given)
        assert killed == {"session_id": 1, "signal": given.get("signal", "SIGTERM"), "killed": True, "exit_code": code}
        assert not alive(child)
        assert await tools("pty_list") == {"sessions": []}
        error = await tools.refused("SESSION_DESTROYED", "pty_kill", session_id=1)
        assert "pty_launch" in error["hint"]


async def test_sigkill_kills_without_asking_first(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools, f"sh -c 'trap \"touch {cotty.work}/asked\" TERM HUP; echo ready; while :; do read x; done'")
        await pty.until(text="ready")
        assert (await pty("kill", signal="SIGKILL"))["killed"]
    assert not (cotty.work / "asked").exists()


async def test_sigint_interrupts_only_the_foreground(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools)
        await pty.keys("sleep 1000\n")
        eventually(lambda: cotty.call("info", actor="person", session="1")["activity"].get("program") == "sleep")
        killed = await pty("kill", signal="SIGINT")
        assert killed == {"session_id": 1, "signal": "SIGINT", "killed": False, "exit_code": None}
        await pty.until(prompt=True)
        await pty.run("echo $?")
        assert str(128 + signal.SIGINT) in (await pty.contents()).splitlines()
        error = await tools.refused("INVALID_INPUT", "pty_kill", session_id=1, signal="SIGSEGV")
        assert "SIGTERM" in error["message"]


# R-P09
async def test_scrollback_can_be_changed_at_any_time(cotty):
    async with tools_of(cotty, "pty") as tools:
        pty = await launch(tools)
        await pty.run("seq 3000")
        assert 1000 <= (await pty("get_screen"))["lines_above"] < 1500
        assert await pty("set_scrollback", lines=2000) == {"session_id": 1, "scrollback_lines": 2000}
        await pty.run("seq 5000")
        assert 2000 <= (await pty("get_screen"))["lines_above"] < 3000
        assert (await pty("set_scrollback", lines=0))["scrollback_lines"] == 0
        assert (await pty("get_screen"))["lines_above"] == 0
        for lines in (-1, 1_000_001, "many"):
            await tools.refused("INVALID_INPUT", "pty_set_scrollback", session_id=1, lines=lines)
