"""The official TypeScript clients, of both generations, over both transports and in both eras."""

import json
import os
import subprocess

import pytest
from conftest import BINARY, LIMIT, ROOT

NEW, OLD = "@modelcontextprotocol/client", "@modelcontextprotocol/sdk"
# By default the new client speaks 2025-11-25; `auto` asks the server first and then speaks 2026-07-28.
WAYS = [
    (NEW, "legacy", "stdio", "content"),
    (NEW, "auto", "stdio", "structured"),
    (NEW, "legacy", "http", "structured"),
    (NEW, "auto", "http", "content"),
    (OLD, "legacy", "stdio", "structured"),
    (OLD, "legacy", "http", "content"),
]


@pytest.mark.parametrize(("package", "mode", "transport", "shown"), WAYS)
def test_typescript_clients_work(cotty, package, mode, transport, shown):
    (cotty.work / "a file").touch()
    how = {"package": package, "mode": mode, "shown": shown}
    if transport == "stdio":
        how |= {"command": str(BINARY), "args": ["mcp"], "cwd": str(cotty.work), "env": cotty.env}
    else:
        cotty("ls")
        token = cotty("token", "new", "--name", "typescript").splitlines()[-1]
        how |= {"url": cotty.status()["http"] + "/mcp"}
        how |= {"headers": {"authorization": f"Bearer {token}", "cotty-directory": str(cotty.work)}}
    done = subprocess.run(
        ["node", ROOT / "tests" / "node" / "agent.mjs", json.dumps(how)],
        capture_output=True,
        text=True,
        timeout=4 * LIMIT,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    saw = json.loads(done.stdout)
    assert {"terminal__create_session", "terminal__run", "terminal__send"} <= set(saw["tools"])
    listing = saw["listing"]["read_result"]
    lines = listing["content"].split("\n")
    assert lines[0].split() == [".", "..", "'a", "file'"] and listing["prompt_detected"], listing
    assert (saw["ran"]["output"], saw["ran"]["exit_code"]) == ("out\n", 3)
    assert "^C" in saw["interrupted"]["read_result"]["content"]
    assert "SESSION_NOT_FOUND" in saw["refused"]["refused"]
    assert saw["cancelled"] == "cancelled"
    assert "still here" in saw["after"]["read_result"]["content"]
    # Its validator accepts all our schemas.
    assert saw["said"] == [] and "unknown format" not in done.stderr, (saw["said"], done.stderr)
