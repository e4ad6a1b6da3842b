"""An agent asks a person to take over its terminal, and learns the result."""

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import anyio
import pytest
from agents import agent_of, soon
from attaching import window  # noqa: F401
from conftest import BINARY, LIMIT, UnixConnection, eventually
from test_page import browser, context, page  # noqa: F401

pytestmark = pytest.mark.anyio

MESSAGE = "Please look at the variables"
TOOL = "request_user_input"


def shell(cotty, **params):
    """An agent's shell."""
    made = cotty.call("create", program="bash", **params)
    assert made["ready"], made
    return made["session_id"]


def ask(cotty, session, **params):
    """Makes a hand-off request without waiting for a person."""
    return cotty.call("ask", session=session, wait_ms=0, **({"message": MESSAGE} | params))


def ask_again(cotty, session, request_id, **params):
    return cotty.call("ask", session=session, request_id=request_id, **params)


class Asking(threading.Thread):
    """A call that waits for a person, in a thread."""

    def __init__(self, cotty, session, **params):
        super().__init__(daemon=True)
        self.cotty, self.params = cotty, {"session": session, "message": MESSAGE} | params
        self.start()
        eventually(lambda: cotty.call("requests")["count"])

    def run(self):
        self.answer = self.cotty.any_call("ask", **self.params)

    def ends(self):
        self.join(LIMIT)
        assert not self.is_alive()
        assert "ok" in self.answer, self.answer
        return self.answer["ok"]


def attach_next(window, user="ann", size=(120, 30)):
    """A person who runs `attach --next`."""
    return window(size).attach("--next", user=user)


def person(cotty, session):
    """The name of the person who has the keyboard."""
    return cotty.call("keyboard", session=session).get("by")


# With an agent at one end and a person at the other


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_person_takes_over_and_gives_the_keyboard_back(cotty, window, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        asked = {}

        async def asks():
            asked.update(await agent(TOOL, session_id=session, message=MESSAGE))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asks)
            await soon(lambda: "asks for a person" in cotty("ls"))
            view = await anyio.to_thread.run_sync(attach_next, window)
            await soon(lambda: view.says(f"Ctrl-D when done · mcp asks: {MESSAGE} · you have the keyboard") or True)
            assert ", taken by ann" in cotty("ls")
            view.type("echo $((6 * 7))")
            view.press("Enter")
            await soon(lambda: "42" in cotty("view", session).split("\n"))
            await agent.refused("KEYBOARD_HELD", "send", session_id=session, text="x")
            # Attach handles Ctrl-D here: it would end the shell.
            view.press("C-d")
        await soon(lambda: view.detached(f"[done; the agent has {session} again]") or True)
        assert (asked["outcome"], asked["by"], asked["session_id"]) == ("completed", "ann", session)
        assert "42" in asked["screen"].split("\n") and asked["state"] == "prompt"
        assert asked["typed_bytes"] == len("echo $((6 * 7))\r") and asked["duration_seconds"] > 0
        assert "keyboard_held_by" not in asked and "note" not in asked
        # The output of that time can be read, and the agent has the keyboard.
        came = await agent("read", session_id=session, view="new", since=asked["since"])
        assert "42" in came["content"].split("\n")
        assert await agent.output(session, "echo mine") == "mine\n"
        # A late call for an ended request gets its result.
        late = await agent(TOOL, session_id=session, request_id=asked["request_id"])
        assert (late["outcome"], late["duration_seconds"]) == ("completed", asked["duration_seconds"])


async def test_a_call_survives_a_daemon_kill(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        asked = {}

        async def asks():
            asked.update(await agent(TOOL, session_id=session, message=MESSAGE))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asks)
            request_id = (await soon(lambda: cotty.json("requests")["requests"]))[0]["request_id"]
            cotty.kill_daemon()
            assert [open["request_id"] for open in cotty.json("requests")["requests"]] == [request_id]
            cotty("answer", request_id, "--done", "--note", "after all")
        assert (asked["outcome"], asked["request_id"], asked["note"]) == ("completed", request_id, "after all")
        assert cotty.json("requests")["count"] == 0


