"""The ways to cotty's MCP: over stdio and over HTTP, in both eras."""

from contextlib import asynccontextmanager

import pytest
from conftest import LIMIT
from test_mcp import Agent

WAYS = pytest.mark.parametrize(
    ("way", "mode"), [("stdio", "legacy"), ("stdio", "auto"), ("http", "legacy"), ("http", "auto")]
)


@asynccontextmanager
async def agent_by(cotty, way, **options):
    failure = None
    if way == "http":
        # So that there is a daemon, with a token and an address.
        cotty("ls")
        cotty.call("list")
    connect = cotty.mcp if way == "stdio" else cotty.mcp_http
    async with connect(read_timeout_seconds=2 * LIMIT, **options) as client:
        # Raised inside, a failed assertion would be buried in the client's task groups.
        try:
            yield Agent(client)
        except Exception as error:
            failure = error
    if failure:
        raise failure
