"""Calls the daemon from where it runs: `insider.py HOW SOCKET OUT`, with a JSON list of requests in the file OUT.

HOW: `here`, as a child of its starter; `orphan`, after its parent has exited; `daemon`, the same in its own kernel
session. The answers go to OUT.answers.
"""

import http.client
import json
import os
import socket
import sys
import time


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def left_behind(own_session):
    """Continues in a process whose parent has exited."""
    first = os.getpid()
    if os.fork():
        # The session leader stays until the daemon has looked at its tree: only the parent in between exits.
        return False
    if own_session:
        os.setsid()
    between = os.getpid()
    if os.fork():
        os._exit(0)
    # No event announces that the parent has exited.
    while os.getppid() in (first, between):
        time.sleep(0.001)
    return True


def ask(path, method, url, body=None, headers=None):
    connection = Connection(path, timeout=60)
    connection.request(method, url, json.dumps(body) if body is not None else None, headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    try:
        return [response.status, json.loads(text)]
    except ValueError:
        return [response.status, text]


how, path, out = sys.argv[1:]
# The write end is closed when the last process that has it exits.
answered, asking = os.pipe()
if how == "here" or left_behind(how == "daemon"):
    with open(out) as file:
        requests = json.load(file)
    answers = [ask(path, *request) for request in requests]
    with open(out + ".new", "w") as file:
        json.dump(answers, file)
    os.rename(out + ".new", out + ".answers")
    if how != "here":
        os._exit(0)
else:
    os.close(asking)
    os.wait()
    os.read(answered, 1)
