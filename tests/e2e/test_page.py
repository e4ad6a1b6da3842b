"""The page in a real browser: it shows what `cotty view` shows, and its keys reach the program."""

import json
import os
import signal
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from conftest import LIMIT, alive, eventually, eventually_same
from test_tokens import Http

# One worker: a browser uses a whole core.
pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.slow]

CHROMIUM = "/usr/bin/chromium"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# The visible rows. xterm.js draws an underlined or coloured space as a no-break space.
ROWS = r"""() => [...document.querySelectorAll(".xterm-rows > div")]
    .map(row => row.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n").trimEnd()"""


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 1000, "height": 600})
    context.set_default_timeout(LIMIT * 1000)
    yield context
    context.close()


class Page:
    """One tab."""

    def __init__(self, context, cotty):
        self.cotty = cotty
        self.tab = context.new_page()
        self.complaints = []
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.tab.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))

    def open(self, session=None, link=None):
        link = link or self.cotty.status()["link"]
        if session:
            link = link.replace("/#", f"/?session={session}#")
        self.tab.goto(link)
        return self

    def connected(self):
        self.tab.wait_for_selector("#connection[data-state=connected]")
        return self

    def rows(self):
        return self.tab.evaluate(ROWS)

    def shows(self, session):
        """Waits until the page shows what `cotty view` shows."""
        return eventually_same(lambda: (self.rows(), self.cotty("view", session).rstrip("\n")))

    def says(self, label, text):
        """Waits until a label of the header has the text."""
        self.tab.wait_for_function(
            "([id, text]) => document.getElementById(id).textContent === text", arg=[label, text]
        )

    def type(self, text):
        self.tab.keyboard.type(text)

    def press(self, *keys):
        for key in keys:
            self.tab.keyboard.press(key)


@pytest.fixture
def page(context, cotty):
    page = Page(context, cotty)
    yield page
    assert not page.complaints


def run(cotty, session, command):
    """Runs a command in a session's shell."""
    cotty("send", session, command, "--enter")
    cotty("wait", session, "--prompt")


def colour(page, text):
    """The colours of a text on the screen."""
    return page.tab.evaluate(
        """text => {
            const found = [...document.querySelectorAll(".xterm-rows span")].find(s => s.textContent === text);
            const { color, backgroundColor, fontWeight } = getComputedStyle(found);
            return [color, backgroundColor, fontWeight];
        }""",
        text,
    )


def test_the_page_shows_what_view_shows(page, cotty):
    session = cotty.new()
    page.open().connected()
    words = r"\e[1;31mred\e[0m \e[48;2;1;2;3mground\e[0m 漢字 e\u0301 ñ 😀 \e[4munder line\e[0m 字"
    run(cotty, session, f"printf '{words}\\n%80s|\\n' wide; seq 30 | tail -5")
    assert "漢字 e\u0301 ñ 😀 under line 字" in page.shows(session)
    assert colour(page, "red") == ["rgb(239, 125, 125)", "rgba(0, 0, 0, 0)", "700"]
    assert colour(page, "ground")[1] == "rgb(1, 2, 3)"
    # Also from the first paint alone.
    page.open().connected()
    page.shows(session)


def test_vim_in_the_page(page, cotty):
    file = cotty.work / "poem.txt"
    file.write_text("first line\n" + "漢字 wide\n" * 30)
    session = cotty.new("--", "vim", "-u", "NONE", "-N", "--cmd", "set nu cul", file)
    cotty("wait", session, "--text", "first line")
    cotty("wait", session, "--idle", 300)
    page.open().connected()
    page.says("doing", "running vim")
    assert "漢字 wide" in page.shows(session)
    page.type("Gonew 字")
    page.press("Escape")
    page.type("gg")
    page.press("ArrowDown", "ArrowRight")
    page.type("iinserted ")
    cotty("wait", session, "--text", "inserted")
    cotty("wait", session, "--idle", 300)
    page.shows(session)
    page.press("Escape")
    page.type(":wq")
    page.press("Enter")
    page.says("doing", "exited 0")
    lines = file.read_text().splitlines()
    assert lines[0] == "first line" and lines[-1] == "new 字" and "inserted" in lines[1]


