"""A session's output and input are on disk: every byte once, despite kills; a full disk leaves a counted gap."""

import json
import os
import signal
import socket
import stat
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import BINARY, LIMIT, alive, eventually, seeds
from test_survival import Killer, program

SMALL = 128 * 1024


class SlowKiller(Killer):
    """Lets most daemons live long enough to write something, even on a loaded machine."""

    PAUSE = 1


@pytest.fixture
def small(cotty):
    """A cotty with small segments, so that a recording has many."""
    serving = cotty.start("serve", "--segment-bytes", SMALL, stdout=subprocess.PIPE, text=True)
    assert "running" in serving.stdout.readline()
    yield cotty
    cotty("stop")
    assert serving.wait(LIMIT) == 0


def new(cotty, program="bash", *args):
    """A session of the agent that also reads its recording."""
    return cotty.call("create", program=str(program), args=[str(arg) for arg in args])["session_id"]


def folder(cotty, session):
    return cotty.home / "recordings" / session


def segments(cotty, session):
    return sorted(folder(cotty, session).glob("*.seg"))


def pages(cotty, session, format, **params):
    """A whole recording, page by page."""
    content, handle = "", {}
    while True:
        page = cotty.call("recording", session=session, format=format, **handle, **params)
        content += page["content"]
        handle = {"next": page["next"]}
        if page["end"]:
            return content


def cast(cotty, session, **params):
    header, *events = [json.loads(line) for line in pages(cotty, session, "cast", **params).splitlines()]
    return header, events


def output(events):
    return "".join(data for _, code, data in events if code == "o")


def said(cotty, session):
    """The raw output, from the JSON lines."""
    lines = [json.loads(line) for line in pages(cotty, session, "jsonl").splitlines()]
    return "".join(line["data"] for line in lines if line.get("direction") == "output")


def seen(cotty, session, text, **params):
    """Waits until a text is shown, and fails on a timeout."""
    assert cotty.call("wait", session=session, text=text, timeout_ms=60_000, **params)["met"] == "text"


def numbered(count, width):
    return "".join(f"{i:06d} " + "x" * (width - 8 - i % 7) + "$\r\n" for i in range(count))


def render(cotty, events, cols, rows):
    raw = output(events).encode()
    args = [BINARY, "render", "--cols", str(cols), "--rows", str(rows), "--format", "json"]
    done = subprocess.run(args, input=raw, capture_output=True, check=True, env=cotty.env, timeout=LIMIT)
    return json.loads(done.stdout)


def test_big_output_is_split_into_segments_with_text(small):
    count, width, done = 12_000, 200, small.work / "done"
    session = new(small, *program("numbers", count, width, small.work, done))
    small("wait", session, "--exit", "--timeout", "60000")
    assert said(small, session) == numbered(count, width)
    assert len(segments(small, session)) > 2
    small("kill", session)
    # Every sealed segment has its text; together they have every line.
    for segment in segments(small, session):
        eventually(segment.with_suffix(".txt").exists)
    text = "".join(s.with_suffix(".txt").read_text() for s in segments(small, session))
    lines = set(text.replace("\n", "").split("$"))
    assert lines >= {f"{i:06d} " + "x" * (width - 8 - i % 7) for i in range(count)}
    # The session is gone, its recording is not.
    assert said(small, session) == numbered(count, width)
    assert pages(small, session, "text", limit=100_000) == text


@pytest.mark.as_root
def test_files_are_private_and_describe_their_session(cotty):
    made = cotty.call("create", name="kept", program="sh", args=["-c", "echo hello; exit 3"])
    session = made["session_id"]
    cotty("wait", session, "--exit")
    pages(cotty, session, "text")
    meta = json.loads((folder(cotty, session) / "meta.json").read_text())
    assert (meta["id"], meta["number"], meta["name"], meta["args"]) == (
        session,
        made["number"],
        "kept",
        ["-c", "echo hello; exit 3"],
    )
    assert meta["exit_code"] == 3 and meta["ended_ms"] >= meta["created_ms"]
    for path in (cotty.home / "recordings").rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_a_replayed_cast_shows_the_session(cotty):
    # Colours, wide characters, wrapped lines, a redrawn line, more than a screen.
    script = (
        "for i in $(seq 60); do printf 'line %d \\033[3%dmcolour\\033[0m 漢字 é\\n' $i $((i % 8)); done; "
        "printf '%0100d\\n' 7; printf 'half\\rdone\\n'; printf 'ends here'; read x"
    )
    session = cotty.call("create", program="bash", args=["-c", script], cols=60, rows=12)["session_id"]
    seen(cotty, session, "ends here")
    header, events = cast(cotty, session, limit=500)
    assert header["version"] == 3 and header["term"] == {"cols": 60, "rows": 12, "type": "xterm-256color"}
    assert header["timestamp"] > 1_600_000_000 and "bash" in header["command"]
    assert all(interval >= 0 for interval, _, _ in events)
    shown = render(cotty, events, 60, 12)
    screen = cotty.call("read", session=session, view="screen")["content"]
    assert "\n".join(shown["lines"]).rstrip("\n") == screen
    history = cotty.call("read", session=session, view="scrollback")["content"]
    assert "\n".join(shown["scrollback"]) == history and "line 3 colour" in history
    cotty.call("send", session=session, key="enter")
    cotty("wait", session, "--exit")
    assert cast(cotty, session)[1][-1][1:] == ["x", "0"]


