"""Our paints look the same in other terminals: ten recorded programs, cell by cell, in xterm.js and tmux.

Each recording is cut at 20 places, some inside sequences. At each cut, one terminal gets the full paint over its old
screen, and another gets the difference to the previous cut.
"""

import functools
import json
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, ROOT
from terminals import COLS, ROWS, Cell, Tmux, XtermJs, differences, read_screen

NAMES = ["vim", "less", "htop", "tmux", "git", "fzf", "zsh", "fish", "python", "cargo"]
RECORDINGS = ROOT / "target" / "recordings"
CUTS = 20
# The tests share the recordings and their renderings.
pytestmark = [pytest.mark.xdist_group("paint"), pytest.mark.slow]


def explain(name, cut, how, found):
    lines = [f"{name} at byte {cut['at']}, {how}: {len(found)} differences"]
    lines += [f"  row {row}, col {col}: expected {ours}, got {theirs}" for row, col, ours, theirs in found[:20]]
    return "\n".join(lines)


@pytest.fixture(scope="session")
def recordings():
    """Makes the recordings if they are missing or older than tools/record."""
    command = [ROOT / "tools" / "record", "--keep", "--cols", str(COLS), "--rows", str(ROWS), "--out", RECORDINGS]
    subprocess.run([*command, *NAMES], check=True, timeout=60 * len(NAMES))


def places(name, recorded):
    """One place in each twentieth of the bytes; every other one is moved into a sequence. Deterministic."""
    chance = random.Random(name)
    size = len(recorded)
    found = []
    for part in range(CUTS):
        place = chance.randrange(size * part // CUTS, size * (part + 1) // CUTS)
        start = recorded.find(b"\x1b", place)
        found.append(start + chance.randint(1, 3) if part % 2 and start >= 0 else place)
    return sorted(min(place, size) for place in found)


@functools.cache
def cuts(name):
    """The output of `cotty render` at each cut of a recording."""
    recorded = (RECORDINGS / f"{name}.bin").read_bytes()
    return render(recorded, places(name, recorded))


def render(output, at):
    size = ["--cols", str(COLS), "--rows", str(ROWS)]
    command = [BINARY, "render", "--format", "paint", "--cuts", ",".join(map(str, at)), *size]
    done = subprocess.run(command, input=output, capture_output=True, timeout=LIMIT, check=True)
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return [cut | {"screen": read_screen(cut)} for cut in found]


@pytest.fixture(scope="module")
def tmux():
    # Short: a Unix socket's path has at most 107 bytes.
    top = Path(tempfile.mkdtemp(prefix="cotty-"))
    server = Tmux(top)
    yield server
    server.close()
    shutil.rmtree(top)


@pytest.fixture(params=["xterm.js", "tmux"])
def terminal(request):
    return XtermJs() if request.param == "xterm.js" else request.getfixturevalue("tmux")


@pytest.mark.parametrize("how", ["whole", "differences"])
@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_program_looks_the_same_elsewhere(name, how, terminal, recordings):
    check(name, cuts(name), how, terminal)


def check(name, cuts, how, terminal):
    paints = [cut["paint"] if how == "whole" else cut["diff"] or "" for cut in cuts]
    wrong = []
    for cut, screen in zip(cuts, terminal.show(paints), strict=True):
        if found := differences(cut["screen"], screen):
            wrong.append(explain(name, cut, how, found))
    assert not wrong, "\n".join(wrong)


# Output that the programs do not write: every style, characters at the edges, and characters whose width other
# terminals may see differently, with nothing beside them that would be painted over them.
STYLES = ["1", "2", "3", "4", "5", "7", "8", "9", "53", "4:2", "4:3", "4:4", "4:5", "4:3;58:5:9", "4:4;58:2::9:8:7"]
STYLES += ["1;2;3;4;5;7;8;9;53", "30;107", "90;47", "38;5;200;48;5;17", "38;2;1;2;3;48;2;4;5;6", "7;31", "7;42"]
WIDTHS = ["👩‍👩‍👧", "🇯🇵", "❤️", "👍🏽", "☂", "e\u0301\u0302", "각", "한", "ｶﾞ", "ﷺ", "½", "Ａ", "नमस्ते", "ที่นี่", "\u00ad", "\ufe0f"]


@pytest.mark.parametrize("how", ["whole", "differences"])
@pytest.mark.parametrize("ground", ["", "\x1b[44m\x1b[2J", "\x1b[?5h"], ids=["plain", "blue", "reversed"])
def test_every_style_and_width_looks_the_same_elsewhere(how, ground, terminal):
    steps = [ground + "".join(f"\x1b[{style}mx 漢\x1b[m\x1b[4C" for style in STYLES)]
    steps += [f"\x1b[{row};1H\x1b[4;35m{text}" for row, text in enumerate(WIDTHS, 7)]
    for row, text in enumerate(WIDTHS, 7):
        steps.append("\x1b[m" + "".join(f"\x1b[{row};{col}H{text}" for col in (20, 50, COLS - 1)))
    steps += ["\x1b[7;2Hx\x1b[8;20H\x1b[K", "\x1b[?5l\x1b[?25l"]
    ends = [sum(len(step.encode()) for step in steps[: end + 1]) for end in range(len(steps))]
    check("styles", render("".join(steps).encode(), ends), how, terminal)


@pytest.mark.parametrize("name", NAMES)
def test_the_cuts_have_content_to_compare(name, recordings):
    """Otherwise the comparison above would pass on blank screens."""
    screens = [cut["screen"].rows for cut in cuts(name)]
    assert len(screens) == CUTS
    assert sum(one != two for one, two in zip(screens, screens[1:])) > CUTS / 2
    cells = [cell for rows in screens for row in rows for cell in row]
    assert any(cell.fg is not None for cell in cells)


ALTERED = {
    "text": "X",
    "fg": "\x1b[31m{}",
    "bg": "\x1b[48;2;1;2;4m{}",
    "bold": "\x1b[1m{}",
    "inverse": "\x1b[7m{}",
    "underline": "\x1b[4m{}",
}


@pytest.fixture
def painted(recordings):
    """A cut, and the position of a letter in the default style."""
    cut = cuts("vim")[10]
    screen = cut["screen"]
    letter = next(
        (row, col)
        for row, cells in enumerate(screen.rows)
        for col, cell in enumerate(cells)
        if cell == Cell(cell.text) and cell.text.isascii() and cell.text.isalpha() and cell.text != "X"
    )
    return cut, screen, letter


@pytest.mark.parametrize("what", ALTERED)
def test_one_altered_cell_is_found(what, terminal, painted):
    cut, screen, (row, col) = painted
    again = ALTERED[what].format(screen.rows[row][col].text)
    back = f"\x1b[{screen.cursor[0] + 1};{screen.cursor[1] + 1}H"
    altered = f"{cut['paint']}\x1b[0m\x1b[{row + 1};{col + 1}H{again}{back}"
    before, after = terminal.show([cut["paint"], altered])
    assert differences(screen, before) == []
    assert [found[:2] for found in differences(screen, after)] == [(row, col)]


@pytest.mark.parametrize("altered", ["\x1b[{row};{other}H", "\x1b[?25{switch}"], ids=["place", "visibility"])
def test_an_altered_cursor_is_found(altered, terminal, painted):
    cut, screen, _ = painted
    row, col, visible = screen.cursor
    altered = altered.format(row=row + 1, other=(col + 1) % COLS + 1, switch="l" if visible else "h")
    [after] = terminal.show([cut["paint"] + altered])
    assert [found[0] for found in differences(screen, after)] == ["cursor"]
