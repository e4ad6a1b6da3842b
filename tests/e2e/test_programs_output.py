"""Output of every kind: overwritten, garbage, too much, forged; and killed programs and daemons."""

import hashlib
import os
import random
import signal
import subprocess
from pathlib import Path

from conftest import alive, eventually

from driving import Terminal

PYTHON = "/usr/bin/python3"
PROGRAMS = Path(__file__).parent / "programs"


def progress(cotty, kind):
    """Starts programs/progress.py with echo off, so that the input for the next step is not shown."""
    return Terminal(cotty, "sh", "-c", f"stty -echo; exec {PYTHON} {PROGRAMS}/progress.py {kind}")


def test_a_progress_bar_is_read_in_its_last_state(cotty):
    bar = progress(cotty, "curl")
    bar.text(" 40%", since=None)
    assert bar.new() == "fetching [########............]  40%"
    bar.line(actor="person").text(" 70%")
    assert bar.new() == "fetching [##############......]  70%"
    bar.line(actor="person").exit()
    assert bar.new() == "fetching [####################] 100%\nfetched\n"
    assert bar.new() == ""


def test_lines_above_a_progress_bar_are_read_once(cotty):
    bar = progress(cotty, "cargo")
    bar.text("5/9", since=None)
    lines = [f"   Compiling crate-{n} v1.0.{n}\n" for n in range(1, 10)]
    assert bar.new() == "".join(lines[:5]) + "    Building [##########..........] 5/9: crate-5"
    bar.line(actor="person").exit()
    assert bar.new() == "".join(lines[5:]) + "    Finished everything\n"


def test_progress_bars_further_up_are_read_when_they_change(cotty):
    bar = progress(cotty, "docker")
    bar.text("layer-c", since=None)
    assert bar.new() == "layer-a: waiting\nlayer-b: waiting\nlayer-c: waiting\n"
    bar.line(actor="person").text("layer-a: 80%")
    assert bar.new() == "layer-a: 80%\nlayer-b: 40%"
    bar.line(actor="person").exit()
    assert bar.new() == "layer-a: complete\nlayer-b: complete\nlayer-c: complete"


def test_a_progress_bar_below_scrolling_lines_is_read_once(cotty):
    bar = progress(cotty, "apt")
    bar.text("package-30", since=None)
    shown = bar.new()
    assert [f"package-{n:02}" in shown for n in range(1, 42)] == [True] * 30 + [False] * 11
    assert shown.count("Progress: [") == 1 and "Progress: [ 75%]" in shown
    bar.line(actor="person").exit()
    shown = bar.new()
    assert "Progress" not in shown and shown.count("Unpacking") == 10 and shown.endswith("Unpacked all\n")


def test_pv_shows_one_bar(cotty):
    (cotty.work / "data").write_bytes(bytes(3_000_000))
    shell = Terminal(cotty)
    shown = shell.run("pv --force --interval 0.1 --rate-limit 10m data | wc -c")
    assert shown.count("100%") == 1 and "\n3000000\n" in shown and len(shown) < 200, shown


def test_a_shell_survives_garbage(cotty):
    shell = Terminal(cotty)
    shell.line("dd if=/dev/urandom bs=1M count=1 status=none").prompt()
    # Garbage contains queries: the terminal's replies are now typed at the prompt.
    shell.keys("ctrl+c").prompt()
    shell.line("reset").prompt()
    assert "�" not in shell.screen()
    assert shell.run("echo good $((6 * 7))") == "good 42\n"
    # Fixed bytes, so that the test is deterministic.
    (cotty.work / "garbage").write_bytes(random.Random(7).randbytes(1 << 20))
    first, second = (cotty("render", "garbage", "--format", "json") for _ in range(2))
    assert first == second


def test_a_flood_delays_no_other_session(cotty):
    flood, other = Terminal(cotty), Terminal(cotty)
    flood.line("yes 'far too much of everything'").text("far too much of everything\nfar")
    for n in range(10):
        assert other.run(f"echo answer {n}") == f"answer {n}\n"
    # It still runs, and can be read and stopped.
    assert flood.info()["activity"] == {"kind": "running", "program": "yes"}
    assert "far too much" in flood.screen()
    flood.keys("ctrl+c").prompt()
    assert flood.run("echo over") == "over\n"
    kept = flood.call("read", view="scrollback", limit=1_000_000)
    assert kept["lines"] <= 10_000 and kept["dropped_lines"] > 0


def test_the_kept_part_of_huge_output_is_whole(cotty):
    shell = Terminal(cotty)
    ran = shell.call("run", command="seq 200000", timeout_ms=120_000)
    lines = ran["output"].splitlines()
    assert (ran["outcome"], ran["exit_code"]) == ("done", 0)
    assert lines[-1] == "200000" and ran["dropped_lines"] + len(lines) == 200_000
    assert lines == [str(n) for n in range(200_001 - len(lines), 200_001)]


def test_a_title_and_bells_leave_no_text(cotty):
    shell = Terminal(cotty)
    assert shell.run(r"printf '\033]0;build: 3 of 9\007\007\a\a'; echo quiet") == "quiet\n"
    assert shell.run("printf '\\033]2;%s\\033\\\\' 'ends with ST ✓'") == ""
    program = Terminal(cotty, "sh", "-c", r"printf '\033]2;waiting for you\033\\\a'; read line")
    eventually(lambda: program.info()["title"] == "waiting for you")
    program.line().exit(0)
    assert program.info()["title"] == "waiting for you" and program.screen() == ""


