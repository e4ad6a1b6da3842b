"""Several people in one session: who has the keyboard, who else is there, who waits for a person, whose window fits."""

import json

import pytest

from attaching import LARGE, SMALL, run, window  # noqa: F401
from conftest import BINARY, eventually
from websocket import WebSocket


def shell(cotty, **params):
    """An agent's shell."""
    made = cotty.call("create", program="bash", **params)
    assert made["ready"], made
    return made["session_id"]


def holder(cotty, session):
    return cotty.call("keyboard", session=session)


def test_two_people_see_each_other_attach_take_over_and_detach(cotty, window):
    session = shell(cotty, cols=80, rows=20)
    ann = window((120, 24)).attach(session, user="ann")
    ann.says("agent tests has the keyboard")
    bob = window((120, 24)).attach(session, user="bob")
    ann.says("bob (attach) joined")
    ann.says("with bob (attach)")
    bob.says("with ann (attach)")
    ann.type("echo from ann")
    bob.says("ann has the keyboard")
    ann.says("you have the keyboard")
    bob.type(" and bob")
    ann.says("bob has the keyboard")
    bob.press("Enter")
    cotty.call("wait", session=session, regex="^from ann and bob$")
    # When it is given back, the agent has it again, and all viewers are notified.
    bob.order("g")
    ann.says("agent tests has the keyboard")
    bob.says("the keyboard went back: agent tests has the keyboard")
    assert cotty.call("run", session=session, command="echo mine")["output"] == "mine\n"
    ann.order("?")
    eventually(lambda: any("1 watching with you: bob (attach)" in row for row in ann.rows()))
    ann.press("x")
    bob.order("d")
    bob.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    ann.says("bob (attach) left")


def test_the_page_counts_as_a_viewer(cotty, window):
    session = shell(cotty)
    view = window(LARGE).attach(session, user="ann")
    page = WebSocket(cotty.status()["socket"], f"/v1/sessions/{session}/view?name=page&kind=page")
    assert page.read()["type"] == "paint"
    presence = page.read()
    assert presence["type"] == "presence" and presence["others"] == [{"name": "ann", "kind": "attach"}], presence
    assert (presence["holder"], presence["yours"], presence["agent"]) == ("agent", False, "tests")
    view.says("with page")
    page.close()
    view.says("page left")


def test_an_agent_is_refused_while_a_person_has_the_keyboard(cotty, window):
    session = shell(cotty)
    view = window((100, 24)).attach(session, user="ann")
    view.order("t")
    view.says("you have the keyboard until you give it back")
    eventually(lambda: holder(cotty, session)["holder"] == "person")
    assert holder(cotty, session)["by"] == "ann" and "returns_in_ms" not in holder(cotty, session)
    cotty.call("send", session=session, text="x", error="KEYBOARD_HELD")
    view.says("tests was refused: you have the keyboard")
    cotty.call("run", session=session, command="true", error="KEYBOARD_HELD")
    view.order("g")
    eventually(lambda: holder(cotty, session)["holder"] == "agent")
    assert cotty.call("run", session=session, command="echo hi")["output"] == "hi\n"
    # Detaching gives the keyboard back at once.
    view.order("t")
    eventually(lambda: holder(cotty, session)["holder"] == "person")
    view.order("d")
    eventually(lambda: holder(cotty, session)["holder"] == "agent")


def test_a_read_only_attach_types_nothing(cotty, window):
    session = shell(cotty)
    view = window((100, 30)).attach("--read-only", session)
    view.says("read-only")
    view.type("x")
    view.says("read-only: you cannot type")
    for key in ("t", "g", "f"):
        view.order(key)
        view.says("read-only: ")
    view.press("C-]", "C-]")
    view.says("read-only: you cannot type")
    # It had no effect: no text, no keyboard, no size.
    assert holder(cotty, session)["holder"] == "agent"
    ran = cotty.call("run", session=session, command="stty size")
    assert ran["output"] == "24 80\n"
    assert "x" not in cotty("view", session).split("stty")[0]
    view.order("d")
    view.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")


def asks(cotty, session):
    cotty.call("send", session=session, text="read -s -p 'Password: ' secret\n")
    cotty.call("wait", session=session, secret=True)


def test_attach_next_picks_the_session_that_has_waited_longest(cotty, window):
    first, second, third = (shell(cotty, name=name) for name in ("one", "two", "three"))
    view = window((120, 30))
    view.type(f"{BINARY} attach --next")
    view.press("Enter")
    eventually(lambda: any("no session asks for a person" in row for row in view.rows()))
    asks(cotty, second)
    eventually(lambda: view.value("#{alternate_on}") == "1")
    view.says("2 two · asks for a secret · ")
    view.says("nobody has the keyboard")
    # The agent cannot answer. The person does, and the secret is not shown.
    cotty.call("send", session=second, text="guess\n", error="SECRET_INPUT")
    view.says("tests was refused: the program asks for a secret")
    view.type("open sesame")
    view.press("Enter")
    cotty.call("wait", session=second, prompt=True)
    view.order("d")
    view.detached(f"[detached from {second}; `cotty attach {second}` attaches again]")
    assert cotty.call("run", session=second, command="echo ${#secret}")["output"] == "11\n"
    # Of several waiting sessions, the one that has waited longest.
    asks(cotty, third)
    asks(cotty, first)
    view.attach("--next").says("3 three · asks for a secret")


def test_a_secret_prompt_is_reported_without_room_for_a_status_line(cotty, window):
    session = shell(cotty)
    view = window((100, 24)).attach("--no-status", session)
    view.shows(session)
    asks(cotty, session)
    view.says("asks for a secret")
    view.press("Enter")
    cotty.call("wait", session=session, prompt=True)
    view.shows(session)


