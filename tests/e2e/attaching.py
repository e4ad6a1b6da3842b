"""Windows to attach in: shells in a private tmux, each with its own size."""

import subprocess
import unicodedata
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, alive, eventually, eventually_same

SMALL, LARGE = (50, 12), (120, 40)


class Window:
    """A shell in a tmux window of a given size, in which attach is started."""

    def __init__(self, tmux, cotty, size):
        self.tmux, self.cotty, self.size = tmux, cotty, size
        shell = "exec env PS1='outer$ ' bash --norc --noprofile"
        self.pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", size[0], "-y", size[1], shell).strip()
        eventually(lambda: self.rows() == ["outer$"])

    def rows(self):
        return self.tmux("capture-pane", "-p", "-t", self.pane).rstrip("\n").split("\n")

    def lines(self):
        """The same, with wrapped rows joined."""
        text = self.tmux("capture-pane", "-p", "-J", "-t", self.pane)
        return [line.rstrip() for line in text.rstrip().split("\n")]

    def value(self, format):
        return self.tmux("display-message", "-p", "-t", self.pane, format).strip()

    def type(self, text):
        self.tmux("send-keys", "-t", self.pane, "-l", text)

    def press(self, *keys):
        self.tmux("send-keys", "-t", self.pane, *keys)

    def child(self):
        """The child process of the shell."""
        shell = self.value("#{pane_pid}")
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text())

    def resize(self, size):
        self.size = size
        self.tmux("resize-window", "-t", self.pane, "-x", size[0], "-y", size[1])

    def attach(self, *args, user=None):
        self.type(" ".join(map(str, [f"USER={user}" if user else "", BINARY, "attach", *args])).strip())
        self.press("Enter")
        eventually(lambda: self.value("#{alternate_on}") == "1")
        return self

    def order(self, *keys):
        """Presses the prefix and keys for attach itself."""
        self.press("C-]")
        eventually(lambda: self.rows()[-1].startswith("d detach"))
        self.press(*keys)

    def says(self, text):
        """Waits until the last row contains the text."""
        eventually(lambda: text in (self.rows() or [""])[-1] or None)

    def mouse(self, button, at, up=False):
        """Sends a mouse report: a button (64 and 65 are the wheel, a move adds 32), column and row."""
        told = f"\x1b[<{button};{at[0]};{at[1]}{'m' if up else 'M'}"
        self.tmux("send-keys", "-t", self.pane, "-H", *(f"{byte:x}" for byte in told.encode()))

    def copied(self):
        """The text on the clipboard."""
        return self.tmux("show-buffer")

    def detached(self, message):
        """Waits until attach has ended, and checks that it restored the terminal."""
        eventually(lambda: self.value("#{alternate_on}") == "0")
        eventually(lambda: self.lines()[-2:] == [message, "outer$"])

    def shows(self, session):
        """Waits until the window shows what `cotty view` shows."""
        def both():
            screen = self.cotty.json("view", session)
            rows = self.rows()
            size = self.size
            if size[1] > screen["dimensions"]["rows"]:
                # The window has room for a status line.
                if len(rows) != size[1] or f"{session} · " not in rows.pop():
                    return rows, "no status line"
                rows, size = rows_of("\n".join(rows)), (size[0], size[1] - 1)
            return rows, shown(screen, size)

        return eventually_same(both)


def rows_of(text):
    return text.rstrip("\n").split("\n")


def shown(screen, size):
    """The part of a screen that a window shows: all of it, or the part around the cursor."""
    dimensions, cursor = screen["dimensions"], screen["cursor"]

    def start(cursor, whole, room):
        return max(0, min(cursor - room, whole - room))

    left, top = start(cursor["col"], dimensions["cols"], size[0]), start(cursor["row"], dimensions["rows"], size[1])
    rows = [cut(row, left, size[0]) for row in screen["content"].split("\n")[top : top + size[1]]]
    # If the window is larger than the session, a border of dots marks the session's edge.
    cols, height = dimensions["cols"], dimensions["rows"]
    if size[0] > cols:
        rows += [""] * (min(height, size[1]) - len(rows))
        rows = [row + " " * (cols - cells(row)) + "·" for row in rows]
    if size[1] > height:
        rows += [""] * (height - len(rows)) + ["·" * min(size[0], cols + 1)]
    return rows_of("\n".join(rows))


def cells(row):
    """The number of columns that a text takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in row)
    return len(row) + wide - sum(bool(unicodedata.combining(char)) for char in row)


def cut(row, left, width):
    """Some columns of a row. A wide character that is cut in half is blank."""
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
    """Makes windows in a private tmux."""

    def tmux(*args):
        command = ["tmux", "-u", "-L", "attach", "-f", "/dev/null", *map(str, args)]
        env = {**cotty.env, "TMUX_TMPDIR": str(cotty.work)}
        done = subprocess.run(command, env=env, cwd=cotty.work, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == 0, f"tmux {args}: {done.stderr}"
        return done.stdout

    options = ["-g exit-empty off", "-g status off", "-s set-clipboard on", "-g mouse on"]
    tmux("start-server", *(part for option in options for part in (";", "set", *option.split())))
    pid = int(tmux("display-message", "-p", "#{pid}"))
    yield lambda size: Window(tmux, cotty, size)
    tmux("kill-server")
    eventually(lambda: not alive(pid))


def run(cotty, session, command):
    """Runs a command in a session's shell."""
    cotty("send", session, command, "--enter")
    cotty("wait", session, "--prompt")
