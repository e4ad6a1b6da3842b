"""Other people's terminals, asked what each of their cells shows: headless xterm.js, and tmux."""

import base64
import json
import os
import re
import socket
import struct
import subprocess
import unicodedata
from pathlib import Path
from typing import NamedTuple

from conftest import LIMIT, alive, eventually

HERE = Path(__file__).parent
COLS, ROWS = 80, 24
# What makes one emoji of several code points: a joiner, a variation, a skin colour, the letters of a flag.
EMOJI = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff]")


class Cell(NamedTuple):
    """One column of a row. The right half of a wide character has the width 0 and no text."""

    text: str
    width: int = 1
    fg: int | str | None = None
    bg: int | str | None = None
    underline: str | None = None
    underline_color: int | str | None = None
    attributes: frozenset = frozenset()


class Screen(NamedTuple):
    """Rows of cells; the cursor's row, its column, and whether it shows."""

    rows: list
    cursor: tuple


def columns(cell):
    """A cell, and what it covers to its right."""
    return [cell] if cell.width == 1 else [cell] + [cell._replace(text="", width=0)] * (cell.width - 1)


def read_screen(found):
    """A screen from what `cotty render` and xterm_cells.mjs write. A blank that was never written is a space here."""
    rows = []
    for runs in found["cells"]:
        row = []
        for run in runs:
            look = {key: value for key, value in run.items() if key not in ("text", "width", "attributes")}
            attributes = frozenset(run.get("attributes", ()))
            if found.get("reverse_screen"):
                attributes ^= {"inverse"}
            for text in run["text"]:
                row += columns(Cell(text or " ", run.get("width", 1), attributes=attributes, **look))
        assert len(row) == COLS, row
        rows.append(row)
    cursor = found["cursor"]
    return Screen(rows, (cursor["row"], cursor["col"], found["cursor_visible"]))


def differences(ours, theirs):
    """Where two screens differ: row, column, ours, theirs."""
    found = []
    for row, (expected, got) in enumerate(zip(ours.rows, theirs.rows, strict=True)):
        col = 0
        while col < COLS:
            width = max(expected[col].width, 1)
            if not same_cluster(expected[col : col + width], got[col : col + width]):
                found.append((row, col, expected[col], got[col]))
            col += width
    if ours.cursor != theirs.cursor:
        found.append(("cursor", ours.cursor[1], ours.cursor, theirs.cursor))
    return found


def same_cluster(expected, got):
    """Whether the columns of one of our characters show it, as far as another terminal knows emoji.

    Of several code points that make one emoji it may show the first ones alone. Where it takes our wide emoji for a
    narrow one, our second column has to be blank, on the same ground. What is one wide cluster here (a flag, a Devanagari
    conjunct, a half-width kana with its mark) may be two narrow ones there: in the same two columns, with the same look.
    """
    ours, theirs = expected[0], got[0]
    if expected == got:
        return True
    if ours.width == 2 and len(got) == 2 and [cell.width for cell in got] == [1, 1]:
        look = ours._replace(text="", width=0)
        same_look = all(cell._replace(text="", width=0) == look for cell in got)
        if same_look and "".join(cell.text for cell in got) == ours.text:
            return True
    if not EMOJI.search(ours.text) or not theirs.text or not ours.text.startswith(theirs.text):
        return False
    if theirs._replace(text="", width=0) != ours._replace(text="", width=0):
        return False
    rest = [Cell(" ", bg=ours.bg)] if theirs.width < ours.width else expected[1:]
    return got[1:] == rest


class XtermJs:
    """The terminal of the page, without a page. Takes all paints at once."""

    def show(self, paints):
        """The screen after each of some pieces of output, as text or as bytes."""
        pieces = (paint.encode() if isinstance(paint, str) else paint for paint in paints)
        lines = "".join(base64.b64encode(piece).decode() + "\n" for piece in pieces)
        command = ["node", HERE / "xterm_cells.mjs", str(COLS), str(ROWS)]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == 0, done.stderr
        return [read_screen(json.loads(line)) for line in done.stdout.splitlines()]


