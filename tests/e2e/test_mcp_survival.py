"""SIGKILLs of the daemon at random moments during an agent's calls: each call has one effect and its own answer."""

import shlex

import anyio
import pytest
from agents import ERAS, Gate, agent_of, soon
from conftest import SOAK
from test_survival import Killer

pytestmark = pytest.mark.anyio
# Both eras; the kills come at different moments in each.
CASES = pytest.mark.parametrize(("mode", "seed"), [(("legacy", "auto")[seed % 2], seed) for seed in range(20 if SOAK else 2)])
KILLS = 8


@CASES
async def test_each_command_runs_once_and_gets_its_own_answer(cotty, mode, seed):
    trace = cotty.work / "ran"
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        count = 0
        with Killer(cotty, seed, agent.client) as killer:
            while not killer.has_killed(KILLS):
                # Short and long commands, with little and much output.
                pause, lines = 0.05 * (count % 5), 1 + count % 3 * 40
                command = f"echo {count} >> {shlex.quote(str(trace))}; sleep {pause}; seq -f 'line %g of {count}' {lines}; (exit {count % 7})"
                ran = await agent.run(session, command)
                assert (ran["outcome"], ran["exit_code"]) == ("done", count % 7), ran
                assert ran["output"] == "".join(f"line {n} of {count}\n" for n in range(1, lines + 1))
                count += 1
    assert trace.read_text().split() == [str(n) for n in range(count)]


@CASES
async def test_typed_input_arrives_once(cotty, mode, seed):
    trace = cotty.work / "typed"
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        count = 0
        with Killer(cotty, seed, agent.client) as killer:
            while not killer.has_killed(KILLS):
                text = f"echo {count} >> {shlex.quote(str(trace))}; echo done {count}.\n"
                read = {"view": "new", "wait_for_prompt": True}
                sent = await agent("send", session_id=session, text=text, read=read)
                assert sent["read_result"]["prompt_detected"], sent
                seen = await agent("read", session_id=session, view="new", since=sent["since"])
                assert f"done {count}.\n" in seen["content"], seen
                count += 1
    assert trace.read_text().split() == [str(n) for n in range(count)]


@CASES
async def test_sessions_are_made_and_ended_once_and_waits_are_answered(cotty, mode, seed):
    async with agent_of(cotty, mode=mode) as agent:
        made = []
        with Killer(cotty, seed, agent.client) as killer:
            while not killer.has_killed(KILLS):
                made.append((await agent("create_session", program="cat"))["session_id"])
                assert [s["session_id"] for s in (await agent("list_sessions"))["sessions"]] == made[-1:]
                answers = {}

                async def wait(session, text, answers=answers):
                    answers[text] = await agent("wait", session_id=session, text=text)

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(wait, made[-1], "hello")
                    tasks.start_soon(wait, made[-1], "world")
                    await agent("send", session_id=made[-1], text="hello world\n")
                assert set(answers) == {"hello", "world"}
                gone = await agent("destroy_session", session_id=made[-1])
                assert gone["destroyed"]
                await agent.refused("SESSION_DESTROYED", "read", session_id=made[-1])
        assert len(set(made)) == len(made)
        assert (await agent("list_sessions"))["count"] == 0


# At chosen moments


@ERAS
async def test_sessions_survive_a_daemon_kill_between_two_calls(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        await agent.output(session, "x=kept; cd /")
        for _ in range(3):
            killed = cotty.kill_daemon()
            assert await agent.output(session, "echo $x $PWD") == "kept /\n"
            assert cotty.status()["pid"] != killed
        assert (await agent.client.list_tools()).tools


async def kill_daemons(cotty, times):
    """Kills daemons one after the other, each as soon as it exists."""
    for _ in range(times):
        killed = await anyio.to_thread.run_sync(cotty.kill_daemon)
        await soon(lambda killed=killed: cotty.status()["pid"] != killed)


@ERAS
async def test_a_run_survives_a_daemon_kill(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        gate, log = Gate(cotty), cotty.work / "log"
        results = []

        async def run():
            results.append(await agent.run(session, f"echo ran >> {log}; echo before; read x < {gate}; echo $x; (exit 5)"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await soon(log.exists)
            await kill_daemons(cotty, 3)
            await gate.open("after")
        (ran,) = results
        assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", "before\nafter\n", 5)
        assert log.read_text() == "ran\n"


@ERAS
async def test_commands_run_exactly_once_whenever_the_daemon_dies(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        log = cotty.work / "log"

        async def run(n):
            ran = await agent.run(session, f"echo {n} >> {log}; echo {n}")
            assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", f"{n}\n", 0)

        for n in range(12):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run, n)
                # Each time at another point of the call.
                for _ in range(n):
                    await anyio.lowlevel.checkpoint()
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        assert log.read_text().split() == [str(n) for n in range(12)]


async def test_sending_happens_exactly_once_whenever_the_daemon_dies(cotty):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="cat", args=["-u"]))["session_id"]

        async def send(n):
            assert (await agent.type(session, f"line {n}\n"))["sent"]

        for n in range(12):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(send, n)
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        await agent("wait", session_id=session, text="line 11")
        # The kernel's echo and the output of `cat`, in any order.
        expected = sorted(f"line {n}" for n in range(12) for _ in ("echo", "cat"))
        read = await agent("read", session_id=session, view="scrollback")
        shown = read["content"].splitlines() + (await agent("read", session_id=session))["content"].splitlines()
        assert sorted(shown) == expected


async def test_sessions_are_made_exactly_once_whenever_the_daemon_dies(cotty):
    async with agent_of(cotty) as agent:
        made = []

        async def create():
            made.append((await agent("create_session", program="cat"))["session_id"])

        for _ in range(8):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(create)
                await anyio.to_thread.run_sync(cotty.kill_daemon)
        listed = await agent("list_sessions")
        assert sorted(s["session_id"] for s in listed["sessions"]) == sorted(made)
        assert len(set(made)) == 8
        assert [s["exited"] for s in listed["sessions"]] == [False] * 8


# Each question erases the one before.
QUESTIONS = """
printf 'A? '; read -s -n1 x; printf '\\r\\033[KB? '; read -s -n1 y
printf '\\r\\033[Kworking'; touch "$1"; read go < "$2"
printf '\\r\\033[KC? '; read -s -n1 z; echo; echo "got $x$y$z"
"""


@ERAS
async def test_steps_continue_where_they_stopped(cotty, mode):
    (cotty.work / "questions").write_text(QUESTIONS)
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        gate, at_work = Gate(cotty), cotty.work / "at work"
        steps = [{"text": f"bash questions {shlex.quote(str(at_work))} {gate}\n"}]
        for question, answer in ["A1", "B2", "C3"]:
            steps += [{"wait": {"text": f"{question}? "}}, {"text": answer}]
        steps.append({"wait": {"prompt": True}})
        results = []

        async def send():
            results.append(await agent("send", session_id=session, steps=steps))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            await soon(at_work.exists)
            await kill_daemons(cotty, 2)
            await gate.open()
        (sent,) = results
        assert sent["sent"] and [step.get("met") for step in sent["steps"]][1::2] == ["text", "text", "text", "prompt"], sent
        assert "got 123" in (await agent("read", session_id=session))["content"]
