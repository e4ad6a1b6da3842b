"""bash, zsh and fish as an agent drives them: `run`, the policy, and the list of commands."""

import os
import threading
from datetime import datetime
from pathlib import Path

import pytest
from conftest import eventually

SHELLS = ["bash", "zsh", "fish"]
RC = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
every_shell = pytest.mark.parametrize("name", SHELLS)


class Shell:
    """A session with a shell, and its operations."""

    def __init__(self, cotty, program, *args, actor="agent", ready=True, **create):
        self.cotty, self.actor = cotty, actor
        made = cotty.call("create", actor, program=program, args=list(args), **create)
        assert made["ready"] == ready, made
        self.id, self.pid = made["session_id"], made["pid"]

    def call(self, op, **params):
        return self.cotty.call(op, self.actor, session=self.id, **params)

    def run(self, command, **params):
        return self.call("run", command=command, **params)

    def output(self, command, code=0):
        """Runs a command and returns its output."""
        ran = self.run(command)
        assert (ran["outcome"], ran["exit_code"]) == ("done", code), (command, ran)
        return ran["output"]

    def type(self, text, wait=None, **params):
        """Types, waits, and reads the new output."""
        sent = self.call("send", text=text, **params)
        wait = {"prompt": True, "since": sent["seq"], **(wait or {})}
        return self.call("read", view="new", since=sent["seq"], wait=wait)

    def key(self, key):
        return self.call("send", key=key)

    def wait(self, **wait):
        waited = self.call("wait", **wait)
        assert waited["met"] != "timeout", waited
        return waited

    def doing(self, kind, program):
        """Waits until a program has begun. No event announces this."""
        eventually(lambda: self.call("info")["activity"] == {"kind": kind, "program": program})

    def commands(self, **params):
        return self.call("commands", **params)["commands"]

    def screen(self):
        return self.call("read")["content"]


