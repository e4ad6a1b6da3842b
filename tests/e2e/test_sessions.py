"""The core operations: waits, typing, the keyboard, secrets, sizes, reading."""

import base64
import contextlib
import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import websockets.sync.client

from conftest import LIMIT, alive, eventually


class Terminal:
    """One session of an agent."""

    def __init__(self, cotty, program="bash", **options):
        self.cotty = cotty
        self.id = cotty.call("create", program=program, **options)["session_id"]

    def __call__(self, op, **params):
        return self.cotty.call(op, session=self.id, **params)

    def person(self, op, **params):
        return self(op, actor="person", client="somebody", **params)

    def later(self, pool, op, **params):
        """Calls an operation in the background."""
        return pool.submit(self, op, **params)

    def screen(self):
        return self("read")["content"]

    def python(self, program, **options):
        """Runs a Python program that reads the terminal, and waits until it is ready."""
        path = self.cotty.work / "program.py"
        path.write_text(program)
        self("send", text=f"exec python3 -u {path}\n")
        return self("wait", text="ready", **options)


@pytest.fixture
def terminal(cotty):
    return Terminal(cotty)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as pool:
        yield pool


# Waits


def test_a_wait_returns_the_line_and_ends_at_a_stop_pattern(terminal):
    seq = terminal("send", text="echo one; echo an error here; sleep 1000\n")["seq"]
    waited = terminal("wait", text="never", stop="error|failed", since=seq)
    assert (waited["met"], waited["matched"]) == ("stop", "an error here")
    waited = terminal("wait", regex="^on.$", since=seq)
    assert (waited["met"], waited["matched"]) == ("regex", "one")
    terminal("wait", text="x", stop="(", error="INVALID_PATTERN")
    terminal("wait", error="INVALID_INPUT")


def test_a_wait_can_require_all_conditions(terminal, pool):
    terminal("send", text="echo he''re; read; echo there; read\n")
    assert terminal("wait", text="here", reads=True, all=True)["met"] == "all"
    waited = terminal("wait", text="there", reads=True, all=True, timeout_ms=300)
    assert waited["met"] == "timeout" and "waits for" in waited["why"]
    waiting = terminal.later(pool, "wait", text="there", reads=True, all=True)
    terminal("send", text="\n")
    assert waiting.result(LIMIT)["met"] == "all"


def test_a_wait_ends_when_the_program_reads_again(terminal):
    terminal("send", text="python3 -q\n")
    terminal("wait", text=">>>")
    seq = terminal("send", text="import time; time.sleep(0.3); x = 6 * 7\n")["seq"]
    assert terminal("wait", reads=True, since=seq)["met"] == "reads"
    seq = terminal("send", text="x\n")["seq"]
    assert terminal("wait", text="42", since=seq)["met"] == "text"


def test_a_wait_for_a_secret_ends_without_output(terminal):
    # The prompt is printed first; then the echo is turned off without output.
    terminal("send", text="printf 'Key: '; sleep 0.2; stty -echo; read x; stty echo\n")
    assert terminal("wait", secret=True)["met"] == "secret"
    assert terminal("info")["activity"]["kind"] == "secret_input"
    assert terminal("info")["keyboard"]["holder"] == "nobody"


def test_a_timeout_says_what_the_program_is_doing(terminal):
    (terminal.cotty.work / "long.txt").write_text("\n".join(map(str, range(500))))
    terminal("send", text="less long.txt\n")
    eventually(lambda: terminal("info")["activity"]["kind"] == "pager")
    waited = terminal("wait", prompt=True, timeout_ms=500)
    assert waited["met"] == "timeout" and "q quits" in waited["why"], waited["why"]
    terminal("send", key="q")
    assert terminal("wait", prompt=True)["met"] == "prompt"


