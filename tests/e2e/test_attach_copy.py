"""Scroll and copy mode: the view stays still, can be searched, and a selection goes to the person's clipboard."""

import pytest

from attaching import LARGE, SMALL, run, window  # noqa: F401
from conftest import eventually

SIZE = (80, 25)


def begin(view, *keys):
    view.order(*(keys or "["))
    eventually(lambda: view.rows()[-1].startswith("["))


def cursor_row(view):
    """The cursor's row, and the number of rows."""
    row, of = view.rows()[-1].split("]")[0].strip("[").split("/")
    return int(row), int(of)


def search(view, how, text):
    view.press(how)
    eventually(lambda: view.rows()[-1] == how)
    view.type(text)
    eventually(lambda: view.rows()[-1] == how + text)
    view.press("Enter")


def cursor_line(view):
    return view.rows()[int(view.value("#{cursor_y}"))]


def copy(view, *keys):
    view.press(*keys)
    view.says("copied ")
    return view.copied()


def test_lines_and_regions_are_copied(cotty, window):
    session = cotty.new()
    run(cotty, session, "seq -f 'number %g' 300")
    view = window(SIZE).attach(session)
    view.shows(session)
    begin(view)
    # Copy mode begins with the current screen.
    assert [row for row in view.rows() if row.startswith("number")][-1] == "number 300"
    search(view, "?", "number 42$")
    eventually(lambda: cursor_line(view) == "number 42")
    assert copy(view, "V", "j", "j", "y") == "number 42\nnumber 43\nnumber 44"
    # A region, from within a line to within another, and a rectangle.
    view.shows(session)
    begin(view)
    search(view, "?", "number 7$")
    eventually(lambda: cursor_line(view) == "number 7")
    assert copy(view, "w", "v", "j", "Enter") == "7\nnumber 8"
    begin(view)
    search(view, "?", "number 7$")
    eventually(lambda: cursor_line(view) == "number 7")
    assert copy(view, "l", "C-v", "j", "l", "l", "y") == "umb\numb"
    view.shows(session)
    # None of these keys reached the program.
    assert "number" not in cotty("view", session).rstrip("\n").split("\n")[-1]


def test_search_continues_in_both_directions(cotty, window):
    session = cotty.new()
    run(cotty, session, "clear; seq 100 | sed 's/.*5$/needle &/'")
    view = window(SIZE).attach(session)
    begin(view)
    search(view, "?", "NEEDLE")
    view.says("not found")
    search(view, "?", "^needle")
    for number in ("95", "85", "75"):
        eventually(lambda number=number: cursor_line(view) == f"needle {number}")
        view.press("n")
    eventually(lambda: cursor_line(view) == "needle 65")
    view.press("N")
    eventually(lambda: cursor_line(view) == "needle 75")
    view.press("g")
    search(view, "/", "^needle")
    eventually(lambda: cursor_line(view) == "needle 5")
    view.press("N")
    view.says("continued from the end")
    assert cursor_line(view) == "needle 95"
    view.press("q")
    view.shows(session)


def test_copy_mode_stays_still_while_the_program_prints(cotty, window):
    session = cotty.new()
    run(cotty, session, "seq -f 'before %g' 100")
    view = window(SIZE).attach(session)
    begin(view, "PPage")
    row, of = cursor_row(view)
    assert row < of
    before = view.rows()
    run(cotty, session, "seq -f 'after %g' 500")
    # The window has received the new output, but copy mode does not move.
    view.press("k")
    eventually(lambda: cursor_row(view) == (row - 1, of))
    view.press("j")
    eventually(lambda: cursor_row(view) == (row, of))
    assert view.rows() == before
    view.press("q")
    assert "after 500" in view.shows(session)


def test_wrapped_lines_and_wide_characters_are_copied_whole(cotty, window):
    session = cotty.new("--cols", 40)
    text = "word " * 12 + "漢字漢字 " * 6 + "end"
    run(cotty, session, f"clear; printf '\\e[31m%s\\e[0m\\n' '{text}'")
    # The window is smaller than the session.
    view = window((30, 12)).attach(session)
    begin(view)
    search(view, "?", "^word word")
    eventually(lambda: cursor_line(view).startswith("word word"))
    assert copy(view, "V", "j", "j", "j", "j", "y").rstrip("\n").split("\n")[0] == text


@pytest.mark.as_root
def test_a_selection_is_saved_to_a_file(cotty, window):
    session = cotty.new()
    run(cotty, session, "clear; echo one; echo two")
    view = window(SIZE).attach(session)
    begin(view)
    search(view, "?", "^one")
    view.press("V", "j", "s")
    view.says("save to file:")
    view.type("saved.txt")
    view.press("Enter")
    view.says("saved to saved.txt")
    assert (cotty.work / "saved.txt").read_text() == "one\ntwo\n"
    view.shows(session)
    begin(view)
    view.press("V", "s")
    view.type("/nowhere/at/all")
    view.press("Enter")
    view.says("/nowhere/at/all: ")
    # The selection is still there, and the file is not overwritten.
    view.press("s")
    view.type("saved.txt")
    view.press("Enter")
    view.says("saved.txt: File exists")
    view.press("s")
    view.type("again.txt")
    view.press("Enter")
    view.says("saved to again.txt")
    assert (cotty.work / "saved.txt").read_text() == "one\ntwo\n"
    assert (cotty.work / "again.txt").stat().st_mode & 0o777 == 0o600


