"""Several at one session: who has the keyboard, who else is there, who needs somebody, and whose window it fits."""

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


def test_two_people_see_each_other_come_take_over_and_leave(cotty, window):
    session = shell(cotty, cols=80, rows=20)
    ann = window((120, 24)).attach(session, user="ann")
    ann.says("agent tests has the keyboard")
    bob = window((120, 24)).attach(session, user="bob")
    ann.says("bob (attach) came")
    ann.says("with bob (attach)")
    bob.says("with ann (attach)")
    ann.type("echo from ann")
    bob.says("ann has the keyboard")
    ann.says("you have the keyboard")
    bob.type(" and bob")
    ann.says("bob has the keyboard")
    bob.press("Enter")
    cotty.call("wait", session=session, regex="^from ann and bob$")
    # Given back, it is the agent's again, and everybody is told.
    bob.order("g")
    ann.says("agent tests has the keyboard")
    bob.says("the keyboard went back: agent tests has the keyboard")
    assert cotty.call("run", session=session, command="echo mine")["output"] == "mine\n"
    ann.order("?")
    eventually(lambda: any("1 watching with you: bob (attach)" in row for row in ann.rows()))
    ann.press("x")
    bob.order("d")
    bob.detached(f"[detached from {session}; `cotty attach {session}` comes back]")
    ann.says("bob (attach) left")


def test_the_page_is_company_too(cotty, window):
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


def test_an_agent_is_refused_meanwhile_and_the_person_is_told(cotty, window):
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
    # What one took is given back when one leaves, at once.
    view.order("t")
    eventually(lambda: holder(cotty, session)["holder"] == "person")
    view.order("d")
    eventually(lambda: holder(cotty, session)["holder"] == "agent")


def test_read_only_types_nothing(cotty, window):
    session = shell(cotty)
    view = window((100, 30)).attach("--read-only", session)
    view.says("read-only")
    view.type("x")
    view.says("read-only: nothing is typed")
    for key in ("t", "g", "f"):
        view.order(key)
        view.says("read-only: ")
    view.press("C-]", "C-]")
    view.says("read-only: nothing is typed")
    # Nothing came of it: neither text nor keyboard nor size.
    assert holder(cotty, session)["holder"] == "agent"
    ran = cotty.call("run", session=session, command="stty size")
    assert ran["output"] == "24 80\n"
    assert "x" not in cotty("view", session).split("stty")[0]
    view.order("d")
    view.detached(f"[detached from {session}; `cotty attach {session}` comes back]")


def asks(cotty, session):
    cotty.call("send", session=session, text="read -s -p 'Password: ' secret\n")
    cotty.call("wait", session=session, secret=True)


def test_next_is_the_one_that_has_waited_longest(cotty, window):
    first, second, third = (shell(cotty, name=name) for name in ("one", "two", "three"))
    view = window((120, 30))
    view.type(f"{BINARY} attach --next")
    view.press("Enter")
    eventually(lambda: any("no session asks for a person" in row for row in view.rows()))
    asks(cotty, second)
    eventually(lambda: view.value("#{alternate_on}") == "1")
    view.says("2 two · a secret is asked for · ")
    view.says("nobody has the keyboard")
    # The agent cannot answer; the person does, and it is nowhere to be seen.
    cotty.call("send", session=second, text="guess\n", error="SECRET_INPUT")
    view.says("tests was refused: a secret is asked for")
    view.type("open sesame")
    view.press("Enter")
    cotty.call("wait", session=second, prompt=True)
    view.order("d")
    view.detached(f"[detached from {second}; `cotty attach {second}` comes back]")
    assert cotty.call("run", session=second, command="echo ${#secret}")["output"] == "11\n"
    # Of several that wait, the one that began first.
    asks(cotty, third)
    asks(cotty, first)
    view.attach("--next").says("3 three · a secret is asked for")


