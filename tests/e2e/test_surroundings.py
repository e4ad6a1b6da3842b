"""What surrounds the daemon breaks: the disk, the runtime directory, the keeper. And who may end everything."""

import os
import resource
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents import carriers
from conftest import BINARY, alive, eventually


def run(cotty, session, command):
    return cotty.call("run", session=session, actor="person", command=command)["output"]


def kill_daemon(cotty):
    os.kill(cotty.status()["pid"], signal.SIGKILL)


# The runtime directory


@pytest.mark.parametrize("gone", ["", "cotty.sock", "hooks", "shell"], ids=["all", "socket", "hooks", "shell"])
def test_what_vanishes_from_the_runtime_directory_is_restored(cotty, gone):
    session = cotty.new()
    keeper = cotty.status()["keeper_pid"]
    lost = cotty.home / "run" / gone
    shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    assert [s["session_id"] for s in cotty.json("ls")["sessions"]] == [session]
    eventually(lambda: (cotty.home / "run" / "cotty.sock").exists() and (cotty.home / "run" / "hooks" / session).exists())
    assert run(cotty, session, "echo still judged") == "still judged\n"
    assert run(cotty, cotty.new(), "echo new") == "new\n"
    assert cotty.status()["keeper_pid"] == keeper


def test_a_fifo_that_became_a_plain_file_is_replaced(cotty):
    session = cotty.new()
    hook = cotty.home / "run" / "hooks" / session
    hook.unlink()
    eventually(hook.is_fifo)
    hook.unlink()
    hook.write_text("")
    kill_daemon(cotty)
    eventually(hook.is_fifo)
    assert run(cotty, session, "echo judged") == "judged\n"


def test_a_client_with_another_runtime_directory_finds_the_same_keeper(cotty):
    del cotty.env["COTTY_HOME"]
    homes = [cotty.work / name for name in ("one", "two")]
    for home in homes:
        home.mkdir(mode=0o700)
    cotty.env |= {"HOME": str(cotty.work), "XDG_STATE_HOME": str(cotty.work / "state"), "XDG_RUNTIME_DIR": str(homes[0])}
    session = cotty.new("--", "cat")
    cotty.env["XDG_RUNTIME_DIR"] = str(homes[1])
    try:
        assert [s["session_id"] for s in cotty.json("ls")["sessions"]] == [session]
    finally:
        cotty("stop")


# The disk


@contextmanager
def own_disk(cotty, size="4m"):
    """A small disk for the home."""
    cotty.home.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", cotty.home], check=True)
    try:
        yield
    finally:
        cotty("stop")
        subprocess.run(["umount", "-l", cotty.home], check=True)


def fill(disk):
    with (disk / "ballast").open("wb", buffering=0) as ballast:
        try:
            while ballast.write(b"x" * 4096):
                pass
        except OSError:
            return


@pytest.mark.root_only
def test_a_daemon_starts_on_a_full_disk_and_says_what_is_wrong(cotty):
    with own_disk(cotty):
        session = cotty.new()
        run(cotty, session, "echo before")
        fill(cotty.home)
        for _ in range(3):
            kill_daemon(cotty)
        assert run(cotty, session, "seq 3") == "1\n2\n3\n"
        cotty("restart")
        assert run(cotty, session, "echo after") == "after\n"
        before = children_of(cotty)
        (cotty.home / "run" / "hooks" / "x").unlink(missing_ok=True)
        (cotty.home / "ballast").unlink()
        assert run(cotty, cotty.new(), "echo room") == "room\n"
        assert children_of(cotty) == before + 1


@pytest.mark.root_only
def test_a_daemon_starts_on_a_read_only_disk(cotty):
    del cotty.env["COTTY_HOME"]
    disk, runtime = cotty.work / "disk", cotty.work / "run"
    disk.mkdir()
    runtime.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], check=True)
    (disk / "cotty").mkdir(mode=0o700)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    cotty.env |= {"XDG_STATE_HOME": str(disk), "XDG_RUNTIME_DIR": str(runtime)}
    try:
        session = cotty.new()
        assert run(cotty, session, "seq 3") == "1\n2\n3\n"
        kill_daemon(cotty)
        assert run(cotty, session, "seq 2") == "1\n2\n"
        error = lambda: cotty.call("info", session=session, actor="person")["recording"].get("error", "")
        eventually(lambda: "Read-only file system" in error())
    finally:
        cotty("stop")
        subprocess.run(["umount", "-l", disk], check=True)


def children_of(cotty):
    """How many processes the keeper started: the daemon and the sessions."""
    keeper = cotty.status()["keeper_pid"]
    return len(Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split())


def test_a_session_that_cannot_start_leaves_nothing_behind(cotty):
    cotty("ls")
    broken = cotty.work / "bash"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    cotty.call("create", program=str(broken), error="PROGRAM_NOT_FOUND")
    assert children_of(cotty) == 1 and list((cotty.home / "run" / "hooks").iterdir()) == []


def test_the_error_names_the_limit_of_processes(cotty):
    if os.geteuid() == 0:
        pytest.skip("the limit does not bind root")
    session = cotty.new()
    keeper = cotty.status()["keeper_pid"]
    before = resource.prlimit(keeper, resource.RLIMIT_NPROC)
    resource.prlimit(keeper, resource.RLIMIT_NPROC, (1, before[1]))
    refused = cotty.call("create", program="cat", error="PTY_ERROR")
    assert "limit of processes" in refused["message"] and "ulimit -u" in refused["hint"]
    resource.prlimit(keeper, resource.RLIMIT_NPROC, before)
    cotty.call("create", program="cat")
    assert run(cotty, session, "echo fine") == "fine\n"