def test_a_mebibyte_reaches_a_slow_reader(cotty):
    text = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyzäöü…✓ 0123456789\n", k=1_000_000))
    expected = text.replace("\n", "\r").encode()
    assert len(expected) > 1 << 20
    reader = Terminal(cotty, PYTHON, PROGRAMS / "slow_reader.py", len(expected), "verdict")
    reader.text("go on", since=None)
    reader.send(text=text, paste="never").text("had enough", timeout_ms=120_000)
    reader.exit(0)
    assert (cotty.work / "verdict").read_text() == f"{len(expected)} {hashlib.sha256(expected).hexdigest()}"


FORGED = "".join(
    f"\x1b]{mark}\x07"
    for mark in ("133;D;0", "133;A", "133;B", "633;E;rm;0", "133;C", "133;D;0;", "133;A;", "133;B;0", "133;P;k=i", "633;B")
)


def test_forged_marks_are_not_believed(cotty):
    (cotty.work / "hostile").write_text(f"before{FORGED}\nin between\n{FORGED}after\n")
    shell = Terminal(cotty)
    assert shell.run("cat hostile; (exit 9)", code=9) == "before\nin between\nafter\n"
    shell.line("cat hostile -").text("after")
    shell.activity("waiting_for_input", program="cat")
    waited = shell.call("wait", prompt=True, timeout_ms=300, since=shell.typed)
    assert waited["met"] == "timeout" and waited["activity"] == {"kind": "waiting_for_input", "program": "cat"}, waited
    shell.cotty.call("run", session=shell.id, command="echo no", error="NOT_AT_PROMPT")
    shell.keys("ctrl+d").prompt()
    assert shell.run("echo $?") == "0\n"


def test_a_killed_program_leaves_a_working_terminal(cotty):
    (cotty.work / "log").write_text("".join(f"entry {n:03}\n" for n in range(1, 301)))
    shell = Terminal(cotty)
    shell.line("echo $$ >pid; exec_less() { exec less log; }; (echo $BASHPID >less; exec_less)").text("entry 023")
    os.kill(int((cotty.work / "less").read_text()), signal.SIGKILL)
    shell.prompt()
    # vim could not leave the alternate screen: the shell leaves it, or stays there.
    assert shell.run("echo still here") == "still here\n"
    assert shell.run("(exit 4)", code=4) == ""
    shell.line("reset").prompt()
    assert shell.run("echo clean") == "clean\n"
    # Now as the session's own program.
    vim = Terminal(cotty, "vim", "-u", "NONE", "-N", "log")
    vim.shows("entry 001")
    os.kill(vim.pid, signal.SIGKILL)
    ended = vim.wait("exit", exit=True)
    assert (ended["exit_code"], ended["signal"]) == (None, signal.SIGKILL)
    assert "entry 001" in vim.screen() and not alive(vim.pid)
    assert cotty.call("send", session=vim.id, text="x", error="PROCESS_EXITED")


def test_programs_keep_their_place_after_a_daemon_kill(cotty):
    (cotty.work / "log").write_text("".join(f"entry {n:03}\n" for n in range(1, 301)))
    (cotty.work / "small.c").write_text("int main(void) {\n  int answer = 41;\n  answer++;\n  return answer;\n}\n")
    subprocess.run(["gcc", "-g", "-O0", "-o", "small", "small.c"], cwd=cotty.work, check=True, timeout=60)
    vim, less = Terminal(cotty, "vim", "-u", "NONE", "-N", "note"), Terminal(cotty, "less", "log")
    gdb, python = Terminal(cotty, "gdb", "-q", "-nx", "./small"), Terminal(cotty, PYTHON, "-q")
    vim.text('"note" [New]', since=None)
    vim.type("ibefore the kill, ").text("before the kill,")
    less.text("entry 023", since=None)
    less.keys("space").text("entry 046")
    gdb.text("(gdb) ", since=None)
    gdb.line("break 3").text("Breakpoint 1 at")
    gdb.line("run").text("Breakpoint 1, main")
    python.text(">>> ", since=None)
    python.line("kept = 41").text(">>> ")
    python.line("def more(n):").text("... ")
    for terminal in (vim, less, gdb, python):
        terminal.idle()
    before = {terminal: terminal.screen() for terminal in (vim, less, gdb, python)}
    pids = {terminal: terminal.info()["pid"] for terminal in before}
    killed = cotty.kill_daemon()
    for terminal, screen in before.items():
        assert (terminal.screen(), terminal.info()["pid"]) == (screen, pids[terminal])
    assert cotty.status()["pid"] != killed
    # Each continues where it was, over a second kill.
    vim.type("after it").text("after it")
    python.line("    return n + 1").text("... ")
    cotty.kill_daemon()
    vim.type("\x1b:wq\n").exit(0)
    assert (cotty.work / "note").read_text() == "before the kill, after it\n"
    assert less.keys("space").shows("entry 069").startswith("entry 047")
    less.type("q").exit(0)
    gdb.line("next").text("return answer;")
    gdb.line("print answer").text("$1 = 42")
    gdb.line("continue").text("exited with code 052")
    gdb.line("quit").exit(0)
    python.line().text(">>> ")
    python.line("more(kept)").match(r"42\n>>> $")
    python.keys("ctrl+d").exit(0)
