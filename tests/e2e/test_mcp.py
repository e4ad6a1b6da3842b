"""`cotty mcp` as an agent sees it, through the official Python client."""

import json
import os
import shlex
import signal
import subprocess
import time
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import jsonschema
import pytest
from conftest import BINARY, LIMIT, alive, eventually, openly

pytestmark = pytest.mark.anyio

TOOLS = {
    "terminal__create_session",
    "terminal__destroy_session",
    "terminal__list_sessions",
    "terminal__send",
    "terminal__read",
    "terminal__get_info",
    "terminal__run",
    "terminal__wait",
    "terminal__request_user_input",
    "terminal__search",
    "terminal__resize",
}
# Protocol revisions up to 2025-11-25 begin with `initialize`, those since 2026-07-28 do not.
ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])


class Agent:
    """Calls tools by their short names."""

    def __init__(self, client):
        self.client = client

    async def __call__(self, tool, **arguments):
        result = await self.client.call_tool(f"terminal__{tool}", arguments)
        assert not result.is_error, result.content[0].text
        # SESSIONS.md trap 17: one client shows the model only the one, another only the other.
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refused(self, code, tool, **arguments):
        """Calls what must fail, and answers the error."""
        result = await self.client.call_tool(f"terminal__{tool}", arguments)
        assert result.is_error, result.structured_content
        error = result.structured_content["error"]
        assert error["code"] == code, error
        for part in (code, error["message"], error.get("hint") or ""):
            assert part in result.content[0].text
        return error

    async def shell(self, **arguments):
        made = await self("create_session", program="bash", **arguments)
        assert made["ready"]
        return made["session_id"]

    async def run(self, session, command, **arguments):
        return await self("run", session_id=session, command=command, **arguments)

    async def output(self, session, command, code=0):
        """A command's own output, once it is done."""
        ran = await self.run(session, command)
        assert (ran["outcome"], ran["exit_code"]) == ("done", code), ran
        return ran["output"]

    async def type(self, session, text, **read):
        """Types, and reads in the same call where told how to."""
        if not read:
            return await self("send", session_id=session, text=text)
        return (await self("send", session_id=session, text=text, read=read))["read_result"]

    async def interrupt(self, session):
        """Ctrl-C, and the prompt after it."""
        sent = await self("send", session_id=session, key="c", ctrl=True, read={"view": "new", "wait_for_prompt": True})
        assert sent["read_result"]["prompt_detected"], sent
        return sent["read_result"]


@asynccontextmanager
async def agent_of(cotty, **options):
    async with openly(cotty.mcp(read_timeout_seconds=2 * LIMIT, **options)) as client:
        yield Agent(client)


class Gate:
    """A fifo: what reads it in a terminal waits until the test opens it."""

    def __init__(self, cotty, name="gate"):
        self.path = cotty.work / name
        os.mkfifo(self.path)

    def __str__(self):
        return shlex.quote(str(self.path))

    async def open(self, text="go"):
        fd = await soon(self.writer)
        os.write(fd, f"{text}\n".encode())
        os.close(fd)

    def writer(self):
        """The end to write to, once somebody reads."""
        try:
            return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None


async def soon(what):
    return await anyio.to_thread.run_sync(lambda: eventually(what))


def carriers(session):
    """Live processes that carry the session's mark in their environment."""
    mark = f"COTTY_SESSION={session}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0") and alive(entry.name):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


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


async def test_answers_keep_to_their_own_schemas(cotty):
    """The client checks each structured answer against the tool's schema; here are those with something missing."""
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "true")
        assert (await agent.run(session, "read x", timeout_ms=100))["outcome"] == "running"
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


# `run`: a command's own output and exit code


