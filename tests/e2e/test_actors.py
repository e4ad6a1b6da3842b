"""The kernel, not the caller, says who calls: a process inside a session gets only that session's rights."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, alive, eventually
from websocket import WebSocket

INSIDER = Path(__file__).parent / "programs" / "insider.py"
# The kernel tells different users different things about other processes.
pytestmark = pytest.mark.as_root


def call(op, actor="person", **params):
    """One operation, in the form that `insider.py` takes."""
    body = {
        "op": op,
        "retry_id": os.urandom(8).hex(),
        "caller": {"kind": actor, "client": "inside"},
        "origin": {"cwd": "/", "env": {"PATH": os.environ["PATH"]}},
        "params": params,
    }
    return ["POST", "/v1/call", body]


class Inside:
    """Calls the daemon from inside a new session of an agent or a person."""

    def __init__(self, cotty, maker):
        self.cotty, self.maker = cotty, maker
        cotty("ls")
        self.path = cotty.status()["socket"]
        self.session = self.make()

    def make(self):
        made = self.cotty.call("create", actor=self.maker, program="bash", args=["--norc", "--noprofile"])
        assert made["ready"], made
        return made["session_id"]

    def run(self, line, session=None):
        """Types a line into the session (by default its own)."""
        self.cotty.call("send", actor=self.maker, session=session or self.session, text=f"{line}\n")

    def ask(self, *requests, how="here", env=""):
        out = self.cotty.work / os.urandom(4).hex()
        out.write_text(json.dumps(requests))
        self.run(f"{env} {sys.executable} -S -E {INSIDER} {how} {self.path} {out}")
        answers = Path(f"{out}.answers")
        eventually(answers.exists)
        return json.loads(answers.read_text())

    def codes(self, *requests, **more):
        """The result of each call: `ok`, or the error code."""

        def code(answer):
            body = answer[1]
            return body["error"]["code"] if isinstance(body, dict) and "error" in body else "ok"

        return [code(answer) for answer in self.ask(*requests, **more)]


def every_operation(own, other):
    """A call of every operation. Those that take a session are aimed at the caller's own and at another."""
    return {
        "create": call("create", program="true"),
        "create as an agent": call("create", actor="agent", program="true"),
        "send": call("send", session=own, text="x"),
        "send elsewhere": call("send", session=other, text="x"),
        "run": call("run", session=own, command="true"),
        "keyboard": call("keyboard", session=own, action="take"),
        "answer": call("answer", request_id="req_nowhere1"),
        "signal": call("signal", session=own, signal="CONT"),
        "resize": call("resize", session=own, cols=90),
        "configure": call("configure", session=own, history_lines=5),
        "capture": call("capture", session=own, action="start"),
        "panel_open": call("panel_open"),
        "destroy": call("destroy", session=own),
        "destroy elsewhere": call("destroy", session=other),
        "purge": call("purge", all=True),
        "restart": call("restart"),
        "stop": call("stop"),
        "token_new": call("token_new", name="stolen"),
        "token_list": call("token_list"),
        "token_revoke": call("token_revoke", name="ci"),
        "token_rotate": call("token_rotate"),
        "read elsewhere": call("read", session=other),
        "info elsewhere": call("info", session=other),
        "snapshot elsewhere": call("snapshot", session=other),
        "wait elsewhere": call("wait", session=other, timeout_ms=1),
        "recording elsewhere": call("recording", session=other),
        "search elsewhere": call("search", session=other, regex="x"),
        "commands elsewhere": call("commands", session=other),
        "ask elsewhere": call("ask", session=other, message="x", wait_ms=0),
        "withdraw elsewhere": call("withdraw", session=other, request_id="req_nowhere1"),
    }


def allowed_for_a_child(own):
    """The calls that a child may make."""
    return [
        call("read", session=own),
        call("info", session=own),
        call("wait", session=own, timeout_ms=1),
        call("search", session=own, regex="x"),
        call("commands", session=own),
        call("recording", session=own),
        call("snapshot", session=own),
        call("panels"),
        call("list"),
        call("status"),
        call("requests"),
        call("ask", session=own, message="look", wait_ms=0),
    ]


