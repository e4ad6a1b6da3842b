"""The command line, as a person or a script uses it."""

import base64
import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import BINARY, LIMIT, Cotty, alive, eventually

COMMANDS = ["new", "ls", "run", "view", "send", "wait", "attach", "kill", "serve", "status", "restart", "stop", "mcp"]


def children(pid):
    """Processes whose parent this is, zombies too."""
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
    """Pseudo-terminals whose master a process holds."""
    links = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return sum(link in ("/dev/ptmx", "/dev/pts/ptmx") for link in links)


# Help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(cotty, command):
    text = cotty(command, "--help")
    first = text.splitlines()[0]
    assert len(first) > 10 and f"cotty {command}" in text and "Options:" in text
    assert not cotty.home.exists(), "help touches nothing"


def test_help_lists_every_command_and_no_inner_one(cotty):
    text = cotty("--help")
    for command in COMMANDS:
        assert f"\n  {command} " in text
    assert "__" not in text
    assert cotty("--version").startswith("cotty ")


def test_what_is_not_understood(cotty):
    cotty("no-such-command", code=2)
    cotty("new", "--no-such-option", code=2)
    cotty("send", code=2)


# Sessions


def test_new_ls_view_kill(cotty):
    session = cotty.new("--name", "build", "--cols", "100", "--rows", "30", "--cwd", "/", "--env", "COLOUR=blue")
    assert session.startswith("sess_")
    info = cotty.info(session)
    assert (info["name"], info["cwd"], info["owner"]) == ("build", "/", "person")
    assert info["dimensions"] == {"cols": 100, "rows": 30}
    table = cotty("ls").splitlines()
    assert table[0].split()[:3] == ["#", "ID", "NAME"]
    assert table[1].split()[:4] == ["1", session, "build", "prompt"]
    cotty("send", session, "echo $COLOUR", "--enter")
    cotty("wait", session, "--prompt")
    assert "\nblue\n" in cotty("view", session)
    cotty("kill", session)
    assert cotty("ls") == "" and "no sessions" in cotty.stderr
    cotty("view", session, code=1)
    assert "already destroyed" in cotty.stderr
    cotty("kill", session, code=1)
    assert "already destroyed" in cotty.stderr


def test_id_number_and_name_address_the_same_session(cotty):
    made = cotty.json("new", "--name", "it")
    for reference in (made["session_id"], made["number"], "it"):
        cotty("send", reference, f"echo by-{reference}-$((1+1))", "-e")
        cotty("wait", reference, "--text", f"by-{reference}-2")
        assert f"by-{reference}-2" in cotty("view", reference)
    for unknown in ("sess_zzzzzzzz", "99", "nobody", "..", "a b", ""):
        cotty("view", unknown, code=1)
        assert "not found" in cotty.stderr, unknown
    cotty("new", "--name", "it", code=1)
    assert "already a session named `it`" in cotty.stderr
    for bad in ("7", "sess_x", "a b", "ü", "x" * 65, ""):
        cotty("new", "--name", bad, code=1)
        assert "no name for a session" in cotty.stderr
    assert len(cotty.json("ls")["sessions"]) == 1
    # Its name is free again when it is gone; the number never is.
    cotty("kill", "it")
    assert cotty.json("new", "--name", "it")["number"] > made["number"]


def test_new_starts_a_program(cotty):
    session = cotty.new("--", "sh", "-c", 'echo "args: $0 $1"; pwd; exit 5', "one", "two words")
    cotty("wait", session, "--exit")
    assert cotty("view", session).splitlines()[:2] == ["args: one two words", str(cotty.work)]
    info = cotty.info(session)
    assert (info["exited"], info["exit_code"], info["args"][2:]) == (True, 5, ["one", "two words"])
    assert "exited 5" in cotty("ls")
    cotty("new", "--", "no-such-program", code=1)
    assert "Program not found: no-such-program" in cotty.stderr
    cotty("new", "--cwd", "/no/where", code=1)
    assert "/no/where" in cotty.stderr
    cotty("new", "--cols", "0", code=1)
    assert "no size for a terminal" in cotty.stderr


def test_new_takes_the_size_of_the_terminal(cotty):
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    made = cotty.start("new", stdout=slave)
    assert made.wait(LIMIT) == 0
    session = os.read(master, 100).decode().strip()
    assert cotty.info(session)["dimensions"] == {"cols": 111, "rows": 33}
    os.close(master)
    os.close(slave)