def test_typing_reaches_the_shell(page, cotty):
    session = cotty.new()
    page.open().connected()
    page.type("echo 'A b' ac")
    page.press("ArrowLeft")
    page.type("b")
    page.press("Enter")
    cotty("wait", session, "--regex", "^A b abc$")
    page.press("ArrowUp", "Backspace")
    page.type("D")
    page.press("Enter")
    cotty("wait", session, "--regex", "^A b abD$")
    page.shows(session)
    page.says("doing", "prompt")
    page.type("sleep 1000")
    page.press("Enter")
    page.says("doing", "running sleep")
    page.press("Control+c")
    page.says("doing", "prompt")
    page.type("read -s secret")
    page.press("Enter")
    page.says("doing", "asks for a secret")
    page.press("Enter")
    page.says("doing", "prompt")
    page.type("exec cat")
    page.press("Enter")
    page.says("doing", "running cat")
    page.type("eight")
    page.press("Enter", "Control+d")
    page.says("doing", "exited 0")
    page.shows(session)
    page.type("x")
    page.tab.wait_for_function("() => document.getElementById('note').textContent.includes('exited')")


# What `cat -v` prints for each key, with application cursor keys on.
KEYS = [
    ("a", "a"),
    ("Shift+A", "A"),
    ("Space", " "),
    ("Enter", "^M"),
    ("Tab", "^I"),
    ("Shift+Tab", "^[[Z"),
    ("Backspace", "^?"),
    ("Escape", "^["),
    ("ArrowUp", "^[OA"),
    ("ArrowDown", "^[OB"),
    ("ArrowRight", "^[OC"),
    ("ArrowLeft", "^[OD"),
    ("Control+ArrowLeft", "^[[1;5D"),
    ("Home", "^[OH"),
    ("End", "^[OF"),
    ("PageUp", "^[[5~"),
    ("PageDown", "^[[6~"),
    ("Insert", "^[[2~"),
    ("Delete", "^[[3~"),
    ("F1", "^[OP"),
    ("F12", "^[[24~"),
    ("Alt+f", "^[f"),
    ("Control+a", "^A"),
    ("Control+Space", "^@"),
    ("Control+]", "^]"),
    ("Control+Shift+_", "^_"),
]


@pytest.fixture
def raw(cotty):
    """A program that shows each byte it reads."""
    script = r"stty raw -echo; printf '\e[?1h\e[?2004hready\r\n'; exec cat -vT"
    session = cotty.new("--", "env", "sh", "-c", script)
    cotty("wait", session, "--text", "ready")
    return session


def test_every_key_is_encoded_for_the_modes_of_the_program(page, cotty, raw):
    page.open().connected()
    for key, _ in KEYS:
        page.press(key, "|")
    shown = "".join(f"{seen}|" for _, seen in KEYS)
    page.tab.wait_for_function(f"end => ({ROWS})().endsWith(end)", arg=shown[-8:])
    rows = page.shows(raw).split("\n")[1:]
    assert "".join(row.ljust(80) for row in rows).rstrip() == shown