def test_a_secret_is_said_though_there_is_no_room_for_a_status_line(cotty, window):
    session = shell(cotty)
    view = window((100, 24)).attach("--no-status", session)
    view.shows(session)
    asks(cotty, session)
    view.says("a secret is asked for")
    view.press("Enter")
    cotty.call("wait", session=session, prompt=True)
    view.shows(session)


# Sizes


def test_fit_follows_the_window_and_is_put_back(cotty, window):
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
    # Not smaller than programs can bear.
    view.resize((5, 2))
    eventually(lambda: size() == (10, 2))
    view.resize((60, 15))
    eventually(lambda: size() == (60, 14))
    # What `f` does depends on what the person sees.
    put_back = lambda: size() == (80, 24) and "fitted" not in "".join(view.rows())
    view.order("f")
    eventually(put_back)
    # Whoever takes the keyboard takes the fit along; whoever leaves puts it back.
    view.order("f")
    view.says("fitted · 60×14")
    view.order("g")
    eventually(put_back)
    view.order("f")
    view.says("fitted · 60×14")
    # Also where somebody else types.
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


def test_a_small_window_can_look_elsewhere(cotty, window):
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
    # What is typed is looked at.
    view.type("#")
    view.shows(session)


# Oneself


def test_a_session_is_not_attached_to_itself(cotty, window):
    session = cotty.new("--name", "inner")
    for command, said in (
        (f"{BINARY} attach {session}", "this terminal is that session itself"),
        (f"{BINARY} attach inner", "this terminal is that session itself"),
        (f"env -u COTTY_SESSION {BINARY} attach inner", "belongs to person"),
    ):
        cotty("send", session, f"clear; {command}; echo code $?", "--enter")
        cotty("wait", session, "--regex", "^code 1$")
        assert said in cotty("view", session).replace("\n", " "), command
    # Another one that was started there can be looked at from there.
    cotty("send", session, f"clear; {BINARY} attach $({BINARY} new --name other -- sh -c 'echo I am the other; exec cat')", "--enter")
    cotty("wait", session, "--text", "I am the other")
    cotty("send", session, "--key", "ctrl+]")
    cotty("wait", session, "--text", "d detach")
    cotty("send", session, "d")
    cotty("wait", session, "--text", "[detached from sess_")
    cotty("wait", session, "--prompt")


def test_a_viewer_that_introduces_itself_badly_is_refused(cotty):
    session = shell(cotty)
    for query in ("name=a%0ab", "kind=" + "x" * 65, "viewer="):
        socket = WebSocket(cotty.status()["socket"], f"/v1/sessions/{session}/view?{query}")
        assert socket.status == 400 and socket.refused["error"]["code"] == "INVALID_INPUT"
        assert "`kind`" in json.dumps(socket.refused)


def test_a_prefix_and_a_key_of_ones_own(cotty, window):
    session = shell(cotty)
    view = window(LARGE).attach("--prefix", "ctrl+b", session)
    view.says("Ctrl-b ? keys")
    view.press("C-b", "d")
    view.detached(f"[detached from {session}; `cotty attach {session}` comes back]")
    view.type("clear; export COTTY_ATTACH_PREFIX=C-a")
    view.press("Enter")
    view.attach("--detach-key", "f12", session).says("Ctrl-a ? keys")
    view.press("F12")
    view.detached(f"[detached from {session}; `cotty attach {session}` comes back]")
    view.type(f"clear; {BINARY} attach --prefix ctrl+nonsense {session}; echo code $?")
    view.press("Enter")
    eventually(lambda: "code 2" in view.rows())


@pytest.mark.parametrize("program", ["vim", "htop"])
def test_full_screen_programs_fit_and_go_back(cotty, window, program):
    session = shell(cotty)
    view = window((110, 33)).attach(session)
    view.type(program)
    view.press("Enter")
    cotty.call("wait", session=session, regex="VIM|F10Quit|F10 *Quit", timeout_ms=20_000)
    view.order("f")
    eventually(lambda: cotty.info(session)["dimensions"] == {"cols": 110, "rows": 32})
    # The program has drawn itself anew: on the last row of the session.
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
