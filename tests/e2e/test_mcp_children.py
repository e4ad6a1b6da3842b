"""What a session's program inherits, and how it ends with everything it started."""

import os
import signal
from pathlib import Path

import pytest
from agents import agent_of, carriers

pytestmark = pytest.mark.anyio


# The child's environment


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
    # Another client starts the daemon, in another directory: the child gets nothing of its environment.
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
async def test_a_child_gets_default_signals_and_no_extra_descriptors(cotty, ignored):
    """Even if cotty is started with ignored signals, as `nohup` and shells do for background jobs."""
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
            # Signals above 31 belong to the C library.
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


# Ending


# R-T02
async def test_an_idle_shell_ends_when_it_is_asked_to(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "trap 'touch ended' EXIT")
        gone = await agent("destroy_session", session_id=session)
        assert (cotty.work / "ended").exists(), "the shell had to be killed after its grace period"
        assert gone["destroyed"] and not gone["left_running"]
        assert carriers(session) == []


# R-T02
@pytest.mark.as_root
async def test_destroy_ends_everything_that_was_started(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        jobs = "sleep 1000 & (sleep 1001 &) ; nohup sleep 1002 > /dev/null 2>&1 & (trap '' HUP TERM; sleep 1003) & disown -a"
        await agent.output(session, f"{jobs}; setsid sleep 1004 < /dev/null > /dev/null 2>&1 & echo")
        assert (await agent.run(session, "cat"))["state"] == "waiting_for_input"
        before = carriers(session)
        gone = await agent("destroy_session", session_id=session)
        assert len(before) >= 7 and carriers(session) == [] and gone["left_running"] == []


async def test_force_kills_a_program_that_ignores_signals_at_once(cotty):
    script = "trap 'touch heard' HUP TERM; echo deaf; while :; do sleep 1; done"
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="sh", args=["-c", script]))["session_id"]
        await agent("wait", session_id=session, text="deaf")
        gone = await agent("destroy_session", session_id=session, force=True)
        assert not (cotty.work / "heard").exists(), "the program got a signal first"
        assert gone["exit_code"] is None and carriers(session) == []