def test_pasted_and_composed_text_reaches_the_program(page, cotty, raw, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.open().connected()
    page.tab.evaluate("navigator.clipboard.writeText('one\\ntwo 字\\n')")
    page.press("Control+Shift+V", "|")
    page.tab.evaluate("navigator.clipboard.writeText('three')")
    page.press("Shift+Insert", "|")
    # An input method: nothing is sent until the composition ends.
    devtools = context.new_cdp_session(page.tab)
    devtools.send("Input.imeSetComposition", {"text": "kan", "selectionStart": 3, "selectionEnd": 3})
    devtools.send("Input.insertText", {"text": "漢"})
    page.press("|")
    # Neither key nor composition, such as an emoji picker.
    page.tab.keyboard.insert_text("é")
    page.press("|")
    eventually(lambda: "M-CM-)|" in cotty("view", raw))
    _, first, second = page.shows(raw).split("\n")
    assert first == "^[[200~one"
    # In raw mode a line feed keeps the column.
    assert second == " " * len(first) + "two M-eM--M-^W^[[201~^M|three|M-fM-<M-\"|M-CM-)|"


def test_a_paste_of_several_lines_is_one_paste_to_the_shell(page, cotty, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    session = cotty.new()
    page.open().connected()
    page.tab.evaluate("navigator.clipboard.writeText('for i in 1 2\\ndo echo line $i\\ndone\\n')")
    page.press("Control+Shift+V")
    cotty("wait", session, "--regex", "^line 2$")
    cotty("wait", session, "--prompt")
    page.shows(session)


def test_selected_text_can_be_copied(page, cotty, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    session = cotty.new()
    run(cotty, session, "clear; echo one-word here")
    page.open().connected()
    page.shows(session)
    row = page.tab.locator(".xterm-rows > div").first.bounding_box()
    page.tab.mouse.dblclick(row["x"] + 20, row["y"] + row["height"] / 2)
    page.press("Control+Shift+C")
    page.tab.wait_for_function("async () => (await navigator.clipboard.readText()) === 'one-word'")
    page.shows(session)


def test_only_the_daemon_answers_the_program(page, cotty):
    # The program queries the terminal while the page is open.
    script = r"stty raw -echo; printf ready; head -c1 >/dev/null; printf '\r\n\e[c\e[6n\e]11;?\e\\'; exec cat -v"
    session = cotty.new("--", "env", "sh", "-c", script)
    cotty("wait", session, "--text", "ready")
    page.open(session).connected()
    page.type("g")
    cotty("wait", session, "--text", "^[[2;1R")
    # An answer of the page would arrive before the keys typed into it now.
    page.shows(session)
    page.type("end")
    cotty("wait", session, "--text", "end")
    shown = page.shows(session)
    assert shown.count("^[[?") == 1 and shown.count("R") == 1, shown


@pytest.mark.parametrize("how", ["SIGKILL", "restart"])
def test_the_page_outlives_the_daemon(page, cotty, how):
    session = cotty.new()
    page.open().connected()
    page.type("echo begun")
    cotty("wait", session, "--regex", "echo begun")
    for turn in range(3):
        with page.tab.expect_websocket():
            if how == "restart":
                cotty("restart")
            else:
                cotty.kill_daemon()
        page.connected()
        page.shows(session)
        page.type(f" {turn}")
        cotty("wait", session, "--regex", f"begun.* {turn}")
    page.press("Enter")
    cotty("wait", session, "--regex", "^begun 0 1 2$")
    page.shows(session)
    # The browser itself logs connections that end without an answer.
    page.complaints = [complaint for complaint in page.complaints if "net::ERR_" not in complaint]


STRANGER = "the link is old, or another program answers at this address: open the link that `cotty status` prints"


def test_a_wrong_link_is_refused(page, cotty):
    cotty.new()
    link = cotty.status()["link"]
    page.open(link=link[:-4] + "0000")
    page.says("connection", "closed")
    page.says("note", STRANGER)
    assert page.rows() == ""
    # The right link in the same tab: only the part after # differs.
    page.open(link=link).connected()


def test_the_key_leaves_the_address_and_stays_with_the_tab(page, cotty):
    session = cotty.new()
    page.open().connected()
    assert "key" not in page.tab.url
    page.tab.reload()
    page.connected().shows(session)
    page.tab.evaluate("sessionStorage.clear()")
    page.tab.reload()
    page.says("connection", "closed")
    assert "cotty status" in page.tab.text_content("#note")


def test_a_rotated_link_ends_open_pages(page, cotty):
    session = cotty.new()
    page.open().connected()
    cotty("token", "rotate")
    page.says("connection", "closed")
    page.says("note", STRANGER)
    page.open().connected().shows(session)


class Taker:
    """Another program at the page's port. It keeps what it gets, and answers by `answer(method, path, headers, body)`."""

    def __init__(self, port, answer):
        self.got = []
        taker = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                taker.got.append((self.command, self.path, dict(self.headers), body))
                status, kind, text = answer(self.command, self.path, dict(self.headers), body)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = handle_any

            def log_message(self, *args):
                pass

        # The daemon may hold the port a moment longer than `cotty stop` runs.
        def listen():
            try:
                return ThreadingHTTPServer(("127.0.0.1", port), Handler)
            except OSError:
                return None

        self.server = eventually(listen)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def taken(port, answer):
    taker = Taker(port, answer)
    try:
        yield taker
    finally:
        taker.close()


def forged(method, path, headers, body):
    """Answers that an impostor might try."""
    asked = json.loads(body or b"{}")
    return 200, "application/json", json.dumps({"challenge": "1-c", "proof": asked.get("nonce", ""), "pass": "page-1-x"}).encode()


def assert_lets_nobody_in(cotty, got, key):
    """Nothing that a stranger got is the key, or opens this cotty."""
    assert key not in json.dumps([[path, headers, body.decode()] for _, path, headers, body in got])
    words = {word for _, path, headers, body in got for word in json.dumps([path, headers, body.decode()]).replace("\\", "").split('"')}
    words |= {word.removeprefix("Bearer ").split("bearer.")[-1] for word in words}
    for word in words:
        if word.isascii() and word.isprintable():
            assert Http(cotty, word).ask("GET", "/v1/sessions")[0] == 401, word


@pytest.mark.parametrize("end", ["stop", "SIGKILL"])
def test_a_program_that_takes_the_port_learns_nothing(page, cotty, end):
    """Any user of the machine can listen on the port when cotty has ended. Open pages go on asking there."""
    cotty("ls")
    page.open()
    page.says("note", "no live session yet: `cotty new` starts one")
    status = cotty.status()
    key, port = status["link"].split("#key=")[1], urlsplit(status["http"]).port
    if end == "stop":
        cotty("stop")
    else:
        os.kill(status["keeper_pid"], signal.SIGKILL)
        eventually(lambda: not alive(status["pid"]))
    with taken(port, forged) as taker:
        page.says("connection", "closed")
        page.says("note", STRANGER)
        # The owner starts cotty again, which gets another port.
        cotty.new("--", "cat")
        assert urlsplit(cotty.status()["http"]).port != port
        posts = [(path, json.loads(body)) for method, path, _, body in taker.got if method == "POST"]
        assert posts and all((path, list(body)) == ("/v1/prove", ["nonce"]) for path, body in posts), posts
        assert_lets_nobody_in(cotty, taker.got, key)
        # Nor does what the page had stored, which a script of the stranger could read after a reload.
        assert page.tab.evaluate("sessionStorage.getItem('key')") == key
        page.open(link=cotty.status()["http"] + f"/#key={key}")
        page.says("note", STRANGER)
    page.complaints = [complaint for complaint in page.complaints if "net::ERR_" not in complaint]


def test_proofs_cannot_be_relayed_from_another_port(page, cotty):
    """A program in the middle passes everything on to the living cotty. The page notices, since the proof names the port."""
    cotty.new()
    status = cotty.status()
    key, daemon = status["link"].split("#key=")[1], urlsplit(status["http"])

    def relayed(method, path, headers, body):
        connection = HTTPConnection(daemon.hostname, daemon.port, timeout=LIMIT)
        own = {name: value for name, value in headers.items() if name.lower() not in ("host", "origin", "connection")}
        connection.request(method, path, body or None, own)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer.headers["content-type"], text

    with taken(0, relayed) as relay:
        page.open(link=f"http://127.0.0.1:{relay.port}/#key={key}")
        page.says("note", STRANGER)
        posts = [(path, list(json.loads(body))) for method, path, _, body in relay.got if method == "POST"]
        assert posts == [("/v1/prove", ["nonce"])]
        assert_lets_nobody_in(cotty, relay.got, key)


def test_a_pass_is_no_link_and_the_key_is_no_token(cotty):
    cotty("ls")
    status = cotty.status()
    key = status["link"].split("#key=")[1]
    assert Http(cotty, key).ask("GET", "/v1/sessions")[0] == 401
    http = Http(cotty)
    for body, code in [({}, 400), ({"nonce": "x"}, 400), ({"nonce": "0" * 64, "challenge": "1-c", "proof": "0" * 64}, 401), ({"x": 1}, 400)]:
        assert http.ask("POST", "/v1/prove", body)[0] == code, body
    status, said = http.ask("POST", "/v1/prove", {"nonce": "0" * 64})
    assert status == 200 and set(said) == {"challenge", "proof"}
    # Only our own page may ask.
    for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": f"http://127.0.0.1:1"}):
        assert http.ask("POST", "/v1/prove", {"nonce": "0" * 64}, **headers)[0] == 401


def test_a_title_is_shown_as_text(page, cotty):
    session = cotty.new()
    page.open().connected()
    title = "<img src=x onerror=alert(1)><script>alert(2)</script>&amp;"
    run(cotty, session, f"PS1='$ '; PROMPT_COMMAND=; printf '\\e]0;%s\\a' '{title}'")
    page.says("title", title)
    assert page.tab.evaluate("document.getElementById('title').childElementCount") == 0
    assert page.tab.title() == f"{title} · cotty"


def test_the_page_shows_the_named_or_the_newest_session(page, cotty):
    cotty("ls")
    page.open()
    page.says("note", "no live session yet: `cotty new` starts one")
    first = cotty.new()
    page.connected().says("session", first)
    second = cotty.new()
    page.open().connected().says("session", second)
    page.open(session=first).connected().says("session", first)
    page.open(session="nothing")
    page.says("connection", "closed")
    assert "nothing" in page.tab.text_content("#note")
    assert any("404" in complaint for complaint in page.complaints)
    page.complaints.clear()
    page.open().connected().says("session", second)
    cotty("kill", second)
    page.says("note", f"{second} was destroyed")
    page.open().connected().says("session", first)


def test_the_session_keeps_its_size(page, cotty):
    session = cotty.new("--cols", 150, "--rows", 50)
    page.tab.set_viewport_size({"width": 500, "height": 300})
    page.open().connected()
    run(cotty, session, "printf '%150s\\n' end; seq 45")
    page.shows(session)
    assert cotty.info(session)["dimensions"] == {"cols": 150, "rows": 50}
    assert page.tab.evaluate("document.querySelectorAll('.xterm-rows > div').length") == 50