def test_a_process_in_an_agents_session_may_read_that_session_and_nothing_else(cotty):
    inside = Inside(cotty, "agent")
    token = cotty("token", "new", "--name", "ci").strip()
    # Another session of the same owner.
    other = inside.make()
    attempts = every_operation(inside.session, other)
    codes = dict(zip(attempts, inside.codes(*attempts.values()), strict=True))
    looked = [name for name in attempts if name.split()[0] in ("read", "info", "snapshot", "wait", "recording", "search", "commands", "ask", "withdraw")]
    assert {name: code for name, code in codes.items() if name in looked} == dict.fromkeys(looked, "NOT_YOURS")
    rest = [name for name in attempts if name not in looked]
    assert {name: code for name, code in codes.items() if name in rest} == dict.fromkeys(rest, "NOT_ALLOWED")
    answers = inside.ask(*allowed_for_a_child(inside.session), ["GET", f"/v1/sessions/{inside.session}"], ["GET", "/metrics"])
    assert [status for status, _ in answers] == [200] * 13 + [403]
    listed = answers[8][1]["ok"]
    assert [s["session_id"] for s in listed["sessions"]] == [inside.session]
    # Whoever has the link is a person.
    assert "key" not in answers[9][1]["ok"]["link"]
    assert [t["name"] for t in cotty.json("token", "list")["tokens"]] == ["ci"] and token
    assert {s["session_id"] for s in cotty.json("ls")["sessions"]} == {inside.session, other}


def test_a_process_in_a_persons_session_acts_as_an_agent(cotty):
    inside = Inside(cotty, "person")
    other = inside.make()
    attempts = every_operation(inside.session, other)
    # It may make sessions, and may use none of the person's.
    mine = ["create", "create as an agent", "panel_open"]
    person = ["answer", "purge", "restart", "stop", "token_new", "token_list", "token_revoke", "token_rotate"]
    expected = {name: "NOT_YOURS" for name in attempts} | dict.fromkeys(mine, "ok") | dict.fromkeys(person, "NOT_A_PERSON")
    assert dict(zip(attempts, inside.codes(*attempts.values()), strict=True)) == expected
    made = inside.ask(call("create", program="cat"))[0][1]["ok"]["session_id"]
    answers = inside.ask(call("send", session=made, text="x"), call("keyboard", session=made, action="take"), call("list"))
    # It learns what the program did with the input, as agents do.
    assert "consumed" in answers[0][1]["ok"]
    assert answers[1][1]["error"]["code"] == "NOT_A_PERSON"
    assert made in [s["session_id"] for s in answers[2][1]["ok"]["sessions"]]
    assert inside.session not in [s["session_id"] for s in answers[2][1]["ok"]["sessions"]]
    assert cotty.info(made)["owner"] == f"({inside.session}) inside in /"
    assert inside.ask(call("destroy", session=made))[0][0] == 200


def test_a_process_in_a_persons_session_cannot_name_the_owner_of_other_sessions(cotty):
    persons, others = Inside(cotty, "person"), Inside(cotty, "person")
    agents = cotty.call("create", program="cat")["session_id"]
    owner = cotty.info(agents)["owner"]
    assert owner == f"tests in {cotty.work}"
    theirs = others.ask(call("create", program="cat"))[0][1]["ok"]["session_id"]
    for session, client, cwd in (
        (agents, "tests", str(cotty.work)),
        (theirs, "inside", "/"),
        (theirs, f"({others.session}) inside", "/"),
    ):
        method, path, body = call("read", actor="agent", session=session)
        body |= {"caller": {"kind": "agent", "client": client}, "origin": {"cwd": cwd, "env": {}}}
        assert persons.codes([method, path, body]) == ["NOT_YOURS"], client
    # From outside neither.
    claim = cotty.any_call("read", client=f"({others.session}) inside", session=theirs)
    assert claim["error"]["code"] == "NOT_YOURS"
    assert others.codes(call("read", session=theirs)) == ["ok"]


@pytest.mark.parametrize("how", ["orphan", "daemon"])
def test_an_orphan_keeps_the_rights_of_its_session(cotty, how):
    inside = Inside(cotty, "agent")
    asked = [call("create", program="true"), call("send", session=inside.session, text="x"), call("token_list")]
    assert inside.codes(*asked, how=how) == ["NOT_ALLOWED"] * 3
    # It may read its own session, which the kernel knows. Its environment is not trusted.
    other = inside.make()
    reads = [call("read", session=inside.session), call("read", session=other)]
    assert inside.codes(*reads, how=how) == ["ok", "NOT_YOURS"]
    assert inside.codes(*reads, how=how, env=f"COTTY_SESSION={other}") == ["ok", "NOT_YOURS"]
    assert inside.codes(*reads, how=how, env="env -i") == ["ok", "NOT_YOURS"]


@pytest.mark.parametrize("how", ["orphan", "daemon"])
def test_an_orphan_in_a_persons_session_is_an_agent(cotty, how):
    inside = Inside(cotty, "person")
    asked = [call("create", program="true"), call("token_list")]
    assert inside.codes(*asked, how=how) == ["ok", "NOT_A_PERSON"]