@pytest.mark.parametrize("killed", [False, True])
def test_an_interrupt_overtakes_input_that_waits(terminal, killed):
    line = "touch ran\n"
    terminal("send", text="sleep 1000\n")
    eventually(lambda: terminal("info")["activity"].get("program") == "sleep")
    # Little enough for the kernel, which would not act on an interrupt behind it; then more.
    for count in (1000, 200_000):
        terminal("send", text=count * line)
        if killed:
            terminal.cotty.kill_daemon()
        sent = terminal("send", control="interrupt")
        assert count * len(line) / 100 < sent["dropped"] <= count * len(line)
        assert terminal("wait", prompt=True)["met"] == "prompt"
        assert not (terminal.cotty.work / "ran").exists()
        ran = terminal("run", command="echo next")
        assert (ran["output"], ran["exit_code"]) == ("next\n", 0)
        terminal("send", text="sleep 1000\n")
        eventually(lambda: terminal("info")["activity"].get("program") == "sleep")


# Secrets


def test_an_agent_cannot_answer_a_secret_but_a_person_can(terminal):
    terminal("send", text="read -s secret; echo \"got ${#secret} characters\"\n")
    terminal("wait", secret=True)
    error = terminal("send", text="guessed\n", error="SECRET_INPUT")
    assert "person" in error["hint"]
    terminal("run", command="true", error="SECRET_INPUT")
    terminal("send", key="enter", error="SECRET_INPUT")
    terminal.person("send", text="hunter2\n")
    assert terminal("wait", text="got 7 characters")["met"] == "text"
    # It may only leave the prompt.
    terminal.person("keyboard", action="give")
    terminal("send", text="read -s secret\n")
    terminal("wait", secret=True)
    terminal("send", key="c", ctrl=True)
    assert terminal("wait", prompt=True)["met"] == "prompt"


def test_a_secret_inside_another_terminal_is_suspected(terminal):
    # `script` is a terminal inside ours. The outer one is raw, so its settings reveal nothing.
    inner = terminal.cotty.work / "ask.sh"
    inner.write_text("#!/bin/sh\nstty -echo\nprintf \"somebody@far's password: \"\nread x\nstty echo\necho \"got $x\"\n")
    inner.chmod(0o755)
    terminal("send", text="script -q -c ./ask.sh /dev/null\n")
    terminal("wait", text="password:")
    assert terminal("wait", secret=True)["met"] == "secret"
    assert terminal("info")["activity"]["kind"] == "secret_suspected"
    terminal("send", text="x\n", error="SECRET_INPUT")
    terminal.person("send", text="open\n")
    assert terminal("wait", text="got open")["met"] == "text"


@pytest.mark.parametrize(("question", "mask"), [("Password: ", "*"), ("? Enter passphrase ", "•"), ("PIN: ", "")])
def test_a_masked_prompt_asks_for_a_secret(terminal, question, mask):
    program = Path(__file__).parent / "programs" / "masks.py"
    terminal("send", text=f"/usr/bin/python3 {program} '{question}' '{mask}'\n")
    assert terminal("wait", secret=True)["met"] == "secret"
    assert terminal("info")["activity"]["kind"] == "secret_suspected"
    terminal("send", text="guessed\n", error="SECRET_INPUT")
    secret = "Qx" + os.urandom(4).hex()
    terminal.person("send", text=secret)
    if mask:
        terminal("wait", text=question + 10 * mask)
        assert terminal("info")["activity"]["kind"] == "secret_input"
    terminal.person("keyboard", action="give")
    terminal("send", text="more\n", error="SECRET_INPUT")
    terminal.person("send", text="\n")
    assert terminal("wait", text="got 10 characters")["met"] == "text"
    cotty = terminal.cotty
    cotty.call("recording", session=terminal.id, format="text")
    assert not any(secret.encode() in path.read_bytes() for path in cotty.home.rglob("*") if path.is_file())


def test_fish_masks_its_own_secrets(cotty):
    session = cotty.new("--", "fish", "-N", "-c", "read -s -P 'Password: ' secret; echo got (string length $secret)")
    eventually(lambda: cotty.info(session)["activity"]["kind"] == "secret_suspected")
    cotty.call("send", actor="person", session=session, text="abc")
    eventually(lambda: cotty.info(session)["activity"]["kind"] == "secret_input")
    cotty.call("send", actor="person", session=session, text="\r")
    cotty("wait", session, "--text", "got 3")