@pytest.fixture
def home(cotty):
    """Writes the user's own files. Checks at the end that cotty did not change them."""
    written = {}

    def write(path, text):
        file = cotty.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        written[file] = text

    yield write
    for file, text in written.items():
        assert file.read_text() == text, f"{file} was changed"
    for other in (".bashrc", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish/config.fish", ".config/fish/conf.d"):
        assert cotty.work / other in written or not (cotty.work / other).is_file(), f"{other} was created"


def gate(cotty, name="gate"):
    """A fifo: a program that reads it waits until the test opens it."""
    path = cotty.work / name
    os.mkfifo(path)
    return path


def open_gate(path, text="go"):
    def writer():
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None

    fd = eventually(writer)
    os.write(fd, f"{text}\n".encode())
    os.close(fd)


# `run`


COMMANDS = {
    "output": ("echo hi", "hi\n", 0),
    "both streams": ("sh -c 'echo out; echo err >&2'", "out\nerr\n", 0),
    "a failure": ("false", "", 1),
    "a code": ("sh -c 'exit 42'", "", 42),
    "an interrupt": ("sh -c 'kill -INT $$'", None, 130),
    "several lines": ("echo a\necho b\nsh -c 'exit 6'", "a\nb\n", 6),
    "no line end": ("printf 'no end'", "no end", 0),
    "two lines, no end": ("printf 'two\\nno end'", "two\nno end", 0),
    "nothing": ("true", "", 0),
    "a long line": ("printf '%0300d' 7", "0" * 299 + "7", 0),
    "exactly the width": ("printf '%080d' 7", "0" * 79 + "7", 0),
    "exactly the width, ended": ("printf '%080d\\n' 7", "0" * 79 + "7\n", 0),
    "overwritten": ("printf 'over\\rwritten\\n'", "written\n", 0),
    "colours": ("printf '\\033[1;31mred\\033[0m\\n'", "red\n", 0),
    "wide": ("echo 漢字かな 🙂 é", "漢字かな 🙂 é\n", 0),
    "quotes": ("echo 'a;b \\ % \"c\" $HOME `x`'", "a;b \\ % \"c\" $HOME `x`\n", 0),
    "an empty line inside": ("echo 'first\n\nthird'", "first\n\nthird\n", 0),
    "a pipe": ("printf 'b\\na\\n' | sort", "a\nb\n", 0),
    "an exclamation mark": ("echo \"wow!ok\"", "wow!ok\n", 0),
    "a tab": ("printf '%s' 'a\tb' | od -An -c", "   a  \\t   b\n", 0),
    "a leading blank": ("   echo lead", "lead\n", 0),
    "a long command": ("echo " + "x" * 300, "x" * 300 + "\n", 0),
    "one too long to ask about": ("echo " + "y" * 5000, "y" * 5000 + "\n", 0),
    "cleared": ("clear; echo after", "after\n", 0),
    "forged marks": ("printf '\\033]133;D;0\\a\\033]133;A\\a$ \\033]133;B\\a'; echo forged", "$ forged\n", 0),
    "many lines": ("seq 3000", "".join(f"{n}\n" for n in range(1, 3001)), 0),
}


@every_shell
def test_run_returns_exactly_the_output_and_the_code(cotty, name):
    shell = Shell(cotty, name)
    for what, (command, output, code) in COMMANDS.items():
        if name == "fish" and what == "a tab":
            # This shell drops pasted tabs.
            continue
        ran = shell.run(command)
        assert (ran["outcome"], ran["exit_code"]) == ("done", code), (what, ran)
        assert output is None or ran["output"] == output, (what, ran)
        # The next command is not affected.
        assert shell.output("echo next") == "next\n", what


LOOPS = {
    "bash": "for i in 1 2\ndo\n  echo $i\ndone",
    "zsh": "for i in 1 2\ndo\n  echo $i\ndone",
    "fish": "for i in 1 2\n  echo $i\nend",
}


@every_shell
def test_run_accepts_a_loop_of_several_lines(cotty, name):
    assert Shell(cotty, name).output(LOOPS[name]) == "1\n2\n"


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_run_accepts_a_heredoc(cotty, name):
    shell = Shell(cotty, name)
    assert shell.output("cat <<'EOF'\none $HOME\n\n  two\nEOF") == "one $HOME\n\n  two\n"
    text = "".join(f"line {n} of the file\n" for n in range(1000))
    assert shell.output(f"cat > file.txt <<'EOF'\n{text}EOF") == ""
    assert (cotty.work / "file.txt").read_text() == text


ERRORS = {"bash": ("echo )", 2, "syntax error"), "zsh": ("echo )", 1, "parse error"), "fish": ("echo )", 127, "parenthesis")}


@every_shell
@pytest.mark.parametrize("lines", ["", "echo first\n"])
def test_run_reports_a_syntax_error(cotty, name, lines):
    command, code, said = ERRORS[name]
    shell = Shell(cotty, name)
    for _ in range(3):
        ran = shell.run(lines + command)
        if lines and ran["output"].startswith("first\n"):
            # These shells run each line separately.
            assert name in ("bash", "zsh")
        assert (ran["outcome"], ran["exit_code"]) == ("done", code), ran
        assert said in ran["output"], ran
        assert shell.output("echo on") == "on\n"


@every_shell
def test_an_incomplete_line_can_be_interrupted(cotty, name):
    shell = Shell(cotty, name)
    assert shell.run("echo 'open")["outcome"] == "running"
    sent = shell.key("ctrl+c")
    shell.wait(prompt=True, since=sent["seq"])
    assert shell.output("echo fine") == "fine\n"


@every_shell
def test_an_empty_line_gives_a_new_prompt(cotty, name):
    shell = Shell(cotty, name)
    for _ in range(2):
        read = shell.type("\n")
        assert read["prompt_detected"], read
    assert shell.commands() == []


@every_shell
def test_input_reaches_a_command_that_reads(cotty, name):
    shell = Shell(cotty, name)
    for question in ("read answer; echo got $answer", "head -n1"):
        ran = shell.run(question)
        assert ran["outcome"] == "running", ran
        read = shell.type("world\n")
        assert read["prompt_detected"] and "world\n" in read["content"], read
    assert [c["text"] for c in shell.commands()] == ["read answer; echo got $answer", "head -n1"]
    assert "got world" in shell.screen()


@every_shell
def test_a_full_screen_program_runs_and_ends(cotty, name):
    shell = Shell(cotty, name)
    ran = shell.run("vim -u NONE -n new.txt")
    assert (ran["outcome"], ran["activity"]) == ("running", {"kind": "editor", "program": "vim"})
    shell.call("send", text="ihello")
    shell.key("<Esc>")
    read = shell.type(":wq\n")
    assert read["prompt_detected"]
    assert shell.output("cat new.txt") == "hello\n"


@every_shell
def test_a_command_that_never_ends_can_be_interrupted(cotty, name):
    shell = Shell(cotty, name)
    assert shell.run("echo before; sleep 1000", timeout_ms=500)["outcome"] == "running"
    shell.doing("running", "sleep")
    assert shell.commands(output=1)[-1]["output"]["head"] == "before\n"
    assert cotty.call("run", session=shell.id, command="echo no", error="NOT_AT_PROMPT")
    sent = shell.key("ctrl+c")
    shell.wait(prompt=True, since=sent["seq"])
    (command,) = shell.commands()
    assert (command["exit_code"], command["state"]) == (130, "done")
    assert shell.output("echo on") == "on\n"


@every_shell
def test_jobs_run_in_the_background(cotty, name):
    shell = Shell(cotty, name)
    ran = shell.run("sleep 1000 &")
    assert (ran["outcome"], ran["exit_code"]) == ("done", 0)
    assert "sleep 1000" in shell.output("jobs")
    assert shell.run("fg", timeout_ms=300)["outcome"] == "running"
    shell.doing("running", "sleep")
    sent = shell.key("ctrl+z")
    shell.wait(prompt=True, since=sent["seq"])
    assert "sleep 1000" in shell.output("jobs")
    shell.output("kill %1")


@every_shell
@pytest.mark.parametrize(("last", "code"), [("exit 3", 3), ("kill -9 %self", None), ("exec sh -c 'exit 5'", 5)])
def test_run_reports_a_shell_that_ends(cotty, name, last, code):
    shell = Shell(cotty, name)
    ran = shell.run(last.replace("%self", "$fish_pid" if name == "fish" else "$$"))
    assert (ran["outcome"], ran["exit_code"], ran["activity"]["kind"]) == ("exited", code, "exited")
    (command,) = shell.commands()
    assert (command["state"], command["exit_code"]) == ("exited", code)
    cotty.call("run", session=shell.id, command="true", error="PROCESS_EXITED")


@every_shell
def test_a_half_typed_line_blocks_run(cotty, name):
    shell = Shell(cotty, name)
    sent = shell.call("send", text="echo half a li")
    shell.wait(idle_ms=100, since=sent["seq"])
    error = cotty.call("run", session=shell.id, command="echo no", error="NOT_AT_PROMPT")
    assert "ctrl+u" in error["hint"]
    sent = shell.key("ctrl+u")
    shell.wait(idle_ms=200, since=sent["seq"])
    assert shell.output("echo yes") == "yes\n"


@every_shell
def test_lines_typed_ahead_run_in_order(cotty, name):
    shell = Shell(cotty, name)
    first = gate(cotty)
    seq = shell.call("send", text=f"echo wai''ting; cat {first}\n")["seq"]
    shell.wait(text="waiting", since=seq)
    shell.call("send", text="echo sec''ond\n")
    shell.call("send", text="echo thi''rd\n")
    open_gate(first)
    shell.wait(regex="^third$", since=seq)
    shell.wait(idle_ms=100)
    assert [(c["text"], c["exit_code"]) for c in shell.commands()[1:]] == [("echo sec''ond", 0), ("echo thi''rd", 0)]
    # The kernel echoes input typed ahead in the middle of the first command's output.
    assert [c["lines"] for c in shell.commands()[1:]] == [1, 1]
    assert shell.output("echo on") == "on\n"


@every_shell
def test_the_echo_of_typed_input_never_matches(cotty, name):
    shell = Shell(cotty, name)
    shell.call("send", text=": needle\n" if name != "fish" else "true needle\n")
    assert shell.call("wait", text="needle", timeout_ms=400)["met"] == "timeout"
    shell.call("send", text="echo nee''dle\n")
    shell.wait(text="needle")


@every_shell
def test_output_of_several_commands_is_all_new(cotty, name):
    shell = Shell(cotty, name)
    read = shell.type("echo one\n")
    assert read["content"].startswith("one\n")
    # A reader that gets no output from `run`.
    shell.call("read", view="new", reader="other")
    shell.output("echo two")
    shell.output("printf 'three\\nfour\\n'")
    content = shell.call("read", view="new", reader="other")["content"]
    assert [line for line in content.splitlines() if line in ("two", "three", "four")] == ["two", "three", "four"]
    assert "echo" not in content and "printf" not in content


# Policy


REFUSED = ["mkfs.ext4 /dev/null", " mkfs.ext4 /dev/null", "true; mkfs.ext4 /dev/null", "true\nmkfs.ext4 /dev/null", "true && mkfs.ext4"]


@every_shell
@pytest.mark.parametrize("paste", ["auto", "never"])
def test_a_refused_line_does_not_run_and_says_why(cotty, mkfs, name, paste):
    shell = Shell(cotty, name)
    assert "mkfs.ext4" in shell.output("which mkfs.ext4")
    for line in REFUSED:
        read = shell.type(f"{line}\n", paste=paste)
        if line.startswith("true\n") and paste == "never":
            # The first line ran, and a prompt followed it.
            shell.wait(text="not run")
            read = shell.call("read", view="new", wait={"prompt": True})
        assert "cotty: not run: making a file system" in read["content"], (line, read)
        denied = shell.commands()[-1]
        assert (denied["state"], denied["exit_code"]) == ("denied", 130), (line, denied)
        assert "mkfs" in denied["text"] and "mkfs" in denied["reason"]
        assert shell.output("echo goes on") == "goes on\n"
        cotty.call("run", session=shell.id, command=line, error="POLICY_DENIED")
    assert not mkfs.exists()


def test_a_zsh_that_traps_interrupts_is_still_stopped(cotty, mkfs):
    shell = Shell(cotty, "zsh")
    for trap in ("trap 'echo trapped' INT", "trap '' INT", "TRAPINT() { echo trapped; return 0 }"):
        shell.output(trap)
        shell.type("mkfs.ext4 /dev/null\n")
        assert shell.commands()[-1]["state"] == "denied"
        assert shell.output("echo on") == "on\n"
        # The user's trap is restored.
        assert "INT" in shell.output("trap; functions TRAPINT || true")
    assert not mkfs.exists()


def test_fish_reports_lines_run_by_another_key_that_it_cannot_stop(cotty, mkfs, home):
    home(RC["fish"], "bind \\cg 'commandline -f execute'\n")
    shell = Shell(cotty, "fish")
    shell.call("send", text="mkfs.ext4 /dev/null")
    sent = shell.key("ctrl+g")
    shell.wait(prompt=True, since=sent["seq"])
    assert "cannot be stopped" in shell.screen()
    assert shell.output("echo on") == "on\n"


@every_shell
def test_lines_reach_the_hook_as_they_were_typed(cotty, name):
    shell = Shell(cotty, name)
    lines = ["echo 'a;b'", "echo back\\\\slash", "echo ü漢🙂", "echo '%s %d %'", "echo 'x  y'", "echo '\\x41'", "echo a  # and more"]
    if name == "zsh":
        lines.remove("echo a  # and more")
    for line in lines:
        shell.output(line)
    assert [c["text"] for c in shell.commands()] == lines


# The list of commands


@every_shell
def test_commands_lists_every_command(cotty, name):
    shell = Shell(cotty, name)
    (cotty.work / "sub dir%").mkdir()
    shell.output("echo one")
    shell.output("cd 'sub dir%'")
    shell.output("sh -c 'echo out; exit 3'", 3)
    shell.type("seq 500\n")
    shell.type("\n")
    first, second, third, fourth = shell.commands()
    assert [c["number"] for c in (first, second, third, fourth)] == [1, 2, 3, 4]
    assert [c["text"] for c in (first, third, fourth)] == ["echo one", "sh -c 'echo out; exit 3'", "seq 500"]
    assert [c["exit_code"] for c in (first, second, third, fourth)] == [0, 0, 3, 0]
    assert [Path(c["directory"]) for c in (first, second, third)] == [cotty.work, cotty.work, cotty.work / "sub dir%"]
    assert (first["lines"], first["bytes"], fourth["lines"]) == (1, 4, 500)
    assert all(c["state"] == "done" and "output" not in c for c in (first, second, third, fourth))
    times = [datetime.fromisoformat(c["started"]) for c in (first, second, third, fourth)]
    assert times == sorted(times)
    assert [c["number"] for c in shell.commands(limit=2)] == [3, 4]
    (one,) = shell.commands(output=4, head=2, tail=1)
    assert one["output"] == {"head": "1\n2\n", "left_out": 497, "tail": "500\n"}
    (one,) = shell.commands(output=1)
    assert one["output"] == {"head": "one\n", "left_out": 0, "tail": ""}
    assert cotty.call("commands", session=shell.id, output=99, error="INVALID_INPUT")["hint"]
    shell.run("sleep 1000", timeout_ms=100)
    shell.doing("running", "sleep")
    running = shell.call("commands")
    assert (running["total"], running["commands"][-1]["state"], running["commands"][-1]["exit_code"]) == (5, "running", None)


@every_shell
def test_the_list_of_commands_survives_the_daemon(cotty, name):
    shell = Shell(cotty, name)
    shell.output("echo one")
    shell.output("cd /")
    before = shell.commands()
    for _ in range(2):
        killed = cotty.kill_daemon()
        eventually(lambda killed=killed: cotty.status()["pid"] != killed)
        assert shell.commands() == before
    # Enough output for a checkpoint, then more.
    shell.output("seq 200000")
    cotty.kill_daemon()
    shell.output("echo last")
    commands = shell.commands()
    same = ("number", "text", "exit_code", "started", "duration_ms", "directory", "state")
    assert [[c[field] for field in same] for c in commands[:2]] == [[c[field] for field in same] for c in before]
    assert [(c["text"], c["directory"]) for c in commands[2:]] == [("seq 200000", "/"), ("echo last", "/")]


@every_shell
def test_a_run_survives_a_daemon_kill(cotty, name):
    shell = Shell(cotty, name)
    wait, log = gate(cotty), cotty.work / "log"
    answers = []

    def run():
        command = f"echo ran >> {log}; echo before; cat {wait}; sh -c 'exit 5'"
        for _ in range(10):
            # As any client does: retry the same request until a daemon answers.
            try:
                answers.append(cotty.call("run", session=shell.id, command=command, request="the-one"))
                return
            except OSError:
                pass

    thread = threading.Thread(target=run)
    thread.start()
    eventually(log.exists)
    for _ in range(3):
        killed = cotty.kill_daemon()
        eventually(lambda killed=killed: cotty.status()["pid"] != killed)
    open_gate(wait, "after")
    thread.join()
    (ran,) = answers
    assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", "before\nafter\n", 5)
    assert log.read_text() == "ran\n"
    assert shell.output("echo on") == "on\n"


@every_shell
def test_each_run_happens_once_whenever_the_daemon_dies(cotty, name):
    shell = Shell(cotty, name)
    log = cotty.work / "log"
    for n in range(10):
        killer = threading.Timer(0.005 * n, cotty.kill_daemon)
        killer.start()
        while True:
            try:
                ran = cotty.call("run", session=shell.id, command=f"echo {n} >> {log}; echo {n}", request=f"r{n}")
                break
            except OSError:
                pass
        killer.join()
        assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", f"{n}\n", 0)
    assert log.read_text().split() == [str(n) for n in range(10)]
    assert [c["number"] for c in shell.commands()] == list(range(1, 11))


# Marks

# Marks the end of its own command and a prompt, with a nonce that it is given or finds, and fails after that.
FORGER = r"""#!/bin/bash
hook=$(tr '\0' '\n' </proc/$PPID/environ | sed -n 's/^COTTY_HOOK=//p')
nonces="$1 $(tr '\0' '\n' </proc/$PPID/environ | sed -n 's/^COTTY_NONCE=//p') $(cat "$hook.nonce")"
env | grep -a -o '133;B;[0-9a-z]+' -E >>leaked
echo all tests passed
for nonce in $nonces; do
    printf '\e]133;D;0;%s\a\e]133;A;%s\a$ \e]133;B;%s\a' $nonce $nonce $nonce
done
echo $nonces >nonces
read -r line <gate
exit 9
"""


@every_shell
@pytest.mark.parametrize("known", [False, True])
def test_a_program_cannot_forge_the_end_of_its_command(cotty, home, name, known):
    # An exported prompt: programs must not find the nonce there.
    home(RC[name], "export PS1\n" if name != "fish" else "")
    forger = cotty.work / "forge"
    forger.write_text(FORGER)
    forger.chmod(0o755)
    may_end = gate(cotty)
    shell = Shell(cotty, name)
    shell.output("cd " + str(cotty.work))
    ran = shell.run("./forge " + ("$__cotty_nonce" if known else ""), timeout_ms=1000)
    assert (ran["outcome"], ran["exit_code"]) == ("running", None), ran
    assert shell.call("info")["activity"]["kind"] != "prompt"
    assert len((cotty.work / "nonces").read_text().split()) == known
    assert (cotty.work / "leaked").read_text() == ""
    # The next daemon does not believe it either.
    cotty.kill_daemon()
    assert shell.call("info")["activity"]["kind"] != "prompt"
    open_gate(may_end)
    shell.wait(prompt=True)
    assert shell.commands()[-1]["exit_code"] == 9
    assert shell.output("echo next") == "next\n"


@every_shell
def test_the_nonce_is_in_no_recording_and_no_read(cotty, name):
    shell = Shell(cotty, name)
    shell.output(f"echo $__cotty_nonce >{cotty.work / 'nonce'}")
    nonce = (cotty.work / "nonce").read_text().strip()
    assert len(nonce) == 16
    shell.output("echo something")
    raw = shell.call("read", view="new", format="raw", since=0)["content"]
    assert "133;C;" in raw and nonce not in raw
    # The next daemon knows the commands nevertheless.
    cotty.kill_daemon()
    assert [command["exit_code"] for command in shell.commands()] == [0, 0]
    assert nonce not in shell.call("read", view="new", format="raw", since=0)["content"]
    assert nonce not in shell.call("recording", format="cast")["content"]
    shell.cotty("kill", shell.id)
    files = [path for path in cotty.home.rglob("*") if path.is_file()]
    assert not any(nonce.encode() in path.read_bytes() for path in files)
