"""The seed's examples, unchanged: one over every transport and era, the others over one each (R-T17, R-T01)."""

import json
import shutil
from pathlib import Path

import pytest
from conftest import alive
from test_programs_builds import toolchain  # noqa: F401 (a fixture)
from ways import EVERY_WAY, HTTP_LEGACY, HTTP_NEW, STDIO_LEGACY, STDIO_NEW, agent_by, by

pytestmark = pytest.mark.anyio


@by(STDIO_NEW)
async def test_create_examples(cotty, way):
    project = cotty.work / "project"
    project.mkdir()
    async with agent_by(way, cotty) as agent:
        shell = await agent("create_session")
        assert shell["program"] == shutil.which(cotty.env["SHELL"]) and alive(shell["pid"])
        assert shell["session_id"].startswith("sess_") and len(shell["session_id"]) == 13
        assert shell["dimensions"] == {"rows": 24, "cols": 80}
        vim = await agent("create_session", program="vim", args=["file.txt"])
        assert vim["program"] == shutil.which("vim")
        python = await agent("create_session", program="python3", rows=40, cols=120)
        assert python["program"] == shutil.which("python3", path=cotty.env["PATH"])
        assert python["dimensions"] == {"rows": 40, "cols": 120}
        custom = await agent("create_session", env={"DEBUG": "1"}, cwd=str(project))
        ran = await agent("run", session_id=custom["session_id"], command="echo $DEBUG; pwd")
        assert (ran["output"], ran["exit_code"]) == (f"1\n{project}\n", 0)
        made = [made["session_id"] for made in (shell, vim, python, custom)]
        listed = await agent("list_sessions")
        assert [one["session_id"] for one in listed["sessions"]] == made and listed["count"] == 4


@pytest.mark.as_root
@EVERY_WAY
async def test_create_shell_and_run_commands(cotty, way):
    for name in ("one", "two"):
        (cotty.work / name).write_text(name)
    async with agent_by(way, cotty) as agent:
        made = await agent("create_session")
        session = made["session_id"]
        assert Path(made["program"]).name == "bash"
        sent = await agent(
            "send",
            session_id=session,
            text="ls -la\n",
            read={"view": "new", "wait_for_prompt": True, "timeout_ms": 5000},
        )
        assert sent["sent"] is True
        read = sent["read_result"]
        lines = read["content"].split("\n")
        assert lines[0].startswith("total ") and any(line.endswith(" two") for line in lines)
        # The content has the prompt but not the echo.
        assert "ls -la" not in read["content"] and lines[-1].rstrip().endswith(("$", "#"))
        assert read["prompt_detected"] is True
        sent = await agent(
            "send", session_id=session, text="pwd\n", read={"view": "new", "wait_for_prompt": True}
        )
        assert sent["read_result"]["content"] == f"{cotty.work}\n{lines[-1]}"
        assert sent["read_result"]["prompt_detected"] is True


@by(HTTP_LEGACY)
async def test_interactive_tui_app(cotty, way):
    (cotty.work / "file.txt").write_text("first\n\n")
    async with agent_by(way, cotty) as agent:
        vim = (await agent("create_session", program="vim", args=["file.txt"]))["session_id"]
        # The program may take longer to start than the idle time in the example.
        await agent("wait", session_id=vim, text="first")
        shown = await agent("read", session_id=vim, view="screen", wait_idle_ms=200)
        assert shown["content"].startswith("first\n") and shown["cursor"] == {"row": 1, "col": 1}
        sent = await agent("send", session_id=vim, key="down", read={"view": "screen", "wait_idle_ms": 50})
        assert sent["read_result"]["cursor"] == {"row": 2, "col": 1}
        assert (await agent("send", session_id=vim, text="ihello world"))["sent"]
        assert (await agent("send", session_id=vim, key="escape"))["sent"]
        sent = await agent("send", session_id=vim, text=":wq\n", read={"view": "new", "timeout_ms": 10_000})
        assert (sent["read_result"]["exited"], sent["read_result"]["exit_code"]) == (True, 0)
        assert (await agent("destroy_session", session_id=vim))["destroyed"]
    assert (cotty.work / "file.txt").read_text() == "first\nhello world\n"


@by(HTTP_NEW)
async def test_multiple_concurrent_sessions(cotty, way, toolchain):  # noqa: F811
    node, rust = cotty.work / "project-a", cotty.work / "project-b"
    node.mkdir()
    (node / "package.json").write_text(json.dumps({"name": "a", "scripts": {"build": "echo built a"}}))
    (rust / "src").mkdir(parents=True)
    (rust / "Cargo.toml").write_text('[package]\nname = "b"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n')
    (rust / "src" / "main.rs").write_text("fn main() {}\n")
    env = {
        "PATH": f"{toolchain}:{cotty.env['PATH']}",
        "CARGO_HOME": str(cotty.work / "cargo"),
        "CARGO_NET_OFFLINE": "true",
        "npm_config_update_notifier": "false",
    }
    async with agent_by(way, cotty) as agent:
        a = (await agent("create_session", cwd=str(node), env=env))["session_id"]
        b = (await agent("create_session", cwd=str(rust), env=env))["session_id"]
        await agent("send", session_id=a, text="npm run build\n")
        await agent("send", session_id=b, text="cargo build\n")
        listed = await agent("list_sessions")
        assert {one["session_id"] for one in listed["sessions"]} == {a, b} and listed["count"] == 2
        for session, shows in ((a, "built a"), (b, "Finished")):
            content = ""
            while shows not in content:
                read = await agent("read", session_id=session, view="new", wait_idle_ms=1000)
                content += read["content"]
            assert read["idle"]
    assert (rust / "target" / "debug" / "b").exists()


@pytest.mark.as_root
@by(STDIO_LEGACY)
async def test_interrupt_and_control(cotty, way):
    async with agent_by(way, cotty) as agent:
        session = (await agent("create_session"))["session_id"]
        await agent("send", session_id=session, text="sleep 3600\n")
        sent = await agent(
            "send",
            session_id=session,
            key="c",
            ctrl=True,
            read={"view": "new", "wait_for_prompt": True},
        )
        content = sent["read_result"]["content"]
        # `^C` may be shown before the shell has read the line as a command.
        assert "^C\n" in content and content.rstrip().endswith(("$", "#")), content
        assert sent["read_result"]["prompt_detected"] is True
        ran = await agent("run", session_id=session, command="echo $?")
        assert ran["output"] == "130\n"
