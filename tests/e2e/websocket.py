"""A WebSocket over the daemon's socket or over HTTP. It can stop reading for as long as a test needs."""

import base64
import json
import os
import re
import select
import socket
import struct
from urllib.parse import quote

from conftest import LIMIT


class WebSocket:
    """Reads JSON messages."""

    def __init__(self, path, url, **headers):
        """`path` is the socket's path, or a pair of host and port."""
        self.url, self.buffer = url, b""
        self.socket = socket.socket(socket.AF_UNIX if isinstance(path, str) else socket.AF_INET)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        host = "cotty" if isinstance(path, str) else f"{path[0]}:{path[1]}"
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {url} HTTP/1.1\r\nHost: {host}\r\n{more}Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        while b"\r\n\r\n" not in self.buffer:
            assert self.more(), "no answer"
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])
        if self.status != 101:
            length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
            self.refused = json.loads(self.take(length))

    def more(self):
        """Reads more bytes; false at the end."""
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        except TimeoutError as error:
            raise AssertionError(f"nothing more within {LIMIT} s on {self.url}; buffered: {self.buffer[:2000]}") from error
        self.buffer += data
        return data

    def take(self, count):
        """The next bytes; fewer at the end."""
        while len(self.buffer) < count and self.more():
            pass
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def waiting(self):
        """Whether there is data to read, or the end."""
        return bool(self.buffer or select.select([self.socket], [], [], 0)[0])

    def read(self):
        """The next message, or `None` at the end."""
        while True:
            head = self.take(2)
            if len(head) < 2:
                return None
            length = head[1] & 0x7F
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            data = self.take(length)
            if len(data) < length or head[0] & 0x0F == 8:
                return None
            if head[0] & 0x0F == 1:
                assert head[0] & 0x80, "the message is fragmented"
                return json.loads(data)

    def send(self, message):
        """Sends a message as JSON. Clients must mask their data; a mask of zeros changes nothing."""
        data = json.dumps(message).encode()
        length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + length + bytes(4) + data)

    def close(self):
        self.socket.close()


class Painted:
    """A viewer: keeps the paints that make up its screen."""

    def __init__(self, path, session):
        self.socket = WebSocket(path, f"/v1/sessions/{session}/view")
        self.messages = self.fulls = self.bytes = 0

    def read(self):
        """Takes the next message and returns its paint, or `None` at the end."""
        message = self.socket.read()
        if message is None or message["type"] != "paint":
            return message and ""
        self.messages += 1
        self.bytes += len(message["data"])
        if message["full"]:
            self.fulls += 1
            self.paints, self.size = [], (message["cols"], message["rows"])
        self.paints.append(message["data"])
        return message["data"]

    def lines(self, cotty):
        cols, rows = self.size
        return cotty("render", "--cols", cols, "--rows", rows, input="".join(self.paints)).split("\n")


class Front:
    """A front end: applies updates to a snapshot, and checks each later snapshot against its state."""

    def __init__(self, path, session):
        self.socket = WebSocket(path, f"/v1/updates?session={quote(session)}")
        self.messages = self.bells = self.snapshots = self.bytes = 0
        self.reasons = set()
        self.ended = None
        self.snapshot = None
        if self.socket.status == 101:
            self.read()
            assert self.snapshots == 1, "a subscription begins with a snapshot"

    def read(self, gap=False):
        """Takes the next update and returns its text, or `None` at the end. After a `gap`, a snapshot may differ from our
        state."""
        update = self.socket.read()
        if update is None:
            return None
        assert self.ended is None, "an update after the end"
        self.messages += 1
        kind, shown = update.pop("type"), self.snapshot
        self.bytes += len(json.dumps(update))
        if kind == "bell":
            self.bells += 1
        elif kind == "cursor":
            shown["cursor"] = update
        elif kind == "diff":
            region, rows = update["region"], shown["rows"]
            assert 0 == region["x"] <= region["y"] < region["y2"] <= rows and region["x2"] == shown["cols"], region
            place = slice(region["y"], region["y2"])
            assert len(update["lines"]) == region["y2"] - region["y"]
            shown["lines"][place] = update["lines"]
            shown["styles"][place] = styles(update)
            self.reasons.add(update["reason"])
        elif kind == "snapshot":
            update["styles"] = styles(update)
            same_size = shown and (shown["rows"], shown["cols"]) == (update["rows"], update["cols"])
            for part in ("lines", "styles", "cursor") if same_size and not gap else ():
                assert shown[part] == update[part], part
            assert len(update["lines"]) == update["rows"]
            self.snapshot = update
            self.snapshots += 1
        else:
            assert kind in ("exited", "gone"), kind
            self.ended = (kind, update.get("exit_code"), update.get("signal"))
        return "\n".join(update.get("lines", []))

    def catch_up(self):
        """Takes all updates that have arrived."""
        while self.socket.waiting() and self.read() is not None:
            pass

    def shows(self):
        cursor = self.snapshot["cursor"]
        return trimmed(self.snapshot["lines"]), (cursor["y"], cursor["x"])


def styles(update):
    return update.get("styles", [[]] * len(update["lines"]))


def trimmed(lines):
    return "\n".join(lines).rstrip("\n").split("\n")
