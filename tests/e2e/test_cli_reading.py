"""Commands, search and recordings of a session, its size, and completions and man pages."""

import contextlib
import json
import os
import subprocess

import pytest
from conftest import LIMIT, eventually
from test_cli import COMMANDS
from window import tmux_window


def shell_that_ran(cotty, *lines):
    session = cotty.new()
    for line in lines:
        cotty("send", session, line, "-e")
        cotty("wait", session, "--prompt")
    return session


# commands


def test_commands_lists_what_a_shell_ran(cotty):
    session = shell_that_ran(cotty, "echo one; echo two", "cd /", "printf '\\e[31mred'; false")
    listed = cotty("commands", session).splitlines()
    assert listed[0].split() == ["#", "EXIT", "TOOK", "LINES", "DIRECTORY", "COMMAND"]
    rows = [line.split(maxsplit=5) for line in listed[1:]]
    assert [(row[0], row[1], row[3], row[4], row[5]) for row in rows] == [
        ("1", "0", "2", str(cotty.work), "echo one; echo two"),
        ("2", "0", "0", str(cotty.work), "cd /"),
        ("3", "1", "1", "/", "printf '\\e[31mred'; false"),
    ]
    assert cotty("commands", session, "--output", "1") == "one\ntwo\n"
    assert cotty("commands", session, "--output", "2") == ""
    assert cotty("commands", session, "--output", "last") == "red\n"
    assert [c["number"] for c in cotty.json("commands", session, "--limit", "2")["commands"]] == [2, 3]
    assert cotty.json("commands", session, "--output", "1")["commands"][0]["output"]["head"] == "one\ntwo\n"
    cotty("commands", session, "--output", "77", code=1)
    assert "there is no command 77" in cotty.stderr
    cotty("commands", session, "--output", "first", code=2)
    cotty("commands", "nobody", code=4)


def test_a_session_without_a_shell_has_no_commands(cotty):
    cotty("new", "--name", "build", "--", "echo", "built")
    cotty("wait", "build", "--exit")
    cotty("commands", "build", "--output", "last", code=1)
    assert "command 0" not in cotty.stderr and "cotty recording build --format text" in cotty.stderr
    assert cotty("recording", "build", "--format", "text").strip() == "built"


def test_commands_prints_all_of_a_long_output(cotty):
    session = shell_that_ran(cotty, "seq 3000")
    assert cotty("commands", session, "--output", "1").split() == [str(n) for n in range(1, 3001)]
    cotty("send", session, "sleep 1000", "-e")
    eventually(lambda: cotty("commands", session).splitlines()[-1].split()[1] == "running")


def test_commands_removes_control_characters(cotty):
    session = cotty.new()
    cotty.call("send", actor="person", session=session, text="echo '\x16\x1b[31m \x16\x9b'\n")
    eventually(lambda: len(cotty.json("commands", session)["commands"]) == 1)
    for shown in (cotty("commands", session), cotty("commands", session, "--json")):
        assert "\x1b" not in shown and "\x9b" not in shown


# search


def test_search_finds_lines_oldest_first(cotty):
    session = cotty.new("--rows", "5", "--", "sh", "-c", "seq 1 30; printf 'warning: 3 and 3'; cat")
    cotty("wait", session, "--text", "warning")
    assert cotty("search", session, "3").splitlines() == ["3", "13", "23", "30", "warning: 3 and 3"]
    assert cotty("search", session, "3", "--limit", "2") == "warning: 3 and 3\n"
    assert "older matches" in cotty.stderr
    found = cotty.json("search", session, "^war.*")
    assert [m["text"] for m in found["matches"]] == ["warning: 3 and 3"] and not found["more"]
    assert cotty("search", session, "nothing like it", code=3) == ""
    cotty("search", session, "(", code=1)
    cotty("search", session, "", code=1)
    cotty("search", "nobody", "x", code=4)


# resize