@pytest.mark.parametrize("how", ["here", "orphan", "daemon"])
def test_a_process_cannot_raise_its_trust_through_its_environment(cotty, how):
    persons, agents = Inside(cotty, "person"), Inside(cotty, "agent")
    asked = [call("create", program="true"), call("token_list"), call("read", session=persons.session)]
    for env in (f"COTTY_SESSION={persons.session}", "env -u COTTY_SESSION", "COTTY_SESSION=nothing"):
        codes = agents.codes(*asked, how=how, env=env)
        assert codes == ["NOT_ALLOWED", "NOT_ALLOWED", "NOT_YOURS"], env


def test_an_orphan_outlives_its_program_and_stays_a_child(cotty):
    inside = Inside(cotty, "agent")
    out = cotty.work / "later"
    out.write_text(json.dumps([call("create", program="true"), call("list")]))
    go = cotty.work / "go"
    # Detached from the terminal, so that it survives the end of the program.
    wait = f"until [ -e {go} ]; do sleep 0.02; done"
    inside.run(f"setsid bash -c '{wait}; exec {sys.executable} -S -E {INSIDER} here {inside.path} {out}' & disown")
    eventually(lambda: f"until [ -e {go} ]" in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout)
    cotty("send", inside.session, "exit", "-e")
    cotty("wait", inside.session, "--exit")
    go.touch()
    eventually(Path(f"{out}.answers").exists)
    (made, _), (_, listed) = json.loads(Path(f"{out}.answers").read_text())
    assert made == 403 and [session["session_id"] for session in listed["ok"]["sessions"]] == [inside.session]


def test_the_command_line_inside_an_agents_session_is_refused_with_a_reason(cotty):
    inside = Inside(cotty, "agent")
    said = cotty.work / "said"
    inside.run(f"({BINARY} new; {BINARY} token new --name x; {BINARY} send {inside.session} x; {BINARY} view $COTTY_SESSION) > {said} 2>&1; mv {said} {said}.done")
    done = Path(f"{said}.done")
    eventually(done.exists)
    text = done.read_text()
    assert text.count("cotty: a process inside an agent's session may only read that session and ask a person") == 3
    assert "do it from outside" in text and "bash" in text


@pytest.mark.anyio
async def test_an_mcp_server_inside_a_session_gains_no_rights(cotty):
    """`cotty mcp` in an agent's session is that session's child; in a person's session it is an ordinary agent."""
    call_create = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"terminal__create_session","arguments":{"program":"cat"}}}'
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}'
    ready = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    for maker, expected in (("agent", "NOT_ALLOWED"), ("person", "session_id")):
        inside = Inside(cotty, maker)
        lines = cotty.work / f"lines-{maker}"
        lines.write_text("\n".join([hello, ready, call_create]) + "\n")
        inside.run(f"{BINARY} mcp < {lines} > {lines}.part; mv {lines}.part {lines}.out")
        out = Path(f"{lines}.out")
        eventually(out.exists)
        answer = json.loads(out.read_text().splitlines()[-1])
        assert answer["id"] == 2 and expected in json.dumps(answer["result"]), answer


def test_attach_inside_a_persons_session_types_as_an_agent(cotty):
    """It can attach to sessions it made there, but not to the person's other sessions."""
    inside = Inside(cotty, "person")
    inside.run(f"{BINARY} attach {inside.make()}; {BINARY} attach $({BINARY} new --name inner -- cat)")

    def viewers():
        return "cotty_viewers 1\n" in cotty.metrics()

    eventually(viewers)
    cotty.call("send", actor="person", session=inside.session, text="typed\n")
    cotty("wait", "inner", "--text", "typed")
    info = cotty.info("inner")
    assert (info["keyboard"]["holder"], info["owner"]) == ("agent", f"({inside.session}) cotty cli in {cotty.work}")
    for key in ("ctrl+]", "d"):
        cotty.call("send", actor="person", session=inside.session, key=key)
    cotty("wait", inside.session, "--prompt")
    assert "belongs to person" in cotty("view", inside.session)


def test_a_program_that_connects_immediately_is_identified(cotty):
    """It connects while the daemon is still creating its session."""
    cotty("ls")
    path = cotty.status()["socket"]
    for maker, expected in (("agent", [403, 403]), ("person", [200, 403])):
        for turn in range(5):
            out = cotty.work / f"{maker}-{turn}"
            out.write_text(json.dumps([call("create", program="true"), call("token_list")]))
            cotty.call("create", actor=maker, program=sys.executable, args=["-S", "-E", str(INSIDER), "here", path, str(out)])
            eventually(Path(f"{out}.answers").exists)
            answers = json.loads(Path(f"{out}.answers").read_text())
            assert [status for status, _ in answers] == expected


