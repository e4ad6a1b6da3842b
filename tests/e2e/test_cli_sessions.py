"""Everyday commands, as a person or a script uses them."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from conftest import LIMIT, Cotty, alive, eventually
from test_cli import writer
from window import tmux_window


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
    cotty("view", session, code=4)
    assert "already destroyed" in cotty.stderr and "start another session with `cotty new`" in cotty.stderr
    cotty("kill", session, code=4)
    assert "already destroyed" in cotty.stderr


def test_id_number_and_name_address_the_same_session(cotty):
    made = cotty.json("new", "--name", "it")
    for reference in (made["session_id"], made["number"], "it"):
        cotty("send", reference, f"echo by-{reference}-$((1+1))", "-e")
        cotty("wait", reference, "--text", f"by-{reference}-2")
        assert f"by-{reference}-2" in cotty("view", reference)
    for unknown in ("sess_zzzzzzzz", "99", "nobody", "..", "a b", ""):
        cotty("view", unknown, code=4)
        assert "not found" in cotty.stderr and "`cotty ls`" in cotty.stderr, unknown
    cotty("new", "--name", "it", code=1)
    assert "already a session named `it`" in cotty.stderr
    for bad in ("7", "sess_x", "a b", "ü", "x" * 65, ""):
        cotty("new", "--name", bad, code=1)
        assert "invalid session name" in cotty.stderr
    assert len(cotty.json("ls")["sessions"]) == 1
    # When a session is gone, its name is free again, its number is not.
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
    assert "is not a valid size" in cotty.stderr


def terminal(cols, rows):
    """Both ends of a terminal of the given size."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    return master, slave


@pytest.mark.parametrize("end", ["stdin", "stdout", "stderr"])
def test_new_takes_the_size_of_the_terminal(cotty, end):
    """Of any standard stream that is a terminal: in `$(cotty new)`, stdout is not."""
    cotty("ls")
    master, slave = terminal(111, 33)
    nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    assert cotty.start("new", **{**nowhere, end: slave}).wait(LIMIT) == 0
    assert cotty.json("ls")["sessions"][0]["dimensions"] == {"cols": 111, "rows": 33}
    os.close(master)
    os.close(slave)


def test_a_persons_session_has_the_whole_environment_and_what_is_given(cotty):
    (cotty.work / "deeper").mkdir()
    cotty.env |= {"SSH_AUTH_SOCK": "/agent", "PLAIN": "as it is", "MY_TOKEN": "secret"}
    show = 'echo "[$SSH_AUTH_SOCK][$PLAIN][$MY_TOKEN][$GIVEN]"; pwd; cat'
    options = ["--cwd", "deeper", "-e", "SSH_AUTH_SOCK", "-e", "GIVEN=a=b"]
    session = cotty.new(*options, "--", "sh", "-c", show)
    cotty("wait", session, "--text", "deeper")
    assert cotty("view", session) == f"[/agent][as it is][secret][a=b]\n{cotty.work}/deeper\n"
    assert cotty("run", *options, "--", "sh", "-c", f"{show[:-5]}").startswith("[/agent][as it is][secret][a=b]\n")
    cotty("new", "--env", "NOT_SET_HERE", code=2)
    assert "NOT_SET_HERE is not set here" in cotty.stderr


