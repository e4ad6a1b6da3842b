"""The command line: its help, the daemon, its addresses and its home."""

import os
import pty
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import BINARY, LIMIT, SOAK, Cotty, alive, eventually

COMMANDS = """
    new ls run view send wait attach ask requests answer commands search resize kill recording purge serve status restart stop token config mcp render
    completions
""".split()


def children(pid):
    """The child processes of a process, with zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


def terminals(pid):
    """The pseudo-terminals whose master a process holds."""
    links = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return sum(link in ("/dev/ptmx", "/dev/pts/ptmx") for link in links)


# Help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(cotty, command):
    text = cotty(command, "--help")
    first = text.splitlines()[0]
    assert len(first) > 10 and f"cotty {command}" in text and "Options:" in text
    assert not cotty.home.exists(), "help touches nothing"


def test_help_lists_every_command_except_internal_ones(cotty):
    text = cotty("--help")
    for command in COMMANDS:
        assert f"\n  {command} " in text
    assert "__" not in text
    assert cotty("--version").startswith("cotty ")


def test_unknown_commands_and_options_are_refused(cotty):
    cotty("no-such-command", code=2)
    cotty("new", "--no-such-option", code=2)
    cotty("send", code=2)


# The daemon


def test_status_restart_and_stop_report_that_nothing_runs(cotty):
    assert cotty("status", code=3) == ""
    assert "cotty is not running here" in cotty.stderr
    for command in ("restart", "stop"):
        cotty(command, code=3)
        assert "cotty is not running here" in cotty.stderr
    assert not (cotty.home / "run" / "cotty.sock").exists()


def test_status_shows_where_everything_is(cotty):
    cotty.new()
    status = cotty.status()
    assert alive(status["pid"]) and alive(status["keeper_pid"])
    assert (status["live"], status["exited"]) == (1, 0)
    assert status["socket"] == str(cotty.home / "run" / "cotty.sock")
    assert status["link"].startswith("http://127.0.0.1:") and "#key=" in status["link"]
    assert cotty("status", "--link") == status["link"] + "\n"
    # Not to a log.
    text = cotty("status")
    assert status["http"] in text and "key=" not in text and str(status["pid"]) in text
    assert (cotty.home / "run/cotty.sock").stat().st_mode & 0o077 == 0
    assert cotty.home.stat().st_mode & 0o077 == 0


def test_restart_keeps_sessions_and_changes_the_daemon(cotty):
    session = cotty.new()
    cotty("send", session, "x=kept", "-e")
    cotty("wait", session, "--prompt")
    before, shell = cotty.status(), cotty.info(session)["pid"]
    cotty("restart")
    assert "1 sessions go on" in cotty.stderr or "1 session goes on" in cotty.stderr
    after = cotty.status()
    assert after["pid"] != before["pid"] and not alive(before["pid"])
    assert (after["keeper_pid"], after["link"]) == (before["keeper_pid"], before["link"])
    assert cotty.info(session)["pid"] == shell
    cotty("send", session, "echo $x-$((6*7))", "-e")
    cotty("wait", session, "--text", "kept-42")


def test_sessions_survive_a_sigterm_to_the_background_daemon(cotty):
    session = cotty.new()
    before = cotty.status()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        pid = cotty.status()["pid"]
        os.kill(pid, number)
        if number != signal.SIGHUP:
            eventually(lambda pid=pid: not alive(pid))
        assert cotty.status()["keeper_pid"] == before["keeper_pid"]
    cotty("send", session, "echo still-$((1+1))", "-e")
    cotty("wait", session, "--text", "still-2")


def test_a_stopped_daemon_is_replaced(cotty):
    session = cotty.new()
    pid = cotty.status()["pid"]
    os.kill(pid, signal.SIGSTOP)
    cotty("restart")
    assert cotty.status()["pid"] != pid and not alive(pid)
    cotty("send", session, "echo on-$((1+1))", "-e")
    cotty("wait", session, "--text", "on-2")


@pytest.mark.slow
def test_a_terminal_reopened_at_once_does_not_keep_the_daemon_busy(cotty):
    """The daemon may notice the hang-up after the terminal is open again. It must not poll for it for ever."""
    script = (
        "import os, time\nfor fd in (0, 1, 2): os.close(fd)\nend = time.perf_counter() + {delay}\n"
        "while time.perf_counter() < end: pass\nos.open('/dev/tty', os.O_RDWR)\nopen({gate!r}).read()\n"
    )
    gate = cotty.work / "gate"
    os.mkfifo(gate)
    cotty("ls")
    daemon = cotty.status()["pid"]
    for step in range(0, 30, 1 if SOAK else 3):
        session = cotty.new("--", "python3", "-c", script.format(delay=step * 10e-6, gate=str(gate)))
        # The program opens the fifo once its terminal is open again, and exits when we close our end.
        opened = eventually(lambda: writer(gate))
        try:
            eventually(lambda: sleeps(daemon), limit=5)
        finally:
            os.close(opened)
        cotty("wait", session, "--exit")
        cotty("kill", session)


def sleeps(pid):
    """Whether all threads of a process wait for something."""
    stats = [(task / "stat").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    return all(stat.rsplit(")", 1)[1].split()[0] == "S" for stat in stats)


def writer(fifo):
    """The write end of a fifo, once a program reads."""
    try:
        return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def test_stop_leaves_nothing_behind(cotty):
    deaf = "trap '' TERM HUP; echo deaf; while :; do sleep 1; done"
    sessions = [cotty.new(), cotty.new("--", "sh", "-c", deaf), cotty.new("--", "true")]
    cotty("wait", sessions[1], "--text", "deaf")
    cotty("wait", sessions[2], "--exit")
    cotty("send", sessions[0], "sleep 1000 & echo be''gun", "-e")
    cotty("wait", sessions[0], "--text", "begun")
    status = cotty.status()
    pids = [status["pid"], status["keeper_pid"], *(s["pid"] for s in cotty.json("ls")["sessions"])]
    marks = {f"COTTY_SESSION={session}".encode() for session in sessions}
    cotty("stop")
    # The keeper itself is reaped by init, at some time.
    for pid in pids:
        assert not alive(pid) and (pid == status["keeper_pid"] or not Path(f"/proc/{pid}").exists())
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environ = set((entry / "environ").read_bytes().split(b"\0"))
            except OSError:
                continue
            assert not marks & environ, entry.name
    assert not (cotty.home / "run" / "cotty.sock").exists()
    assert list((cotty.home / "run" / "hooks").iterdir()) == []
    cotty("status", code=3)
    cotty("stop", code=3)
    # It starts again without sessions.
    assert cotty.json("ls")["count"] == 0


@pytest.mark.root_only  # Only root sees the descriptors of keeper and daemon.
def test_sessions_leave_no_zombies_and_no_terminals(cotty):
    for _ in range(3):
        cotty("run", "--", "sh", "-c", "(sleep 0 &) ; sleep 0 & exit 0")
    session = cotty.new()
    cotty("send", session, "(sleep 0 &); (sleep 0 &); echo over", "-e")
    cotty("wait", session, "--prompt")
    keeper, daemon = cotty.status()["keeper_pid"], cotty.status()["pid"]
    assert (terminals(keeper), terminals(daemon)) == (1, 1)
    cotty("kill", session)
    # The keeper adopts orphans and reaps each when it exits.
    eventually(lambda: children(keeper) == [daemon])
    eventually(lambda: terminals(keeper) + terminals(daemon) == 0)


# serve


def serve(cotty, *args, **options):
    """Starts a foreground daemon. Returns it with the address that it printed."""
    serving = cotty.start("serve", *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    for line in serving.stdout:
        if line.strip().startswith("page "):
            assert "key=" not in line and "cotty status --link" in line
            return serving, line.split()[1]
    raise AssertionError(serving.communicate())


def test_serve_prints_its_address_and_ends_all_sessions_on_ctrl_c(cotty):
    serving, address = serve(cotty)
    session = cotty.new()
    assert cotty.status()["http"] == address
    assert cotty.status()["keeper_pid"] == serving.pid
    shell, daemon = cotty.info(session)["pid"], cotty.status()["pid"]
    serving.send_signal(signal.SIGINT)
    assert serving.wait(LIMIT) == 0
    for pid in (shell, daemon):
        assert not alive(pid)
    assert not (cotty.home / "run" / "cotty.sock").exists()
    cotty("status", code=3)


def test_ctrl_c_in_serves_terminal_ends_the_sessions_in_order(cotty):
    """The kernel sends Ctrl-C to the whole foreground group. The sessions are still ended in order."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(BINARY, ["cotty", "serve"], cotty.env)
    said = b""
    while b"#key=" not in said:
        said += os.read(master, 4096)
    session = cotty.new()
    shell = cotty.info(session)["pid"]
    os.write(master, b"\x03")
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert not alive(shell)
    os.close(master)