def test_view_whole_joins_history_and_screen(cotty):
    session = cotty.call("create", program="bash", cols=20, rows=5)["session_id"]
    cotty.call("run", session=session, command="clear; printf '%s' {1..40}; echo; seq 3")
    long = "".join(map(str, range(1, 41)))
    whole = cotty.call("read", session=session, view="whole")["content"].split("\n")
    # Half of the line has left the screen, and it is still one line.
    assert [line for line in whole if line.startswith("1234")] == [long], whole
    assert whole[whole.index(long) + 1 : whole.index(long) + 4] == ["1", "2", "3"]
    newest = cotty.call("read", session=session, view="whole", limit=2)
    assert newest["content"].split("\n") == whole[-2:] and newest["dropped_lines"] == len(whole) - 2
    # The rows of a full-screen program come after the rows that it covers.
    cotty.call("send", session=session, text=r"printf '\e[?1049h\e[Hfull %s' screen; read" + "\n")
    cotty.call("wait", session=session, text="full screen")
    covered = cotty.call("read", session=session, view="whole")["content"].split("\n")
    assert long in covered and covered[-5:] == ["full screen", "", "", "", ""], covered


def wheel(view, up, at=(5, 5)):
    """Turns the wheel, as a terminal reports it."""
    view.mouse(64 if up else 65, at)


def test_the_wheel_scrolls_while_mouse_reporting_is_off(cotty, window):
    session = cotty.new()
    run(cotty, session, "seq 200")
    view = window(SIZE).attach(session)
    view.shows(session)
    wheel(view, up=True)
    eventually(lambda: view.rows()[-1].startswith("["))
    top = view.rows()[0]
    wheel(view, up=True)
    eventually(lambda: view.rows()[0] == str(int(top) - 3))
    wheel(view, up=False)
    wheel(view, up=False)
    view.shows(session)
    # Dragging copies.
    first, second = cotty("view", session).split("\n")[3:5]
    view.mouse(0, (1, 4))
    view.mouse(32, (1, 4))
    eventually(lambda: view.rows()[-1].startswith("["))
    view.mouse(32, (2, 5))
    view.mouse(0, (2, 5), up=True)
    view.says("copied ")
    assert view.copied() == f"{first}\n{second[:2]}"


def test_a_program_with_mouse_reporting_gets_the_mouse(cotty, window):
    script = r"stty raw -echo; printf '\e[?1000h\e[?1006hready\r\n'; exec cat -v"
    session = cotty.new("--", "env", "sh", "-c", script)
    view = window(LARGE).attach(session)
    cotty("wait", session, "--text", "ready")
    # The window learns of mouse reporting a moment later.
    def reported():
        view.mouse(0, (7, 3))
        return "^[[<0;7;3M" in cotty("view", session)

    eventually(reported)
    wheel(view, up=True, at=(2, 2))
    cotty("wait", session, "--text", "^[[<64;2;2M")
    # Clicks outside the session are ignored.
    view.mouse(0, (100, 3))
    view.type("end")
    cotty("wait", session, "--text", "end")
    assert "<0;100" not in cotty("view", session)


def test_the_wheel_sends_arrows_to_a_full_screen_program_without_mouse_reporting(cotty, window):
    file = cotty.work / "numbers"
    file.write_text("\n".join(map(str, range(1, 101))))
    session = cotty.new("--", "less", file)
    view = window(SIZE).attach(session)
    cotty("wait", session, "--regex", "^23$")
    view.shows(session)

    def first():
        return cotty("view", session).split("\n")[0]

    def scrolled():
        wheel(view, up=False)
        return first() != "1"

    eventually(scrolled)
    cotty("wait", session, "--idle", 300)
    top = first()
    assert int(top) % 3 == 1
    # A read-only viewer scrolls its own view instead of the program.
    watcher = window(SIZE).attach("--read-only", session)
    eventually(lambda: watcher.rows()[0] == top)
    wheel(watcher, up=True)
    eventually(lambda: watcher.rows()[-1].startswith("["))
    assert first() == top


def test_copy_mode_survives_the_programs_exit(cotty, window):
    session = cotty.new()
    run(cotty, session, "seq 100")
    view = window(SIZE).attach(session)
    begin(view)
    cotty("send", session, "exit 5", "--enter")
    cotty("wait", session, "--exit")
    view.press("g")
    eventually(lambda: cursor_row(view)[0] == 1)
    view.press("q")
    view.detached(f"[{session} exited with 5]")
    # An exited session can still be attached to.
    view.attach(session).says("exited with 5 · q leaves")
    begin(view)
    search(view, "?", "^42$")
    eventually(lambda: cursor_line(view) == "42")
    view.press("q")
    view.says("exited with 5 · q leaves")
    view.press("q")
    view.detached(f"[{session} exited with 5]")


def test_a_small_window_scrolls_to_the_end_of_a_long_line(cotty, window):
    session = cotty.new()
    run(cotty, session, "seq -f '%070g end' 50")
    view = window(SMALL).attach(session)
    begin(view)
    search(view, "?", "20 end")
    view.press("$")
    eventually(lambda: cursor_line(view).endswith("20 end"))