@ERAS
async def test_run_answers_output_and_exit_code(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo out; echo err >&2; cd /; (exit 42)")
        assert (ran["outcome"], ran["output"], ran["exit_code"], ran["cwd"]) == ("done", "out\nerr\n", 42, "/")
        assert ran["state"] == "prompt"


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("false", "", 1),
        ("ls /nowhere-at-all", "ls: cannot access '/nowhere-at-all': No such file or directory\n", 2),
        ("nosuchprogram", "bash: nosuchprogram: command not found\n", 127),
        ("for i in 1 2\ndo\n  echo $i\ndone", "1\n2\n", 0),
        ("f() {\n  echo in f\n  return 5\n}; f", "in f\n", 5),
        ("echo a; false\necho b", "a\nb\n", 0),
        ("echo a\necho b\n(exit 6)", "a\nb\n", 6),
        ("cat <<'EOF'\none $HOME\n\n  two\nEOF", "one $HOME\n\n  two\n", 0),
        ("echo '  spaces  inside  '", "  spaces  inside\n", 0),
        ("echo 'first\n\nthird'", "first\n\nthird\n", 0),
        ("echo 漢字かな 🙂 é", "漢字かな 🙂 é\n", 0),
        ("printf 'no end'", "no end", 0),
        ("printf 'two\\nno end'", "two\nno end", 0),
        ("printf ''", "", 0),
        ("printf '%0300d' 7", "0" * 299 + "7", 0),
        ("printf 'over\\rwritten\\n'", "written\n", 0),
        ("printf '\\e[1;31mred\\e[0m\\n'", "red\n", 0),
        ("echo '; echo $(date)' # a comment", "; echo $(date)\n", 0),
        ("# only a comment", "", 0),
        ("   echo lead", "lead\n", 0),
        ("echo 1 &&\necho 2", "1\n2\n", 0),
        ("clear; echo after", "after\n", 0),
        ("printf '\\e]133;D;0\\a\\e]133;A\\a$ \\e]133;B\\a'; echo forged", "$ forged\n", 0),
    ],
)
async def test_run_gives_exactly_the_output(cotty, command, output, code):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, command, code) == output
        # And the next one is not disturbed.
        assert await agent.output(session, "echo next") == "next\n"


async def test_run_of_a_syntax_error(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo )")
        assert (ran["outcome"], ran["exit_code"]) == ("done", 2)
        assert "syntax error" in ran["output"] and "echo )\n" not in ran["output"]


async def test_run_of_many_lines_counts_what_was_dropped(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "seq 5000", max_bytes=0)
        assert ran["output"] == "".join(f"{n}\n" for n in range(1, 5001))
        ran = await agent.run(session, "seq 20000", max_bytes=0)
        lines = ran["output"].splitlines()
        assert lines == [str(n) for n in range(20001 - len(lines), 20001)]
        assert len(lines) >= 10_000
        assert ran["dropped_lines"] == 20_000 - len(lines)


async def test_run_that_ends_the_shell(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "exit 3")
        assert (ran["outcome"], ran["exit_code"], ran["state"]) == ("exited", 3, "exited")


async def test_run_in_the_background(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "sleep 100 &")
        assert (ran["outcome"], ran["exit_code"]) == ("done", 0)
        assert ran["output"].startswith("[1] ")
        assert "sleep 100" in await agent.output(session, "jobs")


async def test_a_command_that_reads_is_typed_into(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "read name; echo hello $name; (exit 4)", timeout_ms=200)
        assert (ran["outcome"], ran["exit_code"]) == ("running", None)
        read = await agent.type(session, "world\n", view="new", wait_for_prompt=True)
        assert read["prompt_detected"] and "hello world\n" in read["content"]
        assert await agent.output(session, "echo $?") == "4\n"