def test_two_clients_get_sessions_with_their_own_environment(cotty):
    """One of them starts the daemon. The other does not get its environment."""
    shown = {}
    for name in ("one", "two"):
        tools = cotty.work / name
        tools.mkdir()
        (tools / "which-am-i").write_text(f"#!/bin/sh\necho I am {name}\n")
        (tools / "which-am-i").chmod(0o755)
        client = Cotty(cotty.home, cotty.work)
        client.env |= {"PATH": f"{tools}:{cotty.env['PATH']}", "SSH_AUTH_SOCK": f"/agent/{name}", "ONLY": name}
        if name == "two":
            del client.env["LANG"]
        script = 'which-am-i; echo "$SSH_AUTH_SOCK, $ONLY, $LANG"; cat'
        session = client.new("--name", name, "--env", "SSH_AUTH_SOCK", "--", "sh", "-c", script)
        client("wait", session, "--regex", ", (one|two)")
        shown[name] = client("view", session)
        # An interactive shell has it too, and finds its programs there.
        shell = client.new("--env", "SSH_AUTH_SOCK")
        client("send", shell, "which-am-i; echo ${SSH_AUTH_SOCK}.", "-e")
        client("wait", shell, "--text", f"/agent/{name}.")
        assert f"\nI am {name}\n" in client("view", shell)
    assert shown["one"] == "I am one\n/agent/one, one, C.UTF-8\n"
    assert shown["two"].splitlines()[:2] == ["I am two", "/agent/two, two,"]
    assert cotty.status()["live"] == 4


def test_ls_json_is_complete(cotty):
    session = cotty.new("--", "sh", "-c", "printf '\\033]2;a title\\007ready'; cat")
    cotty("wait", session, "--text", "ready")
    eventually(lambda: cotty.info(session)["state"] == "waiting_for_input")
    listed = cotty.json("ls")
    assert listed["count"] == 1 and cotty.json("list")["sessions"][0]["session_id"] == session
    info = listed["sessions"][0]
    # The first line lists the seed's fields.
    for key in (
        *("session_id", "program", "args", "pid", "created_at", "dimensions", "exited", "exit_code", "healthy"),
        *("name", "number", "title", "state", "owner"),
        *("cursor", "activity", "cwd", "seq", "keyboard", "idle_ms", "recording"),
    ):
        assert key in info, key
    assert info["session_id"] == session and alive(info["pid"])
    assert (info["name"], info["title"], info["state"], info["owner"]) == (None, "a title", "waiting_for_input", "person")
    shell = cotty.new("--name", "shell")
    assert (cotty.info(shell)["name"], cotty.info(shell)["state"]) == ("shell", "prompt")


def test_ls_removes_control_characters(cotty):
    evil = "printf '\\033]2;evil \\302\\2332J\\342\\200\\256\\007ready'; cat"
    session = cotty.new("--", "sh", "-c", evil, "\x1b[31mred\x07\x9b2J\u202e")
    cotty("wait", session, "--text", "ready")
    for shown in (cotty("ls"), cotty("ls", "--json"), cotty("new", "--name", "\x1b[31m", code=1) + cotty.stderr):
        assert not any(c in shown for c in "\x1b\x07\x9b"), shown
    assert "\u202e" not in cotty("ls")


