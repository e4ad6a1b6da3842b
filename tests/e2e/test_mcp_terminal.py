"""The default tool set: its answers help the agent that reads them."""

import shlex
import sys

import anyio
import pytest
from agents import Gate, agent_of, implementation, soon
from conftest import eventually_async

pytestmark = pytest.mark.anyio

# Reads a line without echo, as sudo does.
ASKS = "import getpass; getpass.getpass('Password: ')"


async def state(agent, session, expected, program=None):
    """Waits for a state that no event announces."""

    async def seen():
        info = await agent("get_info", session_id=session)
        return (info["state"], info.get("foreground")) == (expected, program)

    await eventually_async(seen)
    # Every answer has the same state.
    listed = await agent("list_sessions")
    (info,) = [entry for entry in listed["sessions"] if entry["session_id"] == session]
    assert (info["state"], info.get("foreground")) == (expected, program), info
    read = await agent("read", session_id=session)
    assert (read["state"], read.get("program")) == (expected, program), read
    waited = await agent("wait", session_id=session, idle_ms=1)
    assert (waited["state"], waited.get("program")) == (expected, program), waited
    assert read["next_since"] <= waited["next_since"]
    return read


# The state, in every answer


async def test_every_answer_has_the_state_of_the_shell_and_its_programs(cotty):
    (cotty.work / "long.txt").write_text("line\n" * 500)
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="bash")
        session = made["session_id"]
        assert made["state"] == "prompt" and "foreground" not in made and made["next_since"] > 0
        await state(agent, session, "prompt")
        for command, *expected in [
            ("sleep 1000", "running", "sleep"),
            ("read x", "waiting_for_input", "bash"),
            ("cat", "waiting_for_input", "cat"),
            ("less long.txt", "pager", "less"),
            ("cat long.txt | less", "pager", "less"),
            ("vim -u NONE -n new.txt", "editor", "vim"),
            ("python3 -q", "waiting_for_input", "python3"),
            (f"python3 -c {shlex.quote(ASKS)}", "secret_input", None),
        ]:
            sent = await agent("send", session_id=session, text=f"{command}\n")
            assert sent["state"] and sent["next_since"] >= sent["since"]
            await state(agent, session, *expected)
            leave = {"pager": ["q"], "editor": ["escape", ":", "q", "!", "enter"]}.get(expected[0], ["ctrl+c"])
            leave = ["ctrl+d"] if "-q" in command else leave
            steps = [{"key": key} for key in leave]
            left = await agent("send", session_id=session, steps=[*steps, {"wait": {"prompt": True}}])
            assert left["sent"] and left["steps"][-1]["met"] == "prompt" and left["state"] == "prompt", (command, left)
        ran = await agent.run(session, "exit 3")
        assert (ran["outcome"], ran["state"]) == ("exited", "exited")
        await state(agent, session, "exited")


async def test_a_program_that_reads_another_file_is_not_waiting_for_input(cotty):
    gate = Gate(cotty)
    serve = "import select, os; r, w = os.pipe(); print('up', flush=True); select.select([r], [], [])"
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, f"read x < {gate}", timeout_ms=200)
        await state(agent, session, "running", "bash")
        await gate.open()
        await agent("wait", session_id=session, prompt=True)
        sent = await agent("send", session_id=session, text=f"python3 -c {shlex.quote(serve)}\n", read={"wait_for_text": "up"})
        assert "up" in sent["read_result"]["content"]
        await state(agent, session, "running", "python3")


