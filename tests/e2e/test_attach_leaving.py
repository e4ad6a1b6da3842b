"""However attach ends or pauses, the person's terminal is as it was, and nothing of a program reaches it but cells."""

import fcntl
import os
import signal
import termios
from contextlib import contextmanager

import pytest

from attaching import LARGE, run, window  # noqa: F401
from conftest import BINARY, alive, eventually


def note(view, name):
    """Writes down how the terminal is set."""
    view.type(f"stty -g > {name}; echo noted")
    view.press("Enter")
    eventually(lambda: "noted" in view.rows())
    view.type("clear")
    view.press("Enter")
    eventually(lambda: view.rows() == ["outer$"])


def same(cotty, view):
    """Checks that it is set as before: line settings, screen, cursor, mouse, paste."""
    note(view, "after")
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
    note(view, "before")
    return view


@contextmanager
def no_daemon(cotty, view):
    """The daemon is killed, and the keeper held, so that it starts no other."""
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
def test_the_terminal_is_as_it_was(cotty, view, how):
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
    same(cotty, view)


def test_the_title_is_the_sessions_and_cannot_act(cotty, view):
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
    same(cotty, view)


@pytest.mark.slow
def test_suspended_and_in_the_foreground_again(cotty, view):
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
        same(cotty, view)
        # Meanwhile the session went on.
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
    same(cotty, view)


def test_nobody_is_suspended_who_could_not_go_on(cotty, window):
    session = cotty.new()
    alone = window((100, 30))
    # No shell above it: the pane is attach itself.
    alone.tmux("respawn-pane", "-k", "-t", alone.pane, f"{BINARY} attach {session}")
    eventually(lambda: alone.value("#{alternate_on}") == "1")
    alone.shows(session)
    alone.order("C-z")
    alone.says("no shell is there")
    alone.type("echo still there")
    cotty("wait", session, "--text", "still there")


def test_the_daemon_is_waited_for_and_that_is_said(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    with no_daemon(cotty, view):
        pass
    view.shows(session)
    view.type("echo went on")
    view.press("Enter")
    cotty("wait", session, "--regex", "^went on$")


def test_what_is_typed_while_there_is_no_daemon_is_lost(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    with no_daemon(cotty, view):
        view.type("away")
        # Until attach has taken it.
        with open(view.value("#{pane_tty}")) as terminal:
            eventually(lambda: fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)) == bytes(4))
    view.shows(session)
    view.type("echo back")
    view.press("Enter")
    cotty("wait", session, "--regex", "^back$")
    assert "away" not in cotty("view", session, "--history")


def test_one_can_leave_while_the_daemon_is_gone(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    with no_daemon(cotty, view):
        view.press("C-]", "d")
        view.detached(f"[detached from {session}; `cotty attach {session}` comes back]")
    same(cotty, view)


def test_what_a_program_says_to_terminals_does_not_reach_the_persons(cotty, view):
    session = cotty.new()
    view.attach(session).shows(session)
    view.tmux("set-buffer", "untouched")
    said = r"\e]52;c;aGFja2Vk\a\e[?1000l\e[?2004l\ePq#0;2;0;0;0\e\\\e[21t\e]777;notify;a;b\a\e[5i"
    run(cotty, session, f"printf '{said}'; echo said")
    assert any(row.startswith("said ") for row in view.shows(session))
    assert view.copied() == "untouched"
    assert view.value("#{mouse_any_flag}") == "1"


def test_cotty_in_cotty(cotty):
    """The outer terminal is a session, too: what is copied inside goes where the outer one lets it."""
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
