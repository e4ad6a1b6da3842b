"""`cotty --host`: the same commands, run by a cotty behind an sshd."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import BINARY, LIMIT, Cotty, eventually
from sshd import sshd
from window import tmux_window


class Box:
    """Another machine: an sshd, and a user and a cotty with homes there."""

    def __init__(self, top, port):
        self.top, self.user_home = top, top / "sshd" / "home"
        self.config = top / "ssh_config"
        self.config.write_text(
            f"Host box\nHostName 127.0.0.1\nPort {port}\nUser guest\nIdentityFile {top}/sshd/guest_key\nBatchMode yes\n"
            f"UserKnownHostsFile {top}/known\nStrictHostKeyChecking no\nLogLevel ERROR\n"
        )
        # Where people install it. It is not on the PATH of a non-interactive shell.
        folder = self.user_home / ".local" / "bin"
        folder.mkdir(parents=True)
        (folder / "cotty").symlink_to(BINARY)
        # The remote cotty, called without ssh.
        self.there = Cotty(top / "h", self.user_home)
        self.there.env["WHERE"] = "there"


@pytest.fixture
def box(cotty, request):
    # Short: a Unix socket's path has at most 107 bytes.
    top = Path(tempfile.mkdtemp(prefix="box-"))
    setting = f"SetEnv COTTY_HOME={top}/h COTTY_HTTP_LISTEN=127.0.0.1:0 WHERE=there\n"
    with sshd(top / "sshd", setting, getattr(request, "param", "/bin/bash")) as port:
        box = Box(top, port)
        cotty.env |= {"COTTY_SSH": f"ssh -F {box.config}", "WHERE": "here"}
        yield box
        if (top / "h" / "run" / "cotty.sock").exists():
            box.there("stop")
    shutil.rmtree(top, ignore_errors=True)
    assert not cotty.home.exists() or not (cotty.home / "run" / "cotty.sock").exists(), "no daemon was started here"


@pytest.mark.as_root
def test_everyday_commands_work_over_ssh(cotty, box):
    at = ["--host", "box"]
    session = cotty(*at, "new", "--name", "it", "--cols", "90").strip()
    info = box.there.info(session)
    assert (info["name"], info["cwd"], info["dimensions"]["cols"]) == ("it", str(box.user_home), 90)
    assert cotty.json(*at, "ls")["sessions"][0]["session_id"] == session
    assert cotty.json("--host=box", "status")["socket"] == str(box.top / "h" / "run" / "cotty.sock")
    cotty(*at, "send", "it", 'echo "$WHERE-$((6*7))"', "--enter")
    cotty(*at, "wait", "it", "--text", "there-42")
    assert "\nthere-42\n" in cotty(*at, "view", "it")
    # The remote command reads our stdin.
    cotty(*at, "send", "it", "-", input="echo from std''in\n")
    cotty(*at, "wait", "it", "--text", "from stdin")
    cotty(*at, "kill", "it")
    assert box.there.json("ls")["count"] == 0


def test_exit_codes_are_passed_back(cotty, box):
    at = ["--host", "box"]
    assert cotty(*at, "status", code=3) == "" and "cotty is not running here" in cotty.stderr
    assert cotty(*at, "run", "--", "sh", "-c", "echo out; exit 7", code=7) == "out\n"
    cotty(*at, "run", "--", "sh", "-c", "kill -TERM $$", code=128 + 15)
    cotty(*at, "view", "nobody", code=4)
    assert "list the sessions with `cotty ls`" in cotty.stderr
    cotty(*at, "new", "--no-such-option", code=2)


@pytest.mark.parametrize("box", ["/bin/bash", "/bin/sh", "/usr/bin/zsh", "/usr/bin/fish"], indirect=True)
def test_arguments_arrive_unchanged(cotty, box):
    words = ["a b", "", "it's", '"', "$HOME", "`id`", "\\", "a\\\\b\\'", "*", "~", "!!", "#", "new\nline", "ü漢", "-x", ";exit 9", "\ttab", "'\\''"]
    said = cotty("--host", "box", "run", "--", "sh", "-c", 'for word; do printf "[%s]" "$word" >> words; done', "sh", *words)
    assert said == ""
    assert (box.user_home / "words").read_text() == "".join(f"[{word}]" for word in words)


def test_new_starts_at_the_size_of_the_terminal_here(cotty, box):
    with tmux_window(cotty, (101, 22)) as window:
        window.line("cotty --host box new --name sized; cotty --host box new --name own --rows 5")
        eventually(lambda: box.top.joinpath("h/run/cotty.sock").exists() and box.there.json("ls")["count"] == 2)
    assert box.there.info("sized")["dimensions"] == {"cols": 101, "rows": 22}
    assert box.there.info("own")["dimensions"] == {"cols": 80, "rows": 5}


@pytest.mark.anyio
async def test_a_local_agent_uses_remote_terminals(cotty, box):
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=str(BINARY), args=["--host", "box", "mcp"], env=cotty.env, cwd=str(cotty.work))
    async with Client(server) as client:
        made = await client.call_tool("terminal__create_session", {})
        session = made.structured_content["session_id"]
        ran = await client.call_tool("terminal__run", {"session_id": session, "command": "echo $WHERE; pwd"})
        assert ran.structured_content["output"] == f"there\n{box.user_home}\n"
    # The session outlives its client, as a local one does.
    assert box.there.info(session)["healthy"]


@pytest.mark.as_root
def test_attach_and_a_bare_cotty_work_over_ssh(cotty, box):
    session = box.there.new("--name", "it")
    with tmux_window(cotty, (80, 24)) as window:
        window.line("cotty --host box attach it")
        eventually(window.is_full_screen)
        window.line("echo typed from he''re on $WHERE")
        window.has("typed from here on there")
        assert "\ntyped from here on there\n" in box.there("view", session)
        window.press("C-]", "d")
        window.has("detached from it")
        # Until then ssh reads the keys.
        window.shows("outer$")
        # Without a command: a new session.
        window.line("clear; cotty --host box")
        eventually(window.is_full_screen)
        window.line("echo $((40+2))-$WHERE")
        window.has("42-there")
        assert box.there.json("ls")["count"] == 2
        window.line("exit")
        window.shows("outer$")
        window.line("clear; cotty --host box view it --watch")
        eventually(window.is_full_screen)
        window.has("typed from here on there")
        window.press("C-c")
        window.shows("outer$")
        # A local Ctrl-C reaches the remote program.
        window.line("clear; cotty --host box run -- sh -c 'trap \"exit 9\" INT; touch begun; while :; do sleep 0.05; done'; echo code $?")
        eventually((box.user_home / "begun").exists)
        window.press("C-c")
        window.has("code 9")


def test_a_session_goes_on_when_ssh_is_killed(cotty, box):
    box.there.new("--name", "it")
    with tmux_window(cotty, (80, 24)) as window:
        window.line("cotty --host box attach it")
        eventually(window.is_full_screen)
        window.line("echo be''gun; until [ -e go ]; do sleep 0.05; done; echo went on")
        box.there("wait", "it", "--regex", "^begun$")
        # The descendants of the window's shell: `cotty` and its ssh.
        shell = window.tmux("display-message", "-p", "-t", window.pane, "#{pane_pid}").strip()
        ssh = next(pid for pid in descendants(shell) if Path(f"/proc/{pid}/comm").read_text() == "ssh\n")
        os.kill(ssh, signal.SIGKILL)
        window.shows("outer$")
    (box.user_home / "go").touch()
    box.there("wait", "it", "--regex", "^went on$")
    assert box.there.json("ls")["count"] == 1


def descendants(pid):
    """The descendants of a process."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield int(child)
        yield from descendants(child)


