"""Connections over TCP: anyone on the machine can open them, so they must not keep others from the daemon."""

import resource
import socket
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from conftest import LIMIT, eventually
from test_tokens import Http, new_token

HALF = b"GET /v1/sessions HTTP/1.1\r\nHost: "


def connect(cotty, send=b""):
    address = urlsplit(cotty.status()["http"])
    opened = socket.create_connection((address.hostname, address.port), timeout=LIMIT)
    try:
        opened.sendall(send)
    except OSError:
        # Refused before everything was sent. The answer can still be read.
        pass
    return opened


def answer(opened):
    """Everything until the other end closes."""
    said = b""
    try:
        while more := opened.recv(1 << 16):
            said += more
    except ConnectionResetError:
        pass
    return said


def rss(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.as_root
def test_half_sent_requests_do_not_block_the_socket(cotty):
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    cotty("ls", preexec_fn=few)
    session = cotty.new("--", "cat")
    address = urlsplit(cotty.status()["http"])
    with ExitStack() as stack:
        opened = []
        for _ in range(300):
            one = stack.enter_context(closing(socket.create_connection((address.hostname, address.port), timeout=LIMIT)))
            one.sendall(HALF)
            opened.append(one)
        # The last ones are too many, and are refused at once.
        assert answer(opened[-1]).startswith(b"HTTP/1.1 503 ")
        assert cotty.info(session)["healthy"]
        # Sessions still have descriptors.
        for _ in range(9):
            cotty.new("--", "cat")
        assert cotty.status()["live"] == 10
    # When they close, there is room again.
    http = Http(cotty, new_token(cotty, "ci"))
    eventually(lambda: http.ask("GET", "/v1/sessions")[0] == 200)


def test_a_head_that_is_too_large_is_refused(cotty):
    cotty("ls")
    with closing(connect(cotty, b"GET / HTTP/1.1\r\nX: " + b"x" * 300_000)) as opened:
        assert answer(opened).startswith(b"HTTP/1.1 431 ")


def test_memory_is_given_back_when_connections_close(cotty):
    """Before there was a limit, 500 of them left hundreds of megabytes."""
    cotty("ls")
    pid = cotty.status()["pid"]
    address = urlsplit(cotty.status()["http"])
    before = rss(pid)
    for head in (HALF, HALF + b"x" * 30_000):
        with ExitStack() as stack:
            for _ in range(500):
                opened = socket.create_connection((address.hostname, address.port), timeout=LIMIT)
                stack.enter_context(closing(opened))
                try:
                    opened.sendall(head)
                except OSError:
                    pass
    eventually(lambda: rss(pid) < before + (24 << 20), label=lambda: f"{before >> 10} kB, then {rss(pid) >> 10} kB")
