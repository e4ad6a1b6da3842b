"""A private sshd on loopback."""

import os
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

from conftest import LIMIT, eventually

WRAPPER = next(Path("/usr/lib").glob("*/libnss_wrapper.so"), Path("/usr/lib/libnss_wrapper.so"))


@contextmanager
def sshd(top, config="", shell="/bin/bash"):
    """A private server with one account, the user's own, with a shell, a key and a password."""
    top.mkdir(mode=0o700)
    home = top / "home"
    home.mkdir()
    for name in ("host_key", "guest_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", top / name], check=True, timeout=LIMIT)
    (top / "authorized_keys").write_bytes((top / "guest_key.pub").read_bytes())
    hashed = subprocess.run(["openssl", "passwd", "-6", "let me in"], capture_output=True, text=True, check=True)
    passwd = f"guest:{hashed.stdout.strip()}:{os.getuid()}:{os.getgid()}::{home}:{shell}\n"
    # A root sshd switches to this user before authentication.
    passwd += f"sshd:*:{os.getuid() or 65534}:{os.getgid() or 65534}::/run/sshd:/usr/sbin/nologin\n"
    (top / "passwd").write_text(passwd)
    (top / "config").write_text(
        f"HostKey {top}/host_key\nAuthorizedKeysFile {top}/authorized_keys\nPidFile none\nUsePAM no\nStrictModes no\n"
        "PermitRootLogin yes\nKbdInteractiveAuthentication no\nPrintMotd no\nPrintLastLog no\n" + config
    )
    assert WRAPPER.exists(), "libnss-wrapper is missing"
    if os.getuid() == 0:
        # Debian's service makes this directory. Only a root sshd needs it.
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    env = {"PATH": os.environ["PATH"], "LD_PRELOAD": str(WRAPPER), "NSS_WRAPPER_PASSWD": str(top / "passwd")}
    # Without a group `tty`, sshd gives a terminal to the user's own group.
    (top / "group").write_text(f"guests:x:{os.getgid()}:\n")
    env |= {"NSS_WRAPPER_GROUP": str(top / "group")}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["/usr/sbin/sshd", "-D", "-e", "-f", top / "config", "-o", f"ListenAddress=127.0.0.1:{port}"]
    with (top / "log").open("w") as log:
        server = subprocess.Popen(command, env=env, stderr=log)
    try:
        eventually(lambda: server.poll() is not None or "Server listening" in (top / "log").read_text())
        assert server.poll() is None, (top / "log").read_text()
        yield port
    finally:
        server.terminate()
        server.wait(timeout=LIMIT)