def test_ls_uses_colours_only_in_a_terminal(cotty):
    session = cotty.new("--name", "x")
    assert "\x1b" not in cotty("ls")
    master, slave = terminal(60, 24)
    for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        assert cotty.start("ls", stdout=slave, env={**cotty.env, **env}).wait(LIMIT) == 0
        shown = os.read(master, 10_000).decode()
        assert session in shown and ("\x1b[32mprompt\x1b[0m" in shown) == coloured, shown
        # No line is wider than the terminal.
        plain = shown.replace("\x1b[32m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
        assert max(len(line) for line in plain.splitlines()) <= 60, plain
    os.close(master)
    os.close(slave)


# run


def test_run_prints_output_and_exits_with_the_code(cotty):
    assert cotty("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7", code=7) == "out\nerr\n"
    assert cotty("run", "--", "true") == ""
    assert cotty("run", "--cols", "40", "--", "tput", "cols") == "40\n"
    cotty("run", "--", "sh", "-c", "kill -TERM $$", code=128 + 15)
    cotty("run", "--", "no-such-program", code=1)
    assert "Program not found" in cotty.stderr
    assert cotty.json("ls")["count"] == 0


def test_run_prints_all_of_a_long_output(cotty):
    lines = cotty("run", "--", "seq", "5000").splitlines()
    assert lines == [str(n) for n in range(1, 5001)]


def test_run_survives_a_daemon_kill(cotty):
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


def test_run_prints_the_last_screen_of_a_full_screen_program(cotty):
    assert cotty("run", "--", "sh", "-c", "printf '\\033[?1049h\\033[2;3Hfull screen'") == "\n  full screen\n"
    # Also of a program that restores the old screen.
    (cotty.work / "notes").write_text("a note\n")
    shown = cotty("run", "--", "vim", "-u", "NONE", "-c", "redraw", "-c", "q", "notes").splitlines()
    assert shown[:3] == ["a note", "~", "~"], shown
    # Plain output takes precedence over the alternate screen.
    assert cotty("run", "--", "sh", "-c", "printf '\\033[?1049hgone\\033[?1049l'; echo said") == "said\n"


def test_run_writes_a_recording(cotty):
    cast = cotty.work / "it.cast"
    cotty("run", "--cols", "33", "--rows", "7", "--record", cast, "--", "sh", "-c", "echo hello; printf '\\033[31mred'; exit 3", code=3)
    head, *events = map(json.loads, cast.read_text().splitlines())
    assert (head["version"], head["term"]["cols"], head["term"]["rows"]) == (3, 33, 7)
    assert "".join(data for _, code, data in events if code == "o") == "hello\r\n\x1b[31mred"
    assert cast.stat().st_mode & 0o077 == 0
    cotty("run", "--record", "/no/where/it.cast", "--", "touch", "ran", code=1)
    assert "/no/where/it.cast" in cotty.stderr and not (cotty.work / "ran").exists()
    assert cotty.json("ls")["count"] == 0


def test_run_forwards_an_interrupt(cotty):
    script = "trap 'echo caught; exit 9' INT; touch ready; while :; do sleep 0.05; done"
    running = cotty.start("run", "--", "sh", "-c", script, stdout=subprocess.PIPE, text=True)
    eventually((cotty.work / "ready").exists)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=LIMIT)
    assert out.splitlines()[-1] == "caught" and running.returncode == 9


@pytest.mark.parametrize("signals", [["SIGTERM"], ["SIGHUP"], ["SIGINT", "SIGINT"]])
def test_run_leaves_nothing_behind_after_a_signal(cotty, signals):
    script = "trap 'touch interrupted' INT; echo begun; echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.05; done"
    running = cotty.start("run", "--", "sh", "-c", script, stdout=subprocess.PIPE, text=True)
    pid = int(eventually(lambda: (cotty.work / "pid").exists() and (cotty.work / "pid").read_text()))
    for name in signals:
        running.send_signal(getattr(signal, name))
        if name == "SIGINT":
            eventually((cotty.work / "interrupted").exists)
    out, _ = running.communicate(timeout=LIMIT)
    assert out.startswith("begun") and running.returncode == 128 + getattr(signal, signals[-1])
    assert not alive(pid) and cotty.json("ls")["count"] == 0


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


def test_view_shows_nothing_but_text_and_styles(cotty):
    """Links, titles, clipboard contents and other sequences are not printed."""
    evil = "printf '\\033]8;;http://evil\\033\\\\link\\033]8;;\\033\\\\ \\033]52;c;ZXZpbA==\\007\\033]2;t\\007\\302\\2332J\\033[31mred'; cat"
    session = cotty.new("--", "sh", "-c", evil)
    cotty("wait", session, "--text", "red")
    assert not set("\x1b\x07\x9b") & set(cotty("view", session))
    ansi = cotty("view", session, "--ansi")
    assert "\x1b[" in ansi and re.sub(r"\x1b\[[\d;:]*m", "", ansi.rstrip("\n")).isprintable(), ansi
    assert "evil" not in ansi


