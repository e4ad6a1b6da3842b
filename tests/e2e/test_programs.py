"""Real programs, each driven through a terminal to a result in a file and on the screen."""

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
    screen = vim.idle()
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
    first = shell.line("less log").shows("entry 023").split("\n")
    shell.activity("pager", program="less")
    assert (first[0], first[22]) == ("entry 001", "entry 023")
    second = shell.keys("space").shows("entry 046").split("\n")
    assert (second[0], second[22]) == ("entry 024", "entry 046")
    assert shell.type("/entry 200\n").shows("entry 222").startswith("entry 200")
    assert shell.type("?050\n").shows("entry 072").startswith("entry 050")
    shell.keys("G").text("(END)")
    shell.new()
    screen = shell.type("q").prompt()
    assert "entry" not in screen
    # After a full-screen program, only the shell's line is new.
    assert shell.new() == screen.split("\n")[-1]
    assert shell.run("echo left with $?") == "left with 0\n"


def test_htop_sorts_by_another_column(cotty):
    htop = Terminal(cotty, "htop", "--delay=200", cols=120, rows=30)
    screen = htop.shows("F10Quit")
    assert "CPU%▽" in screen and "PID△" not in screen, screen
    # The list of columns, at its first entry.
    htop.keys("f6").text("Sort by")
    htop.keys("home", "enter").match("PID[△▽]")
    screen = htop.idle()
    assert "CPU%▽" not in screen
    # In reverse order.
    before = "PID△" in screen
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
    # If nothing runs after a Ctrl-C, Python exits as if interrupted.
    python.line("6 * 7").match(r"42\n>>> $")
    python.keys("ctrl+d").exit(0)
    assert (cotty.work / "answer").read_text() == "42"


def test_gdb_stops_prints_and_steps(cotty):
    source = "int twice(int n) {\n  int result = 2 * n;\n  return result;\n}\nint main(void) { return twice(21) == 42 ? 7 : 1; }\n"
    (cotty.work / "small.c").write_text(source)
    subprocess.run(["gcc", "-g", "-O0", "-o", "small", "small.c"], cwd=cotty.work, check=True, timeout=60)
    gdb = Terminal(cotty, "gdb", "-q", "-nx", "./small")
    gdb.text("(gdb) ", since=None)
    gdb.line("break 3").text("Breakpoint 1 at")
    gdb.line("run").match(r"Breakpoint 1, twice \(n=21\)[^$]*\(gdb\) $")
    gdb.line("print result").text("$1 = 42")
    gdb.line("backtrace").match("#1 .* in main")
    gdb.line("set var result = 5").text("(gdb) ")
    gdb.line("continue").text("exited with code 01")
    gdb.line("run").text("Breakpoint 1, twice")
    # gdb asks before it kills the program.
    gdb.line("quit").text("Quit anyway? (y or n) ")
    gdb.line("y").exit(0)


def test_man_shows_a_page(cotty):
    page = '.TH HELLO 1\n.SH NAME\nhello \\- greets\n.SH DESCRIPTION\n' + ".PP\nIt greets again.\n" * 40 + ".SH BUGS\nNone.\n"
    (cotty.work / "hello.1").write_text(page)
    shell = Terminal(cotty, env={"PAGER": "less"})
    assert "BUGS" not in shell.line("man ./hello.1").shows("hello - greets")
    shell.activity("pager", program="less")
    assert "None." in shell.type("/^BUGS\n").shows("BUGS")
    shell.type("q").prompt()
    assert shell.run("echo $?") == "0\n"


def test_top_shows_a_command_and_ends_it(cotty):
    victim = subprocess.Popen(["sleep", "98765"])
    try:
        top = Terminal(cotty, "top", "-d", "100", "-p", victim.pid, cols=120)
        assert "98765" not in top.shows("sleep")
        top.type("c").text("sleep 98765")
        top.type("k").text(f"PID to signal/kill [default pid = {victim.pid}]")
        top.line().text(f"Send pid {victim.pid} signal [15/sigterm]")
        top.line()
        assert victim.wait(timeout=30) == -signal.SIGTERM
        top.type("q").exit(0)
    finally:
        victim.kill()
        victim.wait()


def test_watch_shows_what_changed(cotty):
    (cotty.work / "counter").write_text("it is one now\n")
    watch = Terminal(cotty, "watch", "-t", "-n", "0.1", "cat", "counter")
    watch.text("it is one now", since=None)
    (cotty.work / "counter").write_text("it is two now\n")
    watch.text("it is two now")
    assert "it is one now" not in watch.screen()
    # It exits in its signal handler, with a code that depends on its version.
    ended = watch.keys("ctrl+c").wait("exit", exit=True)
    assert ended["exited"]


def test_nano_writes_a_file(cotty):
    nano = Terminal(cotty, "nano", "--ignorercfiles", "letter")
    nano.text("New File", since=None)
    nano.line("Dear all,").type("it works – wirklich.").text("wirklich.")
    nano.keys("ctrl+o").text("File Name to Write: letter")
    nano.keys("enter").text("Wrote 2 lines")
    nano.keys("ctrl+x").exit(0)
    assert (cotty.work / "letter").read_text() == "Dear all,\nit works – wirklich.\n"


def test_mc_makes_a_directory_and_leaves_the_terminal_clean(cotty):
    (cotty.work / "files").mkdir()
    (cotty.work / "files" / "a-file").write_text("x")
    shell = Terminal(cotty)
    shell.line("mc --nosubshell files files").text("a-file")
    shell.keys("f7").text("Create a new Directory")
    shell.line("made-by-mc").text("/made-by-mc")
    assert (cotty.work / "files" / "made-by-mc").is_dir()
    shell.keys("f10").prompt()
    assert shell.run("echo back") == "back\n"


def test_a_dialog_is_answered_by_keys(cotty):
    menu = ["--menu", "Which fruit?", 12, 40, 3, "a", "Apple", "b", "Banana", "c", "Cherry"]
    command = " ".join(f"'{word}'" for word in menu)
    shell = Terminal(cotty)
    shell.line(f"dialog {command} 2>chosen").text("Cherry")
    shell.keys("down", "down", "up", "enter").prompt()
    assert (cotty.work / "chosen").read_text() == "b"
    shell.line("dialog --yesno 'Really?' 6 30; echo said $? >said").text("Really?")
    shell.keys("right", "enter").prompt()
    assert (cotty.work / "said").read_text() == "said 1\n"


def test_a_dialog_is_answered_by_the_mouse(cotty):
    menu = ["--menu", "Which fruit?", 12, 40, 3, "a", "Apple", "b", "Banana", "c", "Cherry"]
    command = " ".join(f"'{word}'" for word in menu)
    shell = Terminal(cotty)
    shell.line(f"dialog {command} 2>chosen").text("Cherry")
    # A click selects; a click on the button confirms.
    shell.send(mouse={"label": "Banana"}).idle()
    shell.send(mouse={"label": "OK"}).prompt()
    assert (cotty.work / "chosen").read_text() == "b"
    shell.line("dialog --yesno 'Really?' 6 30; echo said $? >said").text("Really?")
    shell.send(mouse={"label": "No"}).prompt()
    assert (cotty.work / "said").read_text() == "said 1\n"


def test_fzf_finds_what_was_typed(cotty):
    shell = Terminal(cotty)
    shell.line("seq 1000 | fzf --no-mouse >picked").text("1000/1000")
    shell.type("98").text("28/1000")
    shell.type("7").match(r" 1/1000")
    shell.keys("enter").prompt()
    assert (cotty.work / "picked").read_text() == "987\n"