# Sizes


def test_fit_follows_the_window_and_the_old_size_returns(cotty, window):
    session = shell(cotty)
    view = window((100, 30)).attach(session)
    view.order("f")

    def size():
        dimensions = cotty.info(session)["dimensions"]
        return dimensions["cols"], dimensions["rows"]

    eventually(lambda: size() == (100, 29))
    view.says("fitted · 100×29")
    view.resize((60, 15))
    eventually(lambda: size() == (60, 14))
    view.type("stty size")
    view.press("Enter")
    cotty.call("wait", session=session, regex="^14 60$")
    # Not below the smallest size that programs can handle.
    view.resize((5, 2))
    eventually(lambda: size() == (10, 2))
    view.resize((60, 15))
    eventually(lambda: size() == (60, 14))
    # `f` toggles: wait until the window shows the current state.
    put_back = lambda: size() == (80, 24) and "fitted" not in "".join(view.rows())
    view.order("f")
    eventually(put_back)
    # The fit follows the keyboard to another person, and ends when that person detaches.
    view.order("f")
    view.says("fitted · 60×14")
    view.order("g")
    eventually(put_back)
    view.order("f")
    view.says("fitted · 60×14")
    # Also when another client types.
    cotty("send", session, "#")
    eventually(put_back)
    view.order("f")
    view.says("fitted · 60×14")
    view.order("d")
    eventually(lambda: size() == (80, 24))


def test_fit_outlives_the_daemon(cotty, window):
    session = shell(cotty)
    view = window((100, 30)).attach(session)
    view.order("f")
    eventually(lambda: cotty.info(session)["dimensions"]["cols"] == 100)
    cotty.kill_daemon()
    view.says("fitted · 100×29")
    view.resize((90, 30))
    eventually(lambda: cotty.info(session)["dimensions"]["cols"] == 90)
    view.order("d")
    eventually(lambda: cotty.info(session)["dimensions"] == {"cols": 80, "rows": 24})


def test_a_small_window_can_pan(cotty, window):
    session = shell(cotty)
    cotty.call("run", session=session, command=r"clear; for i in {1..20}; do printf '%-70s%s\n' left$i right$i; done")
    view = window(SMALL).attach(session)
    view.shows(session)
    view.order("Up")
    view.order("Up")
    eventually(lambda: view.rows()[0].startswith("left1"))
    view.order("Right")
    view.order("Right")
    eventually(lambda: view.rows()[0].strip() == "right1")
    # Typing moves the view back to the cursor.
    view.type("#")
    view.shows(session)


# Nesting


def test_a_session_cannot_attach_to_itself(cotty, window):
    session = cotty.new("--name", "inner")
    for command, said in (
        (f"{BINARY} attach {session}", "this terminal is that session itself"),
        (f"{BINARY} attach inner", "this terminal is that session itself"),
        (f"env -u COTTY_SESSION {BINARY} attach inner", "belongs to person"),
    ):
        cotty("send", session, f"clear; {command}; echo code $?", "--enter")
        cotty("wait", session, "--regex", "^code 1$")
        assert said in cotty("view", session).replace("\n", " "), command
    # A session that was started in this one can be attached to from here.
    cotty("send", session, f"clear; {BINARY} attach $({BINARY} new --name other -- sh -c 'echo I am the other; exec cat')", "--enter")
    cotty("wait", session, "--text", "I am the other")
    cotty("send", session, "--key", "ctrl+]")
    cotty("wait", session, "--text", "d detach")
    cotty("send", session, "d")
    cotty("wait", session, "--text", "[detached from sess_")
    cotty("wait", session, "--prompt")


def test_a_viewer_with_an_invalid_name_or_kind_is_refused(cotty):
    session = shell(cotty)
    for query in ("name=a%0ab", "kind=" + "x" * 65, "viewer="):
        socket = WebSocket(cotty.status()["socket"], f"/v1/sessions/{session}/view?{query}")
        assert socket.status == 400 and socket.refused["error"]["code"] == "INVALID_INPUT"
        assert "`kind`" in json.dumps(socket.refused)


def test_prefix_and_detach_key_are_configurable(cotty, window):
    session = shell(cotty)
    view = window(LARGE).attach("--prefix", "ctrl+b", session)
    view.says("Ctrl-b ? keys")
    view.press("C-b", "d")
    view.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    view.type("clear; export COTTY_ATTACH_PREFIX=C-a")
    view.press("Enter")
    view.attach("--detach-key", "f12", session).says("Ctrl-a ? keys")
    view.press("F12")
    view.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    view.type(f"clear; {BINARY} attach --prefix ctrl+nonsense {session}; echo code $?")
    view.press("Enter")
    eventually(lambda: "code 2" in view.rows())


@pytest.mark.parametrize("program", ["vim", "htop"])
def test_full_screen_programs_follow_fit(cotty, window, program):
    session = shell(cotty)
    view = window((110, 33)).attach(session)
    view.type(program)
    view.press("Enter")
    cotty.call("wait", session=session, regex="VIM|F10Quit|F10 *Quit", timeout_ms=20_000)
    view.order("f")
    eventually(lambda: cotty.info(session)["dimensions"] == {"cols": 110, "rows": 32})
    # The program has redrawn itself, down to the last row of the session.
    eventually(lambda: cotty("view", session).rstrip("\n").count("\n") == 31)
    if program == "vim":
        view.shows(session)
        view.type(":q!")
        view.press("Enter")
    else:
        view.press("F10")
    cotty.call("wait", session=session, prompt=True, timeout_ms=20_000)
    view.order("f")
    eventually(lambda: cotty.info(session)["dimensions"] == {"cols": 80, "rows": 24})
    view.shows(session)