def test_a_pin_in_a_full_screen_dialog_is_a_secret(terminal):
    options = '"OPTION ttyname=$(tty)" "OPTION ttytype=$TERM" "SETPROMPT PIN:"'
    terminal("send", text=f"printf '%s\\n' {options} GETPIN | pinentry-curses\n")
    eventually(lambda: terminal("info")["activity"]["kind"] == "secret_suspected", label=terminal.screen)
    terminal.person("send", text="123")
    eventually(lambda: terminal("info")["activity"]["kind"] == "secret_input", label=terminal.screen)
    terminal.person("send", text="\r")
    assert terminal("wait", text="D 123")["met"] == "text"


# The keyboard


def test_a_person_who_types_takes_the_keyboard(terminal):
    assert terminal("keyboard")["holder"] == "agent"
    terminal.person("send", text="echo from a person\n")
    terminal("wait", text="from a person")
    state = terminal("keyboard")
    assert (state["holder"], state["by"]) == ("person", "somebody") and 0 < state["returns_in_ms"] <= 30_000
    error = terminal("send", text="echo no\n", error="KEYBOARD_HELD")
    assert "somebody" in error["message"] and "keyboard" in error["hint"]
    terminal("run", command="echo no", error="KEYBOARD_HELD")
    terminal("keyboard", action="take", error="NOT_A_PERSON")
    # Reading and waiting need no keyboard.
    assert "from a person" in terminal("read")["content"]
    assert terminal.person("keyboard", action="give")["holder"] == "agent"
    terminal.person("keyboard", action="give", error="KEYBOARD_HELD")
    returned = terminal("info")["keyboard"]["returned"]
    assert returned["by"] == "somebody" and returned["bytes"] == len("echo from a person\n")
    meanwhile = terminal("read", view="new", since=returned["since"])["content"]
    assert "from a person" in meanwhile
    assert terminal("run", command="echo mine")["output"] == "mine\n"
    assert "returned" not in terminal("info")["keyboard"]


def test_an_agent_waits_for_the_keyboard(terminal, pool):
    terminal.person("keyboard", action="take")
    waiting = terminal.later(pool, "wait", keyboard=True)
    terminal("wait", keyboard=True, timeout_ms=100)
    assert not waiting.done()
    terminal.person("keyboard", action="give")
    assert waiting.result(LIMIT)["met"] == "keyboard"


def test_a_lease_ends_by_itself(terminal):
    terminal.person("keyboard", action="take", lease_ms=200)
    terminal("send", text="x", error="KEYBOARD_HELD")
    assert terminal("wait", keyboard=True)["met"] == "keyboard"
    assert terminal("run", command="echo back")["output"] == "back\n"


def test_a_person_keeps_the_keyboard_after_a_daemon_kill(terminal):
    terminal.person("keyboard", action="take")
    terminal.cotty.kill_daemon()
    terminal("send", text="x", error="KEYBOARD_HELD")
    terminal.person("keyboard", action="give")
    terminal.cotty.kill_daemon()
    assert terminal("run", command="echo back")["output"] == "back\n"


def test_an_agent_does_not_type_into_a_persons_half_typed_line(terminal):
    terminal.person("send", text="rm -rf precious")
    terminal("wait", text="precious")
    terminal.person("keyboard", action="give")
    terminal("send", text="\n", error="NOT_AT_PROMPT")
    terminal("run", command="true", error="NOT_AT_PROMPT")
    terminal("send", key="u", ctrl=True)
    terminal("wait", idle_ms=50)
    assert terminal("run", command="echo clean")["output"] == "clean\n"


def viewer(terminal, **who):
    """A viewer's connection, over the daemon's socket."""
    query = "&".join(f"{name}={value}" for name, value in who.items())
    return websockets.sync.client.unix_connect(
        terminal.cotty.status()["socket"], f"ws://cotty/v1/sessions/{terminal.id}/view?{query}", open_timeout=LIMIT
    )


