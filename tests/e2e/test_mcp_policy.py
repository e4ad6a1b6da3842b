"""The policy refuses lines, however they reach the shell."""

import shlex
import time

import pytest
from agents import agent_of

pytestmark = pytest.mark.anyio

LINES = [
    "mkfs.ext4 /dev/null",
    " mkfs.ext4 /dev/null",
    "true; mkfs.ext4 /dev/null",
    "true && mkfs.ext4 /dev/null",
    "for i in 1; do mkfs.ext4 /dev/null; done",
    "for i in 1\ndo\nmkfs.ext4 /dev/null\ndone",
    "(mkfs.ext4 /dev/null)",
    "echo $(mkfs.ext4 /dev/null)",
    "echo `mkfs.ext4 /dev/null`",
    "X=1 mkfs.ext4 /dev/null",
    "env X=1 mkfs.ext4 /dev/null",
    "if mkfs.ext4 /dev/null; then :; fi",
    "while ! mkfs.ext4 /dev/null; do :; done",
    "mkfs.ext4</dev/null",
    "true | mkfs.ext4",
]


@pytest.mark.parametrize("line", LINES)
async def test_policy_refuses_a_line_given_to_run(cotty, mkfs, line):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert "mkfs.ext4" in await agent.output(session, "type -p mkfs.ext4")
        error = await agent.refused("POLICY_DENIED", "run", session_id=session, command=line)
        assert "rule `mkfs`" in error["message"]
        assert await agent.output(session, "echo goes on") == "goes on\n"
    assert not mkfs.exists()


@pytest.mark.parametrize("line", LINES)
async def test_policy_refuses_a_typed_line(cotty, mkfs, line):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert "mkfs.ext4" in await agent.output(session, "type -p mkfs.ext4")
        for paste in ("auto", False):
            read = {"view": "new", "wait_for_prompt": True}
            sent = await agent("send", session_id=session, text=f"{line}\n", bracketed_paste=paste, read=read)
            assert "not run" in sent["read_result"]["content"]
            assert await agent.output(session, "echo goes on") == "goes on\n"
    assert not mkfs.exists()


@pytest.mark.parametrize("trick", ["HISTCONTROL=ignoreboth", "HISTIGNORE=' *'"])
async def test_the_hook_still_asks_after_a_change_of_settings(cotty, mkfs, trick):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, trick)
        await agent.type(session, " mkfs.ext4 /dev/null\n", view="new", wait_for_prompt=True)
    assert not mkfs.exists()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_a_line_that_cannot_be_stored_is_judged_or_refused(cotty, mkfs, shell, full):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program=shell))["session_id"]
        [hook] = cotty.home.glob(f"**/hooks/{session}")
        # The shell cannot open the file in which it stores its line for the daemon, or can write nothing to it.
        noted = hook.with_name(f"{session}.line")
        noted.unlink(missing_ok=True)
        if full:
            noted.symlink_to("/dev/full")
        else:
            noted.mkdir()
        for line in ("mkfs.ext4 /dev/null", f"mkfs.ext4 {'x' * 5000}", f": {'x' * 5000}"):
            read = await agent.type(session, f"{line}\n", view="screen", wait_for_prompt=True)
            assert "cotty: not run" in read["content"], line[:20]
        assert await agent.output(session, "echo goes on") == "goes on\n"
    assert not mkfs.exists()


async def test_a_line_for_the_default_shell_is_judged(cotty, mkfs):
    denied = cotty.call("create", args=["-c", "mkfs.ext4 /dev/null"], error="POLICY_DENIED")
    assert "rule `mkfs`" in denied["message"]
    assert not mkfs.exists()


async def test_policy_allows_the_word_as_an_argument(cotty, mkfs):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, "echo mkfs.ext4") == "mkfs.ext4\n"
        read = await agent.type(session, "echo no mkfs.ext4 here\n", view="new", wait_for_prompt=True)
        assert "no mkfs.ext4 here\n" in read["content"]


async def test_a_shell_that_cannot_be_stopped_says_so(cotty, mkfs):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "trap 'echo interrupted' INT")
        read = await agent.type(session, "mkfs.ext4 /dev/null\n", view="screen", wait_for_prompt=True)
        assert "cannot be stopped" in read["content"] and "not run" not in read["content"]


async def test_a_line_reaches_the_hook_as_it_was_typed(cotty):
    """Nothing in a line may make the hook's question unreadable: the shell would get no answer."""
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for text in ["a;b", "back\\slash", "ü漢🙂", "%s %d", "[*?]", "-n", "'quotes'", "x" * 5000, "\\x41", "tab\\there"]:
            started = time.monotonic()
            assert await agent.output(session, f"printf '%s\\n' {shlex.quote(text)}") == f"{text}\n"
            assert time.monotonic() - started < 14, "the shell got no answer"
        await agent("send", session_id=session, text="printf '%s|' $'a\x16\tb\x16\x01c'\n", read={"wait_for_prompt": True})
        assert await agent.output(session, "echo ok") == "ok\n"
