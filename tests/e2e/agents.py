"""An agent with the default tools, through the official client, and helpers to wait for its terminals."""

import json
import os
import shlex
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from conftest import LIMIT, SOAK, alive, eventually, eventually_async, with_plain_errors, within

TOOLS = {
    "terminal__create_session",
    "terminal__destroy_session",
    "terminal__list_sessions",
    "terminal__send",
    "terminal__read",
    "terminal__get_info",
    "terminal__run",
    "terminal__wait",
    "terminal__request_user_input",
    "terminal__search",
    "terminal__resize",
}
# Protocol revisions up to 2025-11-25 begin with `initialize`, those since 2026-07-28 do not.
ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])


def in_era(mode):
    """For a test that does not depend on the era: it runs in one era, and in both in a soak."""
    return ERAS if SOAK else pytest.mark.parametrize("mode", [mode])


def refusal(result, code):
    """Checks that a call failed with `code` and returns the error, which the text must contain in full."""
    assert result.is_error, result.structured_content
    error = result.structured_content["error"]
    assert error["code"] == code, error
    for part in (code, error["message"], error.get("hint") or ""):
        assert part in result.content[0].text
    return error


class Agent:
    """Calls tools by their short names."""

    def __init__(self, client):
        self.client = client

    async def __call__(self, tool, **arguments):
        result = await self.client.call_tool(f"terminal__{tool}", arguments)
        assert not result.is_error, result.content[0].text
        # SESSIONS.md trap 17: some clients show the model only `content`, others only `structuredContent`.
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refused(self, code, tool, **arguments):
        """Makes a call that must fail, and returns the error."""
        return refusal(await self.client.call_tool(f"terminal__{tool}", arguments), code)

    async def shell(self, **arguments):
        made = await self("create_session", program="bash", **arguments)
        assert made["ready"]
        return made["session_id"]

    async def run(self, session, command, **arguments):
        return await self("run", session_id=session, command=command, **arguments)

    async def output(self, session, command, code=0):
        """Runs a command and returns its output."""
        ran = await self.run(session, command)
        assert (ran["outcome"], ran["exit_code"]) == ("done", code), ran
        return ran["output"]

    async def type(self, session, text, **read):
        """Types text; with read options, also reads in the same call."""
        if not read:
            return await self("send", session_id=session, text=text)
        return (await self("send", session_id=session, text=text, read=read))["read_result"]

    async def doing(self, session, state, program):
        """Waits until a program has begun. No event announces this: the state is polled."""

        info = {}

        async def seen():
            info.update(await self("get_info", session_id=session))
            return (info["state"], info.get("foreground")) == (state, program)

        await eventually_async(seen, label=lambda: f"{program} is {state}; {info}")

    async def interrupt(self, session):
        """Presses Ctrl-C and waits for the prompt."""
        sent = await self("send", session_id=session, key="c", ctrl=True, read={"view": "new", "wait_for_prompt": True})
        assert sent["read_result"]["prompt_detected"], sent
        return sent["read_result"]


@asynccontextmanager
async def agent_of(cotty, **options):
    async with with_plain_errors(cotty.mcp(read_timeout_seconds=2 * LIMIT, **options)) as client:
        yield Agent(client)


def implementation(name):
    from mcp.types import Implementation

    return Implementation(name=name, version="1")


class Gate:
    """A fifo: a program that reads it waits until the test opens it."""

    def __init__(self, cotty, name="gate"):
        self.path = cotty.work / name
        os.mkfifo(self.path)

    def __str__(self):
        return shlex.quote(str(self.path))

    async def open(self, text="go"):
        fd = await soon(self.writer)
        os.write(fd, f"{text}\n".encode())
        os.close(fd)

    def writer(self):
        """The write end, once a program reads."""
        try:
            return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None


async def soon(what):
    return await anyio.to_thread.run_sync(lambda: eventually(what))


async def soon_not_busy(agent, session):
    """Waits until the daemon has processed a cancelled call, which then no longer has the input lease."""
    with within("the input lease is free"):
        while True:
            result = await agent.client.call_tool("terminal__run", {"session_id": session, "command": "true"})
            code = result.structured_content["error"]["code"]
            if code == "NOT_AT_PROMPT":
                return
            assert code == "BUSY"


def carriers(session):
    """Live processes that carry the session's mark in their environment."""
    mark = f"COTTY_SESSION={session}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0") and alive(entry.name):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


# Every tool that takes a session, with its other required arguments.
OF_A_SESSION = [
    ("read", {}),
    ("send", {"text": "x"}),
    ("get_info", {}),
    ("destroy_session", {}),
    ("wait", {"idle_ms": 1}),
    ("run", {"command": "true"}),
    ("resize", {"rows": 30}),
    ("search", {"query": "x"}),
]