def test_a_viewer_takes_gives_and_disconnects(terminal):
    with viewer(terminal, viewer="v1", name="page") as page:
        page.send(json.dumps({"type": "take"}))
        assert eventually(lambda: terminal("keyboard")["holder"] == "person")
        state = terminal("keyboard")
        assert state["by"] == "page" and "returns_in_ms" not in state, "kept as long as the viewer is connected"
        page.send(json.dumps({"type": "give"}))
        assert eventually(lambda: terminal("keyboard")["holder"] == "agent")
        page.send(json.dumps({"type": "take"}))
        assert eventually(lambda: terminal("keyboard")["holder"] == "person")
    # The viewer has disconnected and has ten seconds to come back.
    assert eventually(lambda: terminal("keyboard").get("returns_in_ms"))
    with viewer(terminal, viewer="v1", name="page"):
        assert eventually(lambda: "returns_in_ms" not in terminal("keyboard"))


# Sizes


def test_a_new_size_reaches_the_program_and_the_text_stays(terminal):
    terminal("run", command="echo " + "x" * 100)
    terminal("resize", cols=120, rows=40)
    assert terminal("run", command="stty size")["output"] == "40 120\n"
    assert "x" * 100 in terminal.screen()
    assert terminal("resize", cols=50)["dimensions"] == {"cols": 50, "rows": 40}
    terminal("resize", error="INVALID_INPUT")
    error = terminal("resize", cols=1, error="INVALID_INPUT")
    assert "2 to 1000" in error["message"]
    terminal.cotty.kill_daemon()
    assert terminal("run", command="stty size")["output"] == "40 50\n"


GHOSTS = {
    "bash": "PS1=$(printf 'ghost-%s ' {1..9})",
    "zsh": "PS1=$(printf 'ghost-%s ' {1..9})",
    "fish": "function fish_prompt; printf 'ghost-%s ' (seq 9); end",
}


@pytest.mark.parametrize("cols", [40, 79, 120])
@pytest.mark.parametrize("shell", GHOSTS)
def test_a_resize_leaves_no_ghost_of_the_prompt(cotty, shell, cols):
    terminal = Terminal(cotty, shell)
    terminal("run", command=GHOSTS[shell])
    for _ in range(4):
        for width in (cols, 80):
            terminal("resize", cols=width)
            # On a busy machine the shell may not have run yet: it has redrawn the line when it reads again.
            terminal("wait", idle_ms=100, reads=True, all=True)
    assert terminal.screen().replace("\n", "").count("ghost-9") == 1, terminal.screen()
    assert terminal("run", command="echo fine")["output"] == "fine\n"


def test_fit_follows_the_keyboards_holder_and_the_old_size_returns(terminal):
    terminal.person("resize", cols=100, rows=30, fit=True, error="KEYBOARD_HELD")
    terminal.person("keyboard", action="take")
    terminal("resize", cols=100, fit=True, error="KEYBOARD_HELD")
    for cols in (100, 110):
        terminal.person("resize", cols=cols, rows=30, fit=True)
        assert terminal("info")["dimensions"] == {"cols": cols, "rows": 30}
    terminal.cotty.kill_daemon()
    terminal.person("keyboard", action="give")
    assert terminal("info")["dimensions"] == {"cols": 80, "rows": 24}
    assert terminal("run", command="stty size")["output"] == "24 80\n"


# R-P09
def test_the_history_limit_can_change_while_a_program_runs(terminal):
    assert terminal("info")["history_lines"] == 10_000
    terminal("run", command="seq 2000")
    assert terminal("configure", history_lines=500)["history_lines"] == 500
    scrollback = terminal("read", view="scrollback", limit=5000)
    assert scrollback["lines"] == 500 and scrollback["dropped_lines"] > 1000
    terminal.cotty.kill_daemon()
    assert terminal("info")["history_lines"] == 500
    terminal("configure", history_lines=10**9, error="INVALID_INPUT")


# Typing


