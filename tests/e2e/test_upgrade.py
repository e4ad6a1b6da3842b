"""Two builds replace each other while programs run: what the next one reads is kept, what it cannot read costs history only.

`cotty-next` is built with the feature `next-checkpoint`: it reads the checkpoints of `cotty` and writes a newer version, which
`cotty` cannot read.
"""

import http.client
import os
import shlex
import shutil
import sys
import threading
from pathlib import Path

import anyio
import pytest
from agents import agent_of
from conftest import BINARY, alive, eventually

NEXT = BINARY.with_name("cotty-next")
NUMBERS = Path(__file__).parent / "programs" / "numbers.py"
# What the ring of a journal holds.
JOURNAL = 2 << 20
# Says numbered lines without end; its own file tells how far it came.
TALKS = """
import sys
n = 0
while True:
    n += 1
    print(f"line {n:08d} " + "." * 60, flush=True)
    if n % 1000 == 0:
        open(sys.argv[1], "w").write(str(n))
"""
# Writes down every line that it hears.
HEARS = """
import sys
with open(sys.argv[1], "a", buffering=1) as heard:
    for line in sys.stdin:
        heard.write(line)
"""


class Installed:
    """A cotty at a path of its own, where another build can be put."""

    def __init__(self, cotty):
        self.cotty, self.path = cotty, cotty.work / "installed" / "cotty"
        self.path.parent.mkdir()
        self.put(BINARY)
        cotty.binary = self.path

    def put(self, build):
        # As package managers do: beside it first, then over it. The keeper goes on with the old file.
        new = self.path.with_suffix(".new")
        shutil.copy(build, new)
        new.rename(self.path)


class Typing(threading.Thread):
    """Types numbered lines, each until it is answered, under one id: a retry must type nothing."""

    def __init__(self, cotty, session):
        super().__init__(daemon=True)
        self.cotty, self.session = cotty, session
        self.over, self.typed = threading.Event(), 0

    def run(self):
        while not self.over.is_set():
            request = os.urandom(8).hex()
            text = f"{self.typed:06d}\n"
            while True:
                try:
                    self.cotty.call("send", actor="person", session=self.session, text=text, request=request)
                    break
                except (OSError, http.client.HTTPException, ValueError):
                    # No daemon answers now; the next one does.
                    continue
            self.typed += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def program(cotty, name, source):
    script = cotty.work / f"{name}.py"
    script.write_text(source)
    return [sys.executable, str(script), str(cotty.work / f"{name}.log")]


def lost(cotty):
    """What each session lost, and when."""
    return {s["name"]: s["history_lost"] for s in cotty.json("ls")["sessions"] if "history_lost" in s}


def test_builds_with_different_checkpoints_replace_each_other_under_load(cotty):
    installed = Installed(cotty)
    cotty.new("--name", "talks", "--", *program(cotty, "talks", TALKS))
    cotty.new("--name", "hears", "--", *program(cotty, "hears", HEARS))
    cotty.new("--name", "quiet", "--", "bash", "--norc")
    pids = {s["name"]: s["pid"] for s in cotty.json("ls")["sessions"]}
    said = cotty.work / "talks.log"
    told = lambda: int(said.read_text() or 0) if said.exists() else 0

    def goes_on():
        before = told()
        eventually(lambda: told() > before)
        assert all(alive(pid) for pid in pids.values())

    with Typing(cotty, "hears") as typing:
        # More than the journal holds, so that there is a checkpoint.
        eventually(lambda: cotty.info("talks")["checkpointed"])
        for turn in range(2):
            # The next version reads what this one left. What was lost the turn before stays lost, and nothing more is.
            installed.put(NEXT)
            before = lost(cotty)
            assert set(before) == ({"talks"} if turn else set())
            cotty("restart")
            assert "3 sessions go on" in cotty.stderr and "history was lost" not in cotty.stderr, cotty.stderr
            assert lost(cotty) == before
            goes_on()
            # More than the journal holds since then, so that the next version has written a checkpoint of its own.
            taken_over_at = cotty.info("talks")["seq"]
            eventually(lambda: cotty.info("talks")["seq"] > taken_over_at + JOURNAL)
            # This one cannot read what the next one leaves: it says so before anything ends.
            installed.put(BINARY)
            daemon = cotty.status()["pid"]
            cotty("restart", code=1)
            assert "cannot read the history of these sessions" in cotty.stderr and "talks" in cotty.stderr, cotty.stderr
            assert "quiet" not in cotty.stderr, cotty.stderr
            assert cotty.status()["pid"] == daemon
            goes_on()
            cotty("restart", "--force")
            assert "talks: history was lost" in cotty.stderr and "its program goes on" in cotty.stderr, cotty.stderr
            assert "talks" in lost(cotty) and "quiet" not in lost(cotty)
            assert "history lost" in cotty("ls")
            goes_on()
    # What was typed was heard, each line once, in order.
    heard = cotty.work / "hears.log"
    expected = [f"{n:06d}" for n in range(typing.typed)]
    eventually(lambda: heard.read_text().split() == expected)


@pytest.mark.anyio
async def test_a_newer_version_takes_over_all_output_and_open_calls(cotty):
    installed = Installed(cotty)
    may_end, done = cotty.work / "may_end", cotty.work / "done"
    count, width = 9000, 300
    async with agent_of(cotty) as agent:
        session = await agent.shell(cols=320)
        command = shlex.join([sys.executable, str(NUMBERS), str(count), str(width), str(may_end), str(done)])
        answer = {}

        async def run():
            answer.update(await agent.run(session, command))

        def replace():
            # More than the journal holds, so that there is a checkpoint, and the rest is replayed.
            eventually(lambda: cotty.info(session)["checkpointed"])
            installed.put(NEXT)
            cotty("restart")
            assert "history was lost" not in cotty.stderr, cotty.stderr
            assert not answer and not done.exists()
            may_end.touch()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.to_thread.run_sync(replace)
        assert (answer["outcome"], answer["exit_code"]) == ("done", 0), answer
    said = [line for line in cotty("view", session, "--history").split("\n") if line.endswith("x$")]
    assert said == [f"{i:06d} " + "x" * (width - 8 - i % 7) + "$" for i in range(count)]
    assert lost(cotty) == {}


@pytest.mark.anyio
async def test_an_agent_is_told_once_that_history_was_lost(cotty):
    installed = Installed(cotty)
    installed.put(NEXT)
    cotty("ls")
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "seq 1 400000 | tail -n 350000")
        installed.put(BINARY)
        cotty("restart", "--force")
        info = await agent("get_info", session_id=session)
        assert "another version of cotty wrote it" in info["history_lost"]["what"][0], info
        ran = await agent.run(session, "echo still here")
        assert (ran["output"], ran["exit_code"]) == ("still here\n", 0), ran
        assert "history was lost when the daemon was replaced" in ran["note"], ran
        again = await agent.run(session, "echo and here")
        assert "note" not in again, again
        # What the journal held is still there.
        read = await agent("read", session_id=session, view="scrollback", limit=3)
        assert "3999" in read["content"], read


def test_a_restart_without_a_program_to_start_changes_nothing(cotty):
    installed = Installed(cotty)
    cotty.new("--name", "quiet", "--", "bash", "--norc")
    daemon = cotty.status()["pid"]
    cotty.binary = BINARY
    installed.path.unlink()
    cotty("restart", code=1)
    assert "there is no program at" in cotty.stderr and "nothing was changed" in cotty.stderr, cotty.stderr
    assert cotty.status()["pid"] == daemon
