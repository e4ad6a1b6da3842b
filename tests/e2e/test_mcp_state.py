"""`run`, `send` and `wait` report a session's state correctly and in time."""

import shlex
import string
import sys
from pathlib import Path

import pytest
from agents import Gate, agent_of, soon
from conftest import within

pytestmark = pytest.mark.anyio

# Reads a line without echo, as sudo does.
ASKS = shlex.join([sys.executable, "-c", "import getpass; getpass.getpass('Password: ')"])

ASKS_A_NAME = "input('name> ')"


async def test_background_output_is_not_a_half_typed_line(cotty):
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert (await agent.run(session, f"(read go < {gate}; echo tick; printf tock) &"))["outcome"] == "done"
        await gate.open()
        await agent("wait", session_id=session, text="tock")
        assert (await agent.run(session, "echo x"))["outcome"] == "done"
        # Typed text is one, at the prompt or ahead of it.
        await agent.type(session, "echo mine")
        await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo x")
        await agent("send", session_id=session, key="ctrl+u", read={"wait_idle_ms": 50})
        assert await agent.output(session, "echo x") == "x\n"
        await agent.type(session, f"read go < {gate}\n")
        await agent.type(session, "echo ahead")
        await gate.open()
        await agent("wait", session_id=session, prompt=True)
        await agent("wait", session_id=session, idle_ms=100)
        await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo x")


@pytest.mark.parametrize(
    ("command", "state", "said"),
    [
        ("read x", "waiting_for_input", "bash waits for input"),
        ("echo name?; cat", "waiting_for_input", "cat waits for input"),
        (ASKS, "secret_input", "asks for a secret"),
        ("seq 1000 | less", "pager", "less shows a page"),
        ("vim -u NONE -n new.txt", "editor", "vim is an editor"),
        ('echo "unclosed', "waiting_for_input", "the command is not complete"),
        ("if true; then", "waiting_for_input", "the command is not complete"),
    ],
)
async def test_run_answers_once_the_command_waits_for_input(cotty, command, state, said):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        with within("run answers", 20):
            ran = await agent.run(session, command, timeout_ms=40_000)
        assert (ran["outcome"], ran["state"]) == ("running", state), ran
        assert said in ran["note"]
        # What a pager or editor shows is not its output.
        assert state not in ("pager", "editor") or "(terminal__read)" in ran["note"]


@pytest.mark.parametrize("program", ["zsh", "fish"])
async def test_run_reports_an_incomplete_command_in_other_shells(cotty, program):
    # Otherwise fish generates completions first, with a program in the foreground.
    (cotty.work / ".local/share/fish/generated_completions").mkdir(parents=True)
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program=program))["session_id"]
        with within("run answers", 20):
            ran = await agent.run(session, 'echo "unclosed', timeout_ms=40_000)
        assert ran["outcome"] == "running" and "not complete" in ran["note"], ran


async def test_run_waits_for_a_command_that_reads_another_file(cotty):
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, f"cat {gate}", timeout_ms=1200)
        assert (ran["outcome"], ran["state"]) == ("running", "running") and ran["duration_ms"] >= 1100, ran
        await gate.open()
        await agent("wait", session_id=session, prompt=True)
        assert await agent.output(session, "sleep 1 | cat; echo over") == "over\n"
        assert await agent.output(session, "read -t 0.2 x; sleep 0.8; read -t 0.2 x; echo over") == "over\n"


async def test_a_busy_command_is_not_at_a_prompt_whatever_it_shows(cotty):
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, f"printf 'loading => '; cat {gate}; (exit 3)", timeout_ms=300)
        assert ran["outcome"] == "running", ran
        await agent("wait", session_id=session, text="loading =>", since=0)
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=300)
        await gate.open()
        waited = await agent("wait", session_id=session, prompt=True)
        # How the awaited command ended.
        assert (waited["state"], waited["command"]["exit_code"]) == ("prompt", 3), waited
        assert waited["command"]["duration_ms"] >= 300
        # A command that reads is at a prompt.
        await agent.type(session, f"{shlex.join([sys.executable, '-c', ASKS_A_NAME])}\n")
        assert (await agent("wait", session_id=session, prompt=True))["state"] == "waiting_for_input"