def test_send_reports_what_happened_to_the_input(terminal):
    def sent(text, *expected):
        """Whether `send` reports exactly these. Retried: a busy machine may take longer than `send` waits."""
        said = terminal("send", text=text)
        terminal("wait", idle_ms=100)
        terminal("send", key="u", ctrl=True)
        terminal("wait", idle_ms=100)
        return [name for name in ("consumed", "reacted", "submitted") if said[name]] == list(expected)

    eventually(lambda: sent("echo hi\n", "consumed", "reacted", "submitted"))
    eventually(lambda: sent("half a line", "consumed"))
    terminal("send", text="sleep 1000\n")
    eventually(lambda: terminal("info")["activity"] == {"kind": "running", "program": "sleep"})
    sent = terminal("send", text="nobody reads this\n")
    assert not sent["consumed"] and not sent["submitted"]


PASTE_READER = """
import os, sys, tty
tty.setraw(0)
sys.stdout.write("\\x1b[?2004hready\\r\\n")
got = [os.read(0, 4096)]
while not got[-1].endswith(b"\\r"):
    got.append(os.read(0, 4096))
print([part.decode() for part in got], end="\\r\\n")
"""


def test_enter_after_a_paste_is_read_by_itself(terminal):
    terminal.python(PASTE_READER)
    terminal("send", text="one\ntwo\n")
    waited = terminal("wait", text="201~")
    assert "['\\x1b[200~one\\ntwo\\x1b[201~', '\\r']" in waited["screen"], waited["screen"]


MOUSE_READER = """
import os, sys, tty
tty.setraw(0)
sys.stdout.write("\\x1b[?1049h\\x1b[?1000h\\x1b[?1006h\\x1b[5;10H[ Save ]\\x1b[7;10H日本 [ Quit ]\\x1b[9;1H[ Save ]ready\\r\\n")
sys.stdout.flush()
while True:
    got = os.read(0, 4096)
    print(repr(got), end="\\r\\n")
    if b"q" in got:
        break
"""


def test_the_mouse_clicks_by_position_and_by_label(terminal):
    terminal("send", mouse={"row": 1, "col": 1}, error="MOUSE_OFF")
    terminal.python(MOUSE_READER)

    def clicked(**mouse):
        seq = terminal("send", mouse=mouse)["seq"]
        return terminal("wait", text="'", since=seq)["matched"]

    assert clicked(row=3, col=4) == r"b'\x1b[<0;4;3M\x1b[<0;4;3m'"
    assert clicked(label="Save") == r"b'\x1b[<0;13;5M\x1b[<0;13;5m'"
    assert clicked(label="Save", nth=2) == r"b'\x1b[<0;4;9M\x1b[<0;4;9m'"
    assert clicked(label="Quit", button="right") == r"b'\x1b[<2;18;7M\x1b[<2;18;7m'"
    assert clicked(row=1, col=1, action="scroll", down=-2) == r"b'\x1b[<64;1;1M\x1b[<64;1;1M'"
    assert clicked(row=1, col=1, action="press") == r"b'\x1b[<0;1;1M'"
    terminal("send", mouse={"label": "Nowhere"}, error="LABEL_NOT_FOUND")
    terminal("send", mouse={"row": 99, "col": 1}, error="INVALID_INPUT")
    terminal("send", mouse={"row": 0, "col": 1}, error="INVALID_INPUT")
    terminal("send", mouse={}, error="INVALID_INPUT")
    terminal("send", mouse={"label": "Save"}, text="x", error="INVALID_INPUT")


def test_bytes_are_sent_unchanged(terminal):
    terminal.python("import os, tty\ntty.setraw(0)\nprint('ready', end='\\r\\n')\nprint(os.read(0, 100), end='\\r\\n')\n")
    terminal("send", bytes=base64.b64encode(b"\x00\xff\r\n\x1b").decode())
    assert terminal("wait", text=r"b'\x00\xff\r\n\x1b'")["met"] == "text"
    terminal("send", bytes="%", error="INVALID_INPUT")