async def test_incomplete_command_says_that_the_shell_wants_more(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo 'open", timeout_ms=300)
        assert ran["outcome"] == "running"
        await agent.interrupt(session)
        assert await agent.output(session, "echo fine") == "fine\n"


@pytest.mark.parametrize("size", [3_000, 10_000, 100_000])
async def test_run_writes_a_file_of_any_size(cotty, size):
    """A long heredoc is how agents write files."""
    text = "".join(f"line {n} of the file\n" for n in range(size // 20))
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, f"cat > file.txt <<'EOF'\n{text}EOF") == ""
    assert (cotty.work / "file.txt").read_text() == text


async def test_what_several_commands_said_is_all_new(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent("read", session_id=session, view="new")
        read = await agent.type(session, "echo one; true\necho two\n", view="new", wait_for_prompt=True)
        assert read["content"].startswith("one\ntwo\n")



async def test_run_after_a_program_died_on_the_alternate_screen(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "printf '\\e[?1049h'")
        assert await agent.output(session, "echo visible") == "visible\n"


async def test_run_after_the_users_rc_was_read_again(cotty):
    (cotty.work / ".bashrc").write_text("PROMPT_COMMAND='count=1'\nPS1='$ '\n")
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "source ~/.bashrc", timeout_ms=2000)
        assert (ran["outcome"], ran["exit_code"]) == ("done", 0)
        assert await agent.output(session, "echo on") == "on\n"


async def test_traces_show_the_users_commands_only(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "set -x")
        assert await agent.output(session, "echo traced") == "+ echo traced\ntraced\n"


# Programs that own the screen


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
        ran = await agent.run(session, "vim -u NONE -n new.txt", timeout_ms=300)
        assert (ran["outcome"], ran["state"], ran["program"]) == ("running", "editor", "vim")
        await agent.type(session, "ihello")
        await agent("send", session_id=session, key="<Esc>")
        read = await agent.type(session, ":wq\n", wait_for_prompt=True)
        assert read["prompt_detected"] and "~" not in read["content"].splitlines()
        assert await agent.output(session, "echo $?; cat new.txt") == "0\nhello\n"


# Interrupts


async def test_interrupting_what_was_sent(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "echo st''arted; sleep 1000\n")
        await agent("wait", session_id=session, text="started")
        assert "^C" in (await agent.interrupt(session))["content"]
        assert await agent.output(session, "echo $?") == "130\n"


async def test_interrupting_a_run_that_answered_running(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo before; sleep 1000", timeout_ms=200)
        assert (ran["outcome"], ran["output"]) == ("running", "before\n")
        assert (ran["state"], ran["program"]) == ("running", "sleep")
        await agent.interrupt(session)
        assert await agent.output(session, "echo $?") == "130\n"


# R-T21
async def test_job_control(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "sleep 1000", timeout_ms=200)
        sent = await agent("send", session_id=session, key="z", ctrl=True, read={"view": "new", "wait_for_prompt": True})
        assert "Stopped" in sent["read_result"]["content"]
        assert "Stopped" in await agent.output(session, "jobs")
        await agent.output(session, "bg")
        assert "Running" in await agent.output(session, "jobs")
        assert (await agent.run(session, "fg", timeout_ms=200))["outcome"] == "running"
        await agent.interrupt(session)


# Waiting


async def test_wait_for_text_regex_idle_prompt_exit(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        # Two: whoever reads one again at once may still find it open.
        gate, second = Gate(cotty), Gate(cotty, "second")
        await agent.type(session, f"echo wor''king; read x < {gate}; echo 'result: 42'; read x < {second}; echo la''st\n")
        assert (await agent("wait", session_id=session, text="working"))["met"] == "text"
        assert (await agent("wait", session_id=session, idle_ms=100))["met"] == "idle"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gate.open)
            waited = await agent("wait", session_id=session, regex=r"^result: \d+$")
        assert waited["met"] == "regex" and "result: 42" in waited["screen"]
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(second.open)
            # A prompt that was there before does not count; the first condition that holds wins.
            waited = await agent("wait", session_id=session, prompt=True, text="never said")
        assert waited["met"] == "prompt" and "last" in waited["screen"]
        await agent.type(session, "exit 9\n")
        waited = await agent("wait", session_id=session, text="never said")
        assert (waited["met"], waited["exited"], waited["exit_code"]) == ("exit", True, 9)


async def test_wait_from_a_point_in_the_output(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        first = await agent.run(session, "echo marker")
        again = await agent("wait", session_id=session, text="marker", since=0)
        assert again["met"] == "text"
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="marker", since=first["next_since"], timeout_ms=100)


# R-T07
@ERAS
async def test_a_wait_that_times_out_explains_itself(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        await agent.run(session, "sleep 1000", timeout_ms=100)
        error = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="never", timeout_ms=100)
        assert "`sleep` is still running" in error["message"] and error["hint"]


ECHOES = {
    "at the prompt": ("bash", [], None),
    "in cat, by the kernel": ("cat", [], None),
    "in an unmarked shell": ("sh", ["-i"], None),
    "in python": ("python3", ["-q"], ">>>"),
}


@pytest.mark.parametrize(("program", "args", "ready"), ECHOES.values(), ids=ECHOES.keys())
async def test_the_echo_of_typed_input_never_matches(cotty, program, args, ready):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program=program, args=args))["session_id"]
        if ready:
            await agent("wait", session_id=session, text=ready)
        # Shown on the terminal, but nothing that the program says: `cat` only echoes the second, unfinished line.
        typed = "needle" if program == "cat" else ": needle" if "sh" in program else "x = 'needle'"
        if program == "cat":
            await agent.type(session, "first\n")
            await agent("wait", session_id=session, text="first")
            await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text=typed, timeout_ms=100)
            return
        await agent.type(session, f"{typed}\n")
        error = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="needle", timeout_ms=400)
        assert "typed" in error["message"]
        await agent.type(session, "print('need' + 'le')\n" if program == "python3" else "echo nee''dle\n")
        assert (await agent("wait", session_id=session, text="needle"))["met"] == "text"



async def test_the_echo_of_what_was_typed_ahead_never_matches(cotty):
    """Typed while another command runs, a line is shown twice: by the kernel, then by readline at the next prompt."""
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate = Gate(cotty)
        await agent.type(session, f"echo wai''ting; read x < {gate}\n")
        await agent("wait", session_id=session, text="waiting")
        await agent.type(session, ": needle\n")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gate.open)
            await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="needle", timeout_ms=500)


async def test_the_echo_of_several_typed_lines_never_matches(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        sent = await agent("send", session_id=session, text="true\n: needle\n", bracketed_paste=False)
        assert sent["sent"]
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="needle", timeout_ms=500)


