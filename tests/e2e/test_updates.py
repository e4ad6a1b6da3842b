"""Viewers and front ends of a session: all show its screen, and none can delay it."""

import signal
import threading
import urllib.error
import urllib.request

import pytest

from conftest import LIMIT, eventually, eventually_same
from websocket import Front, Painted, WebSocket, trimmed


@pytest.fixture
def subscribe(cotty):
    """Makes front ends, and closes them."""
    open_ones = []

    def subscribe(session, kind=Front):
        cotty("ls")
        one = kind(cotty.status()["socket"], session)
        open_ones.append(one)
        return one

    yield subscribe
    for one in open_ones:
        one.socket.close()


def view(cotty, session):
    shown = cotty.json("view", session)
    return trimmed(shown["content"].split("\n")), (shown["cursor"]["row"] - 1, shown["cursor"]["col"] - 1)


def same(cotty, front, session):
    """Waits until a front end shows what `cotty view` shows."""

    def both():
        front.catch_up()
        return front.shows(), view(cotty, session)

    return eventually_same(both)


def run(cotty, session, command):
    cotty("send", session, command, "--enter")
    cotty("wait", session, "--prompt")


def test_a_front_end_that_applies_the_updates_shows_bash(cotty, subscribe):
    session = cotty.new()
    cotty("wait", session, "--prompt")
    front = subscribe(session)
    assert (front.snapshot["cols"], front.snapshot["rows"]) == (80, 24)
    assert not front.snapshot["alternate"]
    same(cotty, front, session)
    for command in ["echo one", "seq 100", "printf '漢字 e\\u0301 👩‍👩‍👧 %30s|\\n' x", "clear", "seq 30; printf '\\e[5;5H\\e[J'"]:
        run(cotty, session, command)
        same(cotty, front, session)
    assert {"text", "scroll"} <= front.reasons
    late = subscribe(session)
    same(cotty, late, session)
    run(cotty, session, "seq 7")
    assert same(cotty, late, session) == same(cotty, front, session)


def test_styles_bells_and_titles_are_sent(cotty, subscribe):
    script = r"printf '\e]2;the title\a\e[2J\e[H\e[1;31mred\e[0m \e[4:3;48;2;1;2;3mback\e[0m \e]8;;http://h/\alink\e]8;;\a\a\e[5 q'"
    script += r"; stty -echo; read x; printf '\e[?25l'; exec cat"
    session = cotty.new("--", "bash", "-c", script)
    front = subscribe(session)

    def received():
        front.catch_up()
        return front.snapshot["title"] == "the title" and front.snapshot["lines"][0] == "red back link"

    eventually(received)
    assert front.snapshot["styles"][0] == [
        {"x": 0, "x2": 3, "fg": 1, "attributes": ["bold"]},
        {"x": 4, "x2": 8, "bg": "#010203", "underline": "curly"},
        {"x": 9, "x2": 13, "link": "http://h/"},
    ]
    assert front.snapshot["cursor"] == {"x": 13, "y": 0, "visible": True, "shape": "bar"}
    cotty("send", session, "--key", "Enter")
    eventually(lambda: front.catch_up() or not front.snapshot["cursor"]["visible"])

    session = cotty.new()
    cotty("wait", session, "--prompt")
    front = subscribe(session)
    run(cotty, session, r"printf '\a'")
    eventually(lambda: front.catch_up() or front.bells == 1)


def test_a_front_end_shows_vim(cotty, subscribe):
    file = cotty.work / "poem.txt"
    file.write_text("".join(f"line {n} 漢字 wide\n" for n in range(60)))
    session = cotty.new()
    cotty("wait", session, "--prompt")
    front = subscribe(session)
    cotty("send", session, f"vim -u NONE -N {file}", "--enter")
    cotty("wait", session, "--text", "line 0 漢字")
    same(cotty, front, session)
    eventually(lambda: front.catch_up() or front.snapshot["alternate"])
    for keys in ["G", "gg", "5dd", "otyped 字 here"]:
        cotty("send", session, keys)
        cotty("wait", session, "--idle", 100)
        same(cotty, front, session)
    cotty("wait", session, "--text", "typed 字 here")
    cotty("send", session, "--key", "Escape")
    cotty("send", session, ":q!", "--enter")
    cotty("wait", session, "--prompt")
    same(cotty, front, session)
    eventually(lambda: front.catch_up() or not front.snapshot["alternate"])
    assert "screen_switch" in front.reasons


def test_a_new_size_is_a_new_snapshot(cotty, subscribe):
    session = cotty.new("--allow", "resize")
    cotty("wait", session, "--prompt")
    front = subscribe(session)
    run(cotty, session, r"seq 40; printf '\e[8;10;50t'; seq 5")
    same(cotty, front, session)
    assert (front.snapshot["cols"], front.snapshot["rows"]) == (50, 10)


