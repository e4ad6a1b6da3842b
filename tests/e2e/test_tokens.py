"""Tokens: a client may do what its token allows, over HTTP and WebSockets, until the token is revoked."""

import http.client
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from conftest import LIMIT, alive, eventually
from websocket import WebSocket

# Every operation that changes something, with valid parameters.
CHANGES = {
    "create": {"program": "cat"},
    "send": {"text": "x"},
    "run": {"command": "true"},
    "keyboard": {"action": "take"},
    "signal": {"signal": "CONT"},
    "resize": {"cols": 90},
    "configure": {"history_lines": 5},
    "capture": {"action": "start"},
    "destroy": {},
    "purge": {"all": True},
    "token_new": {"name": "more"},
    "token_list": {},
    "token_revoke": {"name": "full"},
    "token_rotate": {},
}
READS = {
    "read": {},
    "info": {},
    "wait": {"timeout_ms": 1},
    "search": {"regex": "x"},
    "commands": {},
    "recording": {},
    "list": {},
    "status": {},
}
ALONE = ("create", "purge", "token_new", "token_list", "token_revoke", "token_rotate", "list", "status")


class Http:
    """The daemon over HTTP, with a token."""

    def __init__(self, cotty, token=None):
        address = urlsplit(cotty.status()["http"])
        self.place, self.token = (address.hostname, address.port), token

    def ask(self, method, path, body=None, **headers):
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        connection = http.client.HTTPConnection(*self.place, timeout=60)
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, json.loads(text) if "json" in response.headers["content-type"] else text

    def call(self, op, session=None, actor="person", **params):
        if session and op not in ALONE:
            params["session"] = session
        call = {"op": op, "retry_id": os.urandom(8).hex(), "caller": {"kind": actor, "client": "test"}, "params": params}
        status, answer = self.ask("POST", "/v1/call", call)
        return answer["error"]["code"] if status >= 400 else answer["ok"]

    def view(self, session, path=None):
        return WebSocket(
            self.place,
            path or f"/v1/sessions/{session}/view",
            Sec_WebSocket_Protocol=f"cotty.view.v1, cotty.updates.v1, cotty.bearer.{self.token}",
        )


def new_token(cotty, name, *args):
    """Creates a token, which is the last line of the output."""
    return cotty("token", "new", "--name", name, *args).splitlines()[-1]


def test_a_full_token_opens_everything_until_it_is_revoked(cotty):
    session = cotty.new("--", "cat")
    http = Http(cotty, new_token(cotty, "full"))
    assert http.call("info", session)["session_id"] == session
    assert http.call("send", session, text="typed")["bytes"] == 5
    # The client says whether it is a person or an agent.
    assert http.call("send", session, actor="agent", text="x") == "NOT_YOURS"
    made = http.call("create", actor="agent", program="cat")["session_id"]
    assert cotty.info(made)["owner"] == "[full] test in /"
    socket = http.view(session)
    assert socket.read()["type"] == "paint"
    socket.send({"type": "text", "text": " by hand"})
    cotty("wait", session, "--text", "typed by hand")
    updates = http.view(session, f"/v1/updates?session={session}")
    assert updates.read()["type"] == "snapshot"
    new_token(cotty, "other")
    cotty("token", "revoke", "other")
    assert cotty("send", session, "seen", "--enter") == ""
    while "seen" not in socket.read().get("data", ""):
        pass
    cotty("token", "revoke", "full")
    assert http.call("list") == "UNAUTHORIZED"
    assert http.view(session).status == 401
    # Open connections are closed, too.
    for one in (socket, updates):
        while one.read() is not None:
            pass
        one.close()


