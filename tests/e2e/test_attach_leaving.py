"""However attach ends or pauses, it restores the person's terminal, which gets nothing from a program but cells."""

import fcntl
import os
import signal
import termios
from contextlib import contextmanager

import pytest

from attaching import LARGE, run, window  # noqa: F401
from conftest import BINARY, alive, eventually


def save_settings(view, name):
    """Saves the terminal's settings in a file."""
    view.type(f"stty -g > {name}; echo noted")
    view.press("Enter")
    eventually(lambda: "noted" in view.rows())
    view.type("clear")
    view.press("Enter")
    eventually(lambda: view.rows() == ["outer$"])


def check_restored(cotty, view):
    """Checks that the terminal is set as before: line settings, screen, cursor, mouse, paste."""
    save_settings(view, "after")
    assert (cotty.work / "after").read_text() == (cotty.work / "before").read_text()
    for value, wanted in {
        "alternate_on": "0",
        "cursor_flag": "1",
        "mouse_any_flag": "0",
        "mouse_sgr_flag": "0",
        "keypad_cursor_flag": "0",
        "pane_title": "mine",
    }.items():
        assert view.value(f"#{{{value}}}") == wanted, value


@pytest.fixture
def view(cotty, window):
    view = window((100, 30))
    view.type(r"printf '\e]2;mine\e\\'; clear")
    view.press("Enter")
    eventually(lambda: view.value("#{pane_title}") == "mine")
    save_settings(view, "before")
    return view


@contextmanager
def no_daemon(cotty, view):
    """Kills the daemon, and stops the keeper so that it starts no other."""
    status = cotty.status()
    os.kill(status["keeper_pid"], signal.SIGSTOP)
    try:
        os.kill(status["pid"], signal.SIGKILL)
        view.says("the daemon is gone: waiting for the next")
        yield
    finally:
        os.kill(status["keeper_pid"], signal.SIGCONT)


ENDS = ["detach", "exit", "destroyed", "stop", "SIGTERM", "SIGHUP", "SIGINT"]


@pytest.mark.parametrize("how", ENDS)
def test_the_terminal_is_restored(cotty, view, how):
    session = cotty.new()
    view.attach(session).shows(session)
    assert view.value("#{mouse_any_flag}") == "1"
    attach = view.child()
    if how == "detach":
        view.order("d")
    elif how == "exit":
        view.type("exit")
        view.press("Enter")
    elif how == "destroyed":
        cotty("kill", session)
    elif how == "stop":
        cotty("stop")
    else:
        os.kill(attach, getattr(signal, how))
    eventually(lambda: not alive(attach))
    eventually(lambda: view.lines()[-1] == "outer$")
    if how.startswith("SIG"):
        view.type("echo code $?")
        view.press("Enter")
        eventually(lambda: f"code {128 + getattr(signal, how)}" in view.rows())
    check_restored(cotty, view)


def test_the_title_comes_from_the_session_without_control_characters(cotty, view):
    session = cotty.new("--name", "work", "--", "cat")
    view.attach("work")
    eventually(lambda: view.value("#{pane_title}") == "1 work")
    cotty("kill", "work")
    eventually(lambda: view.lines()[-1] == "outer$")
    session = cotty.new()
    run(cotty, session, r"PS1='$ '; PROMPT_COMMAND=; printf '\e]0;hers\a'")
    view.attach(session)
    eventually(lambda: view.value("#{pane_title}") == "hers")
    view.order("d")
    eventually(lambda: view.value("#{alternate_on}") == "0")
    check_restored(cotty, view)


@pytest.mark.slow
def test_attach_suspends_and_resumes(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    attach = view.child()
    for turn, stop in enumerate(["key", "SIGTSTP", "key"]):
        if stop == "key":
            view.order("C-z")
        else:
            os.kill(attach, signal.SIGTSTP)
        eventually(lambda: view.value("#{alternate_on}") == "0" and any("Stopped" in row for row in view.rows()))
        eventually(lambda: view.rows()[-1] == "outer$")
        view.type("clear")
        view.press("Enter")
        check_restored(cotty, view)
        # The session continued meanwhile.
        run(cotty, session, f"echo meanwhile {turn}")
        view.type("fg")
        view.press("Enter")
        eventually(lambda: view.value("#{alternate_on}") == "1")
        assert f"meanwhile {turn}" in " ".join(view.shows(session))
        view.type(f"echo typed {turn}")
        view.press("Enter")
        cotty("wait", session, "--regex", f"^typed {turn}$")
        cotty("wait", session, "--prompt")
        view.shows(session)
    view.order("d")
    eventually(lambda: view.lines()[-1] == "outer$")
    check_restored(cotty, view)


def test_attach_refuses_to_suspend_without_a_parent_shell(cotty, window):
    session = cotty.new()
    alone = window((100, 30))
    # No parent shell: the pane's own process is attach.
    alone.tmux("respawn-pane", "-k", "-t", alone.pane, f"{BINARY} attach {session}")
    eventually(lambda: alone.value("#{alternate_on}") == "1")
    alone.shows(session)
    alone.order("C-z")
    alone.says("cannot suspend")
    alone.type("echo still there")
    cotty("wait", session, "--text", "still there")


def test_attach_waits_for_the_next_daemon_and_says_so(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    with no_daemon(cotty, view):
        pass
    view.shows(session)
    view.type("echo went on")
    view.press("Enter")
    cotty("wait", session, "--regex", "^went on$")


def test_input_typed_without_a_daemon_is_lost(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    with no_daemon(cotty, view):
        view.type("away")
        # Wait until attach has read the input.
        with open(view.value("#{pane_tty}")) as terminal:
            eventually(lambda: fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)) == bytes(4))
    view.shows(session)
    view.type("echo back")
    view.press("Enter")
    cotty("wait", session, "--regex", "^back$")
    assert "away" not in cotty("view", session, "--history")


def test_attach_can_detach_without_a_daemon(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    with no_daemon(cotty, view):
        view.press("C-]", "d")
        view.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    check_restored(cotty, view)


def test_control_sequences_do_not_reach_the_persons_terminal(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    view.tmux("set-buffer", "untouched")
    said = r"\e]52;c;aGFja2Vk\a\e[?1000l\e[?2004l\ePq#0;2;0;0;0\e\\\e[21t\e]777;notify;a;b\a\e[5i"
    run(cotty, session, f"printf '{said}'; echo said")
    assert any(row.startswith("said ") for row in view.shows(session))
    assert view.copied() == "untouched"
    assert view.value("#{mouse_any_flag}") == "1"


def test_attach_works_inside_a_session(cotty):
    """The outer terminal is a session, too."""
    inner, outer = "inner", cotty.new("--cols", 70, "--rows", 20)
    cotty("send", outer, f"{BINARY} attach $({BINARY} new --name {inner} --cols 60 --rows 15)", "--enter")
    cotty("wait", outer, "--text", "Ctrl-] ? keys")
    cotty("send", outer, "echo $((6 * 7)) from outside\n")
    cotty("wait", inner, "--regex", "^42 from outside$")
    cotty("wait", outer, "--regex", "^42 from outside")
    rows = cotty("view", outer).split("\n")
    assert rows[0].endswith("·") and rows[15].startswith("·" * 61), rows
    cotty("send", outer, "--key", "ctrl+]")
    cotty("wait", outer, "--text", "d detach")
    cotty("send", outer, "d")
    cotty("wait", outer, "--text", "[detached from")
    cotty("wait", outer, "--prompt")