def test_errors_name_what_is_missing(cotty, box):
    (box.user_home / ".local" / "bin" / "cotty").unlink()
    cotty("--host", "box", "ls", code=127)
    assert "there is no cotty on" in cotty.stderr and "COTTY_THERE" in cotty.stderr
    cotty.env["COTTY_THERE"] = str(BINARY)
    assert cotty.json("--host", "box", "ls")["count"] == 0
    for wrong in ("", "-oProxyCommand=touch evil"):
        cotty(f"--host={wrong}", "ls", code=1)
        assert "is not a host" in cotty.stderr
    assert not (cotty.work / "evil").exists()
    cotty.env["COTTY_SSH"] = "no-such-ssh"
    cotty("--host", "box", "ls", code=1)
    assert "cannot run `no-such-ssh`" in cotty.stderr and "COTTY_SSH" in cotty.stderr
    cotty.env["COTTY_SSH"] = f"ssh -F {box.config} -p 1"
    cotty("--host", "box", "ls", code=255)
    assert "port 1: Connection refused" in cotty.stderr


def test_ssh_gets_the_expected_arguments(cotty):
    """A fake ssh prints its arguments, one by one."""
    fake = cotty.work / "fake-ssh"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$1" "$2" "$3"\necho ...\nexit 5\n')
    fake.chmod(0o755)
    env = {**cotty.env, "COTTY_SSH": f"{fake} -p 22"}
    done = subprocess.run([BINARY, "--host", "me@box", "ls"], env=env, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 5 and done.stdout.splitlines()[:3] == ["-p", "22", "me@box"]
    assert not cotty.home.exists()
