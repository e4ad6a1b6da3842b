"""`cotty render`: what a terminal would show after some bytes, without a daemon."""

import base64
import json


def test_render_shows_what_a_terminal_would(cotty):
    said = "a\x1b[31mred <b>\x1b[0m\x1b]2;a title\x07\x1b[6n\r\n" + "\r\n".join(f"line {i}" for i in range(5))
    (cotty.work / "said").write_text(said)
    shown = json.loads(cotty("render", "said", "--cols", 20, "--rows", 3, "--format", "json"))
    assert shown["lines"] == ["line 2", "line 3", "line 4"]
    assert shown["scrollback"] == ["ared <b>", "line 0", "line 1"]
    assert shown["cursor"] == {"row": 2, "col": 6}
    assert (shown["title"], shown["alt_screen"]) == ("a title", False)
    assert base64.b64decode(shown["replies"]) == b"\x1b[1;9R"
    (cotty.work / "said").write_text(said[: said.index("\r")])
    assert cotty("render", "said", "--rows", 1) == "ared <b>\n"
    assert "\x1b[" in cotty("render", "said", "--rows", 1, "--format", "ansi")
    assert "red &lt;b&gt;</span>" in cotty("render", "said", "--rows", 1, "--format", "html")
    cotty("render", "no-such-file", code=1)
    assert not cotty.home.exists(), "no daemon is needed"


def test_render_shows_cells_and_cuts(cotty):
    said = "\x1b[1;31;48;2;1;2;3mr\x1b[0m漢\x1b[4:3;58:5:9mu\x1b[0;7m!\x1b[0m\x1b[?25l"
    (cotty.work / "said").write_text(said)
    size = ["--cols", 6, "--rows", 1]
    shown = json.loads(cotty("render", "said", *size, "--format", "json", "--cells"))
    assert shown["cells"] == [
        [
            {"text": ["r"], "fg": 1, "bg": "#010203", "attributes": ["bold"]},
            {"text": ["漢"], "width": 2},
            {"text": ["u"], "underline": "curly", "underline_color": 9},
            {"text": ["!"], "attributes": ["inverse"]},
            {"text": [""]},
        ]
    ]
    assert (shown["cursor_visible"], shown["reverse_screen"]) == (False, False)
    # Cut after the first sequence, and inside the wide character.
    first, wide = said.index("r"), len(said[: said.index("漢")].encode()) + 1
    assert cotty("render", "said", *size, "--upto", first) == "\n"
    assert cotty("render", "said", *size, "--upto", wide) == "r\n"
    cuts = cotty("render", "said", *size, "--format", "paint", "--cuts", f"{wide},{wide},1000")
    one, two, three = map(json.loads, cuts.splitlines())
    assert one["at"] == wide and one["diff"] == one["paint"]
    assert two["diff"] is None
    assert three["at"] == len(said.encode()) and three["cells"] == shown["cells"]
    # A paint, rendered, shows the same screen.
    paint = cotty("render", "said", *size, "--format", "paint")
    assert paint == three["paint"]
    for painted in [paint, one["paint"] + three["diff"]]:
        (cotty.work / "paint").write_text(painted)
        again = json.loads(cotty("render", "paint", *size, "--format", "json", "--cells"))
        assert [again[key] for key in ("cells", "cursor", "cursor_visible")] == [
            shown[key] for key in ("cells", "cursor", "cursor_visible")
        ]
    cotty("render", "said", "--cuts", 1, code=1)
