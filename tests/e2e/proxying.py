"""A loopback proxy that adds a token to each request, for clients that cannot send one."""

import socket
import threading
from contextlib import contextmanager


class Proxy:
    def __init__(self, target, token, headers=None):
        self.target, self.token, self.headers = target, token, headers or {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        """Serves one request. After the head, bytes are passed on unchanged both ways until either end closes."""
        with client:
            data = b""
            while b"\r\n\r\n" not in data:
                more = client.recv(65536)
                if not more:
                    return
                data += more
            head, _, rest = data.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            kept = [line for line in lines if line.split(":")[0].lower() not in ("connection", "authorization")]
            # The proxy's address becomes the daemon's. Any other host name is passed on, and the daemon refuses it.
            kept = [line.replace(self.address, self.target) for line in kept]
            own = {"authorization": f"Bearer {self.token}", "connection": "close", **self.headers}
            lines = [first, *kept, *(f"{name}: {value}" for name, value in own.items())]
            host, port = self.target.split(":")
            with socket.create_connection((host, int(port))) as server:
                server.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + rest)
                threading.Thread(target=relay, args=(client, server), daemon=True).start()
                relay(server, client)


def relay(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    # Neither side shall wait for one that has disconnected.
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RD if end is source else socket.SHUT_WR)
        except OSError:
            pass


@contextmanager
def proxy(cotty, **headers):
    """The address of a proxy to the daemon's HTTP listener."""
    made = Proxy(cotty.status()["http"].removeprefix("http://"), cotty.token(), headers)
    try:
        yield f"http://{made.address}"
    finally:
        made.listener.close()