# R-P02
def test_text_can_contain_key_names(terminal):
    terminal("send", text="cat > typex^Hd^M", special=True)
    eventually(lambda: terminal("info")["activity"] == {"kind": "waiting_for_input", "program": "cat"})
    terminal("send", text="\\^C \\[UP] [NOKEY]^M^D", special=True)
    assert terminal("wait", prompt=True)["met"] == "prompt"
    assert (terminal.cotty.work / "typed").read_text() == "^C [UP] [NOKEY]\n"
    terminal("send", text="grep -c '^C' typed\n")
    assert terminal("wait", regex="^0$")["met"] == "regex", "text is literal unless `special` is set"


# R-A06
def test_control_sends_the_terminals_own_characters(terminal):
    terminal("send", text="cat\n")
    eventually(lambda: terminal("info")["activity"] == {"kind": "waiting_for_input", "program": "cat"})
    terminal("send", control="eof")
    assert terminal("wait", prompt=True)["met"] == "prompt"
    # With the characters that the program has set.
    terminal("run", command="stty intr ^T susp ^B")
    terminal("send", text="sleep 1000\n")
    eventually(lambda: terminal("info")["activity"] == {"kind": "running", "program": "sleep"})
    terminal("send", control="suspend")
    terminal("wait", text="Stopped")
    terminal("send", text="fg\n")
    eventually(lambda: terminal("info")["activity"] == {"kind": "running", "program": "sleep"})
    terminal("send", control="interrupt")
    assert terminal("wait", prompt=True)["met"] == "prompt"
    terminal("send", control="explode", error="INVALID_INPUT")
    terminal("send", control="eof", text="x", error="INVALID_INPUT")


KEY_READER = """
import os, sys, tty
tty.setraw(0)
print("\\x1b[>3uready", end="\\r\\n")
got = b""
while got.count(b"u") < 3:
    got += os.read(0, 100)
print(got, end="\\r\\n")
"""


def test_a_key_can_be_pressed_repeated_and_released(terminal):
    terminal.python(KEY_READER)
    for event in ("press", "repeat", "release"):
        terminal("send", key="escape", event=event)
    assert terminal("wait", text=r"b'\x1b[27u\x1b[27;1:2u\x1b[27;1:3u'")["met"] == "text"


# R-P08
def test_a_signal_goes_to_the_foreground(terminal):
    terminal("send", text="sleep 1000\n")
    eventually(lambda: terminal("info")["activity"] == {"kind": "running", "program": "sleep"})
    assert terminal("signal")["program"] == "sleep"
    assert terminal("wait", prompt=True)["met"] == "prompt"
    assert terminal("run", command="echo $?")["output"] == "130\n"
    terminal("signal", signal="SIGUSR3", error="INVALID_INPUT")
    terminal.person("keyboard", action="take")
    terminal("signal", signal="KILL", error="KEYBOARD_HELD")
    terminal.person("signal", signal="sigkill")
    assert terminal("wait", exit=True)["signal"] == 9


# Reading


def test_long_output_is_head_and_tail_and_the_middle_can_be_read(terminal):
    terminal("read", view="new", reader="other")
    terminal("run", command="seq 9000")
    read = terminal("read", view="new", reader="other", max_bytes=4000)
    left_out = read["left_out"]
    assert read["content"].startswith("1\n2\n") and "9000\n" in read["content"] and len(read["content"]) <= 4000
    numbers = [int(word) for word in read["content"].split() if word.isdigit()]
    assert len(numbers) + left_out["lines"] + read["dropped_lines"] == 9000
    # Page by page to the end: nothing repeated, nothing missing.
    pages, offset = [], left_out["offset"]
    while offset is not None:
        page = terminal("read", view="new", since=left_out["since"], offset=offset, max_bytes=30_000)
        pages.append(page["content"])
        offset = page.get("left_out", {}).get("offset")
    head = read["content"][: left_out["offset"]]
    whole = [int(word) for word in (head + "".join(pages)).split() if word.isdigit()]
    assert whole == list(range(1, 9001))