def test_ls_json_is_complete(cotty):
    session = cotty.new()
    listed = cotty.json("ls")
    assert listed["count"] == 1
    info = listed["sessions"][0]
    for key in ("session_id", "number", "program", "args", "pid", "created_at", "dimensions", "cursor", "exited", "healthy", "activity", "owner", "cwd", "seq"):
        assert key in info, key
    assert info["session_id"] == session and alive(info["pid"])


def test_ls_cannot_be_made_to_act_on_the_terminal(cotty):
    cotty.new("--", "sh", "-c", "printf '\\033]0;evil \\033[31m\\007'; cat", "\x1b[31mred\x07")
    assert "\x1b" not in cotty("ls") and "\x07" not in cotty("ls")


# run


def test_run_prints_output_and_exits_with_the_code(cotty):
    assert cotty("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7", code=7) == "out\nerr\n"
    assert cotty("run", "--", "true") == ""
    assert cotty("run", "--cols", "40", "--", "tput", "cols") == "40\n"
    cotty("run", "--", "sh", "-c", "kill -TERM $$", code=128 + 15)
    cotty("run", "--", "no-such-program", code=1)
    assert "Program not found" in cotty.stderr
    assert cotty.json("ls")["count"] == 0


def test_run_gives_all_of_a_long_output(cotty):
    lines = cotty("run", "--", "seq", "5000").splitlines()
    assert lines == [str(n) for n in range(1, 5001)]


def test_run_survives_the_daemon(cotty):
    gate = cotty.work / "gate"
    os.mkfifo(gate)
    running = cotty.start("run", "--", "sh", "-c", f"echo before; touch begun; read x < {gate}; echo $x; exit 4", stdout=subprocess.PIPE, text=True)
    eventually((cotty.work / "begun").exists)
    cotty.kill_daemon()
    fd = eventually(lambda: writer(gate))
    os.write(fd, b"after\n")
    os.close(fd)
    out, _ = running.communicate(timeout=LIMIT)
    assert (out, running.returncode) == ("before\nafter\n", 4)


# view


def test_view_plain_ansi_history_json(cotty):
    session = cotty.new("--rows", "5", "--", "sh", "-c", "seq 1 20; printf '\\033[31mred\\033[0m'; cat")
    cotty("wait", session, "--text", "red")
    assert cotty("view", session) == "17\n18\n19\n20\nred\n"
    assert cotty("view", session, "--history").splitlines() == [*map(str, range(1, 21)), "red"]
    ansi = cotty("view", session, "--ansi")
    assert "\x1b[" in ansi and "31m" in ansi
    assert "\x1b" in cotty("view", session, "--ansi", "--history")
    seen = cotty.json("view", session)
    assert seen["content"].endswith("20\nred") and seen["cursor"] == {"row": 5, "col": 4}


def test_view_history_as_json_is_one_document_with_the_history(cotty):
    session = cotty.new("--rows", "5", "--", "sh", "-c", "seq 1 20; printf end; cat")
    cotty("wait", session, "--text", "end")
    seen = json.loads(cotty("view", session, "--history", "--json"))
    assert "1\n2\n3" in json.dumps(seen).replace("\\n", "\n")


# send


def test_send_text_and_keys_in_order(cotty):
    session = cotty.new("--", "cat", "-v")
    # Shown twice: the kernel's echo, then what `cat` read.
    cotty("send", session, "a b  c", "-e")
    shown = ["a b  c", "a b  c"]
    eventually(lambda: cotty("view", session).splitlines() == shown)
    cotty("send", session, "d", "--key", "up", "--key", "f1", "--key", "ctrl+a", "--key", "enter")
    eventually(lambda: cotty("view", session).splitlines() == [*shown, "d^[[A^[OP^A", "d^[[A^[OP^A"])
    cotty("send", session, code=1)
    assert "nothing to type" in cotty.stderr
    cotty("send", session, "--key", "entr", code=1)
    assert "Invalid key: entr" in cotty.stderr and "did you mean `enter`" in cotty.stderr
    cotty("send", session, "--", "-leading dash")
    cotty("send", session, "--key", "^C")
    cotty("wait", session, "--exit")
    cotty("send", session, "x", code=1)
    assert "has exited" in cotty.stderr