async def test_cancelling_the_call_withdraws_the_request_everywhere(cotty, window):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        # Only after the session exists: `--next` ignores sessions without a request.
        view = window((120, 30))
        async with anyio.create_task_group() as tasks:

            async def cancels():
                await soon(lambda: cotty.call("requests", actor="person")["count"])
                await anyio.to_thread.run_sync(lambda: view.attach("--next", user="ann"))
                await soon(lambda: view.says("you have the keyboard") or True)
                tasks.cancel_scope.cancel()

            tasks.start_soon(cancels)
            await agent(TOOL, session_id=session, message=MESSAGE)
        await soon(lambda: view.says("the request of mcp was withdrawn") or True)
        assert cotty.call("requests", actor="person")["count"] == 0
        # A person who presses Ctrl-D just then does not end the shell.
        view.press("C-d")
        await soon(lambda: view.detached(f"[detached from {session}; `cotty attach {session}` attaches again]") or True)
        assert await agent.output(session, "echo alive") == "alive\n"


async def test_a_client_that_disconnects_withdraws_nothing(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
    before = cotty.status()["descriptors"]
    gone = Raw(cotty)
    gone.call("terminal__request_user_input", session_id=session, message=MESSAGE, answered=False)
    request = eventually(lambda: cotty.json("requests")["requests"])[0]
    gone.close()
    # Not equal: `before` may include sockets of calls that have ended.
    eventually(lambda: cotty.status()["descriptors"] <= before)
    later = Raw(cotty)
    assert [open["request_id"] for open in cotty.json("requests")["requests"]] == [request["request_id"]]
    asked = later.call("terminal__request_user_input", session_id=session, request_id=request["request_id"], withdraw=True)
    assert asked["outcome"] == "cancelled"
    # Withdrawing twice is not an error; without an id there is nothing to withdraw.
    asked = later.call("terminal__request_user_input", session_id=session, request_id=request["request_id"], withdraw=True)
    assert asked["outcome"] == "cancelled"
    refused = later.ask("tools/call", name="terminal__request_user_input", arguments={"session_id": session, "message": MESSAGE, "withdraw": True})
    assert refused["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    later.close()


class Raw:
    """An MCP client on the daemon's socket, which sends the first line of `cotty mcp` itself: tools, longest call."""

    def __init__(self, cotty, **hello):
        cotty("ls")
        connection = UnixConnection(cotty.status()["socket"])
        connection.connect()
        self.socket = connection.sock
        self.socket.sendall(b"POST /v1/mcp HTTP/1.1\r\nhost: cotty\r\nconnection: upgrade\r\nupgrade: cotty-mcp\r\n\r\n")
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline().strip():
            pass
        origin = {"cwd": str(cotty.work), "env": cotty.env}
        self.say({"instance": f"raw {id(self)}", "origin": origin, **hello})
        self.id = 0
        client = {"name": "mcp", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def ask(self, method, answered=True, **params):
        self.id += 1
        self.say({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        while answered:
            answer = json.loads(self.file.readline())
            if answer.get("id") == self.id:
                return answer["result"]

    def call(self, tool, answered=True, **arguments):
        result = self.ask("tools/call", answered, name=tool, arguments=arguments)
        if not answered:
            return None
        assert not result.get("isError"), result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def close(self):
        self.file.close()
        self.socket.close()


async def test_a_call_at_its_limit_answers_waiting_and_the_next_call_continues(cotty):
    raw = Raw(cotty, tools=["pty"], max_call_ms=50)
    # The agent's own session, by its number.
    number = cotty.info(cotty.any_call("create", client="mcp", program="bash")["ok"]["session_id"])["number"]
    asked = raw.call("pty_request_user_input", session_id=number, message=MESSAGE, timeout_seconds=60)
    assert (asked["session_id"], asked["outcome"]) == (number, "waiting")
    same = raw.call("pty_request_user_input", session_id=number, message=MESSAGE, request_id=asked["request_id"])
    assert (same["outcome"], same["request_id"]) == ("waiting", asked["request_id"])
    assert same["duration_seconds"] >= asked["duration_seconds"]
    # Without the id it would be a second request.
    refused = raw.ask("tools/call", name="pty_request_user_input", arguments={"session_id": number, "message": "And?"})
    assert refused["structuredContent"]["error"]["code"] == "ALREADY_ASKED"
    assert asked["request_id"] in refused["structuredContent"]["error"]["hint"]
    cotty("answer", asked["request_id"], "--decline", "--note", "not before Monday")
    ended = raw.call("pty_request_user_input", session_id=number, request_id=asked["request_id"])
    assert (ended["outcome"], ended["note"], ended["by"]) == ("declined", "not before Monday", "cotty cli")
    raw.close()


# The operations


def test_a_request_times_out(cotty):
    session = shell(cotty)
    asked = cotty.call("ask", session=session, message=MESSAGE, timeout_ms=200)
    assert (asked["state"], "by" in asked, asked["typed_bytes"]) == ("timeout", False, 0)
    assert asked["open_ms"] >= 200 and asked["screen"]
    cotty.call("answer", actor="person", request_id=asked["request_id"], error="REQUEST_ENDED")
    # A new request is possible now.
    assert ask(cotty, session)["state"] == "waiting"


def test_a_request_survives_a_daemon_kill(cotty):
    session = shell(cotty)
    first = cotty.call("ask", session=session, message=MESSAGE, wait_ms=0, request=None)
    asked = cotty.any_call("withdraw", session=session, request_id=first["request_id"], request="w")["ok"]
    made = cotty.any_call("ask", session=session, message="Once more", wait_ms=0, request="one")["ok"]
    cotty.call("keyboard", actor="person", session=session, action="take")
    cotty.kill_daemon()
    # The same call is the same request, and it is still taken.
    same = cotty.any_call("ask", session=session, message="Once more", wait_ms=0, request="one")["ok"]
    assert (same["request_id"], same["state"], same["by"]) == (made["request_id"], "taken", "tests")
    assert same["open_ms"] >= made["open_ms"]
    assert cotty.any_call("withdraw", session=session, request_id=first["request_id"], request="w")["ok"]["state"] == asked["state"]
    # `leave` does not complete the request; giving the keyboard back does.
    cotty.call("keyboard", actor="person", session=session, action="leave")
    assert ask_again(cotty, session, made["request_id"], wait_ms=0)["state"] == "waiting"
    cotty.call("keyboard", actor="person", session=session, action="take")
    waiting = Asking(cotty, session, request_id=made["request_id"])
    cotty.call("keyboard", actor="person", session=session, action="give")
    done = waiting.ends()
    assert (done["state"], done["by"], done["keyboard"]["holder"]) == ("completed", "tests", "agent")
    cotty.kill_daemon()
    assert ask_again(cotty, session, made["request_id"])["state"] == "completed"
    assert ask_again(cotty, session, first["request_id"])["state"] == "cancelled"


def test_a_program_exit_ends_the_request(cotty):
    one, two = shell(cotty), shell(cotty)
    waiting = Asking(cotty, one)
    cotty.call("send", session=one, text="exit\n")
    assert waiting.ends()["state"] == "cancelled"
    # If a person ended the program, the request is completed.
    waiting = Asking(cotty, two)
    cotty("send", two, "exit", "--enter")
    done = waiting.ends()
    assert (done["state"], done["activity"]) == ("completed", {"kind": "exited"})
    cotty.call("ask", session=two, message=MESSAGE, error="PROCESS_EXITED")


def test_who_may_ask_and_who_may_answer(cotty):
    session, other = shell(cotty), cotty.any_call("create", client="other", program="bash")["ok"]["session_id"]
    request_id = ask(cotty, session)["request_id"]
    cotty.call("ask", session=other, message=MESSAGE, error="NOT_YOURS")
    theirs = cotty.any_call("ask", client="other", session=other, message="Theirs", wait_ms=0)["ok"]["request_id"]
    assert [open["request_id"] for open in cotty.call("requests")["requests"]] == [request_id]
    assert [open["request_id"] for open in cotty.call("requests", actor="person")["requests"]] == [request_id, theirs]
    cotty.call("answer", request_id=request_id, error="NOT_A_PERSON")
    cotty.call("withdraw", session=other, request_id=theirs, error="NOT_YOURS")
    # A process inside an agent's session may make a request for it, but not answer one.
    cotty.call("withdraw", session=session, request_id=request_id)
    ran = cotty.call("run", session=session, command=f"{BINARY} answer {theirs} --done; echo code $?")
    assert ran["output"].endswith("code 1\n"), ran
    cotty.call("send", session=session, text=f"{BINARY} ask 'Plug it in'; echo code $?\n")
    inner = eventually(lambda: cotty.call("requests")["requests"])[0]
    assert (inner["from"], inner["message"]) == ("a program inside (cotty cli)", "Plug it in")
    cotty("answer", inner["request_id"], "--done", "--note", "in it is")
    waited = cotty.call("wait", session=session, regex="^code 0$")
    assert "in it is" in waited["screen"].split("\n")
    assert ask_again(cotty, session, request_id, wait_ms=0)["state"] == "cancelled"
    assert cotty.any_call("ask", client="other", session=other, request_id=theirs, wait_ms=0)["ok"]["state"] == "waiting"


def test_messages_and_notes_are_cleaned_and_limited(cotty):
    session = shell(cotty)
    asked = ask(cotty, session, message="a\x1b[31m\x07b\u202e\r\n<b>c</b>\u009b")
    assert asked["message"] == "a[31mb\n<b>c</b>"
    cotty("answer", asked["request_id"], "--done", "--note", "d\x1b]0;e\x07")
    assert ask_again(cotty, session, asked["request_id"])["note"] == "d]0;e"
    for wrong in ("", " \x1b ", "x" * 2001):
        cotty.call("ask", session=session, message=wrong, error="INVALID_INPUT")
    cotty.call("ask", session=session, error="INVALID_INPUT")
    for wrong in (0, 2**63):
        cotty.call("ask", session=session, message="m", timeout_ms=wrong, error="INVALID_INPUT")
    error = ask_again(cotty, session, "req_nowhere1", error="REQUEST_NOT_FOUND")
    assert "ten minutes" in error["hint"]
    assert ask(cotty, session, message="é" * 2000)["message"] == "é" * 2000


def test_commands_list_and_answer_requests(cotty):
    session = shell(cotty)
    assert cotty.json("requests") == {"requests": [], "count": 0}
    cotty("requests")
    assert "no open hand-off requests" in cotty.stderr
    request_id = ask(cotty, session, message="two\nlines")["request_id"]
    assert cotty.info(session)["handoff"]["request_id"] == request_id
    row = cotty("requests").splitlines()[1]
    assert [*row.split()[:4], row.endswith("two lines")] == [request_id, session, "tests", "waiting", True]
    cotty("answer", request_id, code=2)
    cotty("answer", request_id, "--done", "--decline", code=2)
    assert cotty.json("answer", request_id, "--done")["state"] == "completed"
    cotty("answer", request_id, "--done", code=4)
    assert "was completed" in cotty.stderr
    cotty("answer", "req_nowhere1", "--done", code=4)
    assert "handoff" not in cotty.info(session)


def test_ask_on_the_command_line(cotty):
    session = shell(cotty)
    asking = cotty.start("ask", MESSAGE, "--session", session, stderr=subprocess.PIPE, text=True)
    eventually(lambda: cotty.json("requests")["count"])
    cotty("answer", cotty.json("requests")["requests"][0]["request_id"], "--decline")
    assert (asking.communicate(timeout=LIMIT)[1], asking.returncode) == ("cotty: cotty cli declined\n", 3)
    cotty("ask", MESSAGE, "--session", session, "--timeout", "0.1", code=3)
    assert "the hand-off request timed out" in cotty.stderr
    # Ctrl-C withdraws it.
    asking = cotty.start("ask", MESSAGE, "--session", session, stderr=subprocess.PIPE, text=True)
    eventually(lambda: cotty.json("requests")["count"])
    # The client handles the signal only while it waits, in its second call.
    eventually(lambda: "SigCgt" in (status := Path(f"/proc/{asking.pid}/status").read_text()) and int(status.split("SigCgt:")[1].split()[0], 16) & 2)
    asking.send_signal(signal.SIGINT)
    assert (asking.communicate(timeout=LIMIT)[1], asking.returncode) == ("cotty: the hand-off request was withdrawn\n", 3)
    assert cotty.json("requests")["count"] == 0


# People


def test_detaching_leaves_the_request_open_for_others(cotty, window):
    session = shell(cotty, cols=80, rows=20)
    waiting = Asking(cotty, session)
    bob = window((120, 30)).attach(session, user="bob")
    bob.says(f"tests asks: {MESSAGE}")
    ann = attach_next(window)
    ann.says("you have the keyboard")
    bob.says("ann has the keyboard")
    # A taken request is not offered to another person.
    eve = window((120, 30))
    eve.type(f"USER=eve {BINARY} attach --next")
    eve.press("Enter")
    eventually(lambda: any("no session asks for a person" in row for row in eve.rows()))
    ann.order("d")
    ann.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    # Now it is offered.
    eve.says("you have the keyboard")
    eventually(lambda: person(cotty, session) == "eve")
    eve.press("C-]", "d")
    eve.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    eventually(lambda: person(cotty, session) is None)
    assert cotty.json("requests")["requests"][0]["state"] == "waiting"
    # A person who is already attached can take it, too.
    bob.type("# bob was here")
    bob.says("you have the keyboard")
    assert cotty.json("requests")["requests"][0]["by"] == "bob"
    bob.order("g")
    done = waiting.ends()
    assert (done["state"], done["by"], done["typed_bytes"]) == ("completed", "bob", len("# bob was here"))
    bob.says("bob completed the request of tests")


def test_a_person_declines_a_request(cotty, window):
    session = shell(cotty)
    waiting = Asking(cotty, session)
    ann = attach_next(window)
    ann.says("you have the keyboard")
    ann.order("n")
    ann.detached(f"[declined; the agent has {session} again]")
    done = waiting.ends()
    assert (done["state"], done["by"], done["keyboard"]["holder"]) == ("declined", "ann", "agent")


def test_a_long_message_is_shown_and_the_program_can_get_ctrl_d(cotty, window):
    session = shell(cotty)
    waiting = Asking(cotty, session, message="Please end the input.\n" + "Word after word. " * 20)
    cotty.call("send", session=session, text="clear; cat > typed; echo read $(wc -c < typed)\n")
    ann = attach_next(window, size=(100, 40))
    eventually(lambda: any("Please end the input." in row for row in ann.rows()))
    eventually(lambda: sum("Word after word." in row for row in ann.rows()) > 4)
    ann.press("Escape")
    ann.says("Ctrl-D when done")
    ann.type("seven")
    ann.press("Enter")
    ann.press("C-]", "e")
    cotty.call("wait", session=session, regex="^read 6$")
    ann.press("C-d")
    ann.detached(f"[done; the agent has {session} again]")
    assert waiting.ends()["state"] == "completed"


def asks_for_a_password(cotty):
    """A shell in which a program asks for a secret."""
    session = shell(cotty, cols=80, rows=20)
    cotty.call("send", session=session, text="read -s -p 'Password: ' x; echo got ${#x}\n")
    cotty.call("wait", session=session, secret=True)
    return session


def test_a_request_reaches_a_person_attached_for_a_secret(cotty, window):
    session = asks_for_a_password(cotty)
    ann = attach_next(window, size=(80, 24))
    ann.says("asks for a secret · Ctrl-D detaches")
    bob = window((80, 24)).attach(session, user="bob")
    waiting = Asking(cotty, session, message="Please type the password for sudo: I see `got` when it is done")
    # The status line says how to finish, however long the message is.
    ann.says("Ctrl-D when done · tests ")
    assert ann.rows()[-1].endswith("… · Ctrl-] ? keys")
    bob.says("Ctrl-] y when done · tests ")
    eventually(lambda: person(cotty, session) == "ann")
    # A long message is also shown in a box. The next key closes it.
    eventually(lambda: "tests asks:" in "".join(ann.rows()[:-1]))
    ann.press("Escape")
    eventually(lambda: "tests asks:" not in "".join(ann.rows()[:-1]))
    ann.type("hunter2")
    ann.press("Enter")
    cotty.call("wait", session=session, regex="got 7$", since=0)
    ann.press("C-d")
    ann.detached(f"[done; the agent has {session} again]")
    done = waiting.ends()
    assert (done["state"], done["by"], done["activity"]) == ("completed", "ann", {"kind": "prompt"})
    # In an attach without `--next`, Ctrl-D goes to the program.
    waiting = Asking(cotty, session)
    bob.says("Ctrl-] y when done · tests asks: Please")
    bob.type("# mine")
    eventually(lambda: person(cotty, session) == "bob")
    bob.press("C-u", "C-d")
    assert waiting.ends()["activity"] == {"kind": "exited"}
    # No one has the keyboard of an exited session.
    assert "by" not in cotty.call("keyboard", session=session)
    for op, typed in (("run", {"command": "true"}), ("send", {"text": "x"})):
        cotty.call(op, session=session, error="PROCESS_EXITED", **typed)


def test_ctrl_d_after_a_secret_does_not_end_the_shell(cotty, window):
    session = asks_for_a_password(cotty)
    ann = attach_next(window, size=(80, 20))
    ann.type("hunter2")
    ann.press("Enter")
    cotty.call("wait", session=session, regex="got 7$", since=0)
    ann.says("Ctrl-D detaches")
    ann.press("C-d")
    ann.detached(f"[detached from {session}; `cotty attach {session}` attaches again]")
    eventually(lambda: person(cotty, session) is None)
    assert cotty.call("run", session=session, command="echo alive")["output"] == "alive\n"


def test_a_request_taken_before_a_daemon_kill_is_completed_after_it(cotty, window):
    session = shell(cotty)
    ask(cotty, session)
    ann = attach_next(window)
    ann.says("you have the keyboard")
    cotty.kill_daemon()
    eventually(lambda: person(cotty, session) == "ann")
    ann.says("you have the keyboard")
    ann.press("C-d")
    ann.detached(f"[done; the agent has {session} again]")
    assert cotty.json("requests")["count"] == 0


@pytest.mark.xdist_group("browser")
def test_the_page_shows_and_answers_a_request(cotty, page):
    session = shell(cotty)
    page.open(session).connected()
    banner = page.tab.locator("#handoff")
    assert not banner.is_visible()
    waiting = Asking(cotty, session, message="Look: <b>bold</b>\nand say")
    banner.wait_for()
    page.says("handoff-from", "tests asks:")
    page.says("handoff-message", "Look: <b>bold</b>\nand say")
    page.tab.click("#handoff-take")
    page.says("handoff-state", "you have the keyboard")
    eventually(lambda: person(cotty, session) == "page")
    # Keys typed now go to the program.
    page.type("echo from the page")
    page.press("Enter")
    cotty.call("wait", session=session, regex="^from the page$")
    page.tab.fill("#handoff-note", "it is 42")
    page.tab.click("#handoff-done")
    done = waiting.ends()
    assert (done["state"], done["by"], done["note"]) == ("completed", "page", "it is 42")
    banner.wait_for(state="hidden")
    # Another page shows who took the request, and can decline it.
    waiting = Asking(cotty, session)
    banner.wait_for()
    assert page.tab.input_value("#handoff-note") == ""
    cotty.call("keyboard", actor="person", session=session, action="take")
    page.says("handoff-state", "tests has the keyboard")
    page.tab.click("#handoff-decline")
    assert waiting.ends()["state"] == "declined"