def test_a_read_only_token_only_reads(cotty):
    session = cotty.new()
    full = new_token(cotty, "full")
    http = Http(cotty, new_token(cotty, "watch", "--read-only"))
    for actor in ("person", "agent"):
        codes = {op: http.call(op, session, actor=actor, **params) for op, params in CHANGES.items()}
        assert codes == dict.fromkeys(CHANGES, "READ_ONLY")
    results = {op: http.call(op, session, **params) for op, params in READS.items()}
    assert all(isinstance(answer, dict) for answer in results.values()), results
    # Whoever has the link is a person.
    assert "key" not in results["status"]["link"] and "key=" in Http(cotty, full).call("status")["link"]
    assert [t["name"] for t in cotty.json("token", "list")["tokens"]] == ["full", "watch"]
    assert http.call("send", session, text="x") == "READ_ONLY"
    assert http.ask("POST", f"/v1/sessions/{session}/send", {"text": "x"})[0] == 403
    assert http.ask("GET", f"/v1/sessions/{session}")[0] == 200
    assert http.ask("GET", "/metrics")[0] == 200


def test_an_agents_token_is_an_owner_of_its_own_and_never_a_person(cotty):
    mine = cotty.new("--name", "mine", "--", "cat")
    new_token(cotty, "full")
    bot, other = (Http(cotty, new_token(cotty, name, "--kind", "agent")) for name in ("bot", "other"))
    # Whatever it says: also a person, and the client, directory and owner of others.
    claims = [{}, {"cotty-actor": "person"}, {"cotty-client": "[other]", "cotty-directory": "/tmp", "cotty-owner": "person"}]
    for claim in claims:
        status, made = bot.ask("POST", "/v1/sessions", {"program": "bash"}, **claim)
        assert status == 201 and cotty.info(made["session_id"])["owner"] == "[bot]"
    own = made["session_id"]
    for actor in ("person", "agent"):
        codes = {op: bot.call(op, mine, actor=actor, **params) for op, params in (CHANGES | READS).items()}
        for op in ("purge", "token_new", "token_list", "token_revoke", "token_rotate"):
            assert codes.pop(op) == "NOT_A_PERSON", op
        assert "key" not in codes.pop("status")["link"]
        assert {s["owner"] for s in codes.pop("list")["sessions"]} == {"[bot]"}
        assert isinstance(codes.pop("create"), dict)
        assert codes == dict.fromkeys(codes, "NOT_YOURS")
        assert bot.call("answer", request_id="req_nowhere1", actor=actor) == "NOT_A_PERSON"
        assert other.call("read", own, actor=actor) == "NOT_YOURS"
    assert bot.call("run", own, command="echo $((6*7))")["output"] == "42\n"
    # WebSockets, too.
    assert bot.view(mine).status == 403 and bot.view(mine, f"/v1/updates?session={mine}").status == 403
    socket = bot.view(own)
    assert socket.read()["type"] == "paint"
    socket.close()
    # A full token that says it is an agent does not reach them.
    assert Http(cotty, new_token(cotty, "more")).call("read", own, actor="agent") == "NOT_YOURS"
    kinds = {t["name"]: t["kind"] for t in cotty.json("token", "list")["tokens"]}
    assert kinds == {"full": "full", "bot": "agent", "other": "agent", "more": "full"}
    cotty("token", "revoke", "bot")
    assert bot.call("list") == "UNAUTHORIZED"


def test_old_and_new_spellings_make_the_same_tokens(cotty):
    for args in (["a"], ["--name", "b"], ["c", "--kind", "read-only"], ["--name", "d", "--read-only"], ["e", "--kind", "agent"]):
        cotty("token", "new", *args)
    kinds = [t["kind"] for t in cotty.json("token", "list")["tokens"]]
    assert kinds == ["full", "full", "read_only", "read_only", "agent"]
    for wrong in ([], ["x", "--kind", "other"], ["x", "--kind", "agent", "--read-only"], ["x", "--name", "y"]):
        cotty("token", "new", *wrong, code=2)
    error = Http(cotty, new_token(cotty, "full")).call("token_new", name="x", kind="agent", read_only=True)
    assert error == "INVALID_INPUT"