def test_characters_are_never_split_between_events(cotty):
    # One byte at a time, each in its own event.
    script = "for b in a 303 274 360 237 230 200 b; do printf \"\\\\$b\" 2>/dev/null; sleep 0.03; done; printf end"
    script = script.replace("in a ", "in 141 ").replace(" b;", " 142;")
    session = cotty.call("create", program="bash", args=["-c", script])["session_id"]
    cotty("wait", session, "--exit")
    _, events = cast(cotty, session)
    assert output(events) == "aü😀bend"
    assert len([e for e in events if e[1] == "o"]) > 3


def test_commands_and_an_agents_input_are_recorded(cotty):
    session = new(cotty)
    answer = cotty.call("run", session=session, command="echo one two; false")
    assert answer["exit_code"] == 1
    _, events = cast(cotty, session)
    assert ["echo one two; false"] == [data for _, code, data in events if code == "m"]
    assert "echo one two; false\r" in [data for _, code, data in events if code == "i"]
    lines = [json.loads(line) for line in pages(cotty, session, "jsonl").splitlines()]
    assert [line["exit_code"] for line in lines if line.get("event") == "command_end"][-1] == 1
    # Of a person's input, only the length.
    cotty.call("send", actor="person", session=session, text="true # from a person\n")
    eventually(lambda: pages(cotty, session, "jsonl").count('"command_end"') > 1)
    lines = [json.loads(line) for line in pages(cotty, session, "jsonl").splitlines()]
    assert not any("person" in line["data"] for line in lines if line.get("direction") == "input")
    assert 21 in [line.get("bytes") for line in lines if line.get("event") == "input"]


@pytest.mark.parametrize("actor", ["agent", "person"])
def test_a_secret_is_nowhere_in_the_recording(cotty, actor):
    session = new(cotty, "bash", "-c", "read -s -p 'Password: ' secret; echo; echo got ${#secret}; read rest")
    eventually(lambda: cotty.info(session)["activity"]["kind"] == "secret_input")
    secret = "hunter2-" + os.urandom(4).hex()
    try:
        cotty.call("send", actor=actor, session=session, text=secret + "\n")
    except AssertionError as refused:
        # An agent's input may be refused.
        assert actor == "agent" and "SECRET_INPUT" in str(refused)
        cotty.call("send", actor="person", session=session, text=secret + "\n")
    seen(cotty, session, f"got {len(secret)}")
    assert "got" in said(cotty, session)
    cotty("kill", session)
    eventually(lambda: list(folder(cotty, session).glob("*.txt")))
    files = [path for path in cotty.home.rglob("*") if path.is_file()]
    assert any(b"Password:" in path.read_bytes() for path in files)
    assert not any(secret.encode() in path.read_bytes() for path in files)


@seeds(1, 20)
def test_every_byte_is_recorded_once_despite_kills(small, seed):
    count, width, may_end, done = 9000, 300, small.work / "may_end", small.work / "done"
    session = new(small, *program("numbers", count, width, may_end, done))
    with SlowKiller(small, seed) as killer:
        eventually(lambda: killer.has_killed(8), limit=120)
        may_end.touch()
        eventually(done.exists, limit=120)
        small("wait", session, "--exit")
    assert small.info(session)["recording"]["lost_bytes"] == 0
    assert said(small, session) == numbered(count, width)
    assert len(segments(small, session)) > 3
    _, events = cast(small, session)
    assert output(events) == numbered(count, width)
    assert [e[1:] for e in events if e[1] == "x"] == [["x", "0"]]


@pytest.mark.anyio
async def test_commands_and_input_are_recorded_once_despite_kills(cotty):
    async with cotty.mcp() as client:
        made = await client.call_tool("terminal__create_session", {})
        session, ran = made.structured_content["session_id"], []
        with SlowKiller(cotty, 5, client) as killer:
            while not killer.has_killed(6):
                ran.append(f"echo number {len(ran)}")
                answer = await client.call_tool("terminal__run", {"session_id": session, "command": ran[-1]})
                assert answer.structured_content["output"] == f"number {len(ran) - 1}\n"
    _, events = cast(cotty, session, actor="person")
    assert [data for _, code, data in events if code == "m"] == ran
    assert [data for _, code, data in events if code == "i"] == [f"{command}\r" for command in ran]


