"""Our own side as processes that stop themselves at points of the protocol, to be killed there by the test.

Started as a program it is a server: it forks one process for every line of JSON it reads, which is much
quicker than starting Python each time, and answers with what became of that process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

from council_vault.files import Replacer, digest
from support.foreign_writers import raise_flag
from support.serving import served


class Folder:
    """A `keep` that survives the process: one file for each content."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def __call__(self, _path, content):
        (self.folder / digest(content)).write_bytes(content)

    def records(self):
        return {line for file in self.folder.iterdir() for line in file.read_bytes().split(b"\n")}


def _act(order):
    """Do what is ordered, stopping at each of its points the first time it is reached."""
    stops = set(order["stops"])

    def observe(point):
        if point in stops:
            stops.remove(point)
            os.kill(os.getpid(), signal.SIGSTOP)

    path = Path(order["path"])
    replacer = Replacer(path.parent / "locks", Folder(path.parent / "kept"), observe)
    if order["do"] == "update":
        replacer.update(path, raise_flag)
    elif order["do"] == "create":
        replacer.replace(path, b"created", None)
        replacer.settle()
    else:
        replacer.recover(path.parent)


def _serve():
    running = 0
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "kill":
            os.kill(running, signal.SIGKILL)
        elif order["do"] == "continue":
            os.kill(running, signal.SIGCONT)
        elif (running := os.fork()) == 0:
            _act(order)
            os._exit(0)
        _, status = os.waitpid(running, os.WUNTRACED)
        answer = "stopped" if os.WIFSTOPPED(status) else "killed" if os.WIFSIGNALED(status) else "ended"
        print(json.dumps(answer), flush=True)


class Server:
    """The test's end of the pipe."""

    def __init__(self, process):
        self._process = process

    def order(self, do, path=Path(), *stops):
        print(json.dumps({"do": do, "path": str(path), "stops": stops}), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


@contextmanager
def server():
    with served("stoppable") as process:
        yield Server(process)


if __name__ == "__main__":
    _serve()
