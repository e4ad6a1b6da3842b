"""Shells and programs that contain shells, driven as by an agent: job control, zsh, fish, tmux, ssh and its keys."""

import subprocess

import pytest
from conftest import LIMIT, eventually

from driving import QUIET_VIM, Terminal
from sshd import sshd


def test_bash_stops_and_continues_jobs(cotty):
    shell = Terminal(cotty)
    shell.line("cat >typed")
    shell.activity("waiting_for_input", program="cat")
    shell.line("one")
    # Ctrl-Z discards input that was not read yet.
    eventually(lambda: (cotty.work / "typed").read_text() == "one\n")
    shell.keys("ctrl+z").prompt()
    assert "Stopped" in shell.new()
    assert "Stopped" in shell.run("jobs")
    shell.line("sleep 1000")
    shell.activity("running", program="sleep")
    shell.keys("ctrl+z").prompt()
    assert shell.run("bg").startswith("[2]+ sleep 1000 &")
    jobs = shell.run("jobs").splitlines()
    assert [job.split()[1] for job in jobs] == ["Stopped", "Running"], jobs
    shell.line("fg %1").text("cat > typed")
    shell.activity("waiting_for_input", program="cat")
    shell.line("two").keys("ctrl+d").prompt()
    assert (cotty.work / "typed").read_text() == "one\ntwo\n"
    assert "Terminated" in shell.run("kill %2; wait %2", code=143)
    assert shell.run("jobs") == ""
    shell.line("exit 5").exit(5)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_run_commands(cotty, shell):
    # Without a .zshrc, zsh asks a new user questions.
    (cotty.work / ".zshrc").write_text("PROMPT='$ '\n")
    (cotty.work / "some-long-name.txt").write_text("found by its first letters\n")
    terminal = Terminal(cotty, shell)
    terminal.idle(300, since=None)
    terminal.line("echo $(math 6 x 7)z" if shell == "fish" else "echo $((6 * 7))z").text("42z")
    loop = "for n in 1 2 3; echo n$n; end" if shell == "fish" else "for n in 1 2 3; do echo n$n; done"
    terminal.line(f"{loop} | tee counted").text("n3")
    eventually(lambda: (cotty.work / "counted").read_text() == "n1\nn2\nn3\n")
    terminal.type("cat some-l").idle()
    terminal.keys("tab").text("some-long-name.txt")
    terminal.line().text("found by its first letters")
    terminal.line("cat")
    terminal.activity("waiting_for_input", program="cat")
    terminal.keys("ctrl+c")
    terminal.idle()
    terminal.line("exit 3").exit(3)


def test_tmux_inside_has_two_panes_and_lives_on(cotty):
    tmux = ["tmux", "-S", str(cotty.work / "tmux"), "-f", "/dev/null"]
    shell = Terminal(cotty, env={"PS1": "$ "})
    inner = "env -u COTTY_SESSION bash --norc"
    try:
        shell.line(f"{' '.join(tmux)} new-session -s work '{inner}'").text("[work]")
        shell.line("echo left $((1 + 1))").text("left 2")
        shell.keys("ctrl+b").type("%").text("│")
        shell.line(f"exec {inner}").line("echo right $((2 + 2)) | tee right").text("right 4")
        eventually(lambda: (cotty.work / "right").read_text() == "right 4\n")
        shell.keys("ctrl+b").type("o").line("echo left again | tee left").text("left again")
        screen = shell.idle()
        assert "right 4" in screen and "left 2" in screen and "left again" in screen
        assert all("│" in row for row in screen.split("\n")[:23])
        screen = shell.keys("ctrl+b").type("d").prompt()
        assert "[detached (from session work)]" in screen and "│" not in screen
        assert (cotty.work / "left").read_text() == "left again\n"
        assert shell.run(f"{' '.join(tmux)} list-panes -t work").count("\n") == 2
        shell.line(f"{' '.join(tmux)} attach").text("left again")
        shell.keys("ctrl+b").type("&").text("kill-window")
        shell.type("y").prompt()
        assert "[exited]" in shell.screen()
    finally:
        subprocess.run([*tmux, "kill-server"], capture_output=True, timeout=LIMIT, check=False)


def test_ssh_keygen_asks_a_person_for_the_passphrase(cotty):
    shell = Terminal(cotty)
    shell.line("ssh-keygen -t ed25519 -C me").text("Enter file in which to save the key")
    shell.activity("waiting_for_input", program="ssh-keygen")
    shell.line(cotty.work / "key").text("Enter passphrase (empty for no passphrase): ")
    shell.activity("secret_input")
    shell.line("correct horse", actor="person").text("Enter same passphrase again: ")
    shell.activity("secret_input")
    shell.line("correct horse", actor="person").prompt()
    shell.give_back()
    screen = shell.screen()
    assert "Your identification has been saved" in screen and "horse" not in screen
    assert "horse" not in shell.new() and "horse" not in shell.new(format="raw", since=0)
    public = (cotty.work / "key.pub").read_text()
    again = shell.run("ssh-keygen -y -P 'correct horse' -f key")
    assert public.split()[:2] == again.split()[:2]
    assert "incorrect passphrase" in shell.run("ssh-keygen -y -P wrong -f key", code=255)


def test_ssh_asks_for_the_host_and_for_the_password(cotty):
    known = cotty.work / "known_hosts"
    ssh = f"ssh -F /dev/null -o UserKnownHostsFile={known} -o GlobalKnownHostsFile=/dev/null"
    with sshd(cotty.work / "sshd") as port:
        shell = Terminal(cotty)
        shell.line(f"{ssh} -p {port} -o PubkeyAuthentication=no guest@127.0.0.1")
        asked = shell.text("Are you sure you want to continue connecting (yes/no/[fingerprint])? ")
        assert "ED25519 key fingerprint is SHA256:" in asked
        shell.line("yes").text("guest@127.0.0.1's password: ")
        shell.activity("secret_input")
        shell.line("wrong", actor="person").text("Permission denied, please try again.")
        shell.text("guest@127.0.0.1's password: ")
        shell.activity("secret_input")
        shell.line("let me in", actor="person").match(r"\$ $|# $")
        shell.give_back()
        shell.activity("running", program="ssh")
        shell.line("echo $((40 + 2)) >there; cat there; tty").match(r"42\n/dev/pts/\d+")
        assert (cotty.work / "sshd" / "home" / "there").read_text() == "42\n"
        # Ctrl-C goes to the remote program, not to ssh.
        shell.line("sed -u 's/^/there: /'").line("ping").text("there: ping")
        shell.keys("ctrl+c").match(r"\^C\n.*[$#] $")
        shell.line("exit 3").prompt()
        assert "Connection to 127.0.0.1 closed." in shell.screen()
        assert shell.run("echo $?") == "3\n"
        assert "let me in" not in shell.screen(view="scrollback") + shell.screen()
        # With a key, ssh is a command like any other.
        with_key = f"{ssh} -p {port} -i {cotty.work}/sshd/guest_key -o BatchMode=yes guest@127.0.0.1"
        assert shell.run(f"{with_key} 'cat there; exit 4'", code=4) == "42\n"
        # A remote full-screen program.
        shell.line(f"{with_key} -t \"{QUIET_VIM}\" -u NONE -N from-afar").text("from-afar")
        shell.type("iwritten over ssh\x1b:wq\n").prompt()
        assert (cotty.work / "sshd" / "home" / "from-afar").read_text() == "written over ssh\n"
    assert known.read_text().startswith(f"[127.0.0.1]:{port} ") or known.read_text().startswith("|1|")