def test_the_end_is_the_last_update(cotty, subscribe):
    session = cotty.new("--", "bash", "-c", r"read x; printf '\e[?2026hlast words'; exit 3")
    front, killed = subscribe(session), cotty.new("--", "cat")
    cotty("send", session, "--key", "Enter")
    while front.read() is not None:
        pass
    assert front.ended == ("exited", 3, None)
    assert "last words" in front.snapshot["lines"]
    assert front.shows() == view(cotty, session)
    late = subscribe(session)
    assert late.shows() == view(cotty, session)
    assert late.read() is not None and late.ended == ("exited", 3, None)
    assert late.read() is None
    # Also from a daemon that started after the exit.
    cotty.kill_daemon()
    later = subscribe(session)
    assert later.shows() == late.shows()
    assert later.read() is not None and later.ended == ("exited", 3, None)
    front = subscribe(killed)
    cotty("kill", killed)
    while front.read() is not None:
        pass
    assert front.ended in [("exited", None, signal.SIGHUP), ("exited", None, signal.SIGTERM), ("gone", None, None)]


def test_an_unfinished_frame_is_shown_to_a_late_front_end(cotty, subscribe):
    # The frame stays open longer than its limit, and no one reads until then: the program creates `overdue`.
    script = r"printf '\e[?2026hhalf drawn'; sleep 0.2; touch overdue; exec cat"
    session = cotty.new("--", "bash", "-c", script)
    eventually((cotty.work / "overdue").exists)
    assert view(cotty, session)[0][0].startswith("half drawn")
    assert subscribe(session).snapshot["lines"][0] == "half drawn"


def test_an_unknown_session_is_an_error(cotty, subscribe):
    for name in ["nobody", ""]:
        socket = subscribe(name).socket
        assert socket.status == 404 and socket.refused["error"]["code"] == "SESSION_NOT_FOUND"


def test_subscribing_over_http_needs_the_token(cotty):
    session = cotty.new("--", "cat")
    page = cotty.status()["link"].split("#")[0].split("?")[0].rstrip("/")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{page}/v1/updates?session={session}")
    assert refused.value.code == 401


def test_a_new_subscription_after_a_kill_begins_with_a_snapshot(cotty, subscribe):
    session = cotty.new()
    run(cotty, session, "seq 50")
    front = subscribe(session)
    same(cotty, front, session)
    cotty.kill_daemon()
    while front.read() is not None:
        pass
    assert front.ended is None, "the session continues"
    again = subscribe(session)
    assert again.shows() == front.shows()
    run(cotty, session, "echo still here")
    same(cotty, again, session)
    assert "still here" in again.snapshot["lines"]


def test_viewers_that_never_read_delay_no_one(cotty, subscribe):
    """The program prints until it is told to stop. That is after the reading viewers got much more than the sockets of the
    others hold. So if the daemon waited for those, the test would never end."""
    stop = cotty.work / "stop"
    script = f"read x; while [ ! -e {stop} ]; do seq -f '%0190g' 1 1000; done; printf 'the end'; exec cat"
    session = cotty.new("--cols", 200, "--rows", 50, "--", "bash", "-c", script)
    viewers = [subscribe(session, kind) for kind in [Painted, Front] for _ in range(25)]
    asleep, awake = viewers[23:28], viewers[:23] + viewers[28:]
    assert {type(one) for one in asleep} == {Painted, Front}
    enough = 2 << 20
    full = threading.Semaphore(0)

    def watch(one):
        was_enough = False
        while (text := one.read(gap=True) if isinstance(one, Front) else one.read()) is not None:
            if one.bytes > enough and not was_enough:
                was_enough = True
                full.release()
            if "the end" in text:
                return
        raise AssertionError("the connection ended")

    failed = []

    def watched(one):
        try:
            watch(one)
        except Exception as error:
            failed.append(error)
            full.release()

    threads = [threading.Thread(target=watched, args=[one], daemon=True) for one in awake]
    for thread in threads:
        thread.start()
    cotty("send", session, "--key", "Enter")
    for _ in awake:
        assert full.acquire(timeout=4 * LIMIT) and not failed, failed
    stop.touch()
    # The program ends while five viewers have not read a byte.
    cotty("wait", session, "--text", "the end")
    for thread in threads:
        thread.join(4 * LIMIT)
        assert not thread.is_alive()
    assert not failed, failed
    expected, _ = view(cotty, session)
    assert expected[-1] == "the end"

    def shown(one):
        return one.shows()[0] if isinstance(one, Front) else trimmed(one.lines(cotty))

    for one in awake:
        assert shown(one) == expected
    # A viewer that reads again gets the current screen, not everything it missed.
    for one in [asleep[0], asleep[-1]]:
        watch(one)
        assert shown(one) == expected
        assert one.bytes < enough
    assert asleep[0].fulls == 2
    # All viewers continue from there.
    cotty("send", session, "more")
    for one in [asleep[0], asleep[-1], awake[0], awake[-1]]:
        while "the endmore" not in one.read():
            pass
        assert shown(one)[-1] == "the endmore"


def test_a_cut_connection_does_not_affect_the_session(cotty, subscribe):
    session = cotty.new()
    cotty("wait", session, "--prompt")
    front = subscribe(session)
    WebSocket(cotty.status()["socket"], f"/v1/updates?session={session}").close()
    run(cotty, session, "echo alive")
    same(cotty, front, session)
