"""Real programs, each driven through a terminal to an end that is seen in the world and on the screen."""

import os
import signal
import subprocess

from driving import Terminal

PYTHON = "/usr/bin/python3"


def test_vim_edits_searches_splits_and_saves(cotty):
    notes = cotty.work / "notes.txt"
    notes.write_text("".join(f"line {n}\n" for n in range(1, 101)))
    vim = Terminal(cotty, "vim", "notes.txt")
    vim.text("100L")
    vim.type("/line 77\n").match(r"(?m)^line 77$")
    vim.type("ccseventy-seven: Grüße 👍🏽\x1b").text("seventy-seven: Grüße 👍🏽")
    vim.line(":split other.txt").text('"other.txt" [New]')
    vim.type("iin the other window\x1b").text("in the other window")
    screen = vim.screen()
    assert "seventy-seven: Grüße 👍🏽" in screen and "notes.txt [+]" in screen
    vim.keys("ctrl+w", "j").line(":%s/line 1/LINE 1/").text("12 substitutions")
    vim.line(":wall").text("written")
    vim.line(":qall").exit(0)
    lines = notes.read_text().split("\n")
    assert (lines[0], lines[9], lines[76], lines[99]) == ("LINE 1", "LINE 10", "seventy-seven: Grüße 👍🏽", "LINE 100")
    assert (cotty.work / "other.txt").read_text() == "in the other window\n"


def test_less_turns_pages_and_searches(cotty):
    (cotty.work / "log").write_text("".join(f"entry {n:03}\n" for n in range(1, 301)))
    shell = Terminal(cotty)
    shell.line("less log").text("entry 023")
    assert shell.activity("running", program="less")
    first = shell.screen().split("\n")
    assert (first[0], first[22]) == ("entry 001", "entry 023")
    second = shell.keys("space").text("entry 046").split("\n")
    assert (second[0], second[22]) == ("entry 024", "entry 046")
    assert shell.type("/entry 200\n").text("entry 222").startswith("entry 200")
    assert shell.type("?050\n").text("entry 072").startswith("entry 050")
    shell.keys("G").text("(END)")
    screen = shell.type("q").prompt()
    assert "entry" not in screen
    assert shell.run("echo left with $?") == "left with 0\n"


def test_htop_sorts_by_another_column(cotty):
    htop = Terminal(cotty, "htop", "--delay=200", cols=120, rows=30)
    screen = htop.text("F10Quit", since=None)
    assert "CPU%▽" in screen and "PID△" not in screen, screen
    # The list of columns, the first of them.
    htop.keys("f6").text("Sort by")
    htop.keys("home", "enter").match("PID[△▽]")
    assert "CPU%▽" not in htop.screen()
    # And the other way round.
    before = "PID△" in htop.screen()
    htop.type("I").match("PID▽" if before else "PID△")
    htop.keys("f10").exit(0)


def test_python_reads_a_traceback_and_goes_on(cotty):
    python = Terminal(cotty, PYTHON, "-q")
    python.text(">>> ", since=None)
    python.line("{}['missing']").prompt()
    answer = python.new()
    assert "Traceback (most recent call last)" in answer and "KeyError: 'missing'" in answer
    python.line("def double(n):").text("... ")
    python.line("    return 2 * n").text("... ")
    python.line().text(">>> ")
    python.line("double(21)").text("42")
    python.line("open('answer', 'w').write(str(double(21)))").text("2")
    python.line("while True: pass").text("... ")
    python.line().idle()
    python.keys("ctrl+c").text("KeyboardInterrupt")
    python.prompt()
    python.keys("ctrl+d").exit(0)
    assert (cotty.work / "answer").read_text() == "42"