async def test_wait_for_a_question_with_its_last_space(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "read -p 'your name''? ' name\n")
        assert (await agent("wait", session_id=session, text="name? ", timeout_ms=2000))["met"] == "text"
        assert (await agent("wait", session_id=session, regex=r"name\? $", timeout_ms=2000))["met"] == "regex"


# R-T13
@pytest.mark.parametrize("program", ["python3 -q", "bash --norc", "sh"])
async def test_the_prompt_of_a_program_inside_the_shell(cotty, program):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, f"{program}\n")
        assert (await agent("wait", session_id=session, prompt=True, timeout_ms=3000))["met"] == "prompt"


async def test_a_frame_that_never_ends_does_not_hold_up_a_wait(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "printf '\\e[?2026hhalf a frame'; read x\n")
        assert (await agent("wait", session_id=session, idle_ms=100, timeout_ms=3000))["met"] == "idle"


async def test_enter_by_any_key_makes_the_prompt_an_old_one(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate = Gate(cotty)
        await agent.type(session, f"read x < {gate}", wait_idle_ms=50)
        await agent("send", session_id=session, key="j", ctrl=True)
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=300)
        await gate.open()
        await agent("wait", session_id=session, prompt=True)


async def test_the_program_named_is_the_one_that_reads(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "seq 1000 | less", timeout_ms=500)
        assert (ran["state"], ran["program"]) == ("pager", "less")