def test_view_watch_prints_text_into_a_pipe(cotty):
    session = cotty.new("--", "sh", "-c", "echo one; cat")
    cotty("wait", session, "--text", "one")
    watching = cotty.start("view", session, "--watch", stdout=subprocess.PIPE, text=True)
    assert watching.stdout.readline() == "one\n"
    cotty("send", session, "two", "-e")
    seen = [watching.stdout.readline() for _ in range(2)]
    while seen[-3:] != ["one\n", "two\n", "two\n"]:
        seen.append(watching.stdout.readline())
        assert seen[-1], seen
    cotty("send", session, "--key", "ctrl+d")
    watching.communicate(timeout=LIMIT)
    assert watching.returncode == 0
    # For an exited session, the last screen is printed.
    assert cotty("view", session, "--watch") == "one\ntwo\ntwo\n"
    seen = json.loads(cotty("view", session, "--watch", "--json"))
    assert (seen["content"], seen["cursor"]) == ("one\ntwo\ntwo", {"row": 4, "col": 1})
    cotty("view", "nobody", "--watch", code=4)


def test_view_watch_ends_with_its_reader_and_survives_the_daemon(cotty):
    session = cotty.new("--", "sh", "-c", "echo one; cat")
    cotty("wait", session, "--text", "one")
    watching = cotty.start("view", session, "--watch", stdout=subprocess.PIPE, text=True)
    assert watching.stdout.readline() == "one\n"
    cotty.kill_daemon()
    cotty("send", session, "two", "-e")
    while watching.stdout.readline() != "two\n":
        pass
    watching.stdout.close()
    cotty("send", session, "three", "-e")
    assert watching.wait(LIMIT) == 0


def test_view_watch_restores_the_terminal(cotty):
    session = cotty.new("--cols", "100", "--rows", "30", "--name", "it")
    cotty("send", session, "printf '\\033]2;title\\007'; PS1='inner$ '; clear; echo wi''de $(printf %090d 7)", "-e")
    cotty("wait", session, "--text", "wide 0")
    with tmux_window(cotty, (40, 10)) as window:
        window.line("cotty view it --watch")
        window.has("inner$")
        assert window.is_full_screen() and window.lines()[0] == "wide " + "0" * 35
        # Keys typed here are ignored.
        window.press("x", "Enter")
        cotty("send", session, "seq 50", "-e")
        window.shows("50", "inner$")
        window.press("C-c")
        window.shows("outer$")
        assert not window.is_full_screen()
        # The terminal is restored, and shows the last screen.
        assert "inner$" in window.lines()[-2]
        window.line("stty -a | grep -ow -e icanon -e echo; echo $?")
        window.shows("icanon", "echo", "0", "outer$")
    assert "x" not in cotty("view", session).splitlines()


# send


def test_send_text_and_keys_in_order(cotty):
    session = cotty.new("--", "cat", "-v")
    # Shown twice: by the kernel's echo, then by `cat`.
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
    cotty("send", session, "x", code=4)
    assert "has exited" in cotty.stderr and "`cotty view`" in cotty.stderr


def test_send_reports_what_the_program_did_with_the_input(cotty):
    session = cotty.new()
    typed = cotty.json("send", session, "echo $((6*7)); cat", "--enter")
    assert (typed["bytes"], typed["consumed"], typed["reacted"], typed["submitted"]) == (19, True, True, True), typed
    assert cotty.json("wait", session, "--text", "42", "--since", typed["seq"])["met"] == "text"
    eventually(lambda: cotty.info(session)["activity"] == {"kind": "waiting_for_input", "program": "cat"})
    typed = cotty.json("send", session, "just this")
    assert typed["submitted"] is False and typed["reacted"] is False, typed
    cotty("send", session, "--key", "ctrl+c")
    cotty("wait", session, "--prompt")
    cotty("send", session, "sleep 1000", "-e")
    eventually(lambda: cotty.info(session)["activity"] == {"kind": "running", "program": "sleep"})
    typed = cotty.json("send", session, "nobody reads this", "-e")
    assert (typed["consumed"], typed["submitted"]) == (False, False), typed


