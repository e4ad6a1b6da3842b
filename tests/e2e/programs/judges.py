"""Checks its terminal from the inside, in one of four ways, until a file tells it to end; then writes a verdict.

floods   prints numbered lines as fast as they are read, and counts the bytes
asks     queries the device and the cursor; fails if an answer is wrong, comes twice, or never
hears    checks numbered input of any size by checksums, and prints what it got
resizes  changes the width again and again; fails if the kernel and the terminal do not both follow
"""

import os
import re
import select
import sys
import time
import tty
import zlib

way, may_end, verdict = sys.argv[1], sys.argv[2], sys.argv[3]
LIMIT = 60
said = 0


def over():
    return os.path.exists(may_end)


def say(text):
    """Writes the whole text, and counts its bytes as a raw terminal passes them on."""
    global said
    data = text.encode()
    said += len(data)
    while data:
        data = data[os.write(1, data) :]


def hear(count, limit=LIMIT):
    assert select.select([0], [], [], limit)[0], "no input"
    return os.read(0, count)


def answer(question, end):
    say(question)
    got = b""
    while not got.endswith(end):
        try:
            got += hear(1)
        except AssertionError:
            raise AssertionError(f"never answered: {question!r}, only {got!r}") from None
    return got.decode()


def nothing_more():
    # The daemon has answered everything before this query: a repeated answer would be here.
    answer("\x1b[5n", b"\x1b[0n")
    assert not select.select([0], [], [], 0.3)[0], f"unexpected: {os.read(0, 100)!r}"


def line(number):
    return f"{number:07d} " + "=" * (number * 7 % 90) + "$\r\n"


def floods():
    number = 0
    while number < 20_000 or not over():
        say("".join(line(number + i) for i in range(200)))
        number += 200
        # Enough output for many checkpoints of every session, but not so much that other work starves.
        time.sleep(0.01)


def asks():
    number = 0
    while not over():
        column = number % 70
        got = answer("\r" + "." * column + "\x1b[6n", b"R")
        assert re.fullmatch(rf"\x1b\[\d+;{column + 1}R", got), f"cursor at {column}: {got!r}"
        got = answer("\x1b[c", b"c")
        assert re.fullmatch(r"\x1b\[\?[\d;]+c", got), f"device: {got!r}"
        if number % 20 == 0:
            say("\r\x1b[K" + line(number // 20))
        number += 1
        time.sleep(0.002)
    say("\r\x1b[K")
    nothing_more()


def hears():
    rest, number = b"", 0
    while True:
        *messages, rest = (rest + hear(4096, limit=300)).split(b"\r")
        for message in messages:
            if message == b"end":
                assert not rest, f"after the end: {rest[:100]!r}"
                return
            got, checksum, payload = message.split(b" ")
            assert int(got) == number, f"expected {number}, got {int(got)}"
            assert int(checksum) == zlib.crc32(payload), f"input {number} is not what was sent"
            say(line(number))
            number += 1


def resizes():
    number = 0
    say("\x1b[?40h")
    while not over():
        wide = number % 2 == 0
        answer("\x1b[?3h\x1b[5n" if wide else "\x1b[?3l\x1b[5n", b"\x1b[0n")
        cols = os.get_terminal_size(1).columns
        assert cols == (132 if wide else 80), f"turn {number}: {cols} columns"
        got = answer("\x1b[1;999H\x1b[6n", b"R")
        assert got == f"\x1b[1;{cols}R", f"turn {number}: {got!r} of {cols} columns"
        number += 1
        time.sleep(0.005)
    # Wide, so that the line does not wrap.
    answer("\x1b[?3h\x1b[5n", b"\x1b[0n")
    say(line(number))
    nothing_more()


tty.setraw(0)
say("ready\r\n")
try:
    {"floods": floods, "asks": asks, "hears": hears, "resizes": resizes}[way]()
    word = "ok"
except Exception as wrong:
    word = f"{type(wrong).__name__}: {wrong}"
with open(verdict + ".new", "w") as file:
    file.write(f"{word}\n{said}")
os.rename(verdict + ".new", verdict)
