"""Faults: kills at any moment, a daemon that hangs, system limits, and many sessions."""

import contextlib
import http.client
import os
import random
import resource
import signal
import subprocess
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, SOAK, alive, eventually
from test_survival import Killer, program

KILLS, SESSIONS = (200, 1000) if SOAK else (40, 300)
# The number of sessions of each kind (programs/judges.py).
WAYS = {"floods": 4, "asks": 6, "hears": 6, "resizes": 4}
MIB = 1 << 20


def call_until_answered(cotty, op, **params):
    """One operation, retried under the same id until a daemon lives long enough to answer."""
    request = os.urandom(8).hex()
    while True:
        try:
            return cotty.call(op, request=request, **params)
        except (OSError, http.client.HTTPException):
            pass
        except ValueError:
            # The answer was cut off.
            pass


def shows(cotty, session, text):
    """Waits until a program has written a text."""
    waited = call_until_answered(cotty, "wait", session=session, text=text, since=0, timeout_ms=2 * LIMIT * 1000)
    assert waited["met"] == "text", (text, waited)


class Kills(Killer):
    """Kills daemons: mostly ones that serve, sometimes one or two in a row that are still taking over."""

    def __init__(self, cotty, seed, count):
        super().__init__(cotty, seed)
        self.cotty, self.count = cotty, count

    def run(self):
        early = 0
        while len(self.killed) < self.count and not self.over.is_set():
            # After more in a row, the keeper would conclude that the daemon cannot start.
            early = early + 1 if early < 2 and self.random.random() < 0.5 else 0
            pid = self.daemon() if early else call_until_answered(self.cotty, "status")["pid"]
            self.over.wait(self.random.uniform(0, 0.03 if early else 0.2))
            if pid and pid not in self.killed:
                os.kill(pid, signal.SIGKILL)
                self.killed.add(pid)


