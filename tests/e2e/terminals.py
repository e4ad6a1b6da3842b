"""Other terminal emulators that report what each cell shows: headless xterm.js, and tmux."""

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
# Code points that join others to one emoji: joiner, variation selector, skin colour, the letters of a flag.
EMOJI = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff]")


class Cell(NamedTuple):
    """One column of a row. The right half of a wide character has width 0 and no text."""

    text: str
    width: int = 1
    fg: int | str | None = None
    bg: int | str | None = None
    underline: str | None = None
    underline_color: int | str | None = None
    attributes: frozenset = frozenset()


class Screen(NamedTuple):
    """Rows of cells; the cursor's row, column and visibility."""

    rows: list
    cursor: tuple


def columns(cell):
    """A cell, and the columns that it covers to its right."""
    return [cell] if cell.width == 1 else [cell] + [cell._replace(text="", width=0)] * (cell.width - 1)


def read_screen(found):
    """A screen from the output of `cotty render` or xterm_cells.mjs. A cell that was never written is a space here."""
    rows = []
    for runs in found["cells"]:
        row = []
        for run in runs:
            style = {key: value for key, value in run.items() if key not in ("text", "width", "attributes")}
            attributes = frozenset(run.get("attributes", ()))
            if found.get("reverse_screen"):
                attributes ^= {"inverse"}
            for text in run["text"]:
                row += columns(Cell(text or " ", run.get("width", 1), attributes=attributes, **style))
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
    """Whether another terminal shows one of our clusters in the same columns, as far as that terminal supports emoji.

    If several code points make one emoji, it may show only the first ones. If it takes our wide emoji for narrow, our
    second column must be blank, on the same background. One wide cluster of ours (a flag, a Devanagari conjunct, a
    half-width kana with its mark) may be two narrow ones there: in the same two columns, with the same style.
    """
    ours, theirs = expected[0], got[0]
    if expected == got:
        return True
    if ours.width == 2 and len(got) == 2 and [cell.width for cell in got] == [1, 1]:
        style = ours._replace(text="", width=0)
        same_style = all(cell._replace(text="", width=0) == style for cell in got)
        if same_style and "".join(cell.text for cell in got) == ours.text:
            return True
    if not EMOJI.search(ours.text) or not theirs.text or not ours.text.startswith(theirs.text):
        return False
    if theirs._replace(text="", width=0) != ours._replace(text="", width=0):
        return False
    rest = [Cell(" ", bg=ours.bg)] if theirs.width < ours.width else expected[1:]
    return got[1:] == rest


class XtermJs:
    """The terminal that the page uses, without a page. Takes all paints at once."""

    def show(self, paints):
        """The screen after each piece of output. A piece is text or bytes."""
        pieces = (paint.encode() if isinstance(paint, str) else paint for paint in paints)
        lines = "".join(base64.b64encode(piece).decode() + "\n" for piece in pieces)
        command = ["node", HERE / "xterm_cells.mjs", str(COLS), str(ROWS)]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == 0, done.stderr
        return [read_screen(json.loads(line)) for line in done.stdout.splitlines()]


class Pane:
    """A pane whose program writes the text it is given."""

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
        """Writes text and returns the cursor position after it. tmux replies only when it has shown all text before."""
        data = text.encode()
        self.program.sendall(struct.pack(">I", len(data)) + data)
        answer = b""
        while not answer.endswith(b"R"):
            answer += self.program.recv(100)
        row, col = map(int, re.fullmatch(rb"\x1b\[(\d+);(\d+)R", answer).groups())
        return row - 1, col - 1


class Tmux:
    """A private tmux server."""

    ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 5: "blink", 7: "inverse", 8: "hidden", 9: "strike"}
    UNDERLINES = [None, "single", "double", "curly", "dotted", "dashed"]
    COLORS = [(30, "fg", 0), (40, "bg", 0), (90, "fg", 8), (100, "bg", 8)]
    OWN_COLORS = {38: "fg", 48: "bg", 58: "underline_color"}

    def __init__(self, top):
        conf = top / "conf"
        conf.write_text("set -g status off\nset -g escape-time 0\n")
        self.command = ["tmux", "-S", str(top / "tmux"), "-f", str(conf)]
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}
        # The user's own shell may be one that runs nothing, such as nologin.
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
        """The rows that `capture-pane -e` printed. A style continues from one row to the next."""
        rows, style = [], Cell(" ")
        for line in lines:
            row = []
            for found in re.finditer(r"\x1b\[([\d;:]*)m|[^\x1b]", line):
                if found[1] is not None:
                    style = self.styled(style, found[1])
                else:
                    self.add(row, style._replace(text=found[0]))
            row = [column for cell in row for column in columns(cell)]
            assert len(row) <= COLS, f"more than a row: {line!r}"
            # tmux does not capture cells that were never written.
            rows.append(row + [Cell(" ")] * (COLS - len(row)))
        return rows

    def add(self, row, cell):
        """Adds a character to a row: to the last cell, if tmux puts it there, or as a new cell."""
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
        """The number of columns that tmux gives to a text. The captured text does not contain it."""
        if text not in self.widths:
            self.widths[text] = self.ruler.write("\x1b[H\x1b[2J" + text)[1]
        return self.widths[text]

    def styled(self, style, parameters):
        codes = iter(parameters.split(";"))
        for code in codes:
            number, *more = map(int, re.split("::?", code or "0"))
            if (number, more) == (5, [3]):
                # tmux 3.3 writes SGR 53 (overline) as 5:3.
                style = style._replace(attributes=style.attributes | {"overline"})
            elif number == 0:
                style = Cell(" ")
            elif number in self.ATTRIBUTES:
                style = style._replace(attributes=style.attributes | {self.ATTRIBUTES[number]})
            elif number == 4:
                style = style._replace(underline=self.UNDERLINES[more[0] if more else 1])
            elif number in self.OWN_COLORS:
                kind, *value = more or self.color_arguments(codes)
                color = value[0] if kind == 5 else "#{:02x}{:02x}{:02x}".format(*value)
                style = style._replace(**{self.OWN_COLORS[number]: color})
            elif number - 1 in self.OWN_COLORS:
                style = style._replace(**{self.OWN_COLORS[number - 1]: None})
            else:
                base, name, first = next(color for color in self.COLORS if color[0] <= number < color[0] + 8)
                style = style._replace(**{name: number - base + first})
        return style

    @staticmethod
    def color_arguments(codes):
        kind = int(next(codes))
        return [kind] + [int(next(codes)) for _ in range(1 if kind == 5 else 3)]