async def test_a_wait_is_cancelled_without_touching_the_program(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate, out = Gate(cotty), cotty.work / "out"
        with anyio.move_on_after(LIMIT) as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(agent.run, session, f"touch begun; read x < {gate}; echo $x > {out}")
                await soon((cotty.work / "begun").exists)
                tasks.cancel_scope.cancel()
        assert not scope.cancelled_caught
        # The lane is free again, the command is not interrupted.
        await soon_not_busy(agent, session)
        await gate.open("through")
        await agent("wait", session_id=session, prompt=True)
        assert out.read_text() == "through\n"
        assert await agent.output(session, "echo $?") == "0\n"


async def soon_not_busy(agent, session):
    """A cancelled call lets go of the keyboard once the daemon has heard of it."""
    with anyio.fail_after(LIMIT):
        while True:
            result = await agent.client.call_tool("terminal__run", {"session_id": session, "command": "true"})
            code = result.structured_content["error"]["code"]
            if code == "NOT_AT_PROMPT":
                return
            assert code == "BUSY"


# Reading


# R-T05, R-T12
async def test_the_three_views(cotty):
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
        await one.output(session, "echo for both")
        assert "for both" in (await one("read", session_id=session, view="new"))["content"]
        assert "for both" in (await two("read", session_id=session, view="new", reader="two"))["content"]
        assert "for both" not in (await two("read", session_id=session, view="new"))["content"], "the owner has read it"


# Every tool that wants a session, with what else it needs.
OF_A_SESSION = [
    ("read", {}),
    ("send", {"text": "x"}),
    ("get_info", {}),
    ("destroy_session", {}),
    ("wait", {"idle_ms": 1}),
    ("run", {"command": "true"}),
    ("resize", {"rows": 30}),
    ("search", {"query": "x"}),
]


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


def implementation(name):
    from mcp.types import Implementation

    return Implementation(name=name, version="1")


# Errors, each by its code (R-T07)


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
        # Nothing of all that was typed.
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
        # One that has exited does not count.
        await agent("send", session_id=made[3]["session_id"], key="d", ctrl=True)
        await agent("wait", session_id=made[3]["session_id"], exit=True)
        await agent("create_session", program="cat")
        await agent.refused("MAX_SESSIONS", "create_session", program="cat")


async def test_the_limit_holds_for_sessions_that_are_made_at_once(cotty):
    async with agent_of(cotty) as agent:
        answers = []

        async def create():
            answers.append(await agent.client.call_tool("terminal__create_session", {"program": "cat"}))

        async with anyio.create_task_group() as tasks:
            for _ in range(15):
                tasks.start_soon(create)
        assert sum(not answer.is_error for answer in answers) == 10
        assert (await agent("list_sessions"))["count"] == 10


async def test_a_run_where_there_is_no_prompt(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "cat", timeout_ms=100)
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


async def test_what_ended_cannot_be_typed_into(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "exit 3")
        error = await agent.refused("PROCESS_EXITED", "send", session_id=session, text="x")
        assert error["message"] == "Process has exited with code 3"
        await agent.refused("PROCESS_EXITED", "run", session_id=session, command="true")
        read = await agent("read", session_id=session)
        assert (read["exited"], read["exit_code"]) == (True, 3)


@ERAS
async def test_two_runs_at_once(cotty, mode):
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
            # Reading is always possible, and another session is not concerned.
            await agent("read", session_id=session)
            assert await agent.output(await agent.shell(), "echo other") == "other\n"
            await gate.open("first")
        assert (results[0]["output"], results[0]["exit_code"]) == ("first\n", 0)


async def test_a_client_that_dies_lets_go_of_the_keyboard(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        call = {"name": "terminal__run", "arguments": {"session_id": session, "command": "touch begun; sleep 1000"}}
        pipe = cotty.start("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for message in [*INITIALIZE, request(1, "tools/call", **call)]:
            pipe.stdin.write(json.dumps(message) + "\n")
        pipe.stdin.flush()
        await soon((cotty.work / "begun").exists)
        pipe.kill()
        pipe.wait()
        started = time.monotonic()
        await soon_not_busy(agent, session)
        # Not when the service has waited 5 s for its calls, nor when the call ends by itself.
        assert time.monotonic() - started < 4.5


async def test_a_name_is_given_once(cotty):
    async with agent_of(cotty) as agent:
        answers = []

        async def create():
            answers.append(await agent.client.call_tool("terminal__create_session", {"program": "cat", "name": "twin"}))

        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(create)
        assert sum(not answer.is_error for answer in answers) == 1


async def test_a_shell_that_runs_a_command_is_not_waited_for(cotty):
    async with agent_of(cotty) as agent:
        started = time.monotonic()
        await agent("create_session", program="sh", args=["-c", "sleep 1000"], ready_timeout_ms=40_000)
        assert time.monotonic() - started < 30


async def test_a_terminal_that_was_closed_and_opened_again(cotty):
    gate = Gate(cotty)
    script = (
        "import os\nfor fd in (0, 1, 2): os.close(fd)\n"
        f"open({str(gate.path)!r}).read()\ntty = os.open('/dev/tty', os.O_RDWR)\n"
        "for n in range(60000): os.write(tty, b'a line of thirty characters %05d\\n' % n)\n"
        f"os.write(tty, b'end')\nopen({str(gate.path)!r}).read()\n"
    )
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="python3", args=["-c", script]))["session_id"]
        await gate.open()
        started = time.monotonic()
        assert (await agent("wait", session_id=session, text="end"))["met"] == "text"
        # It may take a moment until the terminal is looked at again, but then it is as fast as any: not 64 KiB a look.
        assert time.monotonic() - started < 20


# Policy


LINES = [
    "mkfs.ext4 /dev/null",
    " mkfs.ext4 /dev/null",
    "true; mkfs.ext4 /dev/null",
    "true && mkfs.ext4 /dev/null",
    "for i in 1; do mkfs.ext4 /dev/null; done",
    "for i in 1\ndo\nmkfs.ext4 /dev/null\ndone",
    "(mkfs.ext4 /dev/null)",
    "echo $(mkfs.ext4 /dev/null)",
    "echo `mkfs.ext4 /dev/null`",
    "X=1 mkfs.ext4 /dev/null",
    "env X=1 mkfs.ext4 /dev/null",
    "if mkfs.ext4 /dev/null; then :; fi",
    "while ! mkfs.ext4 /dev/null; do :; done",
    "mkfs.ext4</dev/null",
    "true | mkfs.ext4",
]


@pytest.mark.parametrize("line", LINES)
async def test_policy_refuses_a_line_to_run(cotty, mkfs, line):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert "mkfs.ext4" in await agent.output(session, "type -p mkfs.ext4")
        error = await agent.refused("POLICY_DENIED", "run", session_id=session, command=line)
        assert "rule `mkfs`" in error["message"]
        assert await agent.output(session, "echo goes on") == "goes on\n"
    assert not mkfs.exists()


@pytest.mark.parametrize("line", LINES)
async def test_policy_refuses_a_line_that_is_typed(cotty, mkfs, line):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert "mkfs.ext4" in await agent.output(session, "type -p mkfs.ext4")
        for paste in ("auto", False):
            read = {"view": "new", "wait_for_prompt": True}
            sent = await agent("send", session_id=session, text=f"{line}\n", bracketed_paste=paste, read=read)
            assert "not run" in sent["read_result"]["content"]
            assert await agent.output(session, "echo goes on") == "goes on\n"
    assert not mkfs.exists()


@pytest.mark.parametrize("trick", ["HISTCONTROL=ignoreboth", "HISTIGNORE=' *'"])
async def test_the_hook_still_asks_after_a_change_of_settings(cotty, mkfs, trick):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, trick)
        await agent.type(session, " mkfs.ext4 /dev/null\n", view="new", wait_for_prompt=True)
    assert not mkfs.exists()


async def test_policy_lets_the_word_pass(cotty, mkfs):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, "echo mkfs.ext4") == "mkfs.ext4\n"
        read = await agent.type(session, "echo no mkfs.ext4 here\n", view="new", wait_for_prompt=True)
        assert "no mkfs.ext4 here\n" in read["content"]


