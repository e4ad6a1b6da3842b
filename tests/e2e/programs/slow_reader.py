"""Reads its input in small pieces, and writes its length and checksum to a file."""

import hashlib
import os
import sys
import time
import tty

wanted, verdict = int(sys.argv[1]), sys.argv[2]
tty.setraw(0)
os.write(1, b"go on\r\n")
got = b""
while len(got) < wanted:
    got += os.read(0, 1500)
    time.sleep(0.0005)
with open(verdict, "w") as file:
    file.write(f"{len(got)} {hashlib.sha256(got).hexdigest()}")
os.write(1, b"had enough\r\n")
