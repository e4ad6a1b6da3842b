"""Asks the daemon from wherever it stands: `insider.py HOW SOCKET OUT`, with a list of requests as JSON in the file OUT.

HOW: `here`, as a child of whoever started it; `orphan`, left behind by its parent; `daemon`, left behind in a kernel
session of its own. The answers replace the requests in OUT.
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
    """Goes on in a process whose parents are gone."""
    first = os.getpid()
    if os.fork():
        # The leader of the terminal stays until its tree is asked about: only the parent between goes.
        return False
    if own_session:
        os.setsid()
    between = os.getpid()
    if os.fork():
        os._exit(0)
    # Nothing tells of it.
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
# Its end that is written to closes with the last who has it.
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