# wait


def test_wait_answers_by_its_exit_code(cotty):
    session = cotty.new()
    cotty("wait", session, "--prompt")
    cotty("send", session, "echo d''one; sleep 1000", "-e")
    cotty("wait", session, "--text", "done")
    assert cotty.json("wait", session, "--regex", "^do.e$")["met"] == "regex"
    cotty("wait", session, "--idle", "50")
    assert cotty("wait", session, "--text", "never", "--timeout", "0.1", code=3) == ""
    assert "`sleep` is still running" in cotty.stderr
    waited = cotty.json("wait", session, "--prompt", "--timeout", "0.1", code=3)
    assert waited["met"] == "timeout" and waited["why"]
    cotty("wait", session, "--regex", "(", code=1)
    assert "Invalid pattern" in cotty.stderr
    cotty("wait", session, "--timeout=-1", code=1)
    cotty("send", session, "--key", "ctrl+c")
    cotty("wait", session, "--prompt")
    cotty("send", session, "exit 6", "-e")
    waited = cotty.json("wait", session)
    assert (waited["met"], waited["exit_code"]) == ("exit", 6)


# kill


def test_kill_tells_what_is_left(cotty):
    session = cotty.new()
    cotty("send", session, "setsid sleep 1000 < /dev/null > /dev/null 2>&1 & echo sta''rted", "-e")
    cotty("wait", session, "--text", "started")
    # Its own session comes a moment after the fork.
    left = eventually(lambda: [pid for pid in pids_of("sleep\x001000\0") if os.getsid(pid) == pid])
    try:
        cotty("kill", session)
        assert f"sleep ({left[0]})" in cotty.stderr
    finally:
        for pid in left:
            os.kill(pid, signal.SIGKILL)


def pids_of(command):
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes() == command.encode():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


# The daemon


def test_status_when_nothing_runs(cotty):
    assert cotty("status", code=3) == ""
    assert "no cotty is running here" in cotty.stderr
    for command in ("restart", "stop"):
        cotty(command, code=3)
        assert "no cotty is running here" in cotty.stderr
    assert not (cotty.home / "run" / "cotty.sock").exists()


def test_status_tells_where_everything_is(cotty):
    cotty.new()
    status = cotty.status()
    assert alive(status["pid"]) and alive(status["keeper_pid"])
    assert (status["live"], status["exited"]) == (1, 0)
    assert status["socket"] == str(cotty.home / "run" / "cotty.sock")
    assert status["link"].startswith("http://127.0.0.1:") and "#token=" in status["link"]
    text = cotty("status")
    assert status["link"] in text and str(status["pid"]) in text
    for secret in ("token", "run/cotty.sock"):
        assert (cotty.home / secret).stat().st_mode & 0o077 == 0
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


def test_sigterm_to_a_background_daemon_is_survived(cotty):
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


def test_a_terminal_that_is_closed_and_opened_at_once_holds_up_nobody(cotty):
    """The hang-up may be noticed when it is over already; the daemon must not look for it for ever."""
    script = (
        "import os, time\nfor fd in (0, 1, 2): os.close(fd)\nend = time.perf_counter() + {delay}\n"
        "while time.perf_counter() < end: pass\nos.open('/dev/tty', os.O_RDWR)\nopen({gate!r}).read()\n"
    )
    gate = cotty.work / "gate"
    os.mkfifo(gate)
    cotty("ls")
    daemon = cotty.status()["pid"]
    for step in range(30):
        session = cotty.new("--", "python3", "-c", script.format(delay=step * 10e-6, gate=str(gate)))
        # Opened by the program when its terminal is open again; it ends when we close our end.
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
    """The end of a fifo to write to, once somebody reads."""
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
    # The keeper itself is collected by init, whenever that gets to it.
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
    # And it starts again, empty.
    assert cotty.json("ls")["count"] == 0


