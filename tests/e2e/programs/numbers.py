"""Prints numbered lines, each longer than a row, in bursts; then says that it is done in a file."""

import sys
import time

count, width, done = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
for i in range(count):
    sys.stdout.write(f"{i:06d} " + "x" * (width - 8 - i % 7) + "$\n")
    if i % 40 == 0:
        sys.stdout.flush()
        # Long enough, all in all, for many deaths of whoever reads.
        time.sleep(0.004)
sys.stdout.flush()
with open(done, "w") as file:
    file.write(str(count))