def test_a_readers_position_survives_a_daemon_kill(terminal):
    terminal("run", command="echo before")
    assert "before" in terminal("read", view="new", reader="other")["content"]
    terminal("run", command="echo between")
    terminal.cotty.kill_daemon()
    read = terminal("read", view="new", reader="other")["content"]
    assert "between" in read and "before" not in read
    terminal.cotty.kill_daemon()
    assert "between" not in terminal("read", view="new", reader="other")["content"]


def test_view_changes_returns_only_changed_rows(terminal):
    terminal("run", command="printf '\\033[2J\\033[Hone\\ntwo\\nthree\\n'")
    terminal("read", view="changes", reader="other")
    terminal("run", command="printf '\\0337\\033[2;1HTWO\\0338'")
    changed = terminal("read", view="changes", reader="other")
    rows = dict(zip(changed["rows"], changed["content"].split("\n"), strict=True))
    assert rows[2] == "TWO" and 1 not in rows and 3 not in rows
    assert "rows" not in terminal("read", view="changes", reader="other")


def test_search_finds_the_screen_the_history_and_what_vim_showed(terminal):
    terminal("run", command="echo needle one; seq 100")
    (terminal.cotty.work / "file.txt").write_text("a needle in vim\n")
    terminal("send", text="vim -u NONE file.txt\n")
    terminal("wait", text="in vim")
    terminal("wait", idle_ms=300)
    terminal("send", text=":q\n")
    terminal("wait", prompt=True)
    lines = [match["line"] for match in terminal("search", regex="needle (one|in vim)")["matches"]]
    assert "needle one" in lines and "a needle in vim" in lines
    limited = terminal("search", regex="[0-9]", limit=3)
    assert len(limited["matches"]) == 3 and limited["more"]
    terminal("search", regex="(", error="INVALID_PATTERN")


# Ended and stopped programs


def test_an_ended_session_can_be_read(cotty):
    terminal = Terminal(cotty, "sh", args=["-c", "echo last words; exit 3"])
    waited = terminal("wait", exit=True)
    assert (waited["met"], waited["exit_code"]) == ("exit", 3)
    assert "last words" in terminal("read")["content"]
    terminal("send", text="x", error="PROCESS_EXITED")
    terminal("resize", cols=100, error="PROCESS_EXITED")
    terminal.person("keyboard", action="take", error="PROCESS_EXITED")
    assert terminal("info")["history_lines"] == 10_000


def test_a_hundred_calls_at_once_on_one_session_are_all_answered(terminal):
    done, refused = [], []

    def ask(number):
        try:
            done.append(terminal("run", command=f"echo {number}")["output"])
        except AssertionError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=ask, args=[number]) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert len(done) + len(refused) == 100 and done
    assert all("BUSY" in error or "NOT_AT_PROMPT" in error for error in refused), refused[:3]
    assert terminal("run", command="echo still here")["output"] == "still here\n"


def test_a_stopped_program_does_not_stop_the_others(cotty):
    stopped, other = Terminal(cotty), Terminal(cotty)
    pid = stopped("info")["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        stopped("send", text="echo later\n")
        assert other("run", command="echo now")["output"] == "now\n"
    finally:
        os.kill(pid, signal.SIGCONT)
    assert stopped("wait", text="later")["met"] == "text"
    cotty.call("destroy", session=stopped.id)
    assert not alive(pid)


@pytest.mark.root_only  # Only root sees the daemon's descriptors.
def test_a_destroyed_session_has_freed_its_terminal(cotty):
    cotty.call("create", name="first", program="bash")
    daemon = f"/proc/{cotty.status()['pid']}/fd"

    def terminals():
        count = 0
        for fd in os.listdir(daemon):
            with contextlib.suppress(FileNotFoundError):
                count += "ptmx" in os.readlink(f"{daemon}/{fd}")
        return count

    for number in range(50):
        session = cotty.call("create", program="bash")["session_id"]
        assert terminals() == 2
        cotty.call("destroy", session=session)
        assert terminals() == 1, f"after {number} sessions"
