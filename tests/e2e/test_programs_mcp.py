"""Real programs through the official MCP client: each a task as an agent does it, with its end state."""

import subprocess

import pytest
from test_mcp import agent_of

pytestmark = pytest.mark.anyio


async def test_an_agent_edits_a_file_in_vim(cotty):
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="vim", args=["-u", "NONE", "-N", "plan.txt"])
        vim = made["session_id"]
        await agent("wait", session_id=vim, text='"plan.txt" [New]')
        # Several lines are pasted, so what begins the insertion is typed before.
        await agent.type(vim, "i")
        shown = await agent.type(vim, "first\nsecond\nthird", view="screen", wait_idle_ms=100)
        assert shown["content"].startswith("first\nsecond\nthird\n~") and shown["cursor"] == {"row": 3, "col": 6}
        await agent("send", session_id=vim, key="escape")
        shown = await agent.type(vim, ":g/second/d\n", view="screen", wait_idle_ms=100)
        assert shown["content"].startswith("first\nthird\n~")
        await agent.type(vim, ":wq\n")
        ended = await agent("wait", session_id=vim, exit=True)
        assert (ended["met"], ended["exit_code"]) == ("exit", 0)
    assert (cotty.work / "plan.txt").read_text() == "first\nthird\n"


async def test_an_agent_turns_pages_and_comes_back(cotty):
    (cotty.work / "log").write_text("".join(f"entry {n:03}\n" for n in range(1, 301)))
    async with agent_of(cotty) as agent:
        shell = await agent.shell()
        running = await agent.run(shell, "less log", timeout_ms=1000)
        assert running["outcome"] == "running" and (running["state"], running["program"]) == ("pager", "less")
        sent = await agent("send", session_id=shell, key="pagedown", read={"wait_idle_ms": 100})
        assert sent["read_result"]["content"].startswith("entry 024")
        back = await agent.type(shell, "q", view="new", wait_for_prompt=True)
        assert back["prompt_detected"] and "entry" not in back["content"]
        assert await agent.output(shell, "echo back") == "back\n"


async def test_an_agent_repairs_a_build(cotty):
    (cotty.work / "Makefile").write_text("all:\n\t@gcc -o sum sum.c && ./sum\n")
    (cotty.work / "sum.c").write_text('#include <stdio.h>\nint main(void) { printf("%d\\n", 40 + two); }\n')
    async with agent_of(cotty) as agent:
        shell = await agent.shell()
        failed = await agent.output(shell, "make", code=2)
        assert "‘two’ undeclared" in failed
        await agent.output(shell, "sed -i 's/two/2/' sum.c")
        assert await agent.output(shell, "make") == "42\n"
    assert subprocess.run([cotty.work / "sum"], capture_output=True, check=False).stdout == b"42\n"


async def test_an_agent_reads_a_traceback(cotty):
    async with agent_of(cotty) as agent:
        made = await agent("create_session", program="/usr/bin/python3", args=["-q"])
        python = made["session_id"]
        await agent("wait", session_id=python, text=">>> ")
        await agent("read", session_id=python, view="new")
        read = await agent.type(python, "int('many')\n", view="new", wait_for_prompt=True)
        assert read["content"].startswith("Traceback (most recent call last):")
        assert "ValueError: invalid literal for int() with base 10: 'many'" in read["content"]
        # Enter alone is answered, too.
        await agent.type(python, "for n in range(2): print('n', n)\n", view="new", wait_idle_ms=100)
        read = await agent.type(python, "\n", view="new", wait_for_prompt=True)
        assert read["content"] == "n 0\nn 1\n>>>"
        await agent("send", session_id=python, key="ctrl+d")
        assert (await agent("wait", session_id=python, exit=True))["exit_code"] == 0
