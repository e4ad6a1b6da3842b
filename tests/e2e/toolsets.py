"""The tools of one set, through the official client."""

import json
from contextlib import asynccontextmanager

import anyio
import jsonschema
from agents import refusal
from conftest import LIMIT, with_plain_errors


class Tools:
    """Calls tools, and reads their answers."""

    def __init__(self, cotty, client):
        self.cotty, self.client = cotty, client

    async def __call__(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        # Some clients show the model only `content`, others only `structuredContent`.
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refused(self, code, tool, **arguments):
        """Makes a call that must fail, and returns the error."""
        return refusal(await self.client.call_tool(tool, arguments), code)

    async def operation(self, op, actor="person", **params):
        """Calls an operation that the set has no tool for: a person's keys, a wait."""
        return await anyio.to_thread.run_sync(lambda: self.cotty.call(op, actor=actor, **params))

    async def until(self, session, **conditions):
        """Waits for an event in a session."""
        waited = await self.operation("wait", session=str(session), timeout_ms=LIMIT * 1000, **conditions)
        assert waited["met"] != "timeout", waited
        return waited


@asynccontextmanager
async def tools_of(cotty, name, **options):
    async with with_plain_errors(cotty.mcp(args=["--tools", name], read_timeout_seconds=2 * LIMIT, **options)) as client:
        yield Tools(cotty, client)


async def described(cotty, name, mode):
    """The tools of a set as a client sees them, with their schemas checked; and the instructions."""
    async with cotty.mcp(args=["--tools", name], mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        instructions = client.instructions
    # R-P20
    assert instructions and len(instructions.encode()) < 1500
    for tool in tools.values():
        assert tool.description
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        described = tool.input_schema.get("properties", {}).values()
        assert all(value.get("description") for value in described), tool.name
    return tools


def hints(tool):
    """A tool's hints: read-only, destructive, open-world."""
    said = tool.annotations
    return said.read_only_hint, said.destructive_hint, said.open_world_hint