async def test_the_last_process_of_a_pipeline_counts_after_the_first_has_ended(cotty):
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, f"true | (printf 'loading => '; cat {gate})", timeout_ms=300)
        await agent("wait", session_id=session, text="loading =>", since=0)
        refused = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=300)
        await gate.open()
        waited = await agent("wait", session_id=session, prompt=True)
        assert (waited["state"], waited["command"]["exit_code"]) == ("prompt", 0), (refused, waited)
        await agent.type(session, "true | (printf 'name => '; read name </dev/tty; echo hello $name)\n")
        waited = await agent("wait", session_id=session, prompt=True)
        assert waited["state"] == "waiting_for_input", waited


async def test_a_prompt_command_is_not_taken_for_a_waiting_program(cotty):
    (Path(cotty.env["HOME"]) / ".bashrc").write_text("PROMPT_COMMAND='/bin/sh -c \"sleep 0.03\"'\n")
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for _ in range(10):
            sent = await agent("send", session_id=session, text="echo hi\n")
            # A slow machine may need longer, but no program waits for input.
            assert sent["state"] in ("prompt", "running"), sent
            await agent("wait", session_id=session, prompt=True)


async def test_send_waits_until_the_program_has_finished_drawing(cotty):
    # The program reports its longest pause: on a loaded machine it may be too long for one answer.
    (cotty.work / "draws.py").write_text(
        "import os, sys, time, tty\n"
        "tty.setraw(0)\n"
        "print('ready', end='', flush=True)\n"
        "while key := os.read(0, 1).decode():\n"
        "    drawn = []\n"
        "    for part in ['one', 'two', 'three']:\n"
        "        os.write(1, f'\\r\\n{part}-{key}'.encode())\n"
        "        drawn.append(time.monotonic())\n"
        "        time.sleep(0.003)\n"
        "    with open('pause.new', 'w') as file: file.write(str(max(b - a for a, b in zip(drawn, drawn[1:]))))\n"
        "    os.rename('pause.new', 'pause')\n"
    )
    pause = cotty.work / "pause"
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program=sys.executable, args=["draws.py"], wait_ready=False)
        session = made["session_id"]
        await agent("wait", session_id=session, text="ready")
        for key in string.ascii_lowercase:
            sent = await agent("send", session_id=session, key=key)
            await soon(pause.exists)
            longest = float(pause.read_text())
            pause.unlink()
            if longest < 0.006:
                assert f"three-{key}" in sent["changed"], (longest, sent)
                return
        raise AssertionError("the program always paused while drawing")


@pytest.mark.as_root
@pytest.mark.parametrize("program", ["python3", "dash"])
async def test_a_program_without_marks_waits_for_input(cotty, program):
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program=program, wait_ready=True)
        assert (made["state"], made["foreground"]) == ("waiting_for_input", program), made
        read = await agent("read", session_id=made["session_id"])
        assert read["prompt_detected"] and read["state"] == "waiting_for_input"
        read = await agent("read", session_id=made["session_id"], view="new")
        assert "terminal__run" not in (read.get("note") or "")
        await agent.refused("NO_SHELL", "run", session_id=made["session_id"], command="1")


async def test_run_ends_without_an_end_mark(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for command, output in [("PROMPT_COMMAND=()", ""), ("echo z", "z\n"), ("seq 3", "1\n2\n3\n")]:
            with within("run answers", 20):
                ran = await agent.run(session, command, timeout_ms=40_000)
            assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", output, None), ran
            assert ran["state"] == "prompt" and "did not report" in ran["note"]


async def test_dropped_lines_are_counted_once(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, "echo a") == "a\n"
        ran = await agent.run(session, "seq 1 30000")
        read = await agent("read", session_id=session, view="new", since=ran["left_out"]["since"])
        dropped = ran["dropped_lines"]
        assert 0 < dropped < 30000 and abs(read["dropped_lines"] - dropped) <= 1, (dropped, read["dropped_lines"])
