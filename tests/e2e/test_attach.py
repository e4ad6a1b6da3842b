"""`cotty attach` in a real terminal: it shows what `cotty view` shows in any window, and restores the terminal."""

import os
import signal

import pytest

from attaching import LARGE, SMALL, run, window  # noqa: F401
from conftest import BINARY, alive, eventually

PICTURE = r"printf '\e[31mred\e[0m %40s 漢字 e\u0301 \e[7mreverse\e[0m %20s|\n字%77s字\n' a b c; seq 30 | tail -"


@pytest.mark.parametrize("size", [SMALL, LARGE, (80, 24)])
@pytest.mark.parametrize("lines", [5, 30])
def test_a_window_of_any_size_shows_the_session(cotty, window, size, lines):
    session = cotty.new()
    run(cotty, session, PICTURE + str(lines))
    view = window(size).attach(session)
    view.shows(session)
    # Typed through the window: the visible part follows the cursor to the right.
    view.type("echo " + "right " * 9)
    cotty("wait", session, "--regex", "right( right){8}")
    view.shows(session)
    view.press("C-a")
    eventually(lambda: cotty.info(session)["cursor"]["col"] < 50)
    view.shows(session)
    view.press("Enter")
    cotty("wait", session, "--regex", "^right")
    cotty("wait", session, "--prompt")
    view.shows(session)
    assert cotty.info(session)["dimensions"] == {"cols": 80, "rows": 24}


def test_the_status_line_names_the_session(cotty, window):
    session = cotty.new()
    run(cotty, session, r"PS1='$ '; PROMPT_COMMAND=; printf '\e]0;a <title>\a'")
    view = window(LARGE).attach(session)
    view.shows(session)
    view.says(f"1 {session} · a <title> · cotty cli has the keyboard · 80×24 · ")
    # `cotty send` took the keyboard: give it back.
    cotty.call("keyboard", actor="person", client="cotty cli", session=session, action="give")
    view.says("the keyboard is free")
    view.shows(session)
    assert view.rows()[-1] == f"1 {session} · a <title> · the keyboard is free · 80×24 · Ctrl-] ? keys"


def test_the_view_follows_a_resized_window(cotty, window):
    session = cotty.new()
    run(cotty, session, PICTURE + "30")
    view = window(LARGE).attach(session)
    view.shows(session)
    for size in [SMALL, (20, 5), (80, 25), LARGE]:
        view.resize(size)
        view.shows(session)


def test_keys_and_pastes_reach_the_program(cotty, window):
    script = r"stty raw -echo; printf '\e[?1h\e[?2004hready\r\n'; exec cat -vT"
    session = cotty.new("--", "env", "sh", "-c", script)
    view = window(LARGE).attach(session)
    cotty("wait", session, "--text", "ready")
    view.press("a", "A", "Up", "Left", "Home", "F5", "DC", "C-a", "C-Space", "M-f", "BTab", "BSpace")
    cotty("wait", session, "--text", "aA^[OA^[OD^[OH^[[15~^[[3~^A^@^[f^[[Z^?")
    # The prefix twice sends the key itself; an unknown key after the prefix is dropped.
    view.press("C-]", "C-]", "C-]", "x", "Tab", "|")
    cotty("wait", session, "--text", "^?^]^I|")
    view.tmux("set-buffer", "one\ntwo\n")
    view.tmux("paste-buffer", "-p", "-t", view.pane)
    eventually(lambda: "two^[[201~^M" in cotty("view", session))
    assert "|^[[200~one\n" in cotty("view", session)
    view.shows(session)


def test_vim_through_attach(cotty, window):
    file = cotty.work / "poem.txt"
    file.write_text("first line\n" + "漢字 wide " * 9 + "\n")
    session = cotty.new()
    view = window(SMALL).attach(session)
    view.type(f"vim -u NONE -N {file}")
    view.press("Enter")
    cotty("wait", session, "--text", "first line")
    view.press("G", "o")
    view.type("through attach 字")
    view.press("Escape")
    view.type("gg")
    view.press("Down", "End")
    cotty("wait", session, "--idle", 300)
    view.shows(session)
    view.type(":wq")
    view.press("Enter")
    cotty("wait", session, "--prompt")
    view.shows(session)
    assert file.read_text().splitlines()[2] == "through attach 字"


