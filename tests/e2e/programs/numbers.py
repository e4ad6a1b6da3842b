"""Prints numbered lines in bursts. Waits for a file before the last tenth, and writes another file at the end."""

import os
import sys
import time

count, width, may_end, done = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
for i in range(count):
    sys.stdout.write(f"{i:06d} " + "x" * (width - 8 - i % 7) + "$\n")
    if i % 40 == 0:
        sys.stdout.flush()
        time.sleep(0.004)
    while i == count * 9 // 10 and not os.path.exists(may_end):
        time.sleep(0.01)
sys.stdout.flush()
with open(done, "w") as file:
    file.write(str(count))
