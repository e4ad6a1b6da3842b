"""Programs that an agent must master, each as a task with an end state: one over every transport and era, the others over one each (R-P15)."""

import json
import shutil
import subprocess

import pytest
from test_programs_builds import toolchain  # noqa: F401 (a fixture)
from ways import EVERY_WAY, HTTP_LEGACY, HTTP_NEW, STDIO_LEGACY, STDIO_NEW, agent_by, by

pytestmark = pytest.mark.anyio


async def shell(agent, **arguments):
    made = await agent("create_session", program="bash", **arguments)
    assert made["ready"], made
    return made["session_id"]


async def output(agent, session, command, code=0):
    """Runs a command and returns its output."""
    ran = await agent("run", session_id=session, command=command, timeout_ms=50_000)
    assert (ran["outcome"], ran["exit_code"]) == ("done", code), ran
    return ran["output"]


async def type(agent, session, text, **read):
    return (await agent("send", session_id=session, text=text, read=read))["read_result"]


@EVERY_WAY
async def test_vim_saves_a_file(cotty, way):
    async with agent_by(way, cotty) as agent:
        made = await agent("create_session", program="vim", args=["-u", "NONE", "-N", "plan.txt"])
        vim = made["session_id"]
        await agent("wait", session_id=vim, text='"plan.txt" [New]')
        # Text of several lines is pasted, so `i` is typed separately.
        await agent("send", session_id=vim, text="i")
        shown = await type(agent, vim, "first\nsecond\nthird", view="screen", wait_idle_ms=100)
        assert shown["content"].startswith("first\nsecond\nthird\n~") and shown["cursor"] == {"row": 3, "col": 6}
        assert shown["state"] == "editor" and shown["program"] == "vim"
        await agent("send", session_id=vim, key="escape")
        shown = await type(agent, vim, ":g/second/d\n", view="screen", wait_idle_ms=100)
        assert shown["content"].startswith("first\nthird\n~")
        await agent("send", session_id=vim, text=":wq\n")
        ended = await agent("wait", session_id=vim, exit=True)
        assert (ended["met"], ended["exit_code"], ended["state"]) == ("exit", 0, "exited")
    assert (cotty.work / "plan.txt").read_text() == "first\nthird\n"


@by(HTTP_NEW)
async def test_less_turns_a_page(cotty, way):
    (cotty.work / "log").write_text("".join(f"entry {n:03}\n" for n in range(1, 301)))
    async with agent_by(way, cotty) as agent:
        session = await shell(agent)
        running = await agent("run", session_id=session, command="less log")
        assert (running["outcome"], running["state"], running["program"]) == ("running", "pager", "less")
        sent = await agent("send", session_id=session, key="pagedown", read={"wait_idle_ms": 100})
        assert sent["read_result"]["content"].startswith("entry 024")
        back = await type(agent, session, "q", view="new", wait_for_prompt=True)
        assert back["prompt_detected"] and "entry" not in back["content"]
        assert await output(agent, session, "echo back") == "back\n"


@by(STDIO_NEW)
async def test_htop_sorts_by_another_column(cotty, way):
    async with agent_by(way, cotty) as agent:
        made = await agent("create_session", program="htop", args=["--delay=200"], cols=120, rows=30)
        htop = made["session_id"]
        await agent("wait", session_id=htop, text="F10Quit")
        shown = await agent("read", session_id=htop, wait_idle_ms=100)
        assert "CPU%▽" in shown["content"] and "PID△" not in shown["content"]
        await agent("send", session_id=htop, key="f6")
        await agent("wait", session_id=htop, text="Sort by")
        await agent("send", session_id=htop, key="home")
        sent = await agent("send", session_id=htop, key="enter")
        await agent("wait", session_id=htop, regex="PID[△▽]", since=sent["since"])
        assert "CPU%▽" not in (await agent("read", session_id=htop, wait_idle_ms=100))["content"]
        await agent("send", session_id=htop, key="f10")
        assert (await agent("wait", session_id=htop, exit=True))["exit_code"] == 0


@by(HTTP_LEGACY)
async def test_a_traceback_is_read_in_python(cotty, way):
    async with agent_by(way, cotty) as agent:
        made = await agent("create_session", program="/usr/bin/python3", args=["-q"])
        python = made["session_id"]
        await agent("wait", session_id=python, text=">>> ")
        await agent("read", session_id=python, view="new")
        read = await type(agent, python, "int('many')\n", view="new", wait_for_prompt=True)
        assert read["content"].startswith("Traceback (most recent call last):")
        assert "ValueError: invalid literal for int() with base 10: 'many'" in read["content"]
        # An empty line gets an answer, too.
        await type(agent, python, "for n in range(2): print('n', n)\n", view="new", wait_idle_ms=100)
        read = await type(agent, python, "\n", view="new", wait_for_prompt=True)
        assert read["content"] == "n 0\nn 1\n>>>"
        await agent("send", session_id=python, key="ctrl+d")
        assert (await agent("wait", session_id=python, exit=True))["exit_code"] == 0


@by(STDIO_LEGACY)
async def test_make_fails_and_then_passes(cotty, way):
    (cotty.work / "Makefile").write_text("all:\n\t@gcc -o sum sum.c && ./sum\n")
    (cotty.work / "sum.c").write_text('#include <stdio.h>\nint main(void) { printf("%d\\n", 40 + two); }\n')
    async with agent_by(way, cotty) as agent:
        session = await shell(agent)
        assert "‘two’ undeclared" in await output(agent, session, "make", code=2)
        await output(agent, session, "sed -i 's/two/2/' sum.c")
        assert await output(agent, session, "make") == "42\n"
    assert subprocess.run([cotty.work / "sum"], capture_output=True, check=False).stdout == b"42\n"


@by(STDIO_NEW)
async def test_cargo_fails_and_then_passes(cotty, way, toolchain):  # noqa: F811
    crate = cotty.work / "tiny"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text('[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n')
    (crate / "src" / "main.rs").write_text('fn main() {\n    println!("{}", 6 * seven);\n}\n')
    env = {"PATH": f"{toolchain}:{cotty.env['PATH']}", "CARGO_HOME": str(cotty.work / "cargo")}
    env |= {"CARGO_NET_OFFLINE": "true", "CARGO_INCREMENTAL": "0"}
    async with agent_by(way, cotty) as agent:
        session = await shell(agent, cwd=str(crate), env=env)
        failed = await output(agent, session, "cargo build", code=101)
        assert "cannot find value `seven`" in failed and "Building [" not in failed
        await output(agent, session, "sed -i s/seven/7/ src/main.rs")
        assert (await output(agent, session, "cargo run")).endswith("\n42\n")


@by(HTTP_LEGACY)
async def test_npm_fails_and_then_passes(cotty, way):
    assert shutil.which("npm")
    package = cotty.work / "package"
    package.mkdir()
    (package / "package.json").write_text(json.dumps({"name": "p", "scripts": {"build": "node build.js"}}))
    (package / "build.js").write_text("require('fs').writeFileSync('built', 'all of it';\n")
    async with agent_by(way, cotty) as agent:
        session = await shell(agent, cwd=str(package), env={"npm_config_update_notifier": "false"})
        assert "SyntaxError" in await output(agent, session, "npm run build", code=1)
        await output(agent, session, "sed -i \"s/';/');/\" build.js")
        await output(agent, session, "npm run build")
    assert (package / "built").read_text() == "all of it"