@contextmanager
def file_limit(pid, size):
    """Limits the size of a daemon's files: to it, this looks like a full disk, even for root."""
    _, hard = before = tuple(resource_limit(pid))
    resource_limit(pid, (size, hard))
    yield
    resource_limit(pid, before)


def resource_limit(pid, limits=None):
    import resource

    return resource.prlimit(pid, resource.RLIMIT_FSIZE, *([limits] if limits else []))


@pytest.mark.as_root
def test_a_full_disk_is_reported_and_the_session_continues(cotty):
    script = "echo before; read x; for i in $(seq 1000); do printf '%04d %0100d\\n' $i 0; done; echo still here; cat"
    session = new(cotty, "bash", "-c", script)
    seen(cotty, session, "before")
    assert "before" in said(cotty, session)
    written = segments(cotty, session)[-1].stat().st_size
    pid = cotty.status()["pid"]
    # Room for the input queue, which is a file too, but not for the output to come.
    with file_limit(pid, written + 10_000):
        cotty.call("send", session=session, text="\n")
        seen(cotty, session, "still here")
        state = eventually(lambda: (r := cotty.info(session)["recording"]).get("error") and r)
        assert state["on"]
        # No half frame is left in the file, and the session continues.
        assert said(cotty, session).startswith("before")
        cotty.call("send", session=session, text="lives\n")
        seen(cotty, session, "lives")
    # The disk has room again: the content of the ring is written.
    eventually(lambda: "error" not in cotty.info(session)["recording"], limit=90)
    text = said(cotty, session)
    assert "".join(f"{i:04d} {0:0100d}\r\n" for i in range(1, 1001)) + "still here" in text
    assert cotty.info(session)["recording"]["lost_bytes"] == 0
    assert cotty.status()["pid"] == pid


@pytest.mark.as_root
@pytest.mark.slow
def test_output_lost_while_the_disk_was_full_is_a_counted_gap(cotty):
    script = "read x; seq -f '%015.0f' 300000; echo; echo after; read y; echo the end"
    session = new(cotty, "bash", "-c", script)
    said(cotty, session)
    place = folder(cotty, session)
    # A file in place of the directory: no one can write into it, not even root.
    aside = place.with_name("aside")
    place.rename(aside)
    place.write_text("")
    cotty.call("send", session=session, text="\n")
    seen(cotty, session, "after")
    lost = eventually(lambda: (r := cotty.info(session)["recording"]).get("error") and r["lost_bytes"])
    assert 300_000 * 17 - (2 << 20) < lost < 300_000 * 17
    place.unlink()
    aside.rename(place)
    eventually(lambda: "error" not in cotty.info(session)["recording"], limit=90)
    cotty.call("send", session=session, text="\n")
    cotty("wait", session, "--exit")
    text = said(cotty, session)
    lines = [json.loads(line) for line in pages(cotty, session, "jsonl").splitlines()]
    gaps = [line["bytes"] for line in lines if line.get("event") == "gap"]
    assert sum(gaps) == cotty.info(session)["recording"]["lost_bytes"] == lost
    assert "the end" in text and "000000000300000\r\n" in text
    # After a gap comes a whole state: the cast shows the screen again.
    _, events = cast(cotty, session)
    shown = "\n".join(render(cotty, events, 80, 24)["lines"]).rstrip("\n")
    assert shown == cotty.call("read", session=session)["content"]


def test_recording_can_be_switched_off(cotty):
    session = cotty.call("create", program="sh", args=["-c", "echo unseen"], record=False)["session_id"]
    cotty("wait", session, "--exit")
    assert cotty.info(session)["recording"] == {"on": False, "bytes": 0, "lost_bytes": 0}
    assert not folder(cotty, session).exists()
    assert cotty.call("recording", session=session, error="NO_RECORDING")["hint"]


