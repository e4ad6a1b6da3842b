"""Hostile calls: each gets a clear error, nothing is lost or blocked, and the daemon keeps running."""

import anyio
import pytest
from agents import agent_of, implementation

pytestmark = pytest.mark.anyio

# A value of each type. Those that a schema accepts are left out.
VALUES = {"string": "x", "integer": 7, "number": 1.5, "boolean": True, "array": [[]], "object": {"no such name": 1}}
HUGE = 1 << 63


def types(schema):
    """The types that a part of a schema accepts."""
    if "enum" in schema or "const" in schema:
        return set()
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return set().union(*map(types, options))
    named = schema["type"]
    return set([named] if isinstance(named, str) else named)


def refused_values(schema):
    """Values that a part of a schema must refuse."""
    taken = types(schema)
    yield from (value for name, value in VALUES.items() if name not in taken and not (name == "integer" and "number" in taken))
    if "integer" in taken:
        yield from (value for value in (-HUGE, 2**70) if value < 0 or "maximum" in schema)
        if "maximum" in schema:
            yield schema["maximum"] + 1
    for name, inner in schema.get("properties", {}).items():
        yield from ({name: value} for value in refused_values(inner))
    if "items" in schema:
        yield from ([value] for value in refused_values(schema["items"]))


class Daemon:
    """Remembers the daemon, to check later that the same one still runs."""

    def __init__(self, cotty):
        self.cotty, self.pid = cotty, cotty.status()["pid"]

    def check_alive(self):
        assert self.cotty.status()["pid"] == self.pid


