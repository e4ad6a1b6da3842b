"""Progress bars as other programs draw them. Each line on stdin starts the next step."""

import sys


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def bar(percent):
    return "#" * (percent // 5) + "." * (20 - percent // 5)


def curl():
    """One line, redrawn from its start."""
    for percent in range(0, 101):
        say(f"\rfetching [{bar(percent)}] {percent:3}%")
        if percent in (40, 70):
            yield
    say("\nfetched\n")


def cargo():
    """Finished lines, with a bar below that is erased for each."""
    for crate in range(1, 10):
        say(f"\r\033[K   Compiling crate-{crate} v1.0.{crate}\n    Building [{bar(crate * 10)}] {crate}/9: crate-{crate}")
        if crate == 5:
            yield
    say("\r\033[K    Finished everything\n")


def docker():
    """Several lines, redrawn from below."""
    say("layer-a: waiting\nlayer-b: waiting\nlayer-c: waiting\n")
    yield
    for percent in range(0, 101):
        say(f"\033[3A\r\033[Klayer-a: {percent}%\n\033[Klayer-b: {percent // 2}%\n\n")
        if percent == 80:
            yield
    say("\033[3A\r\033[Klayer-a: complete\n\033[Klayer-b: complete\n\033[Klayer-c: complete\n")


def apt():
    """A fixed last row below scrolling lines."""
    say("\n\0337\033[0;23r\0338\033[1A")
    for package in range(1, 41):
        percent = package * 5 // 2
        say(f"Unpacking package-{package:02} ...\n\0337\033[24;0f\033[42m\033[30mProgress: [{percent:3}%]\033[49m\033[39m [{bar(percent)}]\0338")
        if package == 30:
            yield
    say("\n\0337\033[0;24r\0338\033[1A\033[JUnpacked all\n")


for _ in {"curl": curl, "cargo": cargo, "docker": docker, "apt": apt}[sys.argv[1]]():
    sys.stdin.readline()
