"""A real terminal: a shell in a private tmux window."""

import subprocess
from contextlib import contextmanager

from conftest import BINARY, LIMIT, alive, eventually


class Window:
    """The window's rows, and its keyboard."""

    def __init__(self, tmux, size):
        self.tmux = tmux
        # Tests type `cotty` there, as a person would.
        shell = f"exec env PATH={BINARY.parent}:$PATH PS1='outer$ ' bash --norc --noprofile"
        self.pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", size[0], "-y", size[1], shell).strip()
        self.shows("outer$")

    def lines(self):
        text = self.tmux("capture-pane", "-p", "-J", "-t", self.pane)
        return [line.rstrip() for line in text.rstrip().split("\n")]

    def shows(self, *last):
        """Waits until these are the last lines."""
        try:
            eventually(lambda: self.lines()[-len(last) :] == list(last))
        except AssertionError as error:
            raise AssertionError("\n".join(self.lines())) from error

    def has(self, text):
        try:
            return eventually(lambda: next((line for line in self.lines() if text in line), None))
        except AssertionError as error:
            raise AssertionError("\n".join(self.lines())) from error

    def line(self, text):
        self.tmux("send-keys", "-t", self.pane, "-l", text)
        self.press("Enter")

    def press(self, *keys):
        self.tmux("send-keys", "-t", self.pane, *keys)

    def is_full_screen(self):
        return self.tmux("display-message", "-p", "-t", self.pane, "#{alternate_on}").strip() == "1"


@contextmanager
def tmux_window(cotty, size=(80, 24), **env):
    def tmux(*args):
        command = ["tmux", "-u", "-L", "window", "-f", "/dev/null", *map(str, args)]
        there = {**cotty.env, "TMUX_TMPDIR": str(cotty.work), **env}
        done = subprocess.run(command, env=there, cwd=cotty.work, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == 0, f"tmux {args}: {done.stderr}"
        return done.stdout

    tmux("start-server", ";", "set", "-g", "exit-empty", "off", ";", "set", "-g", "status", "off")
    pid = int(tmux("display-message", "-p", "#{pid}"))
    try:
        yield Window(tmux, size)
    finally:
        tmux("kill-server")
        eventually(lambda: not alive(pid))