# The keeper


def test_nothing_of_a_session_outlives_a_killed_keeper(cotty):
    session = cotty.new("--name", "build")
    done = cotty.new("--", "true")
    cotty("wait", done, "--exit")
    run(cotty, session, "setsid sleep 1000 > /dev/null 2>&1 & (trap '' HUP TERM; sleep 1001) > /dev/null 2>&1 & nohup sleep 1002 > /dev/null 2>&1 &")
    eventually(lambda: len(carriers(session)) >= 4)
    os.kill(cotty.status()["keeper_pid"], signal.SIGKILL)
    eventually(lambda: carriers(session) == [])
    assert cotty.json("ls")["sessions"] == []
    assert f"these sessions ended with it: build ({session})." in cotty.stderr, cotty.stderr
    cotty("ls")
    assert "ended with it" not in cotty.stderr, "it is told once"


def test_a_session_that_kills_its_parent_ends_like_one_whose_terminal_was_killed(cotty):
    session, other = cotty.new(), cotty.new()
    cotty("send", session, "setsid sleep 1000 & kill -9 $PPID", "-e")
    cotty("wait", session, "--exit")
    eventually(lambda: carriers(session) == [])
    assert run(cotty, other, "echo other") == "other\n"


@pytest.mark.parametrize("signal_name", ["TERM", "INT", "HUP", "USR1", "USR2", "QUIT"])
def test_a_signal_to_the_parent_of_a_program_does_nothing(cotty, signal_name):
    session = cotty.new()
    assert run(cotty, session, f"kill -{signal_name} $PPID; sleep 0.05; echo here") == "here\n"


def test_a_program_cannot_read_what_is_above_it(cotty):
    """Input of people, the environment of who started cotty, the metadata of other sessions."""
    cotty.env["MY_TOKEN"] = "s3cret"
    session = cotty.new("--", "bash")
    keeper, daemon = cotty.status()["keeper_pid"], cotty.status()["pid"]
    if os.geteuid() != 0:
        for pid in ("$PPID", keeper, daemon):
            for what in ("environ", "fd/", "mem", "maps"):
                assert "Permission denied" in run(cotty, session, f"ls /proc/{pid}/{what} > /dev/null && cat /proc/{pid}/{what}")
        return
    # Root reads everything; so look at what is there.
    for pid in (keeper, daemon, f"{run(cotty, session, 'echo $PPID').strip()}"):
        assert b"s3cret" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_clients_that_wait_learn_why_no_daemon_starts(cotty):
    session = cotty.new("--", "cat")
    pid = cotty.call("status")["pid"]
    # A daemon refuses a home that others may enter.
    cotty.home.chmod(0o755)
    os.kill(pid, signal.SIGKILL)
    refused = cotty.call("list", error="IO_ERROR")
    assert "the daemon cannot start" in refused["message"] and "can be entered by other users" in refused["message"]
    cotty.home.chmod(0o700)
    listed = eventually(lambda: cotty.any_call("list", actor="person").get("ok"))
    assert [s["session_id"] for s in listed["sessions"]] == [session]
    assert "can be entered by other users" in cotty.status()["last_failure"]


def test_restart_ends_the_pause_after_a_daemon_that_could_not_start(cotty):
    cotty.new("--", "cat")
    status = cotty.call("status")
    blocked = cotty.home / "run"
    blocked.chmod(0o755)
    os.kill(status["pid"], signal.SIGKILL)
    cotty.call("list", error="IO_ERROR")
    blocked.chmod(0o700)
    cotty("restart")
    assert cotty.status()["keeper_pid"] == status["keeper_pid"]


# Who may end everything


@pytest.mark.parametrize("maker", ["person", "agent"])
def test_stop_restart_and_config_are_refused_inside_a_session(cotty, maker):
    session = cotty.call("create", actor=maker, program="bash")["session_id"]
    before = cotty.status()
    editor = cotty.work / "editor"
    editor.write_text(f"#!/bin/sh\necho '[limits]' >> $1; touch {cotty.work}/edited\n")
    editor.chmod(0o755)
    cotty.env["EDITOR"] = str(editor)
    for command in ("stop", "restart", "purge --all", "config edit"):
        out = cotty.call("run", session=session, actor=maker, command=f"EDITOR={editor} {BINARY} {command}; echo code $?")["output"]
        assert "code 5" in out or "code 1" in out, (command, out)
        assert "person" in out or "session" in out, (command, out)
    after = cotty.status()
    assert (after["pid"], after["keeper_pid"]) == (before["pid"], before["keeper_pid"])
    assert not (cotty.work / "edited").exists()


def test_stop_and_restart_work_while_the_daemon_hangs_but_not_inside_a_session(cotty):
    session = cotty.new()
    pid = cotty.status()["pid"]
    out = cotty.work / "out"
    cotty("send", session, f"touch {out}.begun; until [ -e {cotty.work}/go ]; do sleep 0.02; done; {BINARY} stop > {out} 2>&1; mv {out} {out}.done", "-e")
    # The shell asks the daemon before it runs a line.
    eventually(Path(f"{out}.begun").exists)
    os.kill(pid, signal.SIGSTOP)
    (cotty.work / "go").touch()
    eventually(Path(f"{out}.done").exists)
    assert "person" in Path(f"{out}.done").read_text()
    assert alive(pid)
    cotty("restart", "--force")
    assert cotty.status()["pid"] != pid
    assert [s["session_id"] for s in cotty.json("ls")["sessions"]] == [session]