async def test_a_shell_that_cannot_be_stopped_says_so(cotty, mkfs):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "trap 'echo interrupted' INT")
        read = await agent.type(session, "mkfs.ext4 /dev/null\n", view="screen", wait_for_prompt=True)
        assert "cannot be stopped" in read["content"] and "not run" not in read["content"]


async def test_a_line_reaches_the_hook_as_it_was_typed(cotty):
    """Nothing in a line may make the question unreadable: the shell would wait for an answer in vain."""
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for text in ["a;b", "back\\slash", "ü漢🙂", "%s %d", "[*?]", "-n", "'quotes'", "x" * 5000, "\\x41", "tab\\there"]:
            started = time.monotonic()
            assert await agent.output(session, f"printf '%s\\n' {shlex.quote(text)}") == f"{text}\n"
            assert time.monotonic() - started < 14, "the shell waited in vain"
        await agent("send", session_id=session, text="printf '%s|' $'a\x16\tb\x16\x01c'\n", read={"wait_for_prompt": True})
        assert await agent.output(session, "echo ok") == "ok\n"


# What a child sees


# R-T10
async def test_the_childs_environment(cotty):
    secrets = {
        "GITHUB_TOKEN": "s3cret",
        "AWS_SECRET_ACCESS_KEY": "s3cret",
        "my_db_password": "s3cret",
        "STRIPE_API_KEY": "s3cret",
        "SSH_AUTH_SOCK": "s3cret",
        "Some_Private_Key": "s3cret",
        "GOOGLE_APPLICATION_CREDENTIALS": "s3cret",
    }
    cotty.env |= secrets | {"TMUX": "outer", "COLUMNS": "999", "HARMLESS": "kept", "TERM": "dumb"}
    cotty.env["PATH"] += ":/the/clients/own"
    # The daemon is started by somebody else, elsewhere: nothing of theirs may show.
    cotty("ls", env={**cotty.env, "FROM_THE_DAEMON": "1", "PATH": os.environ["PATH"]}, cwd="/")
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="bash", env={"EXTRA": "given", "MY_TOKEN": "on purpose"})
        session = made["session_id"]
        lines = (await agent.output(session, "env")).splitlines()
        env = dict(line.split("=", 1) for line in lines if "=" in line)
        for name in [*secrets, "TMUX", "COLUMNS", "FROM_THE_DAEMON", "COTTY_NONCE", "COTTY_HOOK", "COTTY_HISTFILE"]:
            assert name not in env, name
        assert "s3cret" not in "\n".join(lines)
        assert env["TERM"] == "xterm-256color" and env["HARMLESS"] == "kept"
        assert (env["EXTRA"], env["MY_TOKEN"], env["COTTY_SESSION"]) == ("given", "on purpose", session)
        assert env["PATH"].endswith(":/the/clients/own") and env["HOME"] == str(cotty.work)
        assert await agent.output(session, "pwd; tput lines; tput cols; umask") == f"{cotty.work}\n24\n80\n0022\n"
        (cotty.work / "sub").mkdir()
        other = await agent.shell(cwd="sub")
        assert await agent.output(other, "pwd") == f"{cotty.work}/sub\n"


@pytest.mark.parametrize("ignored", [(), (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)], ids=["usually", "nohup"])
async def test_the_childs_signals_and_descriptors_are_plain(cotty, ignored):
    """Also where whoever starts cotty ignores some, as `nohup` and shells do for what they put into the background."""
    before = [signal.signal(one, signal.SIG_IGN) for one in ignored]
    try:
        cotty("ls")
    finally:
        for one, handler in zip(ignored, before, strict=True):
            signal.signal(one, handler)
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat", args=["/proc/self/status"]))["session_id"]
        screen = (await agent("wait", session_id=session, exit=True))["screen"]
        read = await agent("read", session_id=session, view="new")
        status = dict(line.split(":", 1) for line in (read["content"] or screen).splitlines() if ":" in line)
        for mask in ("SigBlk", "SigIgn"):
            # Those beyond 31 are the C library's own business.
            assert int(status[mask], 16) & 0x7FFFFFFF == 0, f"{mask}: {status[mask]}"
        session = (await agent("create_session", program="ls", args=["/proc/self/fd"]))["session_id"]
        screen = (await agent("wait", session_id=session, exit=True))["screen"]
        assert screen.split() == ["0", "1", "2", "3"]


async def test_history_of_an_agent_stays_out_of_the_users(cotty):
    history = cotty.work / ".bash_history"
    history.write_text("the users own\n")
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "echo of the agent")
        assert "the users own" not in await agent.output(session, "history")
        await agent.run(session, "exit")
        session = await agent.shell()
        await agent.output(session, "echo of the agent")
        await agent("destroy_session", session_id=session)
    assert history.read_text() == "the users own\n"