def test_serve_survives_the_death_of_its_daemon(cotty):
    serving, _ = serve(cotty)
    session = cotty.new()
    link = cotty.status()["link"]
    cotty.kill_daemon()
    assert cotty.info(session)["healthy"] and cotty.status()["link"] == link
    serving.send_signal(signal.SIGTERM)
    assert serving.wait(LIMIT) == 0


def test_a_second_serve_is_refused(cotty):
    cotty.new()
    keeper = cotty.status()["keeper_pid"]
    cotty("serve", code=1)
    assert "already running here" in cotty.stderr and str(keeper) in cotty.stderr
    cotty("stop")
    serving, _ = serve(cotty)
    cotty("serve", code=1)
    assert "already running here" in cotty.stderr and str(serving.pid) in cotty.stderr
    serving.send_signal(signal.SIGINT)
    assert serving.wait(LIMIT) == 0


# Addresses


def test_a_taken_port_fails_clearly(cotty):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        cotty("serve", "--listen", address, code=1)
        assert address in cotty.stderr and "in use" in cotty.stderr
        cotty.env["COTTY_HTTP_LISTEN"] = address
        cotty("new", code=1)
        assert address in cotty.stderr and "in use" in cotty.stderr
        cotty("status", code=3)


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_only_loopback_addresses_are_accepted(cotty, address):
    cotty("serve", "--listen", address, code=1)
    assert "not a loopback address" in cotty.stderr