async def test_wrong_types_are_refused_for_every_parameter_of_every_tool(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        daemon = Daemon(cotty)
        tried = 0
        for tool in (await agent.client.list_tools()).tools:
            required = {name: "x" for name in tool.input_schema.get("required", [])}
            if "session_id" in tool.input_schema["properties"]:
                required["session_id"] = session
            for name, schema in tool.input_schema["properties"].items():
                for value in refused_values(schema):
                    answer = await agent.client.call_tool(tool.name, required | {name: value})
                    error = (answer.structured_content or {}).get("error", {})
                    assert answer.is_error, (tool.name, name, value, answer)
                    # A number is a valid session, but no session has this one.
                    if name == "session_id" and type(value) is int:
                        continue
                    assert error.get("code") == "INVALID_INPUT", (tool.name, name, value, answer)
                    assert name in error["message"], error
                    tried += 1
        assert tried > 300
        assert await agent.output(session, "echo untouched") == "untouched\n"
        daemon.check_alive()


@pytest.mark.slow
async def test_ten_mebibytes_of_text_are_typed_whole_or_refused(cotty):
    text = "x" * 1023 + "\n"
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert (await agent.run(session, "wc -c"))["state"] == "waiting_for_input"
        daemon = Daemon(cotty)
        answer = await agent.client.call_tool("terminal__send", {"session_id": session, "text": text * (10 << 10), "bracketed_paste": False})
        content = answer.structured_content
        # All of the text was typed, or none.
        if answer.is_error:
            assert content["error"]["code"] in ("INVALID_INPUT", "TOO_LARGE", "IO_ERROR"), content
            await agent("send", session_id=session, key="ctrl+d", read={"wait_for_prompt": True})
            assert content["error"]["message"]
        else:
            sent = await agent("send", session_id=session, steps=[{"wait": {"reads": True}}, {"key": "ctrl+d"}, {"wait": {"prompt": True}}])
            assert str(10 << 20) in sent["changed"], sent
        assert await agent.output(session, "echo on") == "on\n"
        for tool, arguments in [
            ("run", {"command": "true #" + text * (10 << 10)}),
            ("read", {"reader": text * 1024}),
            ("wait", {"text": text * 1024, "timeout_ms": 10}),
            ("wait", {"regex": text * (10 << 10), "timeout_ms": 10}),
            ("search", {"regex": text * (10 << 10)}),
            ("search", {"query": text * (10 << 10)}),
            ("send", {"key": text * 1024}),
            ("send", {"steps": [{"text": "x"}] * 10_000}),
        ]:
            answer = await agent.client.call_tool(f"terminal__{tool}", {"session_id": session} | arguments)
            assert answer.is_error and answer.structured_content["error"]["code"], (tool, str(answer)[:500])
            assert len(answer.content[0].text) < 20_000, "the error repeats its input"
        answer = await agent.client.call_tool("terminal__read", {"session_id": text * (10 << 10)})
        assert answer.is_error
        assert await agent.output(session, "echo goes on") == "goes on\n"
        daemon.check_alive()


async def test_absurd_sizes_and_numbers_do_no_harm(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        daemon = Daemon(cotty)
        await agent.output(session, "echo something to read")
        for size in (0, 1001, 65535):
            await agent.refused("INVALID_INPUT", "resize", session_id=session, rows=size)
            await agent.refused("INVALID_INPUT", "create_session", program="cat", cols=size)
        for most in (1, HUGE, 2**64 - 1):
            read = await agent("read", session_id=session, view="new", since=most)
            assert most == 1 or read["content"] == ""
            await agent("read", session_id=session, view="new", since=0, offset=most, max_bytes=most)
            await agent("read", session_id=session, view="scrollback", offset=most, limit=most)
            await agent("read", session_id=session, wait_idle_ms=1, timeout_ms=most)
            await agent("search", session_id=session, query="something", limit=most)
        assert (await agent.run(session, "echo yes", timeout_ms=2**64 - 1, max_bytes=2**64 - 1))["output"] == "yes\n"
        # No call lasts longer than its limit, whatever its timeout.
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, text="never", timeout_ms=0)
        await agent.refused("MOUSE_OFF", "send", session_id=session, mouse={"row": 65535, "col": 65535})
        daemon.check_alive()


async def test_explosive_patterns_do_no_harm(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        daemon = Daemon(cotty)
        await agent.run(session, "printf 'a%.0s' $(seq 5000); echo", max_bytes=10)
        for pattern in ("(a+)+$b", "(a|aa)*c", "(.*)*d", "^(([a-z])+.)+[A-Z]([a-z])+$"):
            found = await agent("search", session_id=session, regex=pattern)
            assert "count" in found
            await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, regex=f"{pattern}never", since=0, timeout_ms=20)
        for pattern in ("a{1000}{1000}{1000}", "(((x{100}){100}){100})", "[" * 1000, "(" * 100_000, "\\", "(?<n>x)(?<n>y)"):
            await agent.refused("INVALID_PATTERN", "search", session_id=session, regex=pattern)
            await agent.refused("INVALID_PATTERN", "wait", session_id=session, regex=pattern)
        assert await agent.output(session, "echo on") == "on\n"
        daemon.check_alive()


async def test_a_hundred_calls_at_once_on_one_session_are_all_answered(cotty):
    calls = [
        ("read", {"view": "screen"}),
        ("read", {"view": "new", "reader": "many"}),
        ("wait", {"idle_ms": 1}),
        ("get_info", {}),
        ("search", {"query": "x"}),
    ]
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat", rows=200))["session_id"]
        other = await agent.shell()
        daemon = Daemon(cotty)

        async def call(n):
            if n % 2:
                await agent("send", session_id=session, text=f"line {n}\n")
            else:
                tool, arguments = calls[n // 2 % len(calls)]
                await agent(tool, session_id=session, **arguments)

        async with anyio.create_task_group() as tasks:
            for n in range(100):
                tasks.start_soon(call, n)
            # Another session is not affected.
            assert await agent.output(other, "echo other") == "other\n"
        expected = sorted(f"line {n}" for n in range(1, 100, 2) for _ in ("echo", "cat"))
        await agent("wait", session_id=session, idle_ms=100)
        assert sorted((await agent("read", session_id=session))["content"].splitlines()) == expected
        daemon.check_alive()


async def test_a_hundred_runs_at_once_run_or_are_refused(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        daemon = Daemon(cotty)
        log = cotty.work / "log"
        done = []

        async def run(n):
            answer = await agent.client.call_tool("terminal__run", {"session_id": session, "command": f"echo {n} >> {log}"})
            content = answer.structured_content
            if answer.is_error:
                assert content["error"]["code"] in ("BUSY", "NOT_AT_PROMPT") and content["error"]["hint"], content
            else:
                assert content["exit_code"] == 0
                done.append(n)

        async with anyio.create_task_group() as tasks:
            for n in range(100):
                tasks.start_soon(run, n)
        assert done and sorted(map(int, log.read_text().split())) == sorted(done)
        assert await agent.output(session, "echo on") == "on\n"
        daemon.check_alive()


# R-T19
async def test_another_owners_session_is_hidden_by_id_number_and_name(cotty):
    async with agent_of(cotty) as one, agent_of(cotty, client_info=implementation("another")) as two:
        session = await one.shell(name="private")
        await one.output(session, "echo a secret of mine")
        number = (await one("get_info", session_id=session))["number"]
        needs = {"send": {"text": "x"}, "wait": {"idle_ms": 1}, "run": {"command": "true"}, "resize": {"rows": 30}, "search": {"query": "s"}}
        tools = [tool.name.removeprefix("terminal__") for tool in (await two.client.list_tools()).tools]
        for tool in set(tools) - {"create_session", "list_sessions", "request_user_input"}:
            for reference in (session, str(number), "private"):
                await two.refused("NOT_YOURS", tool, session_id=reference, **needs.get(tool, {}))
        for where in ("terminal", "recordings"):
            assert (await two("search", query="secret", where=where))["count"] == 0
        # A hint does not mention it either.
        error = await two.refused("SESSION_NOT_FOUND", "read", session_id="privat")
        assert "private" not in error["hint"]
        await two.refused("INVALID_INPUT", "create_session", program="cat", name="private")
        assert await one.output(session, "echo mine") == "mine\n"
