"""`view: new` skips the output that `run` has already returned, and nothing else."""

import pytest
from agents import Gate, agent_of

pytestmark = pytest.mark.anyio


async def new(agent, session, **how):
    return await agent("read", session_id=session, view="new", **how)


async def test_output_returned_by_run_is_not_new(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, "echo one") == "one\n"
        assert (await new(agent, session))["content"] == ""
        # Also after several runs, and for a reader that has read before.
        await agent.output(session, "echo two")
        await agent.output(session, "printf three")
        assert (await new(agent, session))["content"] == ""
        # Other readers have their own positions.
        read = await new(agent, session, reader="other")
        assert "one\n" in read["content"] and "three" in read["content"]
        assert "two\n" in cotty.call("read", actor="person", client="another", session=session, view="new")["content"]


async def test_output_before_a_run_is_still_new(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent("send", session_id=session, steps=[{"text": "echo un; echo read\n"}, {"wait": {"prompt": True}}])
        for n in range(3):
            await agent.output(session, f"echo answered {n}")
        read = await new(agent, session)
        assert "un\nread\n" in read["content"] and "answered" not in read["content"], read
        # Output too long for one answer is read page by page, and none is missing.
        await agent("send", session_id=session, steps=[{"text": "seq -f 'line %g' 300\n"}, {"wait": {"text": "line 300"}}, {"wait": {"prompt": True}}])
        await agent.output(session, "echo answered")
        read = await new(agent, session, max_bytes=1000)
        out = read["left_out"]
        rest = await new(agent, session, since=out["since"], offset=out["offset"], max_bytes=out["bytes"])
        head, tail = read["content"][: out["offset"]], read["content"][out["offset"] :]
        assert "".join(f"line {n}\n" for n in range(1, 301)) in head + rest["content"] + tail


async def test_output_after_runs_answer_is_new(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate = Gate(cotty)
        ran = await agent.run(session, f"echo first; read x < {gate}; echo second", timeout_ms=300)
        assert (ran["outcome"], ran["output"]) == ("running", "first\n")
        await gate.open()
        read = await new(agent, session, wait_for_prompt=True)
        assert read["content"].startswith("second\n"), read
        # Background output after the prompt was in no answer.
        await agent.output(session, f"(read x < {gate}; echo from behind) &")
        await gate.open()
        await agent("wait", session_id=session, text="from behind")
        await agent.output(session, "echo answered")
        read = await new(agent, session)
        assert "from behind" in read["content"] and "answered" not in read["content"], read


async def test_output_that_run_left_out_can_be_read(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "seq -f 'line %g' 3000", max_bytes=2000)
        out = ran["left_out"]
        rest = await new(agent, session, since=out["since"], offset=out["offset"], max_bytes=out["bytes"])
        whole = ran["output"][: out["offset"]] + rest["content"] + ran["output"][out["offset"] :]
        assert whole == "".join(f"line {n}\n" for n in range(1, 3001))
        assert (await new(agent, session))["content"] == ""


async def test_the_next_daemon_knows_what_run_returned(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent("send", session_id=session, steps=[{"text": "echo unread\n"}, {"wait": {"prompt": True}}])
        await agent.output(session, "echo answered")
        cotty.kill_daemon()
        read = await new(agent, session)
        assert "unread" in read["content"] and "answered" not in read["content"], read
        await agent.output(session, "echo answered")
        cotty.kill_daemon()
        assert (await new(agent, session))["content"] == ""


async def test_unread_output_between_runs_is_new_and_run_output_is_not(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for n in range(3):
            await agent("send", session_id=session, steps=[{"text": f"echo un''read {n}\n"}, {"wait": {"prompt": True}}])
            await agent.output(session, f"echo answered {n}; echo answered again")
        # The next daemon knows them all, too.
        cotty.kill_daemon()
        await agent.output(session, "echo answered")
        content = (await new(agent, session))["content"]
        assert "answered" not in content, content
        assert [line for line in content.splitlines() if "unread" in line] == [f"unread {n}" for n in range(3)]
        assert (await new(agent, session))["content"] == ""


# The rest of the table is in crates/session/src/output/tests.rs.
DRAWN = [
    (r"echo said; printf '\0337\033[2;1Hdrawn\0338'", "drawn\nsaid\n"),
    ("tput cup 3 0; tput ed; echo menu; echo; echo 1; echo 2", "menu\n\n1\n2\n"),
]


async def test_a_commands_output_is_exact_wherever_it_moved_the_cursor(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        for command, output in DRAWN:
            await agent.output(session, "clear; seq -f 'row %g' 5")
            assert await agent.output(session, command) == output, command
            assert (await new(agent, session))["content"] == "", command
            # The output is new to another reader. Output before it is new to the reader that ran it.
            lines = [line for line in output.splitlines() if line]
            other = (await new(agent, session, reader="other"))["content"]
            assert all(line in other for line in lines), (command, other)
            await agent("send", session_id=session, steps=[{"text": "clear; echo unread; echo; echo; echo\n"}, {"wait": {"text": "unread"}}, {"wait": {"prompt": True}}])
            await agent.output(session, command)
            read = (await new(agent, session))["content"]
            assert "unread" in read and not any(line in read.splitlines() for line in lines), (command, read)
            await new(agent, session, reader="other")


async def test_unread_changes_higher_on_the_screen_are_still_new_after_a_run(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "clear; seq -f 'row %g' 5")
        drawn = r"printf '\0337\033[2;1Hdrawn\0338'"
        await agent("send", session_id=session, steps=[{"text": f"{drawn}\n"}, {"wait": {"prompt": True}}])
        await agent.output(session, "echo answered")
        read = (await new(agent, session))["content"]
        assert "drawn" in read and "answered" not in read, read


async def test_background_output_at_the_prompt_is_new_even_after_a_typed_line(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        gate = Gate(cotty)
        job = f"(read x < {gate}; echo from; echo behind) &"
        for before, after in [("", "echo typed\n"), ("echo ty", "ped\n")]:
            await agent.output(session, job)
            if before:
                await agent("send", session_id=session, text=before)
                await agent("wait", session_id=session, text=before)
            await gate.open()
            await agent("wait", session_id=session, regex="behind\n")
            await agent("send", session_id=session, steps=[{"text": after}, {"wait": {"prompt": True}}])
            for reader in ["one", "two"]:
                read = (await new(agent, session, reader=reader))["content"]
                assert "from\nbehind\n" in read and "typed\n" in read and "ped\ntyped" not in read, read


CLEARS = ["clear", "reset", r"printf '\033[H\033[J'"]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_text_that_a_command_clears_is_not_its_output(cotty, shell):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program=shell))["session_id"]
        for command in CLEARS:
            # Old text, some of it below the prompt.
            await agent.output(session, "seq -f 'old %g' 20")
            await agent.output(session, r"printf '\033[5;1H'")
            assert await agent.output(session, command) == "", command
            await agent.output(session, "seq -f 'old %g' 20")
            await agent.output(session, r"printf '\033[5;1H'")
            # `CSI J` erases the text; the others keep it.
            before = "" if command.endswith("[J'") else "before\n"
            assert await agent.output(session, f"echo before; {command}; echo behind") == f"{before}behind\n", command
            assert (await new(agent, session))["content"] == "", command