def test_resize(cotty):
    session = cotty.new("--", "sh", "-c", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done")
    cotty("wait", session, "--text", "ready")
    cotty("resize", session, "101x31")
    cotty("wait", session, "--text", "31 101")
    assert cotty.json("resize", session, "50x10") == {"dimensions": {"cols": 50, "rows": 10}}
    for wrong in ("50", "x", "axb", "50x-1", "50x99999"):
        cotty("resize", session, wrong, code=2)
        assert "120x40" in cotty.stderr
    cotty("resize", session, "0x0", code=1)
    cotty("resize", session, code=1, stdin=subprocess.DEVNULL)
    assert "no terminal to take the size from" in cotty.stderr
    assert cotty.info(session)["dimensions"] == {"cols": 50, "rows": 10}


# recording and purge


def test_the_recording_of_a_destroyed_session_can_be_read(cotty):
    session = cotty.new("--name", "it", "--", "sh", "-c", "echo hello; printf '\\033[31mred \\302\\2332J'; cat")
    cotty("wait", session, "--text", "red")
    live = cotty("recording", "it", "--format", "text")
    cotty("kill", session)
    cast = cotty("recording", session)
    head, *events = map(json.loads, cast.splitlines())
    assert head["version"] == 3 and "hello\r\n" in "".join(e[2] for e in events if e[1] == "o")
    assert "\x1b" not in cast and "\x9b" not in cast
    assert cotty("log", session) == cast
    text = cotty("recording", session, "--format", "text")
    assert text.startswith("hello\nred") and "\x1b" not in text and live.startswith("hello\nred")
    for line in cotty("recording", session, "--format", "jsonl").splitlines():
        json.loads(line)
    cotty("recording", session, "--output", "it.cast")
    kept = cotty.work / "it.cast"
    assert kept.read_text() == cast and kept.stat().st_mode & 0o077 == 0
    cotty("recording", "nobody", code=4)
    assert "old recordings are deleted" in cotty.stderr


def test_a_long_recording_is_returned_whole(cotty):
    cast = cotty.work / "long.cast"
    cotty("run", "--record", cast, "--", "seq", "200000")
    events = [json.loads(line) for line in cast.read_text().splitlines()[1:]]
    output = "".join(data for _, code, data in events if code == "o")
    assert output == "".join(f"{n}\r\n" for n in range(1, 200_001))


def test_purge_deletes_recordings(cotty):
    gone, other, live = (cotty.new("--", "cat") for _ in range(3))
    for session in (gone, other):
        cotty("kill", session)
    assert cotty.json("purge", gone)["recordings"] == 1
    cotty("recording", gone, code=4)
    cotty("recording", other)
    assert cotty.json("purge", "--older-than", "1h")["recordings"] == 0
    cotty("purge", live, code=1)
    assert "live" in cotty.stderr
    cotty("purge", "--all")
    assert "deleted 1 recording," in cotty.stderr and "1 of live sessions" in cotty.stderr
    cotty("recording", other, code=4)
    for wrong in ([], [gone, "--all"], ["--older-than", "soon"]):
        cotty("purge", *wrong, code=2)


# Completions and man pages


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_load_in_their_shell(cotty, shell):
    script = cotty("completions", shell)
    assert "__daemon" not in script and not cotty.home.exists()
    path = cotty.work / f"completions.{shell}"
    path.write_text(script)
    ask = {
        "bash": f"source {path}; COMP_WORDS=(cotty re); COMP_CWORD=1; _cotty cotty re cotty; echo ${{COMPREPLY[*]}}",
        "zsh": f"autoload -U compinit; compinit -u -D; source {path}; print -l ${{(k)functions}} | grep '^_cotty__.*commands$'",
        "fish": f"source {path}; complete -C 'cotty re'",
    }[shell]
    done = subprocess.run([shell, "-c", ask], env=cotty.env, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    for command in ("render", "resize", "restart", "recording"):
        assert command in done.stdout, done.stdout


def test_the_man_page_renders(cotty):
    cotty("__docs", "man", "pages")
    pages = {path.name for path in (cotty.work / "pages").iterdir()}
    assert pages >= {"cotty.1", *(f"cotty-{command}.1" for command in COMMANDS)}
    shown = subprocess.run(
        ["man", "--warnings", "-l", str(cotty.work / "pages" / "cotty-wait.1")],
        env={**cotty.env, "MANWIDTH": "80", "MAN_KEEP_FORMATTING": "0"},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert "--timeout" in shown.stdout and "Give up after this many seconds" in shown.stdout


# A shell in this terminal


def test_cotty_without_arguments_opens_a_shell_in_this_terminal(cotty):
    with tmux_window(cotty, (90, 20)) as window:
        window.line("cotty")
        eventually(lambda: cotty.json("ls")["count"] == 1)
        session = cotty.json("ls")["sessions"][0]
        assert session["dimensions"] == {"cols": 90, "rows": 20} and session["owner"] == "person"
        window.line("PS1='inner$ '; clear; tty")
        window.has("inner$")
        # `cotty send` takes the keyboard from the person and types.
        cotty("send", session["session_id"], "echo from else''where", "-e")
        window.has("from elsewhere")
        # Inside a session, `cotty` refuses to nest.
        window.line("clear; cotty; echo code $?")
        window.has("this terminal is already a session")
        window.has("code 1")
        assert cotty.json("ls")["count"] == 1
        window.press("C-]", "d")
        window.has("outer$")
        assert not window.is_full_screen() and cotty.info(session["session_id"])["state"] == "prompt"


def test_cotty_without_arguments_needs_a_terminal(cotty):
    cotty(code=2, stdin=subprocess.DEVNULL)
    assert "a shell needs a terminal" in cotty.stderr and "cotty --help" in cotty.stderr
    assert not cotty.home.exists()


def test_a_failed_write_to_stdout_is_an_error(cotty):
    session = cotty.new("--", "cat")
    with open("/dev/full", "w") as full:
        for command in (["ls", "--json"], ["view", session], ["status"], ["token", "new", "--name", "lost"]):
            done = cotty.start(*command, stdout=full, stderr=subprocess.PIPE)
            said = done.communicate(timeout=LIMIT)[1].decode()
            assert done.returncode == 1 and "No space left" in said, (command, said)


@pytest.mark.as_root
def test_a_recording_written_over_a_file_is_private(cotty):
    session = cotty.new("--", "cat")
    file = cotty.work / "it.cast"
    file.write_text("before")
    file.chmod(0o644)
    cotty("recording", session, "--output", file)
    assert file.stat().st_mode & 0o777 == 0o600 and '"version":3' in file.read_text()


def test_invalid_limits_times_and_names_are_refused(cotty):
    session = cotty.new("--", "cat")
    for command in (["search", session, "x", "--limit", "0"], ["search", session, "x", "--limit", "1001"], ["wait", session, "--idle", "0"]):
        cotty(*command, code=2)
    for name in ("3", "sess_x", "a\nb", "x" * 500):
        cotty("new", "--name", name, "--", "cat", code=1)
        assert "invalid session name" in cotty.stderr and "sess_" in cotty.stderr and len(cotty.stderr) < 400


def test_text_that_changes_its_direction_does_not_reach_a_terminal(cotty):
    """What a session shows is a program's text: `exe.txt` must not look like `txt.exe`."""
    hidden = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    (cotty.work / "said").write_text("".join(f"a{c}b" for c in hidden) + "\nend")
    session = cotty.new("--", "sh", "-c", "cat said; read end")
    cotty("wait", session, "--text", "end")
    for args in (["view", session], ["view", session, "--ansi"], ["recording", session, "--format", "text"]):
        shown = in_terminal(cotty, *args)
        assert "ab" in shown and not set(hidden) & set(shown), args
        # A script gets the text as it is.
        assert "\u202e" in cotty(*args) or "ansi" in args[-1]


def in_terminal(cotty, *args):
    """What a command prints on a terminal."""
    master, slave = os.openpty()
    command = subprocess.Popen([cotty.binary, *map(str, args)], stdout=slave, stdin=slave, env=cotty.env, cwd=cotty.work)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(master, 65536):
            shown += part
    os.close(master)
    assert command.wait(LIMIT) == 0, shown
    return shown.decode()