RCS = {
    "aliases, prompt command, coloured prompt": (
        "alias greet='echo hello'\nPROMPT_COMMAND='last=$?; count=$((count+1))'\n"
        "PS1='\\[\\e[31m\\]\\u@\\h \\[\\e[0m\\]\\w\\$ '\n"
    ),
    "a prompt set anew each time": "alias greet='echo hello'\nset_prompt() { PS1=\"[$?] \\$ \"; count=1; }\nPROMPT_COMMAND=set_prompt\n",
    "a list of prompt commands": "alias greet='echo hello'\nPROMPT_COMMAND=('count=1' 'true')\n",
    "a prompt of two lines": "alias greet='echo hello'\ncount=1\nPS1='\\n\\w\\n> '\n",
    "a debug trap": "alias greet='echo hello'\ncount=1\ntrap 'previous=$BASH_COMMAND' DEBUG\n",
    "strict settings": "alias greet='echo hello'\ncount=1\nset -u\nIFS=:\nset -f\nshopt -s nullglob nocasematch\n",
    "vi mode": "alias greet='echo hello'\ncount=1\nset -o vi\n",
    "its own PS0": "alias greet='echo hello'\ncount=1\nPS0='about to run\\n'\n",
    "history settings": "alias greet='echo hello'\ncount=1\nHISTCONTROL=ignoreboth\nHISTTIMEFORMAT='%F %T '\nHISTIGNORE='greet:*'\nHISTSIZE=0\n",
    "a title in the prompt": "alias greet='echo hello'\ncount=1\nPS1='\\[\\e]0;\\u: \\w\\a\\]\\$ '\n",
    "a shadowed printf": "alias greet='echo hello'\ncount=1\nprintf() { builtin printf 'mine '; builtin printf \"$@\"; }\n",
}


@pytest.mark.parametrize("rc", RCS.values(), ids=RCS.keys())
async def test_run_lives_with_the_users_bashrc(cotty, rc):
    (cotty.work / ".bashrc").write_text(rc)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        about = "about to run\n" if "PS0" in rc else ""
        assert await agent.output(session, "greet") in (f"{about}hello\n", "hello\n")
        await agent.run(session, "(exit 7)")
        assert (await agent.output(session, "echo $?")).removeprefix(about) == "7\n"
        assert (await agent.output(session, 'test "$count" -ge 1 && echo counted')).removeprefix(about) == "counted\n"
        assert (await agent.output(session, "echo a\necho b")).replace(about, "") == "a\nb\n"


# Survival