def test_send_pastes_and_reads_stdin(cotty):
    session = cotty.new("--", "cat", "-v")
    cotty("send", session, "pasted", "--paste", "--enter")
    cotty("wait", session, "--text", "^[[200~pasted^[[201~")
    cotty("send", session, "-", input="from stdin\nsecond line\n")
    # The kernel's echo and the output of `cat` come in any order.
    typed = ["from stdin", "second line"]
    eventually(lambda: sorted(cotty("view", session).splitlines()[2:]) == sorted(2 * typed))
    cotty("send", session, "-", input="", code=1)
    assert "nothing to type" in cotty.stderr
    cotty("send", session, "--paste", code=2)


# wait


def test_wait_reports_its_result_as_an_exit_code(cotty):
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
    # The hint names no parameter: the command line has none.
    for wrong in (["wait", session, "--regex", "("], ["wait", session, "--stop", "("], ["search", session, "("]):
        cotty(*wrong, code=1)
        assert "Invalid pattern" in cotty.stderr and "escape special characters" in cotty.stderr
        assert "instead" not in cotty.stderr
    cotty("wait", session, "--timeout=-1", code=2)
    cotty("wait", session, "--timeout=soon", code=2)


def test_wait_supports_every_condition(cotty):
    session = cotty.new()
    cotty("wait", session, "--prompt")
    assert cotty.json("wait", session, "--keyboard")["met"] == "keyboard"
    cotty("send", session, "read -rp 'name? ' name; echo; read -rsp 'Password: ' secret; echo; echo 'it fai''led'; cat", "-e")
    assert cotty.json("wait", session, "--text", "name?", "--reads", "--all")["met"] == "all"
    cotty("send", session, "somebody", "-e")
    assert cotty.json("wait", session, "--secret", "--prompt")["met"] == "secret"
    seq = cotty.json("send", session, "hidden", "-e")["seq"]
    waited = cotty.json("wait", session, "--text", "never", "--stop", "error|failed", "--since", str(seq), code=3)
    assert (waited["met"], waited["matched"]) == ("stop", "it failed"), waited
    cotty("wait", session, "--text", "never", "--stop", "error|failed", "--since", str(seq), code=3)
    assert "`--stop` matched: it failed" in cotty.stderr
    cotty("send", session, "--key", "ctrl+c")
    cotty("wait", session, "--prompt")
    cotty("send", session, "exit 6", "-e")
    waited = cotty.json("wait", session)
    assert (waited["met"], waited["exit_code"]) == ("exit", 6)
    cotty("wait", session, "--exit", "--text", "never")
    # An exit has another code than a timeout.
    cotty("wait", session, "--text", "never", code=4)
    assert "exited with 6 before the condition held" in cotty.stderr
    assert cotty.json("wait", session, "--prompt", code=4)["met"] == "exit"
    cotty("wait", "nobody", "--exit", code=4)
    cotty("kill", session)
    cotty("wait", session, code=4)


def test_a_wait_ends_with_its_session(cotty):
    session = cotty.new("--", "cat")
    waiting = cotty.start("wait", session, "--text", "never", stderr=subprocess.PIPE, text=True)
    eventually(lambda: has_connection(waiting.pid))
    cotty("kill", session)
    _, said = waiting.communicate(timeout=LIMIT)
    assert waiting.returncode == 4 and ("destroyed" in said or "killed by signal" in said), said


def has_connection(pid):
    links = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return any(link.startswith("socket:") for link in links)


# kill


def test_kill_also_ends_what_left_the_terminal(cotty):
    session = cotty.new()
    # A duration that no other process uses.
    seconds = 10**6 + int.from_bytes(os.urandom(4))
    cotty("send", session, f"setsid sleep {seconds} < /dev/null > /dev/null 2>&1 & echo sta''rted", "-e")
    cotty("wait", session, "--text", "started")
    # `setsid` takes effect a moment after the fork.
    eventually(lambda: [pid for pid in pids_of(f"sleep\0{seconds}\0") if os.getsid(pid) == pid])
    cotty("kill", session)
    assert pids_of(f"sleep\0{seconds}\0") == []


def pids_of(command):
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes() == command.encode():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
