"""Clients over stdio and HTTP in both eras, for tests that do more than call tools; `ways.py` is for tests that only call."""

from contextlib import asynccontextmanager

import pytest
from agents import Agent
from conftest import LIMIT, SOAK, with_plain_errors

ALL = [("stdio", "legacy"), ("stdio", "auto"), ("http", "legacy"), ("http", "auto")]
TRANSPORTS = pytest.mark.parametrize(("way", "mode"), ALL)


def over(*some):
    """For a test that need not run with all: it runs with these, and with all in a soak."""
    return pytest.mark.parametrize(("way", "mode"), ALL if SOAK else some)


@asynccontextmanager
async def agent_over(cotty, way, **options):
    if way == "http":
        # Start the daemon, so that there are a token and an address.
        cotty("ls")
        cotty.call("list")
    connect = cotty.mcp if way == "stdio" else cotty.mcp_http
    async with with_plain_errors(connect(read_timeout_seconds=2 * LIMIT, **options)) as client:
        yield Agent(client)
