"""What the kernel reports of a program for a moment, or of one part of it, is not taken for its state."""

import os
import shlex
import signal
import sys

import pytest
from agents import Gate, agent_of
from driving import Terminal

# The kernel tells different users different things about other processes.
pytestmark = [pytest.mark.anyio, pytest.mark.as_root]

# Each asks for a name, and has a process or a thread beside it that does not read.
ASKERS = {
    "a child that has ended": "import subprocess\nsubprocess.Popen(['true'])\ninput('name => ')\n",
    "a child at work": "import subprocess\nsubprocess.Popen(['sleep', '1000'])\ninput('name => ')\n",
    "another thread that waits": (
        "import threading\nasks = threading.Thread(target=input, args=['name => '])\nasks.start()\nasks.join()\n"
    ),
}


@pytest.mark.parametrize("asker", ASKERS.values(), ids=ASKERS.keys())
async def test_a_program_that_reads_is_detected_beside_others_that_do_not(cotty, asker):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.type(session, f"{shlex.join([sys.executable, '-c', asker])}\n")
        waited = await agent("wait", session_id=session, prompt=True)
        assert (waited["met"], waited["state"]) == ("prompt", "waiting_for_input"), waited
        waited = await agent("send", session_id=session, text="x\n", read={"wait_for_prompt": True})
        assert waited["read_result"]["state"] == "prompt", waited


async def test_an_ended_program_is_not_at_a_prompt_before_its_exit_is_reported(cotty):
    """The terminal hangs up before the exit is reported. A stopped keeper makes that moment long."""
    ends = "printf 'loading => '; read x < {}; exit 3"
    first, second = Gate(cotty), Gate(cotty, "second")
    async with agent_of(cotty) as agent:
        marked = await agent.shell()
        await agent.type(marked, f"{ends.format(first)}\n")
        plain = await agent("create_session", program="sh", args=["-c", ends.format(second)])
        keeper = cotty.status()["keeper_pid"]
        for session, gate in ((marked, first), (plain["session_id"], second)):
            await agent("wait", session_id=session, text="loading")
            os.kill(keeper, signal.SIGSTOP)
            try:
                await gate.open()
                refused = {"session_id": session, "prompt": True, "timeout_ms": 500}
                await agent.refused("WAIT_TIMEOUT", "wait", **refused)
            finally:
                os.kill(keeper, signal.SIGCONT)
            waited = await agent("wait", session_id=session, prompt=True)
            assert (waited["met"], waited["exit_code"]) == ("exit", 3), waited


async def test_an_ended_command_is_not_at_a_prompt_before_its_shell_collects_it(cotty):
    gate = Gate(cotty)
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="bash")
        session = made["session_id"]
        await agent.type(session, f"printf 'loading => '; cat {gate} > /dev/null; (exit 3)\n")
        await agent("wait", session_id=session, text="loading")
        # The shell is stopped while its program ends: the foreground process exists but no longer reads.
        os.kill(made["pid"], signal.SIGSTOP)
        try:
            await gate.open()
            await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=500)
        finally:
            os.kill(made["pid"], signal.SIGCONT)
        waited = await agent("wait", session_id=session, prompt=True)
        assert (waited["state"], waited["command"]["exit_code"]) == ("prompt", 3), waited


async def test_a_busy_program_without_a_shell_is_not_at_a_prompt(cotty):
    gate = Gate(cotty)
    script = f"printf 'loading => '; cat {gate} > /dev/null; printf 'name => '; read name"
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="sh", args=["-c", script]))["session_id"]
        await agent("wait", session_id=session, text="loading")
        error = await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=300)
        assert "is still running" in error["message"], error
        await gate.open()
        waited = await agent("wait", session_id=session, prompt=True)
        assert waited["state"] == "waiting_for_input" and "name =>" in waited["screen"], waited


def test_a_program_with_unread_input_is_not_waiting_for_input(cotty):
    """The kernel delivers input a moment later. Until then the program looks as if it still waited."""
    gate = Gate(cotty)
    terminal = Terminal(cotty, "sh", "-c", f"echo ready; while read line; do read x < {gate}; echo done; done")
    terminal.text("ready")
    for _ in range(20):
        terminal.activity("waiting_for_input")
        terminal.line("x")
        for _ in range(3):
            assert terminal.info()["activity"]["kind"] == "running"
        gate_fd = os.open(gate.path, os.O_WRONLY)
        os.write(gate_fd, b"go\n")
        os.close(gate_fd)
        terminal.text("done")
