"""REST: every operation has a route on both listeners; answers and errors are JSON."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
from urllib.parse import urlencode, urlsplit

import pytest

from conftest import LIMIT, ROOT, UnixConnection, eventually
from websocket import WebSocket


class Rest:
    """One listener of the daemon."""

    def __init__(self, cotty, kind):
        self.cotty, self.kind = cotty, kind
        cotty("ls")
        self.status = cotty.status()

    def connect(self):
        if self.kind == "socket":
            return UnixConnection(self.status["socket"]), {}
        address, token = urlsplit(self.status["http"]), self.cotty.token("rest")
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=4 * LIMIT)
        return connection, {"authorization": f"Bearer {token}"}

    def raw(self, method, path, body=None, headers=None):
        connection, more = self.connect()
        connection.request(method, path, body, more | (headers or {}))
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response, text

    def __call__(self, method, path, body=None, headers=None, status=200, **query):
        path += f"?{urlencode(query)}" if query else ""
        response, text = self.raw(method, path, json.dumps(body) if body is not None else None, headers)
        assert response.status == status, text
        assert response.headers["content-type"] == "application/json", text
        return json.loads(text)

    def refused(self, method, path, body=None, code="INVALID_INPUT", status=400, **more):
        error = self(method, path, body, status=status, **more)["error"]
        assert error["code"] == code and error["message"], error
        return error


@pytest.fixture(params=["socket", "http"])
def rest(cotty, request):
    return Rest(cotty, request.param)


def test_a_session_can_be_created_used_and_ended_over_rest(cotty, rest):
    made = rest("POST", "/v1/sessions", {"program": "bash", "name": "work", "cols": 100}, status=201)
    assert made["ready"] and made["dimensions"] == {"cols": 100, "rows": 24}
    path = f"/v1/sessions/{made['session_id']}"
    assert [s["session_id"] for s in rest("GET", "/v1/sessions")["sessions"]] == [made["session_id"]]
    assert rest("GET", "/v1/sessions/work")["owner"] == "person"
    ran = rest("POST", f"{path}/run", {"command": "echo $((6*7)); false"})
    assert (ran["output"], ran["exit_code"], ran["outcome"]) == ("42\n", 1, "done")
    sent = rest("POST", f"{path}/send", {"text": "echo a b; seq 20\n"})
    waited = rest("GET", f"{path}/wait", text="a b", since=sent["seq"], timeout_ms=LIMIT * 1000)
    assert waited["met"] == "text"
    # Query values that are not text are JSON, also objects.
    read = rest("GET", f"{path}/read", view="new", max_bytes=16, wait='{"prompt": true}')
    assert read["met"] == "prompt" and read["left_out"]
    assert "a b" in rest("GET", f"{path}/read")["content"]
    assert [m["text"] for m in rest("GET", f"{path}/search", regex="^42$")["matches"]] == ["42"]
    commands = rest("GET", f"{path}/commands", limit=1)
    assert commands["total"] >= 1 and len(commands["commands"]) == 1
    assert rest("POST", f"{path}/resize", {"rows": 30})["dimensions"] == {"cols": 100, "rows": 30}
    assert rest("PATCH", path, {"history_lines": 123}) == {"history_lines": 123}
    assert rest("POST", f"{path}/keyboard")["holder"] == "person"
    assert rest("POST", f"{path}/signal", {"signal": "CONT"})["program"] == "bash"
    capture = rest("POST", f"{path}/capture", {"action": "start"})
    assert rest("POST", f"{path}/capture", {"action": "stop"})["capture_file"] == capture["capture_file"]
    assert "42" in rest("GET", f"{path}/recording", format="text")["content"]
    assert rest("DELETE", path, force="true")["destroyed"]
    assert rest.refused("GET", path, code="SESSION_DESTROYED", status=410)["hint"]
    assert rest("POST", "/v1/recordings/purge", {"session": made["session_id"]})["recordings"] == 1
    assert rest("GET", "/v1/status")["pid"] == rest.status["pid"]


def test_headers_name_the_caller(cotty, rest):
    agent = {"cotty-actor": "agent", "cotty-client": "robot", "cotty-directory": str(cotty.work)}
    made = rest("POST", "/v1/sessions", {"program": "/bin/cat"}, headers=agent, status=201)
    info = rest("GET", f"/v1/sessions/{made['session_id']}", headers=agent)
    assert (info["owner"], info["cwd"]) == (f"{'[rest] ' * (rest.kind == 'http')}robot in {cotty.work}", str(cotty.work))
    mine = rest("POST", "/v1/sessions", {"program": "/bin/cat"}, status=201)["session_id"]
    rest.refused("GET", f"/v1/sessions/{mine}", code="NOT_YOURS", status=403, headers=agent)
    rest.refused("POST", "/v1/tokens", {"name": "x"}, code="NOT_A_PERSON", status=403, headers=agent)
    assert "`person` or `agent`" in rest.refused("GET", "/v1/sessions", headers={"cotty-actor": "god"})["hint"]


def test_the_same_idempotency_key_acts_once(cotty, rest):
    once = {"idempotency-key": "once"}
    made = [rest("POST", "/v1/sessions", {"program": "/bin/cat"}, headers=once, status=201)["session_id"] for _ in "12"]
    assert made[0] == made[1] and rest("GET", "/v1/sessions")["count"] == 1
    path = f"/v1/sessions/{made[0]}/send"
    for key in ("a", "a", "b"):
        rest("POST", path, {"text": "x\n"}, headers={"idempotency-key": key})
    cotty("wait", made[0], "--idle", "300")
    assert cotty.json("view", made[0])["content"].split() == ["x"] * 4
    rest.refused("GET", "/v1/sessions", headers={"idempotency-key": "x" * 201})


def test_an_idempotency_key_is_for_one_request(cotty, rest):
    key = {"idempotency-key": "one"}
    session = rest("POST", "/v1/sessions", {"program": "/bin/cat"}, headers=key, status=201)["session_id"]
    path = f"/v1/sessions/{session}/send"
    again = {"code": "RETRY_ID_REUSED", "status": 422, "headers": key}
    rest.refused("POST", "/v1/sessions", {"program": "/bin/true"}, **again)
    rest.refused("POST", path, {"text": "x\n"}, **again)
    # The next daemon knows it, too.
    os.kill(cotty.status()["pid"], signal.SIGKILL)
    rest.refused("POST", path, {"text": "x\n"}, **again)
    assert rest("POST", "/v1/sessions", {"program": "/bin/cat"}, headers=key, status=201)["session_id"] == session
    # Nothing of a secret is kept, not even a hash: such a request is not compared.
    rest("POST", "/v1/sessions", {"program": "/bin/sh", "args": ["-c", "stty -echo; read x; read y"], "name": "asks"}, status=201)
    cotty("wait", "asks", "--secret")
    for text in ("one\n", "two\n"):
        rest("POST", "/v1/sessions/asks/send", {"text": text}, headers={"idempotency-key": "secret"})


def test_errors_are_json(cotty, rest):
    session = rest("POST", "/v1/sessions", {"program": "/bin/cat"}, status=201)["session_id"]
    path = f"/v1/sessions/{session}"
    for method, url in (("GET", "/v1/nothing"), ("POST", "/v1"), ("GET", f"{path}/nothing"), ("GET", "/v1/sessions/a/b/c")):
        if url == "/v1" and rest.kind == "http":
            continue
        error = rest.refused(method, url, code="UNKNOWN_ROUTE", status=404)
        assert "openapi.json" in error["hint"]
    for method, url, allowed in (("PUT", "/v1/sessions", "GET,HEAD,POST"), ("GET", f"{path}/send", "POST"), ("GET", "/v1/call", "POST")):
        rest.refused(method, url, code="WRONG_METHOD", status=405)
        response, _ = rest.raw(method, url)
        assert set(re.split(r", *", response.headers["allow"])) == set(allowed.split(","))
    for body in ("{", "[1]", "null", '"x"', "\xff"):
        response, text = rest.raw("POST", f"{path}/send", body.encode("latin-1"))
        assert (response.status, json.loads(text)["error"]["code"]) == (400, "INVALID_INPUT"), body
    assert "`txet`" in rest.refused("POST", f"{path}/send", {"txet": "x"})["message"]
    assert "integer" in rest.refused("POST", f"{path}/send", {"text": 5})["message"]
    assert "u16" in rest.refused("POST", "/v1/sessions", {"cols": 1 << 20})["message"]
    rest.refused("GET", f"{path}/read?limit=many")
    rest.refused("GET", f"{path}/read?view=nothing")
    rest.refused("GET", f"{path}/read?view=new&view=screen")
    rest.refused("GET", f"{path}/read", {"view": "new"})
    rest.refused("POST", f"{path}/send?text=x", {})
    rest.refused("POST", f"{path}/send", {"session": "other", "text": "x"})
    rest.refused("GET", "/v1/sessions/nothing", code="SESSION_NOT_FOUND", status=404)
    rest.refused("POST", f"{path}/run", {"command": "true"}, code="NO_SHELL", status=409)
    assert cotty.json("view", session)["content"].strip() == ""


def test_too_large_a_body_is_refused_as_json(rest):
    session = rest("POST", "/v1/sessions", {"program": "/bin/cat"}, status=201)["session_id"]
    for path in (f"/v1/sessions/{session}/send", "/v1/call"):
        # Only announced: the daemon refuses the body without reading it.
        connection, headers = rest.connect()
        connection.putrequest("POST", path)
        for name, value in (headers | {"content-length": str(17 << 20)}).items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        error = json.loads(response.read())["error"]
        connection.close()
        assert (response.status, error["code"]) == (413, "TOO_LARGE") and error["hint"]


def test_a_waiting_route_does_not_delay_the_others(cotty, rest):
    session = rest("POST", "/v1/sessions", {"program": "/bin/cat"}, status=201)["session_id"]
    answers = []

    def wait():
        answers.append(rest("GET", f"/v1/sessions/{session}/wait", text="now", timeout_ms=LIMIT * 1000))

    waiting = threading.Thread(target=wait)
    waiting.start()
    eventually(lambda: metrics(rest)["cotty_waits"] == 1)
    rest("POST", f"/v1/sessions/{session}/send", {"text": "now"})
    waiting.join()
    assert answers[0]["met"] == "text"
    assert metrics(rest)["cotty_waits"] == 0


def test_openapi_describes_every_route(cotty, rest):
    api = rest("GET", "/v1/openapi.json")
    assert api["openapi"].startswith("3.1")
    operations = {
        operation["operationId"]: (method.upper(), path)
        for path, methods in api["paths"].items()
        for method, operation in methods.items()
    }
    schema = rest("GET", "/v1/schema.json")
    assert set(operations) == {*schema["operations"], "metrics"}
    assert operations["send"] == ("POST", "/v1/sessions/{session}/send")
    # Every described route exists with its method. These two would end the daemon.
    for method, path in (route for name, route in operations.items() if name not in ("restart", "stop")):
        response, text = rest.raw(method, path.replace("{session}", "nothing").replace("{name}", "nothing"))
        assert response.status < 500 and "UNKNOWN_ROUTE" not in text and "WRONG_METHOD" not in text, (method, path, text)
    references = set(re.findall(r'"\$ref": "([^"]*)"', json.dumps(api)))
    for reference in references:
        found = api
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]


def test_replies_match_the_schema(cotty, rest):
    """Checks by hand the part of JSON Schema that our types use."""
    schema = rest("GET", "/v1/schema.json")
    session = rest("POST", "/v1/sessions", {"program": "bash"}, status=201)
    path = f"/v1/sessions/{session['session_id']}"
    replies = {
        "create": session,
        "list": rest("GET", "/v1/sessions"),
        "info": rest("GET", path),
        "run": rest("POST", f"{path}/run", {"command": "echo x"}),
        "send": rest("POST", f"{path}/send", {"text": "x"}),
        "read": rest("GET", f"{path}/read"),
        "wait": rest("GET", f"{path}/wait", timeout_ms=1),
        "commands": rest("GET", f"{path}/commands"),
        "status": rest("GET", "/v1/status"),
        "token_list": rest("GET", "/v1/tokens"),
    }
    for name, reply in replies.items():
        fits(reply, schema["operations"][name]["reply"], schema, name)


def fits(value, schema, root, where):
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where)
    options = schema.get("oneOf") or schema.get("anyOf")
    if options:
        problems = []
        for option in options:
            try:
                return fits(value, option, root, where)
            except AssertionError as problem:
                problems.append(str(problem))
        raise AssertionError(f"{where}: {value} is none of {problems}")
    if "const" in schema:
        assert value == schema["const"], where
    if "enum" in schema:
        assert value in schema["enum"], where
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None), "array": list, "object": dict}
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types:
        assert any(isinstance(value, kinds[kind]) and (kind == "boolean") == isinstance(value, bool) for kind in types), f"{where}: {value}"
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema.get("required", [])) <= set(value), where
        assert set(value) <= set(schema["properties"]), f"{where}: {set(value) - set(schema['properties'])}"
        for name, part in value.items():
            fits(part, schema["properties"][name], root, f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for part in value:
            fits(part, schema["items"], root, where)


USE = """
import type { Call, FromViewer, InfoReply, Operations, ReadParams, SendParams, ToViewer, Update } from "./cotty";