def test_trust_is_the_same_after_a_daemon_kill(cotty):
    agents, persons = Inside(cotty, "agent"), Inside(cotty, "person")
    pid = cotty.kill_daemon()
    eventually(lambda: not alive(pid))
    asked = [call("create", program="true"), call("token_list")]
    assert agents.codes(*asked) == ["NOT_ALLOWED"] * 2
    assert agents.codes(*asked, how="orphan") == ["NOT_ALLOWED"] * 2
    assert persons.codes(*asked) == ["ok", "NOT_A_PERSON"]


def test_a_child_may_view_its_own_session_but_not_type(cotty):
    inside = Inside(cotty, "agent")
    other = inside.make()
    said = cotty.work / "said"
    script = cotty.work / "view.py"
    script.write_text(
        f"import json, sys; sys.path[:0] = {sys.path!r}\n"
        "from websocket import WebSocket\n"
        f"def view(session):\n    return WebSocket({inside.path!r}, f'/v1/sessions/{{session}}/view')\n"
        f"own = view({inside.session!r}); first = own.read()['type']\n"
        "own.send({'type': 'text', 'text': 'echo typed\\n'})\n"
        "while (answer := own.read())['type'] != 'refused': pass\n"
        f"json.dump([first, answer['code'], view({other!r}).status], open({str(said)!r} + '.new', 'w'))\n"
        f"import os; os.rename({str(said)!r} + '.new', {str(said)!r})\n"
    )
    inside.run(f"{sys.executable} {script}")
    eventually(said.exists)
    assert json.loads(said.read_text()) == ["paint", "NOT_ALLOWED", 403]


def test_a_viewer_outside_is_a_person(cotty):
    """A process that does not descend from the keeper is trusted to say who it is."""
    session = cotty.new("--", "cat")
    socket = WebSocket(cotty.status()["socket"], f"/v1/sessions/{session}/view")
    socket.send({"type": "text", "text": "typed"})
    cotty("wait", session, "--text", "typed")
    assert cotty.info(session)["keyboard"]["holder"] == "person"
    socket.close()
    assert cotty.call("purge", actor="agent", all=True, error="NOT_A_PERSON")["hint"]
    cotty.call("send", actor="child", session=session, text="x", error="NOT_ALLOWED")


@pytest.mark.root_only
def test_another_user_is_refused(cotty):
    cotty.new()
    path = Path(cotty.status()["socket"])
    # As if someone had opened the permissions.
    for place in (path.parents[2], path.parents[1], path.parent):
        place.chmod(0o755)
    path.chmod(0o666)
    out = Path("/tmp") / f"cotty-{os.urandom(6).hex()}"
    out.mkdir()
    out.chmod(0o777)
    try:
        (out / "asked").write_text(json.dumps([call("list"), ["GET", "/v1/status"]]))
        (out / "insider.py").write_text(INSIDER.read_text())
        command = [sys.executable, "-S", "-E", out / "insider.py", "here", path, out / "asked"]
        subprocess.run(command, user=65534, group=65534, extra_groups=[], timeout=LIMIT, check=True)
        answers = json.loads((out / "asked.answers").read_text())
        assert [(status, body["error"]["code"]) for status, body in answers] == [(401, "UNAUTHORIZED")] * 2
    finally:
        subprocess.run(["rm", "-r", out], check=True)
        path.parents[1].chmod(0o700)
        path.parent.chmod(0o700)


def test_a_program_with_a_non_utf8_name_is_identified(cotty):
    inside = Inside(cotty, "agent")
    shell = os.path.join(os.fsencode(cotty.work), b"\xff")
    shutil.copy("/bin/sh", shell)
    done = cotty.work / "done"
    inside.run(f"$'{cotty.work}/\\xff' -c 'env -u COTTY_SESSION {BINARY} token new --name mine; echo $? > {done}.new; mv {done}.new {done}'")
    eventually(done.exists)
    assert done.read_text() == "1\n" and cotty.json("token", "list")["tokens"] == []


def test_a_retry_id_belongs_to_its_owner(cotty):
    made = [cotty.call("create", program="cat", client=name, request="same") for name in ("one", "two", "one")]
    assert made[0]["session_id"] == made[2]["session_id"] != made[1]["session_id"]


def test_a_lease_lasts_at_most_a_day(cotty):
    session = cotty.call("create", program="cat")["session_id"]
    cotty.call("keyboard", actor="person", session=session, action="take", lease_ms=2**64 - 1)
    assert 0 < cotty.call("keyboard", session=session, action="show")["returns_in_ms"] <= 24 * 3_600_000
    cotty.kill_daemon()
    assert cotty.call("info", session=session)["session_id"] == session
