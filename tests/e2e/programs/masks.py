"""Asks for a secret in cbreak mode, as dialogs do: prints a mask for each key, then what it got. Arguments: question, mask."""

import os
import sys
import termios
import tty

QUESTION, MASK = sys.argv[1:]
old = termios.tcgetattr(0)
tty.setcbreak(0)
os.write(1, QUESTION.encode())
got = b""
while not got.endswith(b"\n"):
    key = os.read(0, 1)
    got += key
    os.write(1, b"\r\n" if key == b"\n" else MASK.encode())
termios.tcsetattr(0, termios.TCSADRAIN, old)
print(f"got {len(got) - 1} characters", flush=True)
