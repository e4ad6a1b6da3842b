"""Stores every line that it reads in a file, until a line is `end`."""

import sys

with open(sys.argv[1], "w") as file:
    print("listening", flush=True)
    for line in sys.stdin:
        file.write(line)
        file.flush()
        if line.strip() == "end":
            break
