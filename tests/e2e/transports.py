"""Over stdio and over HTTP, in both eras, with what a client can do beside calling tools; `ways.py` has those that only call."""

from contextlib import asynccontextmanager

import pytest
from agents import Agent
from conftest import LIMIT, SOAK, openly

ALL = [("stdio", "legacy"), ("stdio", "auto"), ("http", "legacy"), ("http", "auto")]
TRANSPORTS = pytest.mark.parametrize(("way", "mode"), ALL)


def over(*some):
    """For a test that need not come by all of them: these, and all in a soak."""
    return pytest.mark.parametrize(("way", "mode"), ALL if SOAK else some)


@asynccontextmanager
async def agent_over(cotty, way, **options):
    if way == "http":
        # So that there is a daemon, with a token and an address.
        cotty("ls")
        cotty.call("list")
    connect = cotty.mcp if way == "stdio" else cotty.mcp_http
    async with openly(connect(read_timeout_seconds=2 * LIMIT, **options)) as client:
        yield Agent(client)
