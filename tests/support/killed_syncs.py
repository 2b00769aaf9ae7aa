"""Syncs and logs as processes that are killed: at a moment, or at a point of the road or of a replacement.

Started as a program it is a server that has imported everything; it forks one process for every line of JSON
it reads, which takes milliseconds where a new Python takes tenths of a second.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import signal
import sys
import time
import traceback
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from council_vault.files import Replacer
from council_vault.learning.log_input import read_log_input
from council_vault.memory.file import MemoryFile
from council_vault.memory.snapshots import Snapshots
from council_vault.operations.log import log
from council_vault.settings import Settings
from council_vault.state import State
from council_vault.sync import Options, sync
from council_vault.vault.local import LocalVault
from council_vault.workspace import Workspace
from support.serving import served

_STEPS = (
    (MemoryFile, ("recover", "read", "edit", "create", "operate")),
    (LocalVault, ("list", "read", "write", "settle")),
    (State, ("remember", "close")),
    (Snapshots, ("save",)),
)


class Points:
    """Counts the points that are reached, and ends the process by force at one of them."""

    def __init__(self, last):
        self.reached = 0
        self._last = last

    def __call__(self, _point):
        self.reached += 1
        if self.reached == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self):
        """Count the points of the replacements of files, and every step of a sync when it is done."""
        for owner, names in _STEPS:
            for name in names:
                setattr(owner, name, self._announced(getattr(owner, name)))
        workspace = importlib.import_module("council_vault.workspace")
        workspace.Replacer = functools.partial(Replacer, observe=self)

    def _announced(self, step):
        @functools.wraps(step)
        def announced(*given, **named):
            result = step(*given, **named)
            self(step.__name__)
            return result

        return announced


def _act(order):
    points = Points(order["point"])
    points.watch()
    settings = msgspec.convert(order["settings"], Settings)
    workspace = Workspace(settings, Path(order["states"]), Path(order["home"]), {})
    now = datetime.fromisoformat(order["now"])
    if order["given"] is None:
        done = sync(workspace, Options(), now)
    else:
        done = log(workspace, read_log_input(order["given"]), now)
    return {"end": "ended", "points": points.reached, "report": msgspec.to_builtins(done)}


def _serve():
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                answer = _act(order)
            except Exception:  # noqa: BLE001 - whatever it is, the test must hear of it
                answer = {"end": "failed", "why": traceback.format_exc()}
            print(json.dumps(answer), flush=True)
            os._exit(0)
        if order["moment"] is not None:
            time.sleep(order["moment"])
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            print(json.dumps({"end": "killed"}), flush=True)


class Server:
    """The test's end of the pipe."""

    def __init__(self, process):
        self._process = process

    def sync(self, road, *, moment=None, point=None):
        """Let a process sync and be killed after so many seconds, or at a point; say how it ended."""
        return self._order(road, moment, point, None)

    def log(self, road, given, *, moment=None, point=None):
        """Let a process log a deliberation, likewise."""
        return self._order(road, moment, point, given)

    def _order(self, road, moment, point, given):
        workspace = road.workspace()
        road.now += timedelta(hours=1)
        order = {
            "settings": msgspec.to_builtins(workspace.settings),
            "states": str(workspace.states),
            "home": str(workspace.home),
            "now": road.now.isoformat(),
            "given": given,
            "moment": moment,
            "point": point,
        }
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


@contextmanager
def server():
    with served("killed_syncs") as process:
        yield Server(process)


if __name__ == "__main__":
    _serve()
