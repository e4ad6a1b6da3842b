"""What an agent can wait for, what never counts as a match, and how it interrupts programs."""

import time

import anyio
import pytest
from agents import Gate, agent_of, in_era, soon, soon_not_busy
from conftest import LIMIT

pytestmark = pytest.mark.anyio


# Interrupts


async def test_a_sent_command_can_be_interrupted(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "echo st''arted; sleep 1000\n")
        await agent("wait", session_id=session, text="started")
        assert "^C" in (await agent.interrupt(session))["content"]
        assert await agent.output(session, "echo $?") == "130\n"


async def test_a_run_that_answered_running_can_be_interrupted(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        # Longer timeouts if the machine is slow.
        for timeout_ms in (500, 2_000, 10_000):
            ran = await agent.run(session, "echo before; sleep 1000", timeout_ms=timeout_ms)
            assert ran["outcome"] == "running"
            if (ran["output"], ran.get("program")) == ("before\n", "sleep"):
                break
            await agent.interrupt(session)
        assert (ran["output"], ran["state"], ran["program"]) == ("before\n", "running", "sleep"), ran
        await agent.interrupt(session)
        assert await agent.output(session, "echo $?") == "130\n"


# R-T21
async def test_job_control(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "sleep 1000", timeout_ms=200)
        await agent.doing(session, "running", "sleep")
        sent = await agent("send", session_id=session, key="z", ctrl=True, read={"view": "new", "wait_for_prompt": True})
        assert "Stopped" in sent["read_result"]["content"]
        assert "Stopped" in await agent.output(session, "jobs")
        await agent.output(session, "bg")
        assert "Running" in await agent.output(session, "jobs")
        assert (await agent.run(session, "fg", timeout_ms=200))["outcome"] == "running"
        await agent.doing(session, "running", "sleep")
        await agent.interrupt(session)


# Waiting


async def test_wait_for_text_regex_idle_prompt_exit(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        # Two gates: a program that reads one again at once may still find it open.
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
            # An old prompt does not count; the first condition that holds wins.
            waited = await agent("wait", session_id=session, prompt=True, text="never said")
        assert waited["met"] == "prompt" and "last" in waited["screen"]
        await agent.type(session, "exit 9\n")
        waited = await agent("wait", session_id=session, text="never said")
        assert (waited["met"], waited["exited"], waited["exit_code"]) == ("exit", True, 9)



async def test_wait_for_all_conditions_at_once(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent("send", session_id=session, text="read -rp 'name? ' name; echo tha''nks\n")
        waited = await agent("wait", session_id=session, text="name?", reads=True, all=True)
        assert waited["met"] == "all", waited
        # The same in a step.
        steps = [{"text": "somebody\n"}, {"wait": {"prompt": True, "text": "thanks", "all": True}}]
        sent = await agent("send", session_id=session, steps=steps)
        assert sent["steps"][1]["met"] == "all", sent

async def test_wait_from_a_point_in_the_output(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        first = await agent.run(session, "echo marker")
        again = await agent("wait", session_id=session, text="marker", since=0)
        assert again["met"] == "text"
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="marker", since=first["next_since"], timeout_ms=100)


# R-T07
@in_era("auto")
async def test_a_wait_that_times_out_explains_itself(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        await agent.run(session, "sleep 1000", timeout_ms=100)
        await agent.doing(session, "running", "sleep")
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
        # Shown on the terminal, but not written by the program: of the second, unfinished line, `cat` has only the echo.
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


async def test_the_echo_of_input_typed_ahead_never_matches(cotty):
    """A line typed while another command runs is shown twice: by the kernel, then by readline at the next prompt."""
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
        assert (await agent("wait", session_id=session, text="name? "))["met"] == "text"
        assert (await agent("wait", session_id=session, regex=r"name\? $"))["met"] == "regex"


# R-T13
@pytest.mark.parametrize("program", ["python3 -q", "bash --norc", "sh"])
async def test_the_prompt_of_a_program_inside_the_shell_is_detected(cotty, program):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, f"{program}\n")
        assert (await agent("wait", session_id=session, prompt=True))["met"] == "prompt"


async def test_a_frame_that_never_ends_does_not_hold_up_a_wait(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, "printf '\\e[?2026hhalf a frame'; read x\n")
        assert (await agent("wait", session_id=session, idle_ms=100))["met"] == "idle"


async def test_any_key_that_submits_a_line_makes_the_prompt_old(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate = Gate(cotty)
        await agent.type(session, f"read x < {gate}", wait_idle_ms=50)
        await agent("send", session_id=session, key="j", ctrl=True)
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=300)
        await gate.open()
        await agent("wait", session_id=session, prompt=True)


async def test_the_named_program_is_the_one_that_reads(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "seq 1000 | less")
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
        # The input lease is free again, and the command still runs.
        await soon_not_busy(agent, session)
        await gate.open("through")
        await agent("wait", session_id=session, prompt=True)
        assert out.read_text() == "through\n"
        assert await agent.output(session, "echo $?") == "0\n"


async def test_creating_a_shell_with_a_command_does_not_wait_for_a_prompt(cotty):
    async with agent_of(cotty) as agent:
        started = time.monotonic()
        await agent("create_session", program="sh", args=["-c", "sleep 1000"], ready_timeout_ms=40_000)
        assert time.monotonic() - started < 30


async def test_a_reopened_terminal_is_read_at_full_speed(cotty):
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
        # The daemon may notice the reopened terminal late, but then reads it at full speed: not 64 KiB per poll.
        assert time.monotonic() - started < 20
