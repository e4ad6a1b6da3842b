"""An agent with few tools is not told of others."""

import json
import re

import pytest
from conftest import LIMIT, with_plain_errors
from agents import agent_of
from toolsets import tools_of

pytestmark = pytest.mark.anyio

SETS = ("terminal", "pty", "panel", "tui")
# The programs of the sessions that every tool is tried on. The last one has exited.
PROGRAMS = {
    "shell": ("bash",),
    "at work": ("sh", "-c", "cat; :"),
    "pager": ("less", "/etc/passwd"),
    "secret": ("sh", "-c", "stty -echo; read x"),
    "held": ("bash",),
    "over": ("true",),
}
SAMPLES = {"text": "x", "command": "cat <<X", "keys": "x", "width": 80, "height": 24, "rows": 24, "cols": 80, "lines": 100, "message": "please", "query": "x", "regex": "x"}
# Optional arguments, each for the tools that take it.
MORE = [
    {},
    {"timeout_ms": 1},
    {"view": "new"},
    {"text": "x", "read": {"view": "new"}},
    {"steps": [{"key": "escape"}, {"text": "x"}, {"mouse": {"label": "no such label"}}]},
    {"mouse": {"label": "no such label"}},
    {"timeout_seconds": 0},
    {"start_line": -1000000},
    {"regex": "("},
    {"no_such": 1},
]


def calls(tool, numbers):
    """Many arguments, for sessions that exist and for one that does not."""
    takes = tool.input_schema.get("properties", {})
    needs = {name: SAMPLES.get(name, "x") for name in tool.input_schema.get("required", ())}
    if "timeout_seconds" in takes:
        needs["timeout_seconds"] = 0
    for more in MORE:
        if not all(name in takes for name in more if name != "no_such"):
            continue
        for number in [*numbers, 99]:
            named = {"session_id": number if tool.name.startswith("pty") else str(number), "window_id": f"win_{number}", "panelId": f"p{number}"}
            yield {**needs, **{name: value for name, value in named.items() if name in takes}, **more}


async def sessions(cotty):
    """Creates one session of the agent for each program. Returns their numbers."""
    numbers = {}
    async with agent_of(cotty) as agent:
        for what, (program, *args) in PROGRAMS.items():
            made = await agent("create_session", program=program, args=args)
            numbers[what] = (await agent("get_info", session_id=made["session_id"]))["number"]
        await agent("wait", session_id=str(numbers["secret"]), secret=True)
        await agent("wait", session_id=str(numbers["over"]), exit=True)
    cotty.call("keyboard", actor="person", session=str(numbers["held"]), action="take")
    return numbers


@pytest.mark.slow
async def test_no_answer_names_a_tool_that_is_not_offered(cotty):
    tools = {}
    for name in SETS:
        async with tools_of(cotty, name) as offered:
            tools.update({tool.name: (name, tool) for tool in (await offered.client.list_tools()).tools})
    numbers, advised = await sessions(cotty), set()
    # Tools that end sessions come last.
    for only, (name, tool) in sorted(tools.items(), key=lambda tool: "kill" in tool[0] or "destroy" in tool[0]):
        args = ["--tools", name, "--only", only, "--max-call", "1"]
        async with with_plain_errors(cotty.mcp(args=args, read_timeout_seconds=2 * LIMIT)) as client:
            for arguments in calls(tool, numbers.values()):
                result = await client.call_tool(only, arguments)
                told = result.content[0].text + json.dumps(result.structured_content)
                assert not set(re.findall(r"\w+", told)) & (tools.keys() - {only}), (only, arguments, told)
                if result.is_error and result.structured_content["error"].get("hint"):
                    advised.add(result.structured_content["error"]["code"])
    # Every error that has a hint occurred.
    assert advised >= {"SESSION_NOT_FOUND", "SESSION_DESTROYED", "KEYBOARD_HELD", "SECRET_INPUT", "PROCESS_EXITED", "NOT_AT_PROMPT", "NO_SHELL", "WAIT_TIMEOUT"}, advised
