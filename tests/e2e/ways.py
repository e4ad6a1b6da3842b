"""The ways to connect an agent: stdio or HTTP, either era of MCP, and which half of an answer the model sees."""

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from conftest import BINARY, LIMIT, SOAK, with_plain_errors


@dataclass(frozen=True)
class Way:
    """A transport, an era, and the visible half of answers."""

    transport: str
    # Up to revision 2025-11-25 a conversation begins with `initialize` ("legacy"), since 2026-07-28 it does not.
    mode: str
    # Some clients show their model only `content`, others only `structuredContent`.
    shown: str

    def __str__(self):
        return f"{self.transport}-{self.mode}-{self.shown}"


STDIO_LEGACY = Way("stdio", "legacy", "content")
STDIO_NEW = Way("stdio", "2026-07-28", "structured")
HTTP_LEGACY = Way("http", "legacy", "structured")
HTTP_NEW = Way("http", "2026-07-28", "content")
# Each transport in each era. Of any two that share one of these, one sees `content` and the other the structured half.
ALL = [STDIO_LEGACY, STDIO_NEW, HTTP_LEGACY, HTTP_NEW]
EVERY_WAY = pytest.mark.parametrize("way", ALL, ids=str)


def by(way):
    """For a test that does not depend on the way: it runs with one, and with all in a soak."""
    return pytest.mark.parametrize("way", ALL if SOAK else [way], ids=str)


class Agent:
    """Calls tools and sees the half of each answer that its client shows."""

    def __init__(self, client, shown, prefix):
        self.client, self.shown, self.prefix = client, shown, prefix

    def see(self, result):
        text = result.content[0].text
        return json.loads(text) if self.shown == "content" else result.structured_content

    async def __call__(self, tool, **arguments):
        result = await self.client.call_tool(self.prefix + tool, arguments)
        assert not result.is_error, result.content[0].text
        return self.see(result)

    async def refused(self, code, tool, **arguments):
        """Makes a call that must fail, and returns the visible half of the error."""
        result = await self.client.call_tool(self.prefix + tool, arguments)
        assert result.is_error, result.structured_content
        told = result.content[0].text if self.shown == "content" else json.dumps(result.structured_content)
        assert code in told, told
        return told


@asynccontextmanager
async def agent_by(way, cotty, tools=None, prefix="terminal__", **options):
    """An agent that connects that way, with the tools of one set."""
    from mcp import Client

    options = {"mode": way.mode, "read_timeout_seconds": 2 * LIMIT} | options
    async with server(way, cotty, tools) as place, with_plain_errors(Client(place, **options)) as client:
        yield Agent(client, way.shown, prefix)


@asynccontextmanager
async def server(way, cotty, tools=None):
    """The server that the client connects to."""
    from mcp import StdioServerParameters

    if way.transport == "stdio":
        args = ["mcp", *(["--tools", tools] if tools else [])]
        yield StdioServerParameters(command=str(BINARY), args=args, env=cotty.env, cwd=str(cotty.work))
        return
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    cotty("ls")
    token = cotty("token", "new", "--name", f"t{len(cotty('token', 'list').splitlines())}").splitlines()[-1]
    url = cotty.status()["http"] + "/mcp" + (f"?tools={tools}" if tools else "")
    headers = {"authorization": f"Bearer {token}", "cotty-directory": str(cotty.work)}
    async with httpx2.AsyncClient(headers=headers, timeout=4 * LIMIT) as http:
        yield streamable_http_client(url, http_client=http)