def test_reads_write_nothing_to_disk(cotty):
    sessions = [cotty.call("create", actor="person", program="cat", record=False)["session_id"] for _ in range(2)]
    http = Http(cotty, new_token(cotty, "watch", "--read-only"))
    # The time of a token's last use is stored to the minute, so the first use is written.
    assert http.call("list")

    def files():
        found = (Path(at, name) for at, _, names in os.walk(cotty.home) for name in names)
        return {path: (path.lstat().st_ino, path.lstat().st_mtime_ns) for path in found}

    before = files()
    for session in sessions * 3:
        for op, params in (READS | {"snapshot": {}}).items():
            answer = http.call(op, session, **params)
            assert isinstance(answer, dict) or (op, answer) == ("recording", "NO_RECORDING"), (op, answer)
    assert files() == before


def test_a_read_only_viewer_gets_paints_and_its_keys_are_refused(cotty):
    session = cotty.new("--", "cat")
    http = Http(cotty, new_token(cotty, "watch", "--read-only"))
    socket = http.view(session)
    assert socket.read()["type"] == "paint"
    for message in (
        {"type": "key", "key": "x", "ctrl": False, "alt": False, "shift": False},
        {"type": "text", "text": "typed\n"},
        {"type": "take"},
        {"type": "fit", "size": {"cols": 50, "rows": 10}},
    ):
        socket.send(message)
        while (answer := socket.read())["type"] in ("paint", "presence"):
            pass
        assert (answer["type"], answer["code"]) == ("refused", "READ_ONLY"), message
        assert answer["message"] and answer["hint"]
    assert cotty.info(session)["keyboard"]["holder"] == "agent"
    cotty("send", session, "seen", "--enter")
    while "seen" not in socket.read().get("data", ""):
        pass
    updates = http.view(session, f"/v1/updates?session={session}")
    assert updates.read()["type"] == "snapshot"
    for one in (socket, updates):
        one.close()


def test_a_read_only_token_does_not_move_the_persons_position(cotty):
    session = cotty.new("--", "cat")
    http = Http(cotty, new_token(cotty, "watch", "--read-only"))
    cotty("send", session, "one", "--enter")
    cotty("wait", session, "--text", "one")
    assert "one" in http.call("read", session, view="new")["content"]
    assert http.call("read", session, view="new")["content"] == ""
    assert "one" in cotty.call("read", actor="person", session=session, view="new")["content"]


@pytest.mark.as_root
def test_the_list_shows_kind_and_use_but_never_the_token(cotty):
    secret = new_token(cotty, "ci")
    watch = cotty("token", "new", "--name", "watch", "--read-only", "--json")
    assert json.loads(watch)["kind"] == "read_only" and json.loads(watch)["token"].startswith("watch.")
    tokens = {t["name"]: t for t in cotty.json("token", "list")["tokens"]}
    assert {name: t["kind"] for name, t in tokens.items()} == {"ci": "full", "watch": "read_only"}
    assert all(t["made"].startswith("20") and "last_used" not in t for t in tokens.values())
    assert "never" in cotty("token", "list")
    assert Http(cotty, secret).ask("GET", "/v1/status")[0] == 200
    tokens = {t["name"]: t for t in cotty.json("token", "list")["tokens"]}
    assert tokens["ci"]["last_used"] >= tokens["ci"]["made"] and "last_used" not in tokens["watch"]
    # No file contains the token.
    for path in (cotty.home / "tokens").iterdir():
        assert path.stat().st_mode & 0o077 == 0 and secret.split(".")[1] not in path.read_text()
    assert (cotty.home / "tokens").stat().st_mode & 0o077 == 0


def test_errors_say_what_to_do_next(cotty):
    new_token(cotty, "ci")
    cotty("token", "new", "--name", "ci", code=1)
    assert "already a token named `ci`" in cotty.stderr and "revoke" in cotty.stderr
    cotty("token", "new", "--name", "no name", code=1)
    assert "letters, digits" in cotty.stderr
    cotty("token", "revoke", "nothing", code=1)
    assert "no token named `nothing`" in cotty.stderr and "cotty token list" in cotty.stderr
    cotty("token", "revoke", "ci")
    assert cotty.json("token", "list") == {"tokens": []}
    assert cotty("token", "list") == "" and "cotty token new" in cotty.stderr