def talk(cotty, session, seed, over):
    """Types numbered messages with checksums, sometimes a whole megabyte, until told to stop."""
    dice, number = random.Random(seed), 0
    while not over():
        size = dice.choice([0, 1, 10, 100, 1000, 10_000, 100_000, MIB])
        payload = f"{dice.getrandbits(64):016x}" * (size // 16 + 1)
        text = f"{number} {zlib.crc32(payload.encode())} {payload}\n"
        call_until_answered(cotty, "send", session=session, text=text, paste="never")
        number += 1
        # Wait for the previous message, so that at most one is on its way and kills hit it.
        shows(cotty, session, f"{number - 1:07d} ")
    call_until_answered(cotty, "send", session=session, text="end\n", paste="never")
    return number


def numbered(text):
    """The numbers of the lines that `judges.line` printed. Checks that each line is whole."""
    numbers = [int(line[:7]) for line in text.split("\n") if line.endswith("$")]
    whole = [f"{n:07d} " + "=" * (n * 7 % 90) + "$" for n in numbers]
    assert [line for line in text.split("\n") if line.endswith("$")] == whole
    return numbers


def history(cotty, session):
    """All lines that a session still has, oldest first."""
    past = cotty.call("read", session=session, view="scrollback", limit=20_000)
    now = cotty.call("read", session=session, view="screen")
    return past["content"] + "\n" + now["content"]


@pytest.mark.slow
def test_many_kills_over_twenty_sessions(cotty):
    with served(cotty, sessions=40):
        kill_many_times(cotty)


def kill_many_times(cotty):
    seed = int(os.environ.get("COTTY_SEED") or random.SystemRandom().randrange(10**6))
    print(f"COTTY_SEED={seed}")
    may_end = cotty.work / "may_end"
    sessions = {}
    for way, count in WAYS.items():
        for turn in range(count):
            verdict = cotty.work / f"{way}{turn}"
            allow = ["resize"] if way == "resizes" else []
            command, *args = program("judges", way, may_end, verdict)
            # A width at which no numbered line wraps.
            made = cotty.call("create", program=command, args=args, cols=132, allow=allow)
            sessions[verdict] = made["session_id"]
            shows(cotty, made["session_id"], "ready")
    heard = {}
    with Kills(cotty, seed, KILLS) as killer, ThreadPoolExecutor() as pool:
        enough = lambda: killer.has_killed(KILLS)
        for verdict, session in sessions.items():
            if verdict.name.startswith("hears"):
                heard[verdict] = pool.submit(talk, cotty, session, f"{seed} {verdict.name}", enough)
        early = lambda: [verdict.read_text() for verdict in sessions if verdict.exists()]
        eventually(lambda: enough() or early(), limit=240)
        assert enough(), early()
        may_end.touch()
        heard = {verdict: talking.result() for verdict, talking in heard.items()}
        for verdict in sessions:
            eventually(verdict.exists, limit=120)
    verdicts = {verdict.name: verdict.read_text().split("\n") for verdict in sessions}
    assert {name: word for name, (word, _) in verdicts.items()} == {verdict.name: "ok" for verdict in sessions}
    for verdict, session in sessions.items():
        assert call_until_answered(cotty, "wait", session=session, exit=True)["met"] == "exit", verdict.name
        # Every byte that the child wrote was processed once, and no other.
        assert cotty.call("info", session=session)["seq"] == int(verdicts[verdict.name][1]), verdict.name
        numbers = numbered(history(cotty, session))
        assert numbers, verdict.name
        # Only the oldest lines may be missing.
        assert numbers == list(range(numbers[0], numbers[-1] + 1)), verdict.name
        if verdict.name.startswith("hears"):
            assert numbers[-1] == heard[verdict] - 1, verdict.name
        elif verdict.name.startswith("floods"):
            assert len(numbers) > 9000 and int(verdicts[verdict.name][1]) > 2 * MIB // 3, verdict.name
    assert cotty.call("list")["count"] == len(sessions)


@pytest.mark.slow
def test_a_stopped_daemon_is_reported_and_killed_before_the_next_one_reads(cotty):
    may_end, verdict = cotty.work / "may_end", cotty.work / "verdict"
    session = cotty.new("--", *program("judges", "floods", may_end, verdict))
    keeper, old = cotty.status()["keeper_pid"], cotty.status()["pid"]
    os.kill(old, signal.SIGSTOP)
    # Each client is told what to do, however long it would wait.
    waiting = [cotty.start(*command, stderr=subprocess.PIPE) for command in (["ls"], ["wait", session, "--exit"])]
    for process in waiting:
        said = process.communicate(timeout=2 * LIMIT)[1].decode()
        assert process.returncode == 1 and "does not answer" in said and "cotty restart" in said, said
    cotty("status", code=1)
    assert "cotty restart" in cotty.stderr

    seen, over = [], threading.Event()

    def watch():
        while not over.is_set():
            children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
            seen.append([pid for pid in children if alive(pid) and is_daemon(pid)])

    watcher = threading.Thread(target=watch)
    watcher.start()
    cotty("restart")
    over.set()
    watcher.join()
    assert not alive(old) and all(len(daemons) <= 1 for daemons in seen)
    may_end.touch()
    cotty("wait", session, "--exit")
    assert verdict.read_text() == f"ok\n{cotty.info(session)['seq']}"


def is_daemon(pid):
    try:
        return b"__daemon" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@contextlib.contextmanager
def served(cotty, *before, sessions=1000, **options):
    """A daemon in the foreground, behind another command if one is given."""
    limits = ["--max-sessions", sessions, "--max-per-owner", sessions]
    command = [*before, BINARY, "serve", *limits]
    server = subprocess.Popen(
        list(map(str, command)), env=cotty.env, cwd=cotty.work, stdout=subprocess.PIPE, text=True, **options
    )
    try:
        assert "running" in server.stdout.readline(), "it did not start"
        yield server
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(LIMIT)
        server.stdout.close()


def test_a_daemon_that_takes_over_writes_nothing_to_an_unread_pipe(cotty):
    """It would block on the reader for ever and report no exits."""
    with served(cotty) as server:
        session = cotty.call("create", program="cat")["session_id"]
        cotty.kill_daemon()
        cotty.call("send", session=session, control="eof")
        assert cotty.call("wait", session=session, exit=True)["met"] == "exit"
        cotty("stop")
        rest = server.stdout.read()
    assert "running" not in rest and rest.count("cotty status --link") == 1, rest


@pytest.mark.as_root
def test_the_error_names_the_limit_of_terminals(cotty):
    """A private devpts instance with eight terminals."""
    mount = 'mount -t devpts -o newinstance,ptmxmode=0666,max=8 devpts /dev/pts && exec "$@"'
    with served(cotty, "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"):
        made = [cotty.call("create", program="cat")["session_id"] for _ in range(8)]
        for _ in range(3):
            refused = cotty.call("create", program="cat", error="PTY_ERROR")
            assert "limit of pseudo-terminals" in refused["message"] and "kernel.pty.max" in refused["hint"]
        assert_alive(cotty, made)
        cotty.call("destroy", session=made.pop())
        made.append(cotty.call("create", program="cat")["session_id"])
        assert_alive(cotty, made)


@pytest.mark.as_root
@pytest.mark.slow
def test_the_error_names_the_limit_of_open_files_and_sessions_continue(cotty):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

    with served(cotty, preexec_fn=few):
        made, refused = [], None
        while refused is None:
            answer = cotty.any_call("create", program="sh", args=["-c", f"seq -f %099g 30000; echo done; exec cat"])
            made += [answer["ok"]["session_id"]] if "ok" in answer else []
            refused = answer.get("error")
        assert refused["code"] == "PTY_ERROR" and "open files is reached (100)" in refused["message"], refused
        assert "ulimit" in refused["hint"] and len(made) >= 10
        # Each writes more than its journal holds, so that each needs another descriptor for its checkpoint.
        for session in made:
            shows(cotty, session, "done")
        cotty.kill_daemon()
        assert_alive(cotty, made)
        for session in made:
            assert cotty.call("info", session=session)["seq"] > 3_000_000
        cotty.call("create", program="cat", error="PTY_ERROR")
        cotty.call("destroy", session=made.pop(), force=True)
        made.append(cotty.call("create", program="cat")["session_id"])
        assert_alive(cotty, made)


def assert_alive(cotty, sessions):
    """Checks that each session accepts input and shows it."""
    for session in sessions:
        word = os.urandom(4).hex()
        call_until_answered(cotty, "send", session=session, text=f"{word}\n")
        shows(cotty, session, word)


@pytest.mark.slow
def test_many_sessions_outlive_the_daemon(cotty):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert hard == resource.RLIM_INFINITY or hard >= 4100, f"needs `ulimit -Hn` of 4100, not {hard}"
    with served(cotty, sessions=SESSIONS), ThreadPoolExecutor(4) as pool:
        cotty.call("status")
        make = lambda _: cotty.call("create", program="cat")["session_id"]
        sessions = list(pool.map(make, range(SESSIONS)))
        assert cotty.call("create", program="cat", error="MAX_SESSIONS")["message"].endswith(f"({SESSIONS})")
        say = lambda pair: call_until_answered(cotty, "send", session=pair[1], text=f"I am {pair[0]}.\n")
        list(pool.map(say, enumerate(sessions)))
        old = cotty.kill_daemon()
        # The first session to be read does not wait for the others.
        assert call_until_answered(cotty, "read", session=sessions[-1])["content"]
        assert call_until_answered(cotty, "status")["live"] == SESSIONS and cotty.status()["pid"] != old

        def twice(pair):
            number, session = pair
            call_until_answered(cotty, "send", session=session, text=f"Still {number}.\n")
            # The program's answer, not the echo.
            shows(cotty, session, f"Still {number}.")
            return call_until_answered(cotty, "read", session=session)["content"].split("\n")

        shown = list(pool.map(twice, enumerate(sessions)))
        assert shown == [[f"I am {n}."] * 2 + [f"Still {n}."] * 2 for n in range(SESSIONS)]
        listed = cotty.call("list")["sessions"]
        assert {s["session_id"] for s in listed} == set(sessions)
    assert not any(alive(s["pid"]) for s in listed)
