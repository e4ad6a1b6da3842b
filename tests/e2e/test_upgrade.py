"""Two builds replace each other while programs run. A state that the next build cannot read costs only history.

`cotty-next` (`tools/next-version`) reads the checkpoints of `cotty`, and writes a newer version that `cotty` cannot read.
"""

import http.client
import os
import shlex
import shutil
import signal
import sys
import threading
from pathlib import Path

import anyio
import pytest
from agents import agent_of
from conftest import BINARY, alive, eventually

NEXT = BINARY.with_name("cotty-next")
NUMBERS = Path(__file__).parent / "programs" / "numbers.py"
# The size of a journal's ring.
JOURNAL = 2 << 20
# Prints numbered lines without end, and stores the last number in a file.
TALKS = """
import sys
n = 0
while True:
    n += 1
    print(f"line {n:08d} " + "." * 60, flush=True)
    if n % 1000 == 0:
        open(sys.argv[1], "w").write(str(n))
"""
# Stores every line that it reads.
HEARS = """
import sys
with open(sys.argv[1], "a", buffering=1) as heard:
    for line in sys.stdin:
        heard.write(line)
"""


class Installed:
    """A cotty at its own path, where another build can be installed."""

    def __init__(self, cotty):
        self.cotty, self.path = cotty, cotty.work / "installed" / "cotty"
        self.path.parent.mkdir()
        self.put(BINARY)
        cotty.binary = self.path

    def put(self, build):
        # As package managers do: write beside it, then rename over it. The keeper keeps the old file.
        new = self.path.with_suffix(".new")
        shutil.copy(build, new)
        new.rename(self.path)


class Typing(threading.Thread):
    """Types numbered lines. Each is retried under one id until it is answered: a retry must type nothing."""

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
                    # No daemon answers now; the next one will.
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
    """The lost history of each session."""
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
        # Wait for more output than the journal holds, so that there is a checkpoint.
        eventually(lambda: cotty.info("talks")["checkpointed"])
        for turn in range(2):
            # The next version reads this one's state. History lost in the turn before stays lost; no more is lost.
            installed.put(NEXT)
            before = lost(cotty)
            assert set(before) == ({"talks"} if turn else set())
            cotty("restart")
            assert "3 sessions go on" in cotty.stderr and "history was lost" not in cotty.stderr, cotty.stderr
            assert lost(cotty) == before
            goes_on()
            # Wait for more than a journal of new output, so that the next version has written its own checkpoint.
            taken_over_at = cotty.info("talks")["seq"]
            eventually(lambda: cotty.info("talks")["seq"] > taken_over_at + JOURNAL)
            # This version cannot read the next one's state: `restart` says so before it changes anything.
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
    # The program got each typed line once, in order.
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
            # Wait for more output than the journal holds: there is a checkpoint, and the rest is replayed.
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
async def test_an_agent_is_notified_once_of_lost_history(cotty):
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
        # The content of the journal is still there.
        read = await agent("read", session_id=session, view="scrollback", limit=3)
        assert "3999" in read["content"], read


def test_a_deleted_binary_does_no_harm(cotty):
    """The keeper holds the program itself: new sessions, a daemon that dies and a restart all work without its path."""
    installed = Installed(cotty)
    cotty.new("--name", "quiet", "--", "bash")
    cotty.binary = BINARY
    installed.path.unlink()
    assert cotty.call("run", session="quiet", actor="person", command="echo still here")["output"] == "still here\n"
    before = cotty.status()["pid"]
    os.kill(before, signal.SIGKILL)
    later = cotty.new("--", "cat")
    cotty("restart")
    assert {"quiet", later} <= {s.get("name") or s["session_id"] for s in cotty.json("ls")["sessions"]}
    assert cotty.status()["pid"] != before


def test_restart_starts_the_program_that_asks(cotty):
    """An upgrade may be installed at another path."""
    Installed(cotty)
    cotty.new("--name", "quiet", "--", "bash")
    before = cotty.status()["formats"]["checkpoint"]["writes"]
    cotty.binary = NEXT
    cotty("restart")
    assert cotty.status()["formats"]["checkpoint"]["writes"] == before + 1


def test_a_program_that_does_not_become_ready_is_given_up(cotty):
    cotty.new("--name", "quiet", "--", "bash")
    before = cotty.status()["pid"]
    for program, reason in (("/bin/false", "exit code 1"), ("/bin/cat", "unrecognized option")):
        cotty.call("restart", actor="person", program=program)
        after = eventually(lambda: (status := cotty.status())["pid"] != before and status)
        assert reason in after["last_failure"], after
        before = after["pid"]
    assert cotty.call("run", session="quiet", actor="person", command="echo still here")["output"] == "still here\n"