def test_leaving_restores_the_terminal_and_the_session_goes_on(cotty, window):
    session = cotty.new()
    view = window((80, 24))
    view.type("stty -g > before; echo old text")
    view.press("Enter")
    eventually(lambda: view.rows()[1:] == ["old text", "outer$"])
    view.attach(session).shows(session)
    view.press("C-]")
    eventually(lambda: view.rows()[-1].startswith("d detach"))
    view.press("d")
    view.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    assert "old text" in view.rows()
    view.type("stty -g > after; echo $((40 + 2))")
    view.press("Enter")
    eventually(lambda: view.rows()[-3:] == ["outer$ stty -g > after; echo $((40 + 2))", "42", "outer$"])
    assert (cotty.work / "after").read_text() == (cotty.work / "before").read_text()
    assert view.value("#{cursor_flag}") == "1"
    run(cotty, session, "echo still here")
    view.attach(session)
    assert "still here" in view.shows(session)


@pytest.mark.parametrize(
    ("command", "message"), [("exit 3", "[{} exited with 3]"), ("kill -9 $$", "[{} was killed by signal 9]")]
)
def test_the_end_of_the_program_ends_attach(cotty, window, command, message):
    session = cotty.new()
    view = window((100, 24)).attach(session)
    view.type(command)
    view.press("Enter")
    view.detached(message.format(session))


def test_a_window_that_was_too_slow_still_sees_the_end(cotty, window):
    session = cotty.new("--cols", 200, "--rows", 60)
    view = window((100, 24))
    view.type("set +m; clear")  # or the shell takes the terminal back from a stopped program
    view.press("Enter")
    view.attach(session).shows(session)
    attach = view.child()
    # Attach reads nothing while the program fills every buffer and exits.
    os.kill(attach, signal.SIGSTOP)
    cotty("send", session, "timeout 4 seq -f %0199.0f 999999999; exit 7", "--enter")
    cotty("wait", session, "--exit")
    os.kill(attach, signal.SIGCONT)
    view.detached(f"[{session} exited with 7]")


def test_a_session_that_is_destroyed_ends_attach(cotty, window):
    session = cotty.new()
    view = window((100, 24)).attach(session)
    view.shows(session)
    cotty("kill", session)
    eventually(lambda: view.value("#{alternate_on}") == "0")
    eventually(lambda: view.lines()[-1] == "outer$" and view.lines()[-2].startswith(f"[{session} "))


def test_stopping_cotty_ends_attach_and_attach_does_not_start_it_again(cotty, window):
    session = cotty.new()
    view = window((100, 24)).attach(session)
    view.shows(session)
    cotty("stop")
    eventually(lambda: view.value("#{alternate_on}") == "0")
    eventually(lambda: view.lines()[-1] == "outer$")
    cotty("status", code=3)


def test_an_unknown_session_is_refused_before_attach_takes_the_screen(cotty, window):
    cotty("ls")
    view = window((100, 24))
    view.type(f"{BINARY} attach nothing; echo code $?")
    view.press("Enter")
    eventually(lambda: any(row.startswith("code ") for row in view.rows()))
    assert "code 0" not in view.rows() and any("nothing" in row for row in view.rows()[1:])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGKILL", "restart"])
def test_attach_outlives_the_daemon(cotty, window, how):
    session = cotty.new()
    view = window(SMALL).attach(session)
    view.type("echo begun")
    cotty("wait", session, "--regex", "echo begun")
    view.shows(session)
    for turn in range(3):
        if how == "restart":
            cotty("restart")
        else:
            cotty.kill_daemon()
        # New output proves that attach is connected again. Keys typed before that may be lost.
        cotty("send", session, f" sent{turn}")
        eventually(lambda: f"sent{turn}" in view.rows()[-1])
        view.type(f" typed{turn}")
        cotty("wait", session, "--regex", f"typed{turn}")
        view.shows(session)
    view.press("Enter")
    cotty("wait", session, "--regex", "^begun sent0 typed0 sent1 typed1 sent2 typed2$")
    cotty("wait", session, "--prompt")
    view.shows(session)


def test_two_windows_show_the_same(cotty, window):
    session = cotty.new()
    small, large = window(SMALL).attach(session), window(LARGE).attach(session)
    small.type("echo one")
    cotty("wait", session, "--regex", "echo one")
    large.shows(session)
    large.type(" two")
    cotty("wait", session, "--regex", "echo one two")
    small.shows(session)
    small.press("Enter")
    cotty("wait", session, "--regex", "^one two$")
    cotty("wait", session, "--prompt")
    small.shows(session)
    large.shows(session)
    small.press("C-]", "d")
    small.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    large.type("echo three")
    cotty("wait", session, "--regex", "echo three")
    large.shows(session)


def test_closing_the_window_ends_attach(cotty, window):
    session = cotty.new()
    view = window(SMALL).attach(session)
    view.shows(session)
    attach = view.child()
    window(LARGE)
    view.tmux("kill-pane", "-t", view.pane)
    eventually(lambda: not alive(attach))
    assert cotty.info(session)["exited"] is False
