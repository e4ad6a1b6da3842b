"""A terminal as an agent drives it: it types, waits for output, and reads. It never sleeps."""

import time

from conftest import LIMIT

# Longer than any step here takes on a loaded machine.
TIMEOUT_MS = LIMIT * 1000
# For a vim inside a shell: vim queries the terminal's keys and may exit before the replies arrive. The shell would
# take the replies for keys.
QUIET_VIM = "vim --cmd 'set t_RV='"


class Terminal:
    """One session. Every wait is for output after the last input, and must be met."""

    def __init__(self, cotty, program="bash", *args, **params):
        self.cotty = cotty
        made = cotty.call("create", program=program, args=list(map(str, args)), **params)
        self.id, self.pid, self.typed = made["session_id"], made["pid"], None
        if program == "bash" and not args:
            assert made["ready"], made

    def call(self, op, **params):
        return self.cotty.call(op, session=self.id, **params)

    # Typing.

    def send(self, actor="agent", **what):
        self.typed = self.cotty.call("send", actor=actor, session=self.id, **what)["seq"]
        return self

    def type(self, text, **more):
        """Types text unchanged."""
        return self.send(text=text, **more)

    def line(self, text="", **more):
        """Types a line and Enter."""
        return self.send(text=f"{text}\n", **more)

    def keys(self, *names):
        """Presses keys one after the other."""
        for name in names:
            self.send(key=name)
        return self

    def give_back(self):
        """Gives the keyboard back, as the person who typed."""
        self.call("keyboard", actor="person", action="give")

    # Waiting. Each returns the screen at that moment.

    def wait(self, wanted, **conditions):
        conditions = {"since": self.typed, "timeout_ms": TIMEOUT_MS} | conditions
        waited = self.call("wait", **{key: value for key, value in conditions.items() if value is not None})
        why = f"{conditions} ended by {waited['met']} ({waited.get('why')}):\n{waited['screen']}"
        assert waited["met"] == wanted, why
        return waited

    def text(self, text, **more):
        return self.wait("text", text=text, **more)["screen"]

    def shows(self, text, ms=100):
        """Waits for the text and then for silence: the program may still be drawing when the text appears."""
        self.text(text)
        return self.idle(ms)

    def match(self, regex, **more):
        return self.wait("regex", regex=regex, **more)["screen"]

    def prompt(self, **more):
        return self.wait("prompt", prompt=True, **more)["screen"]

    def idle(self, ms=100, **more):
        return self.wait("idle", idle_ms=ms, **more)["screen"]

    def exit(self, code=0, **more):
        ended = self.wait("exit", exit=True, **more)
        assert (ended["exited"], ended["exit_code"]) == (True, code), ended
        return ended["screen"]

    def activity(self, kind, **more):
        """Waits for a state that no event announces, such as an echo that is turned off."""
        end = time.monotonic() + LIMIT
        while True:
            found = self.info()["activity"]
            if found == {"kind": kind} | more or (not more and found["kind"] == kind):
                return found
            assert time.monotonic() < end, f"{found}:\n{self.screen()}"
            time.sleep(0.01)

    # Reading.

    def screen(self, **more):
        return self.call("read", **more)["content"]

    def new(self, **more):
        return self.call("read", view="new", **more)["content"]

    def info(self):
        return self.call("info")

    def run(self, command, code=0):
        """Runs one command at the shell's prompt and returns its output."""
        ran = self.call("run", command=command, timeout_ms=4 * TIMEOUT_MS)
        assert (ran["outcome"], ran["exit_code"]) == ("done", code), ran
        self.typed = None
        return ran["output"]