@pytest.mark.parametrize("token", [None, "", "x", "ci.", "ci." + "0" * 64, "../token.0", "." * 100, "ci.\u00e9"])
def test_a_wrong_token_is_refused(cotty, token):
    new_token(cotty, "ci")
    header = {} if token is None else {"authorization": f"Bearer {token}".encode("latin-1")}
    status, body = Http(cotty).ask("GET", "/v1/sessions", **header)
    assert (status, body["error"]["code"]) == (401, "UNAUTHORIZED") and "cotty status" in body["error"]["hint"]


def test_tokens_survive_a_daemon_kill_and_a_stop(cotty):
    kept, revoked = new_token(cotty, "kept"), new_token(cotty, "revoked")
    pid = cotty.kill_daemon()
    eventually(lambda: not alive(pid))
    assert Http(cotty, kept).ask("GET", "/v1/sessions")[0] == 200
    cotty("token", "revoke", "revoked")
    os.kill(cotty.status()["pid"], signal.SIGKILL)
    assert Http(cotty, revoked).ask("GET", "/v1/sessions")[0] == 401
    cotty("stop")
    cotty("ls")
    assert Http(cotty, kept).ask("GET", "/v1/sessions")[0] == 200


def test_a_retried_request_makes_one_token(cotty):
    """A client retries when the daemon died before it answered. The token in the lost answer is not valid."""
    first = cotty.any_call("token_new", "person", request="the same", name="ci")["ok"]["token"]
    again = cotty.any_call("token_new", "person", request="the same", name="ci")["ok"]["token"]
    assert len(cotty.json("token", "list")["tokens"]) == 1
    assert [Http(cotty, token).ask("GET", "/v1/sessions")[0] for token in (first, again)] == [401, 200]


def test_a_person_may_make_tokens_over_http(cotty):
    http = Http(cotty, new_token(cotty, "ci"))
    status, made = http.ask("POST", "/v1/tokens", {"name": "more", "read_only": True})
    assert status == 201 and Http(cotty, made["token"]).ask("GET", "/v1/sessions")[0] == 200
    assert http.ask("DELETE", "/v1/tokens/more") == (200, {"revoked": True})
    assert Http(cotty, made["token"]).ask("GET", "/v1/sessions")[0] == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_case_of_the_scheme_does_not_matter(cotty, scheme):
    token = new_token(cotty, "ci")
    assert Http(cotty).ask("GET", "/v1/sessions", authorization=f"{scheme} {token}")[0] == 200


def test_the_link_changes_with_the_keeper_and_when_it_is_rotated(cotty):
    (cotty.home).mkdir(mode=0o700)
    # A file of an earlier version.
    (cotty.home / "token").write_text("0" * 64)
    cotty.new("--", "cat")
    link = lambda: cotty("status", "--link").strip()
    first = link()
    assert not (cotty.home / "token").exists()
    cotty.kill_daemon()
    assert link() == first
    assert cotty("token", "rotate") == "" and "opened again" in cotty.stderr and "cotty status --link" in cotty.stderr
    second = link()
    assert second != first and second.split("#")[0] == first.split("#")[0]
    cotty.kill_daemon()
    assert link() == second
    cotty("stop")
    cotty("ls")
    assert link().split("#")[1] not in (first.split("#")[1], second.split("#")[1])
    # No file has it.
    for path in filter(Path.is_file, cotty.home.rglob("*")):
        for one in (first, second, link()):
            assert one.split("key=")[1].encode() not in path.read_bytes(), path


def test_a_long_call_of_a_revoked_token_gets_no_answer(cotty):
    session = cotty.new("--", "cat")
    looker, watcher = Http(cotty, new_token(cotty, "looker", "--read-only")), Http(cotty, new_token(cotty, "watcher"))
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(looker.call, "wait", session, text="secret")
        eventually(lambda: "cotty_waits 1\n" in watcher.ask("GET", "/metrics")[1])
        cotty("token", "revoke", "looker")
        assert waiting.result(LIMIT) == "UNAUTHORIZED"
