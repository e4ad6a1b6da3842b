"""Properties of the engine that need a whole daemon to be seen."""

import json
from pathlib import Path

ASKS = Path(__file__).parent / "programs" / "asks_itself.py"


def test_output_triggers_no_reports_unless_allowed(cotty):
    """`cat FILE` is output too: nothing in a file may type or resize."""
    # The terminal of `cotty run` belongs to one command, so reports are allowed.
    assert cotty("run", "--", "/usr/bin/python3", ASKS) == "title, clipboard, checksum, 132 columns\n"
    assert cotty("run", "--allow", "title", "--", "/usr/bin/python3", ASKS) == "title, '', '', 80 columns\n"
    session = cotty("new", "--cols", 80, "--rows", 24, "--", "/usr/bin/python3", ASKS).strip()
    cotty("wait", session, "--exit")
    assert "'', '', '', 80 columns" in cotty("view", session)
    allowed = cotty("new", "--allow", "resize", "--cols", 80, "--rows", 24, "--", "/usr/bin/python3", ASKS).strip()
    cotty("wait", allowed, "--exit")
    assert "'', '', '', 132 columns" in cotty("view", allowed)
    cotty("new", "--allow", "everything", code=2)


def test_a_frame_is_shown_when_it_is_complete(cotty):
    """Synchronized output: no reader sees half a frame or waits for ever for its end."""
    session = cotty.new()
    begin, end = r"\033[?2026h", r"\033[?2026l"
    draw = rf"printf '{begin}\033[2J\033[Hhalf'; read -s; printf '\033[3Hwhole{end}'; read -s"
    cotty("send", session, draw, "--enter")
    cotty("wait", session, "--text", "half", "--timeout", 10)
    cotty("send", session, "--key", "enter")
    cotty("wait", session, "--text", "whole", "--timeout", 10)
    assert cotty("view", session).split() == ["half", "whole"]
    cotty("send", session, "--key", "enter")


def test_images_leave_no_text_and_are_reported(cotty):
    sixel = "\x1bPq" + "#0;2;0;0;0#0!14~-" * 9000 + "\x1b\\"
    kitty = "\x1b_Ga=T,f=100;" + "AAAA" * 100 + "\x1b\\"
    iterm = "\x1b]1337;File=inline=1:" + "AAAA" * 100 + "\x07"
    (cotty.work / "said").write_text(f"a{sixel}b{kitty}c{iterm}d")
    shown = json.loads(cotty("render", "said", "--rows", 1, "--format", "json"))
    assert shown["lines"] == ["abcd"]
    assert [(image["kind"], image["bytes"]) for image in shown["images"]] == [
        ("sixel", len(sixel) - 5),
        ("kitty", len(kitty) - 5),
        ("iterm2", len(iterm) - len("\x1b]1337;File=\x07")),
    ]


def test_binary_output_breaks_neither_the_screen_nor_the_answer(cotty):
    session = cotty.new()
    cotty("send", session, "head -c 300000 /bin/sh; printf '\\033c'; echo still $((40 + 2))", "--enter")
    cotty("wait", session, "--text", "still 42", "--timeout", 20)
    assert "still 42" in cotty("view", session)
    assert cotty.json("ls")["sessions"][0]["session_id"] == session