async def test_a_persons_turn_at_the_keyboard_is_reported(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        cotty.call("keyboard", actor="person", session=session, action="take")
        read = await agent("read", session_id=session)
        assert read["keyboard_held_by"] and "returned" not in read
        error = await agent.refused("KEYBOARD_HELD", "run", session_id=session, command="echo no")
        assert "keyboard" in error["hint"]
        cotty.call("send", actor="person", session=session, text="echo by a person\n")
        await agent("wait", session_id=session, text="by a person")
        cotty.call("keyboard", actor="person", session=session, action="give")
        # The next command's answer reports it, once.
        ran = await agent.run(session, "echo mine")
        assert ran["output"] == "mine\n" and ran["returned"]["bytes"] == len("echo by a person\n")
        read = await agent("read", session_id=session, view="new", since=ran["returned"]["since"])
        assert "by a person" in read["content"]
        ran = await agent.run(session, "echo again")
        assert "returned" not in ran and "keyboard_held_by" not in ran


async def test_a_repeated_answer_says_what_to_do_instead(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        read = await agent("read", session_id=session)
        assert "note" not in read
        read = await agent("read", session_id=session)
        assert "nothing new" in read["note"] and "terminal__run" in read["note"]
        await agent("send", session_id=session, text="sleep 1000\n", read={"view": "new"})
        await state(agent, session, "running", "sleep")
        read = await agent("read", session_id=session, view="new")
        assert (read["content"], read["has_new_content"]) == ("", False)
        assert "sleep is running: wait for it (terminal__wait" in read["note"]
        error = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=50)
        assert "`sleep` is still running" in error["message"] and "ctrl+c" in error["hint"]


# Long output


async def test_long_output_comes_as_head_and_tail_and_the_middle_can_be_read(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        whole = "".join(f"{n}\n" for n in range(1, 8001))
        ran = await agent.run(session, "seq 8000")
        left_out, output = ran["left_out"], ran["output"]
        assert len(output) <= 16384 and output.startswith("1\n2\n") and output.endswith("7999\n8000\n")
        assert len(output) + left_out["bytes"] == len(whole)
        assert output.count("\n") + left_out["lines"] == 8000
        # The rest can be read while it is kept, also after other commands.
        await agent.run(session, "echo later")
        head, middle, at = output[: left_out["offset"]], "", left_out["offset"]
        while len(middle) < left_out["bytes"]:
            page = await agent("read", session_id=session, view="new", since=left_out["since"], offset=at, max_bytes=20000)
            middle += page["content"]
            at += len(page["content"])
        assert (head + middle[: left_out["bytes"]] + output[left_out["offset"] :]) == whole
        ran = await agent.run(session, "yes same | head -3000", max_bytes=200)
        assert ran["output"].count("\n") + ran["left_out"]["lines"] == 3000


async def test_answers_omit_empty_fields(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo hi")
        assert set(ran) == {"outcome", "output", "exit_code", "duration_ms", "cwd", "state", "next_since"}
        seeds = {"content", "lines", "cursor", "dimensions", "has_new_content", "prompt_detected", "idle", "exited", "exit_code"}
        assert set(await agent("read", session_id=session, view="new", since=0)) == seeds | {"state", "next_since"}


# P19
async def test_images_are_reported_and_leave_no_text(cotty):
    sixel, kitty, iterm = "\x1bPq" + "#0~" * 50 + "\x1b\\", "\x1b_Ga=T;" + "A" * 100 + "\x1b\\", "\x1b]1337;File=inline=1:" + "A" * 80 + "\x07"
    (cotty.work / "images").write_text(f"before\n{sixel}{kitty}{kitty}{iterm}after\n")
    (cotty.work / "binary").write_bytes(bytes(range(256)) * 40)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "cat images")
        assert ran["output"] == "before\nafter\n"
        assert {image["kind"]: image["count"] for image in ran["images"]} == {"sixel": 1, "kitty": 2, "iterm2": 1}
        assert all(image["bytes"] >= 80 for image in ran["images"])
        assert "images" not in await agent.run(session, "echo none")
        assert len((await agent("read", session_id=session, view="new", since=0))["images"]) == 3
        assert "images" not in await agent("read", session_id=session)
        ran = await agent.run(session, "cat binary; echo; echo end", max_bytes=0)
        assert ran["output"].endswith("end\n")
        assert (await agent("read", session_id=session, view="new", since=0, format="raw"))["content"]


# Sending


async def test_steps_do_several_things_in_one_call(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        done = await agent(
            "send",
            session_id=session,
            steps=[
                {"text": "vim -u NONE -n poem.txt\n"},
                {"wait": {"text": "poem.txt"}},
                {"text": "iroses"},
                {"key": "escape"},
                {"text": ":wq\n"},
                {"wait": {"prompt": True}},
                {"text": "cat poem.txt\n"},
            ],
            read={"view": "new", "wait_for_prompt": True},
        )
        assert done["sent"] and [step.get("met") for step in done["steps"]] == [None, "text", None, None, None, "prompt", None]
        assert all(step["consumed"] in (True, False) for step in done["steps"] if "met" not in step)
        assert "roses" in done["read_result"]["content"] and done["read_result"]["state"] == "prompt"
    assert (cotty.work / "poem.txt").read_text() == "roses\n"


async def test_steps_stop_at_the_first_that_fails(cotty):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat"))["session_id"]
        steps = [{"text": "one\n"}, {"wait": {"text": "one"}}, {"wait": {"text": "never", "timeout_ms": 50}}, {"text": "two\n"}]
        done = await agent("send", session_id=session, steps=steps)
        assert not done["sent"] and done["steps_not_done"] == 1 and done["steps"][2]["met"] == "timeout"
        assert "`cat`" in done["steps"][2]["why"] and "one" in done["changed"]
        done = await agent("send", session_id=session, steps=[{"text": "three\n"}, {"key": "entr"}, {"text": "four\n"}])
        assert done["steps"][1]["error"]["code"] == "INVALID_KEY" and "step 2" in done["steps"][1]["error"]["message"]
        stop = [{"text": "it failed\n"}, {"wait": {"text": "never", "stop": "failed"}}, {"text": "five\n"}]
        assert (await agent("send", session_id=session, steps=stop))["steps"][1]["met"] == "stop"
        await agent.refused("INVALID_KEY", "send", session_id=session, steps=[{"key": "entr"}])
        await agent.refused("NO_INPUT", "send", session_id=session, steps=[{}])
        await agent.refused("INVALID_INPUT", "send", session_id=session, steps=[])
        await agent.refused("INVALID_INPUT", "send", session_id=session, text="x", steps=[{"text": "y"}])
        await agent.refused("INVALID_INPUT", "send", session_id=session, steps=[{"text": "x", "wait": {"idle_ms": 1}}])
        screen = (await agent("read", session_id=session))["content"]
        assert "two" not in screen and "four" not in screen and "five" not in screen


async def test_steps_type_exactly_once_whenever_the_daemon_dies(cotty):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat", args=["-u"], rows=100))["session_id"]

        async def send(n):
            steps = [{"text": f"first {n}\n"}, {"wait": {"text": f"first {n}"}}, {"text": f"second {n}\n"}, {"text": f"third {n}\n"}]
            assert (await agent("send", session_id=session, steps=steps))["sent"]

        for n in range(6):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(send, n)
                for _ in range(3 * n):
                    await anyio.lowlevel.checkpoint()
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        await agent("wait", session_id=session, idle_ms=100)
        # The kernel's echo and the output of `cat`.
        expected = sorted(f"{which} {n}" for n in range(6) for which in ("first", "second", "third") for _ in ("echo", "cat"))
        assert sorted((await agent("read", session_id=session))["content"].splitlines()) == expected


async def test_send_shows_the_rows_that_changed(cotty):
    script = "import sys\nprint('top\\n' * 5, end='', flush=True)\nfor line in sys.stdin: print('heard', line, end='', flush=True)"
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program=sys.executable, args=["-c", script]))["session_id"]
        await agent("wait", session_id=session, reads=True)
        sent = await agent("send", session_id=session, text="hello\n")
        assert sent["reacted"] and sent["changed"].startswith("6: hello\n7: heard hello\n"), sent
        assert "top" not in sent["changed"] and "read_result" not in sent


# T18
async def test_the_mouse_clicks_on_a_label(cotty):
    async with agent_of(cotty) as agent:
        vim = ["-u", "NONE", "-n", "-N", "--cmd", "set mouse=a ttymouse=sgr", "text.txt"]
        (cotty.work / "text.txt").write_text("first\nsecond\nthird word\n")
        session = (await agent("create_session", program="vim", args=vim))["session_id"]
        await agent("wait", session_id=session, text="third word")
        sent = await agent("send", session_id=session, mouse={"label": "word"}, read={"wait_idle_ms": 50})
        assert sent["read_result"]["cursor"]["row"] == 3 and sent["read_result"]["cursor"]["col"] >= 7, sent
        await agent("send", session_id=session, steps=[{"mouse": {"row": 1, "col": 2}}, {"key": "x"}, {"text": ":wq\n"}])
        await agent("wait", session_id=session, exit=True)
        assert (cotty.work / "text.txt").read_text().startswith("frst\n")
        shell = await agent.shell()
        await agent.refused("MOUSE_OFF", "send", session_id=shell, mouse={"row": 1, "col": 1})


# T18
async def test_a_session_can_be_resized_while_it_runs(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        resized = await agent("resize", session_id=session, rows=40, cols=132)
        assert resized["dimensions"] == {"rows": 40, "cols": 132}
        assert await agent.output(session, "stty size") == "40 132\n"
        assert (await agent("resize", session_id=session, cols=60))["dimensions"] == {"rows": 40, "cols": 60}
        await agent.refused("INVALID_INPUT", "resize", session_id=session)
        await agent.refused("INVALID_INPUT", "resize", session_id=session, rows=0)


# Searching


async def test_search_finds_what_is_and_was_shown(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "echo needle-on-top; seq 200; echo needle-below", max_bytes=100)
        found = await agent("search", session_id=session, regex="^needle-[a-z-]+$")
        assert [match["line"] for match in found["matches"]] == ["needle-below", "needle-on-top"]
        (cotty.work / "page").write_text("only-in-less\n" + "x\n" * 100)
        await agent("send", session_id=session, steps=[{"text": "less page\n"}, {"wait": {"text": "only-in-less"}}, {"wait": {"idle_ms": 300}}, {"key": "q"}, {"wait": {"prompt": True}}])
        (match,) = (await agent("search", query="only-in-less"))["matches"]
        assert match == {"session_id": session, "line": "only-in-less", "full_screen": True}
        await agent.run(session, "printf 'a.c\\nabc\\n'")
        assert (await agent("search", query="a.c", session_id=session))["count"] >= 1
        assert "abc" not in [match["line"] for match in (await agent("search", query="a.c"))["matches"]]
        nothing = await agent("search", query="no-such-text-anywhere")
        assert nothing["count"] == 0 and "recordings" in nothing["note"]
        many = await agent("search", session_id=session, regex="^[0-9]+$", limit=3)
        assert many["count"] == 3 and many["more"]
        await agent.refused("INVALID_INPUT", "search", session_id=session)
        await agent.refused("INVALID_PATTERN", "search", session_id=session, regex="(")


async def test_search_in_recordings_also_of_sessions_that_ended(cotty):
    async with agent_of(cotty) as agent:
        gone, live = await agent.shell(), await agent.shell()
        await agent.output(gone, "echo buried treasure")
        await agent("destroy_session", session_id=gone)
        await agent.output(live, "echo living treasure")
        assert (await agent("search", query="buried treasure"))["count"] == 0

        async def found(**arguments):
            matches = (await agent("search", regex="^[a-z]+ treasure$", where="recordings", **arguments))["matches"]
            return sorted((match["session_id"], match["line"]) for match in matches)

        assert await found() == sorted([(gone, "buried treasure"), (live, "living treasure")])
        assert await found(session_id=gone) == [(gone, "buried treasure")]
        assert await found(session_id=live) == [(live, "living treasure")]
        await agent.refused("NO_RECORDING", "search", query="x", where="recordings", session_id="sess_zzzzzzzz")

    async with agent_of(cotty, client_info=implementation("another")) as other:
        assert (await other("search", query="treasure", where="recordings"))["count"] == 0
        await other.refused("NOT_YOURS", "search", query="treasure", where="recordings", session_id=gone)
        await other.refused("NOT_YOURS", "search", query="treasure", session_id=live)


# Hints


async def test_hints_and_titles_of_the_tools(cotty):
    async with cotty.mcp() as client:
        tools = {tool.name.removeprefix("terminal__"): tool for tool in (await client.list_tools()).tools}
    reads = {"read", "wait", "search", "list_sessions", "get_info"}
    for name, tool in tools.items():
        hints = tool.annotations
        assert tool.title, name
        assert hints.read_only_hint == (name in reads), name
        if name not in reads:
            assert hints.destructive_hint == (name not in {"resize", "request_user_input"}), name
            assert hints.open_world_hint == (name in {"run", "send", "create_session"}), name
            assert hints.idempotent_hint == (name in {"resize", "destroy_session"}), name