def test_purge_deletes_named_recordings_and_keeps_live_ones(small):
    ended = [new(small, "sh", "-c", f"echo {i}") for i in range(3)]
    for session in ended:
        small("wait", session, "--exit")
        small("kill", session)
    live = new(small, *program("numbers", 6000, 200, small.work, small.work / "done"))
    small("wait", live, "--text", "005999", "--timeout", "60000")
    said(small, live)
    eventually(lambda: len(segments(small, live)) > 1)
    assert small.call("purge", actor="person", error="INVALID_INPUT")["hint"]
    assert small.call("purge", actor="person", session="sess_nothere", error="NO_RECORDING")
    one = small.call("purge", actor="person", session=ended[0])
    assert (one["recordings"], one["kept_live"]) == (1, 0) and one["bytes"] > 0
    assert not folder(small, ended[0]).exists() and folder(small, ended[1]).exists()
    assert small.call("purge", actor="person", older_than_seconds=3600)["recordings"] == 0
    rest = small.call("purge", actor="person", all=True)
    assert (rest["recordings"], rest["segments"], rest["kept_live"]) == (2, 0, 1)
    small.call("recording", session=ended[1], error="NO_RECORDING")
    small.call("purge", actor="person", session=live, error="BUSY")
    before = len(segments(small, live))
    part = small.call("purge", actor="person", session=live, live=True)
    assert (part["recordings"], part["segments"]) == (0, before - 1)
    assert len(segments(small, live)) == 1
    # It continues, and a reader begins with the state at the start of the rest.
    _, events = cast(small, live)
    assert any("005999" in line for line in render(small, events, 80, 24)["lines"])


def captured(path):
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert all(set(line) == {"timestamp", "data"} for line in lines)
    return "".join(line["data"] for line in lines)


def test_a_capture_has_the_output_since_its_start(cotty):
    session = new(cotty)
    cotty.call("run", session=session, command="echo before")
    cotty.call("capture", session=session, action="stop", error="NO_CAPTURE")
    begun = cotty.call("capture", session=session, action="start", request="c1")
    path = Path(begun["capture_file"])
    number = cotty.info(session)["number"]
    assert path.parent == cotty.home / "captures" and path.match(f"session-{number}-capture-????????-??????.log")
    assert cotty.call("capture", session=session, action="start", error="CAPTURE_RUNNING")["hint"]
    # The same request again is the same capture.
    assert cotty.call("capture", session=session, action="start", request="c1")["capture_file"] == str(path)
    cotty.call("run", session=session, command="echo während 漢")
    ended = cotty.call("capture", session=session, action="stop", request="c2")
    cotty.call("run", session=session, command="echo after")
    text = captured(path)
    assert "während 漢" in text and "before" not in text and "after" not in text
    assert ended["bytes_captured"] == len(text.encode()) and ended["duration_seconds"] > 0
    assert cotty.call("capture", session=session, action="stop", request="c2") == ended
    cotty.call("capture", session=session, action="stop", error="NO_CAPTURE")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and list(path.parent.iterdir()) == [path]
    # A second capture starts empty, in the given directory.
    other = cotty.call("capture", session=session, action="start", dir="here")["capture_file"]
    assert Path(other).parent == cotty.work / "here"


@seeds(1, 20)
def test_a_capture_continues_after_kills(cotty, seed):
    count, width, may_end, done, begin = 6000, 300, cotty.work / "may_end", cotty.work / "done", cotty.work / "begin"
    numbers = " ".join(program("numbers", count, width, may_end, done))
    session = new(cotty, "bash", "-c", f"until [ -e {begin} ]; do sleep 0.01; done; exec {numbers}")
    path = cotty.call("capture", session=session, action="start")["capture_file"]
    begin.touch()
    with SlowKiller(cotty, seed) as killer:
        eventually(lambda: killer.has_killed(8), limit=120)
        may_end.touch()
        eventually(done.exists, limit=120)
        cotty("wait", session, "--exit")
    ended = cotty.call("capture", session=session, action="stop")
    assert captured(path) == numbered(count, width)
    assert ended["bytes_captured"] == len(numbered(count, width)) and "bytes_lost" not in ended


def refuses(path):
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) != 0


def test_a_recording_cut_off_by_a_crash_is_repaired(cotty):
    session = new(cotty, "cat")
    cotty.call("send", session=session, text="left behind\n")
    seen(cotty, session, "left behind")
    said(cotty, session)
    # Keeper and daemon die together, as when the machine crashes.
    status = cotty.status()
    for pid in (status["keeper_pid"], status["pid"]):
        os.kill(pid, signal.SIGKILL)
    # A dying daemon could still answer that its sessions ended, and until its last thread has ended its sockets accept connections.
    for pid in (status["keeper_pid"], status["pid"]):
        eventually(lambda pid=pid: not alive(pid))
    eventually(lambda: all(map(refuses, [*cotty.home.glob("*.sock"), cotty.home / "run" / "cotty.sock"])))
    with segments(cotty, session)[-1].open("ab") as file:
        file.write(b"half a frame")
    del cotty.socket
    assert "left behind" in said(cotty, session)
    text = eventually(lambda: next(iter(folder(cotty, session).glob("*.txt")), None))
    assert "left behind" in text.read_text()
