"""Writes the data from a socket to its terminal, and sends back the cursor position that the terminal reports."""

import os
import socket
import struct
import sys
import tty

tty.setraw(0)
sender = socket.socket(socket.AF_UNIX)
sender.connect(sys.argv[1])
paints = sender.makefile("rb")
while length := paints.read(4):
    paint = paints.read(struct.unpack(">I", length)[0]) + b"\x1b[6n"
    while paint:
        paint = paint[os.write(1, paint) :]
    answer = b""
    while not answer.endswith(b"R"):
        answer += os.read(0, 1)
    sender.sendall(answer)
