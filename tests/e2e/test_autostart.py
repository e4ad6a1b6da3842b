"""Many clients that need a daemon at the same moment get the same one."""

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, alive, eventually, seeds

CLIENTS = 20
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
# Waits until the barrier opens (the other end of the pipe is closed), then execs the command.
STARTER = "import os, sys; os.read(int(sys.argv[1]), 1); os.execv(sys.argv[2], sys.argv[2:])"


def processes_of(cotty):
    """The keepers and daemons of a home, by role."""
    found = {"__keeper": [], "__daemon": []}
    mark = f"COTTY_HOME={cotty.home}".encode()
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or not alive(entry.name):
                continue
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if mark in (entry / "environ").read_bytes().split(b"\0") and len(words) > 1:
                role = words[1].decode(errors="replace")
                if role in found:
                    found[role].append(int(entry.name))
        except OSError:
            continue
    return found


def start_together(cotty, commands):
    """Starts each command in a process that waits at a barrier, then opens it for all at once."""
    barrier, opener = os.pipe()
    starting = [
        subprocess.Popen(
            [sys.executable, "-S", "-c", STARTER, str(barrier), BINARY, *command],
            env=cotty.env,
            cwd=cotty.work,
            pass_fds=[barrier],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    os.close(barrier)
    for client in starting:
        eventually(lambda client=client: waits_in_a_pipe(client.pid))
    os.close(opener)
    return starting


def waits_in_a_pipe(pid):
    return Path(f"/proc/{pid}/wchan").read_text() in ("pipe_read", "anon_pipe_read") or sleeps(pid)


def sleeps(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0] == "S" and Path(f"/proc/{pid}/syscall").read_text().startswith("0 ")


def answer(client, command):
    """A client's output, after checking it."""
    if command == ["mcp"]:
        client.stdin.write(json.dumps(INITIALIZE) + "\n")
        client.stdin.flush()
        first = json.loads(client.stdout.readline())
        assert first["result"]["serverInfo"]["name"] == "cotty"
    out, err = client.communicate(timeout=LIMIT)
    assert (client.returncode, err) == (0, ""), (command, err)
    if command[0] == "new":
        assert out.startswith("sess_")
        return out.strip()
    if command[0] == "ls":
        assert json.loads(out)["count"] >= 0
    return None


def check_one_daemon(cotty, commands):
    clients = start_together(cotty, commands)
    made = [answer(client, command) for client, command in zip(clients, commands, strict=True)]
    made = sorted(session for session in made if session)
    found = processes_of(cotty)
    status = cotty.status()
    assert found == {"__keeper": [status["keeper_pid"]], "__daemon": [status["pid"]]}
    sessions = cotty.json("ls")["sessions"]
    assert sorted(s["session_id"] for s in sessions) == made
    numbers = [s["number"] for s in sessions]
    assert sorted(numbers) == list(range(1, len(made) + 1))


COMMANDS = [[["new", "--", "cat"], ["ls", "--json"], ["mcp"]][n % 3] for n in range(CLIENTS)]


@pytest.mark.root_only  # Only root sees the environment of keeper and daemon.
@seeds(1, 20)
def test_twenty_clients_at_once_start_one_daemon(cotty, seed):
    check_one_daemon(cotty, COMMANDS)


@pytest.mark.root_only  # Only root sees the environment of keeper and daemon.
@seeds(1, 20)
def test_twenty_clients_at_once_with_a_stale_socket(cotty, seed):
    run = cotty.home / "run"
    run.mkdir(parents=True, mode=0o700)
    cotty.home.chmod(0o700)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(run / "cotty.sock"))
    (run / "keeper.lock").write_text("1")
    check_one_daemon(cotty, COMMANDS)


def test_a_plain_file_at_the_socket_path_is_replaced(cotty):
    run = cotty.home / "run"
    run.mkdir(parents=True, mode=0o700)
    cotty.home.chmod(0o700)
    (run / "cotty.sock").write_text("")
    cotty.new("--", "cat")


@pytest.mark.as_root
def test_a_client_starts_a_new_daemon_after_the_keeper_was_killed(cotty):
    """The old sessions are gone, and the next client starts a new keeper."""
    session = cotty.new("--", "cat")
    shell = cotty.info(session)["pid"]
    status = cotty.status()
    os.kill(status["keeper_pid"], 9)
    eventually(lambda: not alive(status["pid"]))
    eventually(lambda: not alive(shell))
    again = cotty.new("--", "cat")
    assert [s["session_id"] for s in cotty.json("ls")["sessions"]] == [again]
    assert cotty.status()["keeper_pid"] != status["keeper_pid"]


@pytest.mark.root_only  # Only root sees the environment and the descriptors of keeper and daemon.
def test_the_daemon_is_not_its_clients_child(cotty):
    """Hosts of agents end whole process trees. The keeper must not be in one."""
    cotty.new("--", "cat")
    keeper = cotty.status()["keeper_pid"]
    fields = Path(f"/proc/{keeper}/stat").read_text().rsplit(")", 1)[1].split()
    parent, group, session = int(fields[1]), int(fields[2]), int(fields[3])
    assert parent != os.getpid() and os.getsid(0) != session and os.getpgid(0) != group
    assert Path(f"/proc/{keeper}/cwd").resolve() == Path("/")
    descriptors = Counter(os.readlink(entry) for entry in Path(f"/proc/{keeper}/fd").iterdir())
    # Both ends of its own pipes, and no end of a client's.
    assert all(count == 2 for target, count in descriptors.items() if target.startswith("pipe:")), descriptors


@pytest.mark.root_only  # Only root sees the environment and the descriptors of keeper and daemon.
def test_a_client_does_not_wait_for_a_daemon_that_cannot_start(cotty):
    cotty.home.mkdir(mode=0o700)
    # The daemon cannot listen where a directory is.
    (cotty.home / "run" / "cotty.sock").mkdir(parents=True, mode=0o700)
    (cotty.home / "run").chmod(0o700)
    started = time.monotonic()
    cotty("new", code=1)
    assert "cannot listen on" in cotty.stderr
    # Sooner than the time that a client waits for a daemon to come back.
    assert time.monotonic() - started < 9
    assert processes_of(cotty) == {"__keeper": [], "__daemon": []}
@pytest.mark.root_only  # Only root sees the environment of keeper and daemon.
def test_open_calls_do_not_restart_a_stopped_daemon(cotty):
    waiting = cotty.start("wait", cotty.new("--", "cat"), "--text", "never", stderr=subprocess.PIPE)
    agent = cotty.start("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    tell = lambda message: (agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"), agent.stdin.flush())
    call = lambda name, **arguments: {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
    tell(INITIALIZE)
    json.loads(agent.stdout.readline())
    tell({"method": "notifications/initialized"})
    tell({"id": 1, **call("terminal__create_session", program="cat")})
    session = json.loads(agent.stdout.readline())["result"]["structuredContent"]["session_id"]
    tell({"id": 2, **call("terminal__wait", session_id=session, text="never")})
    eventually(lambda: "cotty_waits 2\n" in cotty.metrics())
    cotty("stop")
    # The daemon reports the exit, or the client gives up because no daemon is left.
    waiting.communicate(timeout=LIMIT)
    assert json.loads(agent.stdout.readline())["id"] == 2
    assert processes_of(cotty) == {"__keeper": [], "__daemon": []}
    # A new request starts the daemon again.
    tell({"id": 3, "method": "tools/list"})
    assert json.loads(agent.stdout.readline())["id"] == 3
    assert len(processes_of(cotty)["__daemon"]) == 1
    assert agent.communicate(timeout=LIMIT)[1] == "" and agent.returncode == 0