async function call<Name extends keyof Operations>(op: Name, params: Operations[Name]["params"]): Promise<Operations[Name]["reply"]> {
  const body: Call = { op, retry_id: "1", caller: { kind: "person", client: "test" }, params };
  return (await fetch("/v1/call", { method: "POST", body: JSON.stringify(body) })).json();
}

const made = await call("create", { program: "bash", args: ["--norc"], env: { A: "b" } });
const id: string = made.session_id;
const read: ReadParams = { session: id, view: "screen", wait: { prompt: true } };
const screen: string = (await call("read", read)).content;
const typed: SendParams = { session: id, text: screen, paste: "auto", mouse: null };
const sent: number = (await call("send", typed)).seq;
const info: InfoReply = await call("info", { session: id });
const code: number | null = info.exit_code;
const key: FromViewer = { type: "key", key: "up", ctrl: true, alt: false, shift: false };
export function shown(message: ToViewer): string {
  switch (message.type) {
    case "paint": return message.data;
    case "refused": return message.code + message.message;
    case "exited": return String(message.exit_code);
    case "gone": return "";
    case "proof": return message.proof;
    case "presence": return message.others.map((other) => other.name).join();
  }
}
export function text(update: Update): string[] {
  return update.type === "snapshot" ? update.lines : [];
}
export const all = { sent, code, key };
"""
WRONG = {
    'await call("create", { program: 5 })': "number",
    'await call("read", { session: "x", view: "nothing" })': "nothing",
    'const x: number = (await call("read", { session: "x" })).content': "string",
    'await call("nothing", {})': "nothing",
}


@pytest.mark.slow
def test_the_types_compile_as_typescript(cotty):
    tsc = ROOT / "web" / "node_modules" / ".bin" / "tsc"
    (cotty.work / "cotty.ts").write_text(cotty("__typescript"))
    (cotty.work / "package.json").write_text('{"type": "module"}')
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom"]

    def compile(text):
        (cotty.work / "use.ts").write_text(text)
        command = [tsc, *options, "cotty.ts", "use.ts"]
        return subprocess.run(command, cwd=cotty.work, capture_output=True, text=True, timeout=4 * LIMIT, check=False)

    done = compile(USE)
    assert done.returncode == 0, done.stdout
    for line, word in WRONG.items():
        done = compile(f"{USE}\n{line};\n")
        assert done.returncode != 0 and word in done.stdout, (line, done.stdout)
    rest = Rest(cotty, "socket")
    assert rest.raw("GET", "/v1/types.ts")[1] == (cotty.work / "cotty.ts").read_text()


def metrics(rest):
    """All metrics by name, parsed from the text format of Prometheus."""
    response, text = rest.raw("GET", "/metrics")
    assert response.status == 200 and response.headers["content-type"].startswith("text/plain; version=0.0.4")
    values, described = {}, set()
    for line in text.splitlines():
        if line.startswith("# "):
            described.add(line.split()[2])
            continue
        found = re.fullmatch(r'([a-z_]+)(\{[a-z]+="\w+"(?:,[a-z]+="\w+")*\})? (\d+)', line)
        assert found and found[1] in described, line
        values[found[1] + (found[2] or "")] = int(found[3])
    return values


def test_metrics_count_what_happens(cotty, rest):
    before = metrics(rest)
    assert before['cotty_sessions{state="live"}'] == 0 and before["cotty_daemon_restarts_total"] == 0
    assert before["cotty_resident_memory_bytes"] > 1 << 20
    session = cotty.new()
    ended = cotty.new("--", "true")
    cotty("wait", ended, "--exit")
    cotty("run", "--", "seq", "1000")
    viewer = WebSocket(rest.status["socket"], f"/v1/sessions/{session}/view")
    viewer.read()
    rest.refused("GET", "/v1/sessions/nothing", code="SESSION_NOT_FOUND", status=404)
    now = metrics(rest)
    assert (now['cotty_sessions{state="live"}'], now["cotty_viewers"]) == (1, 1)
    assert now['cotty_sessions{state="exited"}'] >= 1
    assert now["cotty_sessions_created_total"] == 3
    assert now["cotty_read_bytes_total"] - before["cotty_read_bytes_total"] > 3893
    assert now['cotty_operations_total{name="create",outcome="ok"}'] == 3
    assert now['cotty_operations_total{name="info",outcome="SESSION_NOT_FOUND"}'] == 1
    rest.refused("POST", "/v1/tokens", {}, code="NOT_A_PERSON", status=403, headers={"cotty-actor": "agent"})
    assert metrics(rest)['cotty_operations_total{name="token_new",outcome="NOT_A_PERSON"}'] == 1
    assert now["cotty_recordings_bytes"] > 0
    viewer.close()
    eventually(lambda: metrics(rest)["cotty_viewers"] == 0)
    cotty.kill_daemon()
    cotty("ls")
    after = metrics(rest)
    assert after["cotty_daemon_restarts_total"] == 1 and after["cotty_sessions_created_total"] == 3


def test_metrics_over_http_need_a_token_that_may_be_read_only(cotty):
    rest = Rest(cotty, "http")
    address = urlsplit(rest.status["http"])

    def get(**headers):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=LIMIT)
        connection.request("GET", "/metrics", headers=headers)
        response = connection.getresponse()
        response.read()
        return response.status

    token = cotty("token", "new", "--name", "prometheus", "--read-only").strip()
    assert (get(), get(authorization=f"Bearer {token}")) == (401, 200)