@ERAS
async def test_a_killed_daemon_between_two_calls(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        await agent.output(session, "x=kept; cd /")
        for _ in range(3):
            killed = cotty.kill_daemon()
            assert await agent.output(session, "echo $x $PWD") == "kept /\n"
            assert cotty.status()["pid"] != killed
        assert (await agent.client.list_tools()).tools


@ERAS
async def test_a_killed_daemon_during_a_run(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        gate, log = Gate(cotty), cotty.work / "log"
        results = []

        async def run():
            results.append(await agent.run(session, f"echo ran >> {log}; echo before; read x < {gate}; echo $x; (exit 5)"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await soon(log.exists)
            for _ in range(3):
                killed = await anyio.to_thread.run_sync(cotty.kill_daemon)
                await soon(lambda killed=killed: cotty.status()["pid"] != killed)
            await gate.open("after")
        (ran,) = results
        assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", "before\nafter\n", 5)
        assert log.read_text() == "ran\n"


@ERAS
async def test_commands_run_exactly_once_whenever_the_daemon_dies(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        log = cotty.work / "log"

        async def run(n):
            ran = await agent.run(session, f"echo {n} >> {log}; echo {n}")
            assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", f"{n}\n", 0)

        for n in range(12):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run, n)
                # At another point of the call each time.
                for _ in range(n):
                    await anyio.lowlevel.checkpoint()
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        assert log.read_text().split() == [str(n) for n in range(12)]


async def test_sending_happens_exactly_once_whenever_the_daemon_dies(cotty):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat", args=["-u"]))["session_id"]

        async def send(n):
            assert (await agent.type(session, f"line {n}\n"))["sent"]

        for n in range(12):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(send, n)
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        await agent("wait", session_id=session, text="line 11")
        # The kernel's echo and what `cat` says, in whatever order the two come to it.
        expected = sorted(f"line {n}" for n in range(12) for _ in ("echo", "cat"))
        read = await agent("read", session_id=session, view="scrollback")
        shown = read["content"].splitlines() + (await agent("read", session_id=session))["content"].splitlines()
        assert sorted(shown) == expected


async def test_sessions_are_made_exactly_once_whenever_the_daemon_dies(cotty):
    async with agent_of(cotty) as agent:
        made = []

        async def create():
            made.append((await agent("create_session", program="cat"))["session_id"])

        for _ in range(8):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(create)
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        listed = await agent("list_sessions")
        assert sorted(s["session_id"] for s in listed["sessions"]) == sorted(made)
        assert len(set(made)) == 8
        assert [s["exited"] for s in listed["sessions"]] == [False] * 8


# Ending


# R-T02
async def test_an_idle_shell_ends_quickly(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        started = time.monotonic()
        gone = await agent("destroy_session", session_id=session)
        assert time.monotonic() - started < 2, "it had to be killed after its grace"
        assert gone["destroyed"] and not gone["left_running"]
        assert carriers(session) == []


# R-T02
async def test_destroy_ends_everything_that_was_started(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        jobs = "sleep 1000 & (sleep 1001 &) ; nohup sleep 1002 > /dev/null 2>&1 & (trap '' HUP TERM; sleep 1003) & disown -a"
        await agent.output(session, f"{jobs}; setsid sleep 1004 < /dev/null > /dev/null 2>&1 & echo")
        await agent.run(session, "cat", timeout_ms=100)
        gone = await agent("destroy_session", session_id=session)
        left = carriers(session)
        try:
            names = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left]
            assert names == [b"sleep\x001004\0"]
            assert gone["left_running"] == [f"sleep ({left[0]})"]
        finally:
            for pid in left:
                os.kill(pid, 9)


async def test_force_ends_what_ignores_signals_at_once(cotty):
    script = "trap '' HUP TERM; echo deaf; while :; do sleep 1; done"
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="sh", args=["-c", script]))["session_id"]
        await agent("wait", session_id=session, text="deaf")
        started = time.monotonic()
        gone = await agent("destroy_session", session_id=session, force=True)
        assert time.monotonic() - started < 2, "it was given its grace"
        assert gone["exit_code"] is None and carriers(session) == []


async def test_sessions_outlive_their_client(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "x=kept")
    async with agent_of(cotty) as agent:
        assert await agent.output(session, "echo $x") == "kept\n"


# The pipe itself


def lines_of(cotty, *messages, more=lambda: None, until):
    """Speaks raw JSON-RPC and answers every line of stdout; says no more once `until` is answered."""
    pipe = cotty.start("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for message in messages:
        pipe.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    pipe.stdin.flush()
    got = []
    waiting = set(until)
    while waiting:
        got.append(pipe.stdout.readline())
        waiting.discard(json.loads(got[-1]).get("id"))
    more()
    rest, _ = pipe.communicate(timeout=LIMIT)
    assert pipe.returncode == 0
    return got + rest.splitlines(keepends=True)


def request(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


INITIALIZE = [
    request(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "mcp", "version": "1"}),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


# R-T15
def test_stdout_has_nothing_but_json_lines(cotty):
    cotty.env["COTTY_LOG"] = "trace"
    call = {"name": "terminal__create_session", "arguments": {"program": "bash"}}
    lines = lines_of(
        cotty,
        *INITIALIZE,
        request(1, "tools/list"),
        request("two", "tools/call", **call),
        request(3, "tools/call", name="no_such_tool", arguments={}),
        request(4, "no/such/method"),
        more=cotty.kill_daemon,
        until=[0, 1, "two", 3, 4],
    )
    answers = {message["id"]: message for message in map(json.loads, lines)}
    assert set(answers) == {0, 1, "two", 3, 4}
    assert all(line.endswith("\n") for line in lines)
    assert answers["two"]["result"]["structuredContent"]["session_id"].startswith("sess_")
    assert "terminal__run" in answers[3]["error"]["message"]
    assert answers[4]["error"]["code"] == -32601


def test_wrong_lines_do_not_end_the_conversation(cotty):
    lines = lines_of(cotty, *INITIALIZE, "{not json", "[]", "42", '{"jsonrpc":"2.0"}', "\u00ff\u0000", request(1, "ping"), until=[0, 1])
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)


def test_answers_come_even_if_the_client_has_said_all(cotty):
    """`printf … | cotty mcp`: the end of the input is not the end of the answers."""
    call = {"name": "terminal__create_session", "arguments": {"program": "cat"}}
    done = subprocess.run(
        [BINARY, "mcp"],
        input="\n".join(map(json.dumps, [*INITIALIZE, request(1, "tools/call", **call)])) + "\n",
        env=cotty.env,
        cwd=cotty.work,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == {0, 1}


def test_two_requests_with_the_same_id_of_two_clients_are_two(cotty):
    call = {"name": "terminal__create_session", "arguments": {"program": "cat"}}
    made = {
        json.loads(line)["result"]["structuredContent"]["session_id"]
        for _ in range(2)
        for line in lines_of(cotty, *INITIALIZE, request(1, "tools/call", **call), until=[0, 1])[1:]
    }
    assert len(made) == 2
