"""`cotty attach` in a real terminal: it shows what `cotty view` shows in any window, and leaves nothing behind."""

import os
import signal
import subprocess
import unicodedata
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, alive, eventually, eventually_same

SMALL, LARGE = (50, 12), (120, 40)


class Window:
    """A shell in a tmux window of its own size, from where attach is started."""

    def __init__(self, tmux, cotty, size):
        self.tmux, self.cotty, self.size = tmux, cotty, size
        shell = "exec env PS1='outer$ ' bash --norc --noprofile"
        self.pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", size[0], "-y", size[1], shell).strip()
        eventually(lambda: self.rows() == ["outer$"])

    def rows(self):
        return self.tmux("capture-pane", "-p", "-t", self.pane).rstrip("\n").split("\n")

    def lines(self):
        """The same, with what was wrapped in one piece."""
        text = self.tmux("capture-pane", "-p", "-J", "-t", self.pane)
        return [line.rstrip() for line in text.rstrip().split("\n")]

    def value(self, format):
        return self.tmux("display-message", "-p", "-t", self.pane, format).strip()

    def type(self, text):
        self.tmux("send-keys", "-t", self.pane, "-l", text)

    def press(self, *keys):
        self.tmux("send-keys", "-t", self.pane, *keys)

    def child(self):
        """The process that the shell runs."""
        shell = self.value("#{pane_pid}")
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text())

    def resize(self, size):
        self.size = size
        self.tmux("resize-window", "-t", self.pane, "-x", size[0], "-y", size[1])

    def attach(self, session):
        self.type(f"{BINARY} attach {session}")
        self.press("Enter")
        eventually(lambda: self.value("#{alternate_on}") == "1")
        return self

    def detached(self, message):
        """Waits until attach is over, and checks that the terminal is as it was."""
        eventually(lambda: self.value("#{alternate_on}") == "0")
        eventually(lambda: self.lines()[-2:] == [message, "outer$"])

    def shows(self, session):
        """Waits until the window shows what `cotty view` shows."""
        def both():
            screen = self.cotty.json("view", session)
            rows = self.rows()
            if self.size[1] > screen["dimensions"]["rows"]:
                # There is room for a status line.
                if len(rows) != self.size[1] or not rows.pop().startswith(f"{session} · "):
                    return rows, "no status line"
                rows = rows_of("\n".join(rows))
            return rows, shown(screen, self.size)

        return eventually_same(both)


def rows_of(text):
    return text.rstrip("\n").split("\n")


def shown(screen, size):
    """What of a screen is to be seen in a window: all of it, or the part around the cursor."""
    dimensions, cursor = screen["dimensions"], screen["cursor"]

    def start(cursor, whole, room):
        return max(0, min(cursor - room, whole - room))

    left, top = start(cursor["col"], dimensions["cols"], size[0]), start(cursor["row"], dimensions["rows"], size[1])
    rows = screen["content"].split("\n")[top : top + size[1]]
    return rows_of("\n".join(cut(row, left, size[0]) for row in rows))


def cut(row, left, width):
    """Columns of a row. A wide character that does not fit as a whole is blank."""
    cells = []
    for char in row:
        if unicodedata.combining(char):
            cells[-1 if cells[-1] else -2] += char
        elif unicodedata.east_asian_width(char) in "WF":
            cells += [char, ""]
        else:
            cells.append(char)
    cells = cells[left : left + width]
    if cells and cells[0] == "":
        cells[0] = " "
    if len(cells) == width and unicodedata.east_asian_width(cells[-1][:1] or " ") in "WF":
        cells[-1] = " "
    return "".join(cells).rstrip()


@pytest.fixture
def window(cotty):
    """Makes windows, all of one tmux that nobody else has."""

    def tmux(*args):
        command = ["tmux", "-u", "-L", "attach", "-f", "/dev/null", *map(str, args)]
        env = {**cotty.env, "TMUX_TMPDIR": str(cotty.work)}
        done = subprocess.run(command, env=env, cwd=cotty.work, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == 0, f"tmux {args}: {done.stderr}"
        return done.stdout

    tmux("start-server", ";", "set", "-g", "exit-empty", "off", ";", "set", "-g", "status", "off")
    pid = int(tmux("display-message", "-p", "#{pid}"))
    yield lambda size: Window(tmux, cotty, size)
    tmux("kill-server")
    eventually(lambda: not alive(pid))


def run(cotty, session, command):
    """Runs a command in a session's shell."""
    cotty("send", session, command, "--enter")
    cotty("wait", session, "--prompt")


PICTURE = r"printf '\e[31mred\e[0m %40s 漢字 e\u0301 \e[7mreverse\e[0m %20s|\n字%77s字\n' a b c; seq 30 | tail -"


@pytest.mark.parametrize("size", [SMALL, LARGE, (80, 24)])
@pytest.mark.parametrize("lines", [5, 30])
def test_a_window_of_any_size_shows_the_session(cotty, window, size, lines):
    session = cotty.new()
    run(cotty, session, PICTURE + str(lines))
    view = window(size).attach(session)
    view.shows(session)
    # Typed through the window: far to the right, the part that is seen follows.
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
    assert view.rows()[-1] == f"{session} · a <title> · 80×24 · Ctrl-] d detaches"


def test_a_window_may_change_its_size(cotty, window):
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
    # Twice the prefix is the key itself; after the prefix a key that says nothing to us is dropped.
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
    view.detached(f"[detached from {session}; `cotty attach {session}` comes back]")
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
    ("command", "message"), [("exit 3", "[{} exited with 3]"), ("kill -9 $$", "[{} was ended by signal 9]")]
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
    view.type("set +m; clear")  # or the shell takes the terminal back from a program that is stopped
    view.press("Enter")
    view.attach(session).shows(session)
    attach = view.child()
    # It reads nothing while the program fills every buffer and ends.
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


def test_a_session_that_is_not_there_is_refused_before_the_screen_is_taken(cotty, window):
    cotty("ls")
    view = window((100, 24))
    view.type(f"{BINARY} attach nothing; echo code $?")
    view.press("Enter")
    eventually(lambda: any(row.startswith("code ") for row in view.rows()))
    assert "code 0" not in view.rows() and any("nothing" in row for row in view.rows()[1:])


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
        # What is shown proves that attach is back; what is typed before that may be lost.
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
    small.detached(f"[detached from {session}; `cotty attach {session}` comes back]")
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