def test_an_invalid_address_is_refused(cotty):
    cotty("serve", "--listen", "nonsense", code=2)
    cotty.env["COTTY_HTTP_LISTEN"] = "nonsense"
    cotty("new", code=1)
    assert "COTTY_HTTP_LISTEN" in cotty.stderr and "nonsense" in cotty.stderr


def test_ipv6_loopback_is_accepted(cotty):
    cotty.env["COTTY_HTTP_LISTEN"] = "[::1]:0"
    cotty.new()
    assert cotty.status()["link"].startswith("http://[::1]:")


# Homes


def test_a_home_path_that_is_too_long_is_refused(cotty):
    home = cotty.work / ("x" * 100)
    cotty.env["COTTY_HOME"] = str(home)
    cotty("new", code=1)
    assert "too long" in cotty.stderr and "COTTY_HOME" in cotty.stderr
    assert not home.exists(), "a refused home is not created"


@pytest.mark.as_root
def test_a_home_that_others_may_enter_is_refused(cotty):
    cotty.home.mkdir(mode=0o755)
    cotty.home.chmod(0o755)
    cotty("new", code=1)
    assert "can be entered by other users" in cotty.stderr and "chmod 700" in cotty.stderr
    cotty.home.chmod(0o700)
    cotty.new()


@pytest.mark.as_root
def test_a_home_of_another_user_is_refused(cotty):
    if os.getuid() == 0:
        cotty.home.mkdir(mode=0o700)
        os.chown(cotty.home, 12345, 12345)
    else:
        cotty.env["COTTY_HOME"] = "/usr"
    for command in ("new", "status", "serve"):
        cotty(command, code=1)
        assert "belongs to another user" in cotty.stderr


@pytest.mark.as_root
def test_a_home_that_is_a_symlink_or_a_file_is_refused(cotty):
    (cotty.work / "elsewhere").mkdir(mode=0o700)
    cotty.home.symlink_to(cotty.work / "elsewhere")
    cotty("new", code=1)
    assert "is not a directory" in cotty.stderr
    cotty.home.unlink()
    cotty.home.write_text("")
    cotty("new", code=1)
    assert str(cotty.home) in cotty.stderr
    cotty.home.unlink()


def test_a_relative_home_works(cotty):
    cotty.env["COTTY_HOME"] = "../home"
    session = cotty.new()
    assert (cotty.home / "run" / "cotty.sock").exists()
    # The same home from another directory, by its full path.
    (cotty.work / "deeper").mkdir()
    cotty.env["COTTY_HOME"] = str(cotty.home)
    assert cotty.info(session)["session_id"] == session
    cotty("restart", cwd="/")
    assert cotty.info(session)["session_id"] == session


def test_a_home_with_unusual_characters_works(cotty):
    top = Path(tempfile.mkdtemp(prefix="cotty-"))
    other = Cotty(top / "a b'ü$x", cotty.work)
    try:
        session = other.new()
        other("send", session, "echo $((40+2))", "-e")
        other("wait", session, "--text", "42")
    finally:
        other("stop")
        shutil.rmtree(top)


def test_a_persons_shell_keeps_its_own_history(cotty):
    """A line that a person keeps out of the history with a leading space stays out of it."""
    (cotty.work / ".bashrc").write_text("HISTCONTROL=ignoreboth\nHISTFILE=~/.bash_history\n")
    session = cotty.new()
    for line in ("echo to be kept", " echo my secret"):
        cotty("send", session, line, "-e")
        cotty("wait", session, "--prompt")
    cotty("send", session, "exit", "-e")
    cotty("wait", session, "--exit")
    history = (cotty.work / ".bash_history").read_text()
    assert "to be kept" in history and "my secret" not in history


def test_a_closed_pipe_is_not_an_error(cotty):
    session = cotty.new("--", "sh", "-c", "seq 1 5000; cat")
    cotty("wait", session, "--text", "5000")
    shell = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{BINARY}' view {session} --history | head -1"],
        env=cotty.env,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (shell.stdout, shell.stderr) == ("1\n", "")
