"""Sends queries that the terminal may refuse, and prints the answers. Each ends with a query that is always answered."""

import os
import re
import sys
import termios
import tty

OLD = termios.tcgetattr(0)


def ask(question):
    os.write(1, question.encode() + b"\x1b[5n")
    answer = b""
    while not answer.endswith(b"\x1b[0n"):
        answer += os.read(0, 4096)
    return answer[: -len(b"\x1b[0n")].decode()


tty.setraw(0)
try:
    os.write(1, b"\x1b]2;my title\x07\x1b]52;c;aGk=\x07")
    title = ask("\x1b[21t")
    clipboard = ask("\x1b]52;c;?\x07")
    sums = ask("\x1b[1;1;1;1;1;1*y")
    ask("\x1b[?40h\x1b[?3h")
    size = os.get_terminal_size(1)
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, OLD)
told = [
    "title" if title == "\x1b]lmy title\x1b\\" else repr(title),
    "clipboard" if clipboard == "\x1b]52;c;aGk=\x07" else repr(clipboard),
    "checksum" if re.fullmatch(r"\x1bP1!~[0-9A-F]{4}\x1b\\", sums) else repr(sums),
    f"{size.columns} columns",
]
print(", ".join(told))
sys.exit(0)