def test_no_zombies_and_no_terminals_are_left_by_sessions(cotty):
    for _ in range(3):
        cotty("run", "--", "sh", "-c", "(sleep 0 &) ; sleep 0 & exit 0")
    session = cotty.new()
    cotty("send", session, "(sleep 0 &); (sleep 0 &); echo over", "-e")
    cotty("wait", session, "--prompt")
    keeper, daemon = cotty.status()["keeper_pid"], cotty.status()["pid"]
    assert (terminals(keeper), terminals(daemon)) == (1, 1)
    cotty("kill", session)
    # Orphans come to the keeper, which collects each as it ends.
    eventually(lambda: children(keeper) == [daemon])
    eventually(lambda: terminals(keeper) + terminals(daemon) == 0)


# serve


def serve(cotty, *args, **options):
    """Starts a foreground daemon and answers it with the link that it printed."""
    serving = cotty.start("serve", *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    for line in serving.stdout:
        if "#token=" in line:
            return serving, line.split()[-1]
    raise AssertionError(serving.communicate())


def test_serve_prints_its_link_and_ends_all_sessions_on_ctrl_c(cotty):
    serving, link = serve(cotty)
    session = cotty.new()
    assert cotty.status()["link"] == link
    assert cotty.status()["keeper_pid"] == serving.pid
    shell, daemon = cotty.info(session)["pid"], cotty.status()["pid"]
    serving.send_signal(signal.SIGINT)
    assert serving.wait(LIMIT) == 0
    for pid in (shell, daemon):
        assert not alive(pid)
    assert not (cotty.home / "run" / "cotty.sock").exists()
    cotty("status", code=3)


def test_ctrl_c_in_the_terminal_of_serve(cotty):
    """The kernel's own Ctrl-C goes to the whole foreground group: still the sessions are ended in order."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(BINARY, ["cotty", "serve"], cotty.env)
    said = b""
    while b"#token=" not in said:
        said += os.read(master, 4096)
    session = cotty.new()
    shell = cotty.info(session)["pid"]
    os.write(master, b"\x03")
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert not alive(shell)
    os.close(master)


def test_serve_survives_the_death_of_its_daemon(cotty):
    serving, link = serve(cotty)
    session = cotty.new()
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
def test_only_loopback_is_listened_on(cotty, address):
    cotty("serve", "--listen", address, code=1)
    assert "not a loopback address" in cotty.stderr


def test_an_address_that_is_none(cotty):
    cotty("serve", "--listen", "nonsense", code=2)
    cotty.env["COTTY_HTTP_LISTEN"] = "nonsense"
    cotty("new", code=1)
    assert "COTTY_HTTP_LISTEN" in cotty.stderr and "nonsense" in cotty.stderr


def test_ipv6_loopback(cotty):
    cotty.env["COTTY_HTTP_LISTEN"] = "[::1]:0"
    cotty.new()
    assert cotty.status()["link"].startswith("http://[::1]:")


# Homes


def test_a_home_that_is_too_long(cotty):
    home = cotty.work / ("x" * 100)
    cotty.env["COTTY_HOME"] = str(home)
    cotty("new", code=1)
    assert "too long" in cotty.stderr and "COTTY_HOME" in cotty.stderr
    assert not home.exists(), "a refused home is not made"


def test_a_home_that_others_may_enter(cotty):
    cotty.home.mkdir(mode=0o755)
    cotty.home.chmod(0o755)
    cotty("new", code=1)
    assert "can be entered by others" in cotty.stderr and "chmod 700" in cotty.stderr
    cotty.home.chmod(0o700)
    cotty.new()


def test_a_home_that_is_a_link_or_a_file(cotty):
    (cotty.work / "elsewhere").mkdir(mode=0o700)
    cotty.home.symlink_to(cotty.work / "elsewhere")
    cotty("new", code=1)
    assert "is not a directory" in cotty.stderr
    cotty.home.unlink()
    cotty.home.write_text("")
    cotty("new", code=1)
    assert str(cotty.home) in cotty.stderr
    cotty.home.unlink()


def test_a_relative_home(cotty):
    cotty.env["COTTY_HOME"] = "../home"
    session = cotty.new()
    assert (cotty.home / "run" / "cotty.sock").exists()
    # The same one from elsewhere, by its full path.
    (cotty.work / "deeper").mkdir()
    cotty.env["COTTY_HOME"] = str(cotty.home)
    assert cotty.info(session)["session_id"] == session
    cotty("restart", cwd="/")
    assert cotty.info(session)["session_id"] == session


def test_a_home_with_strange_characters(cotty):
    top = Path(tempfile.mkdtemp(prefix="cotty-"))
    other = Cotty(top / "a b'ü$x", cotty.work)
    try:
        session = other.new()
        other("send", session, "echo $((40+2))", "-e")
        other("wait", session, "--text", "42")
    finally:
        other("stop")
        shutil.rmtree(top)


def test_the_history_of_a_persons_shell_is_his_own(cotty):
    """What a person keeps out of his history with a leading space stays out of it."""
    (cotty.work / ".bashrc").write_text("HISTCONTROL=ignoreboth\nHISTFILE=~/.bash_history\n")
    session = cotty.new()
    for line in ("echo to be kept", " echo my secret"):
        cotty("send", session, line, "-e")
        cotty("wait", session, "--prompt")
    cotty("send", session, "exit", "-e")
    cotty("wait", session, "--exit")
    history = (cotty.work / ".bash_history").read_text()
    assert "to be kept" in history and "my secret" not in history


def test_a_closed_pipe_is_no_error(cotty):
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


# Rendering


def test_render_shows_what_a_terminal_would(cotty):
    said = "a\x1b[31mred <b>\x1b[0m\x1b]2;a title\x07\x1b[6n\r\n" + "\r\n".join(f"line {i}" for i in range(5))
    (cotty.work / "said").write_text(said)
    shown = json.loads(cotty("render", "said", "--cols", 20, "--rows", 3, "--format", "json"))
    assert shown["lines"] == ["line 2", "line 3", "line 4"]
    assert shown["scrollback"] == ["ared <b>", "line 0", "line 1"]
    assert shown["cursor"] == {"row": 2, "col": 6}
    assert (shown["title"], shown["alt_screen"]) == ("a title", False)
    assert base64.b64decode(shown["replies"]) == b"\x1b[1;9R"
    (cotty.work / "said").write_text(said[: said.index("\r")])
    assert cotty("render", "said", "--rows", 1) == "ared <b>\n"
    assert "\x1b[" in cotty("render", "said", "--rows", 1, "--format", "ansi")
    assert "red &lt;b&gt;</span>" in cotty("render", "said", "--rows", 1, "--format", "html")
    cotty("render", "no-such-file", code=1)
    assert not cotty.home.exists(), "no daemon is needed"


def test_render_shows_cells_and_cuts(cotty):
    said = "\x1b[1;31;48;2;1;2;3mr\x1b[0m漢\x1b[4:3;58:5:9mu\x1b[0;7m!\x1b[0m\x1b[?25l"
    (cotty.work / "said").write_text(said)
    size = ["--cols", 6, "--rows", 1]
    shown = json.loads(cotty("render", "said", *size, "--format", "json", "--cells"))
    assert shown["cells"] == [
        [
            {"text": ["r"], "fg": 1, "bg": "#010203", "attributes": ["bold"]},
            {"text": ["漢"], "width": 2},
            {"text": ["u"], "underline": "curly", "underline_color": 9},
            {"text": ["!"], "attributes": ["inverse"]},
            {"text": [""]},
        ]
    ]
    assert (shown["cursor_visible"], shown["reverse_screen"]) == (False, False)
    # Up to the end of the first sequence, and into the wide character.
    first, wide = said.index("r"), len(said[: said.index("漢")].encode()) + 1
    assert cotty("render", "said", *size, "--upto", first) == "\n"
    assert cotty("render", "said", *size, "--upto", wide) == "r\n"
    cuts = cotty("render", "said", *size, "--format", "paint", "--cuts", f"{wide},{wide},1000")
    one, two, three = map(json.loads, cuts.splitlines())
    assert one["at"] == wide and one["diff"] == one["paint"]
    assert two["diff"] is None
    assert three["at"] == len(said.encode()) and three["cells"] == shown["cells"]
    # A paint shows to us what it paints.
    paint = cotty("render", "said", *size, "--format", "paint")
    assert paint == three["paint"]
    for painted in [paint, one["paint"] + three["diff"]]:
        (cotty.work / "paint").write_text(painted)
        again = json.loads(cotty("render", "paint", *size, "--format", "json", "--cells"))
        assert [again[key] for key in ("cells", "cursor", "cursor_visible")] == [
            shown[key] for key in ("cells", "cursor", "cursor_visible")
        ]
    cotty("render", "said", "--cuts", 1, code=1)