class Pane:
    """A pane whose program writes what it is told."""

    def __init__(self, tmux, path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(LIMIT)
        program = f"exec /usr/bin/python3 '{HERE}/programs/paints.py' '{path}'"
        self.name = f"{path.name}:"
        tmux("new-session", "-d", "-s", path.name, "-x", str(COLS), "-y", str(ROWS), program)
        self.program, _ = listener.accept()
        self.program.settimeout(LIMIT)
        listener.close()

    def write(self, text):
        """Writes text and answers where the cursor is then. The answer comes when tmux has shown all before it."""
        data = text.encode()
        self.program.sendall(struct.pack(">I", len(data)) + data)
        answer = b""
        while not answer.endswith(b"R"):
            answer += self.program.recv(100)
        row, col = map(int, re.fullmatch(rb"\x1b\[(\d+);(\d+)R", answer).groups())
        return row - 1, col - 1


class Tmux:
    """A tmux server of its own."""

    ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 5: "blink", 7: "inverse", 8: "hidden", 9: "strike"}
    UNDERLINES = [None, "single", "double", "curly", "dotted", "dashed"]
    COLORS = [(30, "fg", 0), (40, "bg", 0), (90, "fg", 8), (100, "bg", 8)]
    OWN_COLORS = {38: "fg", 48: "bg", 58: "underline_color"}

    def __init__(self, top):
        conf = top / "conf"
        conf.write_text("set -g status off\nset -g escape-time 0\n")
        self.command = ["tmux", "-S", str(top / "tmux"), "-f", str(conf)]
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}
        # The user's own shell may be one that runs nothing.
        self.env |= {"LANG": "C.UTF-8", "TMUX_TMPDIR": str(top), "SHELL": "/bin/sh"}
        self.widths = {}
        try:
            self.shown, self.ruler = Pane(self.run, top / "shown"), Pane(self.run, top / "ruler")
            self.pid = int(self.run("display-message", "-p", "#{pid}"))
        except BaseException:
            subprocess.run([*self.command, "kill-server"], env=self.env, timeout=LIMIT, check=False)
            raise

    def close(self):
        self.run("kill-server")
        eventually(lambda: not alive(self.pid))

    def run(self, *args):
        done = subprocess.run(
            [*self.command, *args], env=self.env, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        assert done.returncode == 0, f"tmux {args}: {done.stderr}"
        return done.stdout

    def show(self, paints):
        screens = []
        for paint in paints:
            cursor = self.shown.write(paint)
            pane = ["-t", self.shown.name]
            *rows, shows, _ = self.run(
                *["capture-pane", "-p", "-e", "-N", *pane, ";", "display-message", "-p", *pane, "#{cursor_flag}"]
            ).split("\n")
            screens.append(Screen(self.rows(rows), (*cursor, shows == "1")))
        return screens

    def rows(self, lines):
        """The rows that `capture-pane -e` wrote. The look goes on from one row to the next."""
        rows, look = [], Cell(" ")
        for line in lines:
            row = []
            for found in re.finditer(r"\x1b\[([\d;:]*)m|[^\x1b]", line):
                if found[1] is not None:
                    look = self.styled(look, found[1])
                else:
                    self.add(row, look._replace(text=found[0]))
            row = [column for cell in row for column in columns(cell)]
            assert len(row) <= COLS, f"more than a row: {line!r}"
            # What it never wrote to is not captured.
            rows.append(row + [Cell(" ")] * (COLS - len(row)))
        return rows

    def add(self, row, cell):
        """Adds a character to a row: to the last cell, if tmux puts it there, or as a new one."""
        if cell.text.isascii():
            return row.append(cell)
        if row:
            joined = row[-1].text + cell.text
            follows = unicodedata.category(cell.text) in ("Mn", "Me") or "\u200d" in (cell.text, row[-1].text[-1])
            if follows or self.width(joined) == self.width(row[-1].text):
                row[-1] = row[-1]._replace(text=joined, width=self.width(joined))
                return None
        return row.append(cell._replace(width=self.width(cell.text)))

    def width(self, text):
        """How many columns tmux gives to some text: what it captures does not say."""
        if text not in self.widths:
            self.widths[text] = self.ruler.write("\x1b[H\x1b[2J" + text)[1]
        return self.widths[text]

    def styled(self, look, parameters):
        codes = iter(parameters.split(";"))
        for code in codes:
            number, *more = map(int, re.split("::?", code or "0"))
            if (number, more) == (5, [3]):
                # tmux 3.3 writes the 53 of an overline as if it were a kind of 5.
                look = look._replace(attributes=look.attributes | {"overline"})
            elif number == 0:
                look = Cell(" ")
            elif number in self.ATTRIBUTES:
                look = look._replace(attributes=look.attributes | {self.ATTRIBUTES[number]})
            elif number == 4:
                look = look._replace(underline=self.UNDERLINES[more[0] if more else 1])
            elif number in self.OWN_COLORS:
                kind, *value = more or self.color_arguments(codes)
                color = value[0] if kind == 5 else "#{:02x}{:02x}{:02x}".format(*value)
                look = look._replace(**{self.OWN_COLORS[number]: color})
            elif number - 1 in self.OWN_COLORS:
                look = look._replace(**{self.OWN_COLORS[number - 1]: None})
            else:
                base, name, first = next(color for color in self.COLORS if color[0] <= number < color[0] + 8)
                look = look._replace(**{name: number - base + first})
        return look

    @staticmethod
    def color_arguments(codes):
        kind = int(next(codes))
        return [kind] + [int(next(codes)) for _ in range(1 if kind == 5 else 3)]
